//===- matching.cc - matches the values of two programs -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/diff/matching.h"

#include "shardwright/report/diff/align.h"

#include "llvm/ADT/StringMap.h"

namespace shardwright {
namespace {

using llvm::StringRef;

/// JAX numbers functions of equal names, `silu_12`: without the number, a
/// function that is inserted changes no other.
StringRef withoutNumber(StringRef function) {
  StringRef rest = function.rtrim("0123456789");
  return rest.size() < function.size() && rest.consume_back("_") &&
                 !rest.empty()
             ? rest
             : function;
}

class Matcher {
public:
  Matcher(const DocumentView &a, const DocumentView &b) : a(a), b(b) {
    matching.valueOfA.assign(a.values.size(), -1);
    matching.valueOfB.assign(b.values.size(), -1);
    matching.opOfA.assign(a.ops.size(), -1);
    matching.opOfB.assign(b.ops.size(), -1);
  }

  Matching run();

private:
  void join(int64_t inA, int64_t inB) {
    matching.valueOfA[size_t(inA)] = inB;
    matching.valueOfB[size_t(inB)] = inA;
  }
  void joinByName(std::vector<int64_t> ofA, std::vector<int64_t> ofB,
                  StringRef DocumentView::Value::*name);
  void alignOps();
  void alignOtherArguments();

  const DocumentView &a, &b;
  Matching matching;
};

/// Values that have no partner are joined by their order.
void Matcher::joinByName(std::vector<int64_t> ofA, std::vector<int64_t> ofB,
                         StringRef DocumentView::Value::*name) {
  struct Pair {
    int64_t inA = -1, inB = -1;
    int countA = 0, countB = 0;
  };
  llvm::StringMap<Pair> byName;
  for (int64_t v : ofA) {
    Pair &pair = byName[a.values[size_t(v)].*name];
    pair.inA = v;
    ++pair.countA;
  }
  for (int64_t v : ofB) {
    Pair &pair = byName[b.values[size_t(v)].*name];
    pair.inB = v;
    ++pair.countB;
  }
  for (int64_t v : ofA) {
    StringRef text = a.values[size_t(v)].*name;
    const Pair &pair = byName[text];
    if (!text.empty() && pair.countA == 1 && pair.countB == 1)
      join(v, pair.inB);
  }
  llvm::erase_if(ofA,
                 [&](int64_t v) { return matching.valueOfA[size_t(v)] >= 0; });
  llvm::erase_if(ofB,
                 [&](int64_t v) { return matching.valueOfB[size_t(v)] >= 0; });
  for (auto [inA, inB] : llvm::zip(ofA, ofB))
    if (a.values[size_t(inA)].type == b.values[size_t(inB)].type)
      join(inA, inB);
}

/// A copy of a row belongs to the row before it.
bool isFurtherCopy(const DocumentView &view, size_t row) {
  if (row == 0 || view.values[row].copy == 0)
    return false;
  const DocumentView::Value &before = view.values[row - 1],
                            &value = view.values[row];
  return before.copy > 0 && before.copy < value.copy &&
         before.name == value.name && before.op == value.op;
}

void Matcher::alignOps() {
  // Results by op.
  auto resultsOf = [](const DocumentView &view) {
    std::vector<std::vector<int64_t>> results(view.ops.size());
    for (auto [i, value] : llvm::enumerate(view.values))
      if (value.op >= 0 && !isFurtherCopy(view, i))
        results[size_t(value.op)].push_back(int64_t(i));
    return results;
  };
  auto keysOf = [](const DocumentView &view,
                   const std::vector<std::vector<int64_t>> &results) {
    std::vector<std::string> keys;
    for (auto [i, op] : llvm::enumerate(view.ops)) {
      std::string key = withoutNumber(op.function).str();
      key += '\0';
      key += op.op;
      key += '\0';
      key += op.name;
      for (int64_t result : results[i]) {
        key += '\0';
        key += view.values[size_t(result)].type;
      }
      keys.push_back(std::move(key));
    }
    return keys;
  };
  std::vector<std::vector<int64_t>> inA = resultsOf(a), inB = resultsOf(b);
  std::vector<int64_t> partner = align(keysOf(a, inA), keysOf(b, inB));
  for (auto [op, other] : llvm::enumerate(partner)) {
    if (other < 0)
      continue;
    matching.opOfA[op] = other;
    matching.opOfB[size_t(other)] = int64_t(op);
    for (auto [x, y] : llvm::zip(inA[op], inB[size_t(other)]))
      join(x, y);
  }
}

/// Arguments of blocks and of other functions.
void Matcher::alignOtherArguments() {
  struct List {
    std::vector<std::string> keys;
    std::vector<int64_t> rows;
  };
  auto listOf = [](const DocumentView &view) {
    List list;
    for (auto [i, value] : llvm::enumerate(view.values)) {
      if (value.op >= 0 || value.argument >= 0 || value.isResult() ||
          isFurtherCopy(view, i))
        continue;
      // `@f_12:%arg0`: of a function.
      auto [function, name] = value.name.split(':');
      std::string key = name.empty() ? "" : withoutNumber(function).str();
      list.keys.push_back(key + " " + value.type.str());
      list.rows.push_back(int64_t(i));
    }
    return list;
  };
  List ofA = listOf(a), ofB = listOf(b);
  for (auto [i, other] : llvm::enumerate(align(ofA.keys, ofB.keys)))
    if (other >= 0)
      join(ofA.rows[i], ofB.rows[size_t(other)]);
}

Matching Matcher::run() {
  auto select = [](const DocumentView &view, auto isWanted) {
    std::vector<int64_t> rows;
    for (auto [i, value] : llvm::enumerate(view.values))
      if (isWanted(value))
        rows.push_back(int64_t(i));
    return rows;
  };
  auto isArgument = [](const DocumentView::Value &value) {
    return value.argument >= 0;
  };
  auto isResult = [](const DocumentView::Value &value) {
    return value.isResult();
  };
  joinByName(select(a, isArgument), select(b, isArgument),
             &DocumentView::Value::source);
  joinByName(select(a, isResult), select(b, isResult),
             &DocumentView::Value::name);
  alignOps();
  alignOtherArguments();
  return std::move(matching);
}

} // namespace

Matching matchDocuments(const DocumentView &a, const DocumentView &b) {
  return Matcher(a, b).run();
}

} // namespace shardwright
