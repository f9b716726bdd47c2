//===- input_limits.cc - limits of modules --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/input/input_limits.h"

#include "shardwright/mesh/nesting.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace mlir;

namespace shardwright {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::optional<TextProblem> checkText(StringRef text) {
  std::optional<NestingExcess> excess = findMlirNestingExcess(text);
  if (!excess)
    return std::nullopt;
  auto problem = [&](const Twine &message) {
    StringRef before = text.take_front(excess->offset);
    size_t line = before.rfind('\n') + 1; // of npos: 0
    return TextProblem{message.str(), unsigned(before.count('\n') + 1),
                       unsigned(before.size() - line + 1)};
  };
  auto say = [&](const Twine &what, int64_t limit) {
    return problem("the text nests deeper than the limit: " + what +
                   ", at most " + Twine(limit) + " are allowed");
  };
  switch (excess->what) {
  case NestingExcess::What::Brackets:
    return say("this is bracket " + Twine(maxTextNesting + 1) +
                   " within others",
               maxTextNesting);
  case NestingExcess::What::Operators:
    return say("this is operator " + Twine(maxTextNesting + 1) +
                   " of one affine expression",
               maxTextNesting);
  case NestingExcess::What::AliasDepth:
    return say(
        "with its nested aliases written out, this alias has more than " +
            Twine(maxExpandedNesting) + " brackets within others",
        maxExpandedNesting);
  case NestingExcess::What::AliasSize:
    return say(
        "with its nested aliases written out, this alias has more than " +
            Twine(maxExpandedTokens) + " tokens",
        maxExpandedTokens);
  case NestingExcess::What::Rank:
    return problem("a shape of more than " + Twine(maxRank) +
                   " sizes exceeds the limit: at most " + Twine(maxRank) +
                   " dimensions are allowed");
  }
  return std::nullopt;
}

LogicalResult checkText(StringRef text, StringRef file, MLIRContext *context) {
  std::optional<TextProblem> problem = checkText(text);
  if (!problem)
    return success();
  return emitError(
             FileLineColLoc::get(context, file, problem->line, problem->column))
         << problem->message;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {

/// Depth and size of attributes and types as trees, without sharing; each is
/// measured once.
class Measure {
public:
  struct Extent {
    int64_t depth = 1, size = 1;
    int64_t rank = 0; ///< the largest
  };

  template <typename AttrOrType> Extent of(AttrOrType root);

private:
  struct Node {
    const void *pointer;
    bool isType;
    bool isOpen = false;
  };
  /// Calls `visit` for each child attribute and type of the node.
  static void forEachChild(Node node, llvm::function_ref<void(Node)> visit) {
    auto type = [&](Type t) { visit({t.getAsOpaquePointer(), true}); };
    auto attribute = [&](Attribute a) {
      visit({a.getAsOpaquePointer(), false});
    };
    if (node.isType)
      Type::getFromOpaquePointer(node.pointer)
          .walkImmediateSubElements(attribute, type);
    else
      Attribute::getFromOpaquePointer(node.pointer)
          .walkImmediateSubElements(attribute, type);
  }

  llvm::DenseMap<const void *, Extent> known;
  SmallVector<Node> stack;
};

template <typename AttrOrType> Measure::Extent Measure::of(AttrOrType root) {
  Node first{root.getAsOpaquePointer(), std::is_same_v<AttrOrType, Type>};
  if (auto it = known.find(first.pointer); it != known.end())
    return it->second;
  constexpr int64_t most = int64_t(1) << 40; // sums stay in 64 bits
  stack.push_back(first);
  while (!stack.empty()) {
    Node &top = stack.back();
    Node node = top;
    if (!node.isOpen) {
      top.isOpen = true;
      // Types may be recursive: stop at the second visit.
      known.try_emplace(node.pointer);
      forEachChild(node, [&](Node child) {
        if (child.pointer && !known.contains(child.pointer))
          stack.push_back(child);
      });
      continue;
    }
    stack.pop_back();
    Extent extent;
    if (node.isType)
      if (auto tensor = dyn_cast<RankedTensorType>(
              Type::getFromOpaquePointer(node.pointer)))
        extent.rank = tensor.getRank();
    forEachChild(node, [&](Node child) {
      if (!child.pointer)
        return;
      Extent inner = known.lookup(child.pointer);
      extent.depth = std::max(extent.depth, inner.depth + 1);
      extent.size = std::min(extent.size + inner.size, most);
      extent.rank = std::max(extent.rank, inner.rank);
    });
    known[node.pointer] = extent;
  }
  return known.lookup(first.pointer);
}

/// Moves all ops to the module's own block, so that destroying the module does
/// not recurse.
void takeApart(ModuleOp module) {
  Region &region = module.getBodyRegion();
  if (region.empty())
    return;
  Block &body = region.front();
  // Ops in the regions of an op are appended at the end.
  for (auto it = body.begin(); it != body.end(); ++it) {
    it->dropAllUses();
    for (Region &inner : it->getRegions())
      for (Block &block : inner) {
        for (BlockArgument argument : block.getArguments())
          argument.dropAllUses();
        body.getOperations().splice(body.end(), block.getOperations());
      }
  }
  for (Operation &op : body)
    op.dropAllReferences();
}

class ModuleChecker {
public:
  ModuleChecker(ModuleOp module, bool attributes)
      : module(module), checksAttributes(attributes) {}

  LogicalResult run();

private:
  LogicalResult check(Operation *op, int64_t depth);
  // Emit errors at locations, because an error at an op would print the op.
  LogicalResult checkType(Operation *op, Type type);
  LogicalResult checkExtent(Operation *op, Measure::Extent extent,
                            StringRef what);

  ModuleOp module;
  bool checksAttributes;
  Measure measure;
};

LogicalResult ModuleChecker::checkExtent(Operation *op, Measure::Extent extent,
                                         StringRef what) {
  // Use no location: it may be the part that nests too deeply.
  auto error = [&] {
    return emitError(UnknownLoc::get(op->getContext()))
           << "the " << what << " of '" << op->getName() << "' ";
  };
  if (extent.depth > maxExpandedNesting)
    return error() << "nest deeper than the limit: "
                   << std::to_string(extent.depth) << " levels, at most "
                   << maxExpandedNesting << " are allowed";
  if (extent.size > maxExpandedTokens)
    return error() << "exceed the limit: written out without sharing, they "
                      "have more than "
                   << maxExpandedTokens << " parts";
  return success();
}

LogicalResult ModuleChecker::checkType(Operation *op, Type type) {
  Measure::Extent extent = measure.of(type);
  if (failed(checkExtent(op, extent, "types")))
    return failure();
  if (extent.rank > maxRank)
    return emitError(op->getLoc()) << "a tensor of rank " << extent.rank
                                   << " exceeds the limit: at most " << maxRank
                                   << " dimensions are allowed";
  return success();
}

LogicalResult ModuleChecker::check(Operation *op, int64_t depth) {
  if (checksAttributes &&
      (failed(
           checkExtent(op, measure.of(Attribute(op->getLoc())), "locations")) ||
       failed(checkExtent(op, measure.of(Attribute(op->getAttrDictionary())),
                          "attributes"))))
    return failure();
  if (depth > maxOpNesting)
    return emitError(op->getLoc())
           << "the program nests deeper than the limit: this "
              "operation is within "
           << depth - 1 << " others, at most " << maxOpNesting - 1
           << " are allowed";
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments()) {
        if (checksAttributes &&
            failed(checkExtent(op, measure.of(Attribute(argument.getLoc())),
                               "locations")))
          return failure();
        if (failed(checkType(op, argument.getType())))
          return failure();
      }
  return success();
}

LogicalResult ModuleChecker::run() {
  SmallVector<std::pair<Operation *, int64_t>> open{{module, 0}};
  while (!open.empty()) {
    auto [op, depth] = open.pop_back_val();
    if (failed(check(op, depth))) {
      takeApart(module);
      return failure();
    }
    size_t first = open.size();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          if (inner.getNumRegions() > 0)
            open.push_back({&inner, depth + 1});
          else if (failed(check(&inner, depth + 1))) {
            takeApart(module);
            return failure();
          }
    std::reverse(open.begin() + first, open.end());
  }
  return success();
}

} // namespace

LogicalResult checkModule(ModuleOp module, bool attributes) {
  return ModuleChecker(module, attributes).run();
}

} // namespace shardwright
