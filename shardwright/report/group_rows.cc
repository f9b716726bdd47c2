//===- group_rows.cc - one row for rows of one kind -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/group_rows.h"

#include "shardwright/report/location_text.h"
#include "shardwright/report/program_report.h"
#include "shardwright/support/sort_by.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace llvm;

namespace shardwright {
namespace {

/// A name, split into texts and the numbers after each of them.
struct NumberedName {
  std::vector<std::string> texts; ///< one more than numbers
  std::vector<uint64_t> numbers;

  explicit NumberedName(StringRef name);
  /// Equal for names that only differ in numbers.
  std::string kind() const { return join(texts, std::string(1, '\0')); }
};

NumberedName::NumberedName(StringRef name) : texts(1) {
  while (!name.empty()) {
    if (!isDigit(name.front())) {
      texts.back() += name.front();
      name = name.drop_front();
      continue;
    }
    StringRef digits = name.take_while(isDigit);
    name = name.drop_front(digits.size());
    uint64_t number;
    // Numbers that print otherwise, such as 007, are text.
    if (digits.getAsInteger(10, number) || std::to_string(number) != digits) {
      texts.back() += digits.str();
      continue;
    }
    numbers.push_back(number);
    texts.emplace_back();
  }
}

/// The word at the end of a text: `b` of `['b`, `%` of `@f:%`.
StringRef lettersBefore(StringRef text) {
  size_t begin = text.size();
  while (begin > 0 && (isAlnum(text[begin - 1]) ||
                       StringRef("_%").contains(text[begin - 1])))
    --begin;
  return text.drop_front(begin);
}

std::string rangeText(StringRef letters, const std::set<uint64_t> &numbers) {
  uint64_t first = *numbers.begin(), last = *numbers.rbegin();
  std::string prefix = letters.str();
  constexpr size_t kMostListed = 3;
  bool isRange = last - first + 1 == numbers.size();
  if (isRange ? numbers.size() == 2 : numbers.size() <= kMostListed) {
    std::string list;
    for (uint64_t number : numbers)
      list += (list.empty() ? "" : "," + prefix) + std::to_string(number);
    return list;
  }
  return std::to_string(first) + ".." + prefix + std::to_string(last);
}

/// The common name of names of one kind.
std::string commonName(const std::vector<NumberedName> &names) {
  std::string name = names.front().texts.front();
  for (size_t i = 0; i < names.front().numbers.size(); ++i) {
    std::set<uint64_t> numbers;
    for (const NumberedName &one : names)
      numbers.insert(one.numbers[i]);
    name += numbers.size() == 1
                ? std::to_string(*numbers.begin())
                : rangeText(lettersBefore(names.front().texts[i]), numbers);
    name += names.front().texts[i + 1];
  }
  return name;
}

/// `name` without its last component: `params['b0']` of `params['b0']['w']`.
/// Empty if it has only one.
StringRef parentOf(StringRef name) {
  size_t end = name.find_last_of("[./");
  return end == StringRef::npos ? "" : name.take_front(end);
}

/// Merges groups of one kind that have a common parent. Returns false if
/// nothing changes.
bool mergeSiblings(std::vector<RowGroup> &groups,
                   const std::vector<std::string> &kinds) {
  MapVector<StringRef, std::vector<size_t>> found;
  std::vector<std::string> keys;
  for (const RowGroup &group : groups) {
    StringRef name(group.name);
    name.consume_back("[...]");
    StringRef parent = parentOf(name);
    keys.push_back(((parent.empty() ? name : parent + "[...]") + "\n" +
                    kinds[group.members.front()])
                       .str());
  }
  for (auto [i, key] : enumerate(keys))
    found[key].push_back(i);
  if (found.size() == groups.size())
    return false;
  std::vector<RowGroup> merged;
  for (auto &[key, indices] : found) {
    RowGroup &first = groups[indices.front()];
    if (indices.size() > 1) {
      first.name = key.split('\n').first.str();
      for (size_t i : drop_begin(indices))
        append_range(first.members, groups[i].members);
      sort(first.members);
    }
    merged.push_back(std::move(first));
  }
  groups = std::move(merged);
  return true;
}

} // namespace

std::vector<RowGroup> groupByNumbers(ArrayRef<std::string> names,
                                     ArrayRef<std::string> kinds) {
  std::vector<RowGroup> groups;
  std::vector<std::vector<NumberedName>> split;
  std::map<std::pair<std::string, std::string>, size_t> indexOf;
  for (auto [i, name] : enumerate(names)) {
    NumberedName numbered(name);
    auto [it, isNew] =
        indexOf.insert({{numbered.kind(), kinds[i]}, groups.size()});
    if (isNew) {
      groups.emplace_back();
      split.emplace_back();
    }
    groups[it->second].members.push_back(i);
    split[it->second].push_back(std::move(numbered));
  }
  for (auto [group, parts] : zip(groups, split))
    group.name = commonName(parts);
  return groups;
}

std::vector<RowGroup> groupValues(ArrayRef<ValueReport> values, size_t limit) {
  std::vector<std::string> names, kinds;
  for (const ValueReport &value : values) {
    names.push_back(value.name);
    kinds.push_back(value.type + "\n" + value.local + "\n" + value.sharding);
  }
  std::vector<RowGroup> groups = groupByNumbers(names, kinds);
  while (groups.size() > limit && mergeSiblings(groups, kinds))
    ;
  return groups;
}

std::string CollectiveGroup::countText() const {
  if (uses.size() > 1)
    return "x" + std::to_string(uses.size());
  int64_t combined = uses.front()->operands;
  return combined > 1 ? "for " + std::to_string(combined) : "";
}

std::vector<CollectiveGroup> groupCollectives(ArrayRef<CollectiveUse> uses) {
  std::vector<std::string> names, kinds, files;
  for (const CollectiveUse &use : uses) {
    names.push_back(opPath(use.location));
    files.push_back(filePosition(use.location));
    if (files.back() == names.back()) // there is no file
      files.back().clear();
    kinds.push_back(use.kind + "\n" + use.axes + "\n" + files.back());
  }
  std::vector<CollectiveGroup> groups;
  for (RowGroup &rows : groupByNumbers(names, kinds)) {
    CollectiveGroup &group = groups.emplace_back();
    group.where = std::move(rows.name);
    const std::string &file = files[rows.members.front()];
    if (group.where.empty())
      group.where = file;
    else if (!file.empty())
      group.where += " (" + file + ")";
    for (size_t i : rows.members) {
      group.uses.push_back(&uses[i]);
      group.executions += uses[i].executions;
      group.bytes += uses[i].bytes;
    }
  }
  sortBy(groups, [](const CollectiveGroup &group) { return -group.bytes; });
  return groups;
}

} // namespace shardwright
