//===- verify_ops.cc - op verifiers -------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"
using namespace mlir;
namespace shardwright::sdy {
LogicalResult SdyDialect::verifyOperationAttribute(Operation *,
                                                   NamedAttribute) {
  return success();
}
LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *, unsigned,
                                                   unsigned, NamedAttribute) {
  return success();
}
LogicalResult SdyDialect::verifyRegionResultAttribute(Operation *, unsigned,
                                                      unsigned,
                                                      NamedAttribute) {
  return success();
}
LogicalResult detail::verifyCollectiveOp(Operation *) { return success(); }
#define V(op)                                                                  \
  LogicalResult op::verify() { return success(); }
V(ShardingConstraintOp)
V(ReshardOp) V(PropagationBarrierOp) V(ManualComputationOp)
    V(NamedComputationOp) V(DataFlowEdgeOp) V(FuncDataFlowEdgeOp) V(AllGatherOp)
        V(AllSliceOp) V(AllToAllOp) V(CollectivePermuteOp) V(AllReduceOp) V(
            ReduceScatterOp) V(ShardedToUnreducedOp) V(ReplicatedToUnreducedOp)
#define C(op)                                                                  \
  void op::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
            C(ReshardOp) C(ManualComputationOp) C(AllGatherOp) C(AllSliceOp)
                C(AllToAllOp) C(CollectivePermuteOp) C(AllReduceOp)
                    C(ReduceScatterOp) void SdyDialect::registerBytecode() {
}
} // namespace shardwright::sdy
