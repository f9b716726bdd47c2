//===- manual_axes_cleanup.cc - name every manual axis --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/index/module_contents.h"
#include "shardwright/propagate/index/op_index.h"
#include "shardwright/propagate/passes.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;
using sdy::TensorShardingPerValueAttr;

#define GEN_PASS_DEF_MANUALAXESCLEANUP
#include "shardwright/propagate/passes.h.inc"

namespace {

/// The sub-axes of a full axis that none of `used` covers, in order.
AxisList partsNotUsed(AxisRef axis, AxisRefs used) {
  AxisList parts{axis};
  for (AxisRef u : used) {
    AxisList next;
    for (AxisRef p : parts) {
      if (!overlaps(p, u)) {
        next.push_back(p);
        continue;
      }
      if (auto before = prefixWithoutOverlap(p, u))
        next.push_back(*before);
      if (auto after = suffixWithoutOverlap(p, u))
        next.push_back(*after);
    }
    parts = std::move(next);
  }
  return parts;
}

struct ManualAxesCleanupPass
    : impl::ManualAxesCleanupBase<ManualAxesCleanupPass> {
  void runOnOperation() override {
    bool hasAny = getAnalysis<ModuleContents>().manualComputations;
    markAnalysesPreserved<ModuleContents, OpIndex>();
    if (!hasAny)
      return;
    sdy::MeshLookup meshes(getOperation());
    bool failedOnce = false;
    for (Operation *op :
         getAnalysis<OpIndex>().postOrder(isNamed<sdy::ManualComputationOp>))
      failedOnce |=
          mlir::failed(clean(cast<sdy::ManualComputationOp>(op), meshes));
    if (failedOnce)
      signalPassFailure();
  }

private:
  LogicalResult clean(sdy::ManualComputationOp op, sdy::MeshLookup &meshes) {
    SmallVector<TensorShardingAttr> all(op.getInShardings().getShardings());
    llvm::append_range(all, op.getOutShardings().getShardings());
    ArrayRef<StringAttr> manual = op.getManualAxes().getValue();
    if (all.empty()) {
      bool trivial = op.getBody().front().getOperations().size() == 1;
      if (!manual.empty() && !trivial)
        return op.emitOpError(
            "has manual_axes when there are no in/out "
            "shardings and the body is not empty. This isn't "
            "allowed at this stage, please contact the Shardy "
            "team or file a bug.");
      return success();
    }
    Attribute meshOrRef = sdy::getCommonMeshOrRef(all, op);
    sdy::MeshAttr mesh = meshOrRef ? meshes(meshOrRef) : nullptr;
    if (!mesh)
      return success();
    Mesh value = sdy::meshFromAttr(mesh);

    SmallVector<StringAttr> sorted(manual);
    llvm::sort(sorted, [&](StringAttr a, StringAttr b) {
      return value.find(a).value_or(0) < value.find(b).value_or(0);
    });
    op.setManualAxesAttr(sdy::ManualAxesAttr::get(&getContext(), sorted));
    auto cleanList = [&](TensorShardingPerValueAttr list, TypeRange types) {
      SmallVector<TensorShardingAttr> shardings(list.getShardings());
      for (auto [s, type] : llvm::zip(shardings, types))
        if (isa<ShapedType>(type))
          s = addUnused(s, sorted, value, meshOrRef);
      return TensorShardingPerValueAttr::get(&getContext(), shardings);
    };
    op.setInShardingsAttr(cleanList(op.getInShardings(), op.getOperandTypes()));
    op.setOutShardingsAttr(
        cleanList(op.getOutShardings(), op.getResultTypes()));
    return success();
  }

  /// Makes manual axes that the sharding does not mention replicated.
  TensorShardingAttr addUnused(TensorShardingAttr attr,
                               ArrayRef<StringAttr> manual, const Mesh &mesh,
                               Attribute meshOrRef) {
    TensorSharding s = sdy::shardingFromAttr(attr, mesh);
    AxisList used = s.allAxes();
    used.append(s.replicated);
    used.append(s.unreduced);
    bool changed = false;
    for (StringAttr name : manual) {
      std::optional<int32_t> axis = mesh.find(name.getValue());
      if (!axis)
        continue;
      AxisList unused = partsNotUsed(mesh.fullAxis(*axis), used);
      changed |= !unused.empty();
      s.replicated.append(unused);
    }
    if (!changed)
      return attr;
    sortAndMerge(s.replicated);
    return sdy::shardingToAttr(attr.getContext(), s, mesh, meshOrRef);
  }
};

} // namespace
} // namespace shardwright
