//===- state_pairs.cc - results that replace arguments --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/problem/problem.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright {
namespace {

/// A name in the source: `params[0]['w']` is head `params` and path `[0]['w']`.
struct SourcePath {
  StringRef head, path;

  explicit SourcePath(StringRef name) {
    size_t end = name.find_first_of("[.");
    head = name.take_front(end);
    path = end == StringRef::npos ? StringRef() : name.drop_front(end);
  }
};

/// Which subscript of a result chooses a part of a tuple of results: the first
/// one of `result[1]['w']`, where a step returns parameters and moments as
/// trees of their own, or the last one of `result['w'][1]`, where it returns a
/// tuple for each parameter.
enum class PartSubscript : uint8_t { First, Last };

/// The part, and the path without its subscript: of the first one, `[1]['w']`
/// is 1 and `['w']`. None if the subscript is not a number.
std::optional<std::pair<int32_t, std::string>> splitPart(StringRef path,
                                                         PartSubscript which) {
  size_t begin = which == PartSubscript::First ? 0 : path.rfind('[');
  size_t end = path.find(']', begin == StringRef::npos ? 0 : begin);
  if (begin == StringRef::npos || end == StringRef::npos ||
      (which == PartSubscript::Last && end + 1 != path.size()))
    return std::nullopt;
  StringRef subscript = path.slice(begin, end);
  int32_t number;
  if (!subscript.consume_front("[") || subscript.getAsInteger(10, number))
    return std::nullopt;
  return std::pair(number,
                   (path.take_front(begin) + path.drop_front(end + 1)).str());
}

class NamePairs {
public:
  explicit NamePairs(func::FuncOp main) : main(main) {
    for (BlockArgument argument : main.getArguments()) {
      auto loc = dyn_cast<NameLoc>(argument.getLoc());
      arguments.emplace_back(loc ? loc.getName().strref() : StringRef());
      StringRef head = arguments.back().head;
      if (!llvm::is_contained(heads, head))
        heads.push_back(head);
    }
  }

  /// The subscript with which more results have the position and the path of an
  /// argument; the first one if both have as many.
  PartSubscript choosePartSubscript() {
    size_t numFirst = 0, numLast = 0;
    for (unsigned i = 0; i < main.getNumResults(); ++i) {
      numFirst += isOfAnyHead(i, PartSubscript::First);
      numLast += isOfAnyHead(i, PartSubscript::Last);
    }
    return numLast > numFirst ? PartSubscript::Last : PartSubscript::First;
  }

  /// The argument that result i replaces by its name, among those that `taken`
  /// does not have; -1: none.
  int32_t argumentOf(unsigned i, PartSubscript which,
                     const std::vector<bool> &taken) {
    StringRef path = pathOf(i);
    auto part = splitPart(path, which);
    int32_t first = -1;
    for (auto [k, argument] : llvm::enumerate(arguments)) {
      // Names without a path say nothing: every function has a first argument
      // and a first result.
      if (taken[k] || path.empty() || argument.path.empty() ||
          main.getArgumentTypes()[k] != main.getResultTypes()[i])
        continue;
      if (argument.path == path)
        return k;
      if (!part || argument.path != part->second)
        continue;
      if (isHead(part->first, argument))
        return k;
      if (first < 0)
        first = k;
    }
    // Another part may still have the path of an argument, as in
    // `result[0]['w']` and `state['w']`, the second argument.
    return which == PartSubscript::First ? first : -1;
  }

private:
  StringRef pathOf(unsigned result) {
    auto info = main.getResultAttrOfType<StringAttr>(result, "jax.result_info");
    return info ? SourcePath(info.strref()).path : StringRef();
  }
  /// True if the argument's head has this position among all heads.
  bool isHead(int32_t position, const SourcePath &argument) const {
    return position >= 0 && position < int32_t(heads.size()) &&
           heads[position] == argument.head;
  }
  /// True if an argument has the type, the path and the position of the result.
  bool isOfAnyHead(unsigned result, PartSubscript which) {
    auto part = splitPart(pathOf(result), which);
    if (!part || part->second.empty())
      return false;
    for (auto [k, argument] : llvm::enumerate(arguments))
      if (argument.path == part->second && isHead(part->first, argument) &&
          main.getArgumentTypes()[k] == main.getResultTypes()[result])
        return true;
    return false;
  }

  func::FuncOp main;
  std::vector<SourcePath> arguments;
  std::vector<StringRef> heads;
};

LogicalResult takeNamed(func::FuncOp main, const PairOptions &options,
                        std::vector<int32_t> &argumentOf,
                        std::vector<bool> &taken) {
  for (auto [result, argument] : options.named) {
    if (result < 0 || result >= int32_t(main.getNumResults()) || argument < 0 ||
        argument >= int32_t(main.getNumArguments()))
      return main.emitError()
             << "the pair " << result << "=" << argument << " of a result and "
             << "an argument does not exist: @" << main.getSymName() << " has "
             << main.getNumResults() << " results and "
             << main.getNumArguments() << " arguments";
    if (main.getResultTypes()[result] != main.getArgumentTypes()[argument])
      return main.emitError()
             << "result " << result << " of type "
             << main.getResultTypes()[result]
             << " cannot have the layout of argument " << argument
             << " of type " << main.getArgumentTypes()[argument];
    argumentOf[result] = argument;
    taken[argument] = true;
  }
  return success();
}

} // namespace

FailureOr<std::vector<int32_t>> pairResults(ModuleOp imported,
                                            const PairOptions &options) {
  func::FuncOp main = sdy::getMainFunc(imported);
  std::vector<int32_t> argumentOf(main.getNumResults(), -1);
  std::vector<bool> taken(main.getNumArguments());
  if (failed(takeNamed(main, options, argumentOf, taken)))
    return failure();
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto alias = main.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
    if (!alias || alias.getInt() < 0 ||
        alias.getInt() >= int64_t(main.getNumResults()) || taken[i])
      continue;
    int64_t result = alias.getInt();
    if (argumentOf[result] >= 0 ||
        main.getResultTypes()[result] != main.getArgumentTypes()[i])
      continue;
    argumentOf[result] = i;
    taken[i] = true;
  }
  if (options.pairs == StatePairs::None)
    return argumentOf;
  NamePairs names(main);
  PartSubscript which = names.choosePartSubscript();
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    if (argumentOf[i] >= 0)
      continue;
    int32_t argument = names.argumentOf(i, which, taken);
    if (argument < 0)
      continue;
    argumentOf[i] = argument;
    taken[argument] = true;
  }
  return argumentOf;
}

} // namespace shardwright
