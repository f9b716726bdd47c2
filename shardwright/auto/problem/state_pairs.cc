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

/// The path without its first subscript, which chooses a part of a tuple of
/// results, and that subscript: `[1]['w']` is 1 and `['w']`.
std::optional<std::pair<int32_t, StringRef>> withoutFirst(StringRef path) {
  int32_t number;
  if (!path.consume_front("[") || path.consumeInteger(10, number) ||
      !path.consume_front("]"))
    return std::nullopt;
  return std::pair(number, path);
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

  /// The argument that result i replaces by its name, among those that `taken`
  /// does not have; -1: none.
  int32_t argumentOf(unsigned i, const std::vector<bool> &taken) {
    auto info = main.getResultAttrOfType<StringAttr>(i, "jax.result_info");
    if (!info)
      return -1;
    StringRef path = SourcePath(info.strref()).path;
    auto part = withoutFirst(path);
    int32_t first = -1;
    for (auto [k, argument] : llvm::enumerate(arguments)) {
      // Names without a path say nothing: every function has a first argument
      // and a first result.
      if (taken[k] || argument.path.empty() ||
          main.getArgumentTypes()[k] != main.getResultTypes()[i])
        continue;
      if (argument.path == path)
        return k;
      if (!part || argument.path != part->second)
        continue;
      // The part of the results that has the position of the argument's head.
      if (part->first < int32_t(heads.size()) &&
          heads[part->first] == argument.head)
        return k;
      if (first < 0)
        first = k;
    }
    return first;
  }

private:
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
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    if (argumentOf[i] >= 0)
      continue;
    int32_t argument = names.argumentOf(i, taken);
    if (argument < 0)
      continue;
    argumentOf[i] = argument;
    taken[argument] = true;
  }
  return argumentOf;
}

} // namespace shardwright
