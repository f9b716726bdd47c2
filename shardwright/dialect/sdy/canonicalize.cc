#include "mlir/IR/PatternMatch.h"
#include "shardwright/dialect/sdy/sdy.h"
using namespace mlir;
namespace shardwright::sdy {
#define C(op)                                                                  \
  void op::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
C(ReshardOp)
C(ManualComputationOp)
C(AllGatherOp)
C(AllSliceOp)
C(AllToAllOp)
C(CollectivePermuteOp)
C(AllReduceOp)
C(ReduceScatterOp)
} // namespace shardwright::sdy
