//===- rewrite_gspmd_texts.cc - rewrite mhlo.sharding as V1 or V2 ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/export_gspmd.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/interop/gspmd/gspmd_shardings.h"
#include "shardwright/interop/gspmd/mhlo_sharding_text.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardwright {

LogicalResult rewriteGspmdTexts(ModuleOp module, bool deviceLists) {
  GspmdShardings shardings(module);
  if (failed(shardings.collect()))
    return failure();
  llvm::DenseMap<Attribute, StringAttr> rewritten;
  auto rewrite = [&](Attribute text) -> StringAttr {
    const HloSharding *sharding = shardings.of(text);
    if (!sharding)
      return nullptr;
    StringAttr &known = rewritten[text];
    if (!known) {
      HloSharding tiled = toTiled(*sharding);
      known = StringAttr::get(
          module.getContext(),
          (deviceLists ? tiled.withDeviceList() : tiled.withIota()).str());
    }
    return known;
  };
  module.walk([&](Operation *op) {
    if (auto func = dyn_cast<func::FuncOp>(op)) {
      sdy::BorderAttributes border(func);
      for (unsigned i = 0; i < border.numArguments(); ++i)
        if (StringAttr text = rewrite(border.argument(i, kMhloSharding)))
          border.setArgument(i, kMhloSharding, text);
      for (unsigned i = 0; i < border.numResults(); ++i)
        if (StringAttr text = rewrite(border.result(i, kMhloSharding)))
          border.setResult(i, kMhloSharding, text);
      border.write();
    } else if (StringAttr text =
                   rewrite(op->getDiscardableAttr(kMhloSharding))) {
      op->setDiscardableAttr(kMhloSharding, text);
    }
  });
  return success();
}

} // namespace shardwright
