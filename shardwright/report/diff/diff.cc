//===- diff.cc - compares two partitionings -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/diff/diff.h"

#include "shardwright/report/diff/matching.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <tuple>

namespace shardwright {
namespace {

using llvm::StringRef;
using llvm::json::Object;

constexpr llvm::StringLiteral kNone("none");

class Comparer {
public:
  Comparer(const DocumentView &a, const DocumentView &b)
      : a(a), b(b), matching(matchDocuments(a, b)) {}

  Difference run();

private:
  void compareNumbers(StringRef prefix, const Object &inA, const Object &inB);
  void compareAnnotations();
  void compareOptions();
  void comparePrograms();
  void compareShardings();
  void compareCollectives();
  void findFirst();
  bool findFirstArrival();
  std::string whyNot(const DocumentView &view, int64_t value, int64_t dim,
                     StringRef axis) const;

  const DocumentView &a, &b;
  const Matching matching;
  Difference result;
};

void Comparer::compareNumbers(StringRef prefix, const Object &inA,
                              const Object &inB) {
  std::map<std::string, const llvm::json::Value *> keys;
  for (const auto &[key, value] : inA)
    keys[key.str()] = &value;
  for (const auto &[key, value] : keys) {
    // Durations of compiling and running differ from run to run.
    if (key == "stages" || key == "run_seconds" || key == "mean_run_seconds")
      continue;
    const llvm::json::Value *other = inB.get(key);
    if (!other)
      continue;
    std::string name = (prefix.empty() ? "" : prefix.str() + ".") + key;
    if (value->getAsObject() && other->getAsObject())
      compareNumbers(name, *value->getAsObject(), *other->getAsObject());
    else if (auto x = value->getAsNumber(), y = other->getAsNumber(); x && y)
      result.numbers.push_back({name, *x, *y});
  }
}

void Comparer::compareAnnotations() {
  std::map<int64_t, const DocumentView::Annotation *> ofB;
  for (const DocumentView::Annotation &one : b.annotations)
    ofB[one.value] = &one;
  std::vector<bool> isInA(b.values.size(), false);
  for (const DocumentView::Annotation &one : a.annotations) {
    int64_t other = one.value < 0 ? -1 : matching.valueOfA[size_t(one.value)];
    auto it = other < 0 ? ofB.end() : ofB.find(other);
    std::string what = a.describe(one.value);
    if (it == ofB.end()) {
      result.annotations.push_back(
          {what, one.sharding.str(), kNone.str(), one.where.str()});
      continue;
    }
    isInA[size_t(other)] = true;
    if (one.sharding != it->second->sharding)
      result.annotations.push_back({what, one.sharding.str(),
                                    it->second->sharding.str(),
                                    one.where.str()});
  }
  for (const DocumentView::Annotation &one : b.annotations)
    if (one.value >= 0 && !isInA[size_t(one.value)])
      result.annotations.push_back({b.describe(one.value), kNone.str(),
                                    one.sharding.str(), one.where.str()});
}

std::string meshText(const Object &mesh) {
  std::string text;
  if (const llvm::json::Array *axes = mesh.getArray("axes"))
    for (const llvm::json::Value &axis : *axes)
      if (const Object *one = axis.getAsObject())
        text += (text.empty() ? "" : ", ") +
                one->getString("name").value_or("").str() + "=" +
                std::to_string(one->getInteger("size").value_or(0));
  if (const llvm::json::Array *ids = mesh.getArray("device_ids"))
    text += llvm::formatv(" with devices {0}",
                          llvm::json::Value(llvm::json::Array(*ids)));
  return text.empty() ? "no mesh" : text;
}

void Comparer::compareOptions() {
  auto compare = [&](StringRef what, const std::string &x,
                     const std::string &y) {
    if (x != y)
      result.options.push_back({what.str(), x, y, ""});
  };
  compare("mesh", meshText(*a.mesh), meshText(*b.mesh));
  auto textOf = [](const Object &object, StringRef key) {
    const llvm::json::Value *value = object.get(key);
    if (!value)
      return kNone.str();
    if (auto text = value->getAsString())
      return text->str();
    return llvm::formatv("{0}", *value).str();
  };
  // Sorted, so that the order is always the same.
  std::map<std::string, bool> keys;
  for (const Object *object : {a.options, b.options})
    for (const auto &[key, value] : *object)
      keys[key.str()] = true;
  for (const auto &[key, unused] : keys)
    compare(key, textOf(*a.options, key), textOf(*b.options, key));
  compare("machine",
          llvm::formatv("{0}", llvm::json::Value(Object(*a.machine))),
          llvm::formatv("{0}", llvm::json::Value(Object(*b.machine))));
}

void Comparer::comparePrograms() {
  for (auto [i, other] : llvm::enumerate(matching.opOfA))
    if (other < 0)
      result.program.push_back(
          {a.describeOp(int64_t(i)), "op", kNone.str(), a.ops[i].where});
  for (auto [i, other] : llvm::enumerate(matching.opOfB))
    if (other < 0)
      result.program.push_back(
          {b.describeOp(int64_t(i)), kNone.str(), "op", b.ops[i].where});
  for (auto [i, other] : llvm::enumerate(matching.valueOfA))
    if (other < 0 && a.values[i].op < 0)
      result.program.push_back(
          {a.describe(int64_t(i)), a.values[i].type.str(), kNone.str(), ""});
  for (auto [i, other] : llvm::enumerate(matching.valueOfB))
    if (other < 0 && b.values[i].op < 0)
      result.program.push_back(
          {b.describe(int64_t(i)), kNone.str(), b.values[i].type.str(), ""});
}

void Comparer::compareShardings() {
  for (auto [i, other] : llvm::enumerate(matching.valueOfA)) {
    if (other < 0)
      continue;
    const DocumentView::Value &x = a.values[i], &y = b.values[size_t(other)];
    auto textOf = [](const DocumentView::Value &value) {
      return value.isRemoved() ? "removed" : value.sharding.str();
    };
    if (textOf(x) != textOf(y))
      result.shardings.push_back({a.describe(int64_t(i)), textOf(x), textOf(y),
                                  x.op >= 0 ? a.ops[size_t(x.op)].where : ""});
  }
}

void Comparer::compareCollectives() {
  // By op of A (of B, if A has it not) and kind, in program order.
  using Key = std::tuple<int64_t, int64_t, std::string, std::string>;
  struct Lists {
    std::vector<const DocumentView::Collective *> ofA, ofB;
  };
  std::map<Key, Lists> lists;
  for (const DocumentView::Collective &one : a.collectives)
    lists[{one.op, -1, one.kind.str(), one.op < 0 ? one.name.str() : ""}]
        .ofA.push_back(&one);
  for (const DocumentView::Collective &one : b.collectives) {
    int64_t inA = one.op < 0 ? -1 : matching.opOfB[size_t(one.op)];
    lists[{inA, inA < 0 ? one.op : -1, one.kind.str(),
           one.op < 0 ? one.name.str() : ""}]
        .ofB.push_back(&one);
  }
  for (auto &[key, list] : lists) {
    // Equal ones first, so that the others are what differs.
    for (auto *&x : list.ofA)
      for (auto *&y : list.ofB)
        if (x && y && x->axes == y->axes && x->bytes == y->bytes &&
            x->executions == y->executions) {
          x = y = nullptr;
          break;
        }
    llvm::erase(list.ofA, nullptr);
    llvm::erase(list.ofB, nullptr);
    for (size_t i = 0; i < std::max(list.ofA.size(), list.ofB.size()); ++i) {
      const auto *x = i < list.ofA.size() ? list.ofA[i] : nullptr;
      const auto *y = i < list.ofB.size() ? list.ofB[i] : nullptr;
      CollectiveDifference one;
      one.change = !x ? "came" : !y ? "went" : "changed";
      one.kind = std::get<2>(key);
      one.op = x ? a.describeOp(x->op) : b.describeOp(y->op);
      one.why = (y ? y : x)->why.str();
      if (x) {
        one.axesA = x->axes;
        one.bytesA = x->bytes;
        one.executionsA = x->executions;
      }
      if (y) {
        one.axesB = y->axes;
        one.bytesB = y->bytes;
        one.executionsB = y->executions;
      }
      result.collectives.push_back(std::move(one));
    }
  }
}

/// Why the axis is not on the dimension of the value; empty if unknown.
std::string Comparer::whyNot(const DocumentView &view, int64_t value,
                             int64_t dim, StringRef axis) const {
  for (const DocumentView::Stop &stop : view.stops)
    if (stop.value == value && stop.dim == dim && stop.axis == axis)
      return (stop.why + " (" + stop.through +
              (stop.where.empty() ? "" : ", " + stop.where) + ")")
          .str();
  return "";
}

/// The first step of propagation, in its order, that the other program has not.
bool Comparer::findFirstArrival() {
  using Key = std::tuple<int64_t, int64_t, StringRef, int64_t, int64_t>;
  auto keysOf = [&](const DocumentView &view, bool isA) {
    std::map<Key, int64_t> keys;
    for (auto [i, one] : llvm::enumerate(view.arrivals)) {
      if (!one.isStep() || one.value < 0)
        continue;
      auto inA = [&](int64_t v) {
        return isA || v < 0 ? v : matching.valueOfB[size_t(v)];
      };
      if (inA(one.value) >= 0)
        keys.try_emplace(
            {inA(one.value), one.dim, one.axis, inA(one.from), one.fromDim},
            int64_t(i));
    }
    return keys;
  };
  std::map<Key, int64_t> ofA = keysOf(a, true), ofB = keysOf(b, false);
  int64_t firstA = INT64_MAX, firstB = INT64_MAX;
  auto isMatched = [&](const Key &key) {
    return matching.valueOfA[size_t(std::get<0>(key))] >= 0;
  };
  for (const auto &[key, i] : ofA)
    if (!ofB.count(key) && isMatched(key))
      firstA = std::min(firstA, i);
  for (const auto &[key, i] : ofB)
    if (!ofA.count(key))
      firstB = std::min(firstB, i);
  if (firstA == INT64_MAX && firstB == INT64_MAX)
    return false;
  bool isOfA = firstA <= firstB;
  const DocumentView &has = isOfA ? a : b, &lacks = isOfA ? b : a;
  const DocumentView::Arrival &step =
      has.arrivals[size_t(isOfA ? firstA : firstB)];
  int64_t there = isOfA ? matching.valueOfA[size_t(step.value)]
                        : matching.valueOfB[size_t(step.value)];
  FirstDifference &first = result.first;
  first.kind = "propagation";
  first.what = has.describe(step.value);
  std::string reached =
      (step.axis + " reaches dim " + llvm::Twine(step.dim) + " through " +
       step.op + (step.from >= 0 ? " from " + has.describe(step.from) : ""))
          .str();
  std::string other = lacks.values[size_t(there)].sharding.str();
  (isOfA ? first.a : first.b) = has.values[size_t(step.value)].sharding.str();
  (isOfA ? first.b : first.a) = other;
  first.cause = reached + " in program " + (isOfA ? "A" : "B") +
                " and not in " + (isOfA ? "B" : "A");
  if (std::string why = whyNot(lacks, there, step.dim, step.axis); !why.empty())
    first.cause += ": " + why;
  first.where = step.where;
  return true;
}

void Comparer::findFirst() {
  FirstDifference &first = result.first;
  auto take = [&](StringRef kind, const ThingDifference &thing,
                  const std::string &cause) {
    first = {kind.str(), thing.what, thing.a, thing.b, cause, thing.where};
  };
  if (!result.annotations.empty()) {
    const ThingDifference &one = result.annotations.front();
    take("annotation", one,
         one.b == kNone   ? "the annotation is missing in program B"
         : one.a == kNone ? "the annotation is missing in program A"
                          : "the annotations differ");
  } else if (!result.options.empty()) {
    const ThingDifference &one = result.options.front();
    take(one.what == "mesh" ? "mesh" : "options", one,
         std::string("the programs are partitioned with different ") +
             (one.what == "mesh" ? "meshes" : "options"));
  } else if (!result.program.empty()) {
    const ThingDifference &one = result.program.front();
    take("program", one,
         one.b == kNone ? "only program A has it" : "only program B has it");
  } else if (findFirstArrival()) {
    return;
  } else if (!result.shardings.empty()) {
    take("propagation", result.shardings.front(), "the shardings differ");
  } else if (!result.collectives.empty()) {
    const CollectiveDifference &one = result.collectives.front();
    first = {"computation",
             one.op,
             one.change == "came" ? kNone.str() : one.kind + " " + one.axesA,
             one.change == "went" ? kNone.str() : one.kind + " " + one.axesB,
             one.why,
             ""};
  } else {
    for (const NumberDifference &number : result.numbers)
      if (number.a != number.b) {
        first = {"computation",
                 number.name,
                 llvm::formatv("{0}", llvm::json::Value(number.a)),
                 llvm::formatv("{0}", llvm::json::Value(number.b)),
                 "the programs of one device differ",
                 ""};
        return;
      }
  }
}

Difference Comparer::run() {
  result.titleA = a.title;
  result.titleB = b.title;
  compareNumbers("", *a.statistics, *b.statistics);
  compareAnnotations();
  compareOptions();
  comparePrograms();
  compareShardings();
  compareCollectives();
  findFirst();
  return std::move(result);
}

} // namespace

Difference compareDocuments(const DocumentView &a, const DocumentView &b) {
  return Comparer(a, b).run();
}

} // namespace shardwright
