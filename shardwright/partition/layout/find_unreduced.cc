//===- find_unreduced.cc - does a function have partial sums? -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/layout/find_unreduced.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"

using namespace mlir;

namespace shardwright {
namespace {

class UnreducedFinder {
public:
  bool isUnreduced(Attribute attr) {
    if (!attr || clean.contains(attr))
      return false;
    auto hasAxes = [](sdy::TensorShardingAttr sharding) {
      return !sharding.getUnreducedAxes().empty();
    };
    bool found = false;
    if (auto sharding = dyn_cast<sdy::TensorShardingAttr>(attr))
      found = hasAxes(sharding);
    else if (auto list = dyn_cast<sdy::TensorShardingPerValueAttr>(attr))
      found = llvm::any_of(list.getShardings(), hasAxes);
    if (!found)
      clean.insert(attr);
    return found;
  }

private:
  /// Attributes without unreduced axes: programs have few different ones.
  llvm::SmallDenseSet<Attribute, 16> clean;
};

} // namespace

bool hasUnreducedAxes(func::FuncOp func) {
  UnreducedFinder finder;
  auto name = StringAttr::get(func.getContext(), sdy::kShardingAttr);
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    if (finder.isUnreduced(func.getArgAttr(i, name)))
      return true;
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    if (finder.isUnreduced(func.getResultAttr(i, name)))
      return true;
  Dialect *sdyDialect = func->getContext()->getLoadedDialect<sdy::SdyDialect>();
  DictionaryAttr last;
  return func.getBody()
      .walk([&](Operation *op) {
        // A constant's only property is its value.
        if (op->getDialect() == sdyDialect && !isa<sdy::ConstantOp>(op)) {
          for (NamedAttribute attr : op->getAttrs())
            if (finder.isUnreduced(attr.getValue()))
              return WalkResult::interrupt();
          return WalkResult::advance();
        }
        // Most ops share the attributes of the previous op.
        DictionaryAttr attributes = op->getRawDictionaryAttrs();
        if (attributes == last)
          return WalkResult::advance();
        last = attributes;
        return finder.isUnreduced(attributes.get(name))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace shardwright
