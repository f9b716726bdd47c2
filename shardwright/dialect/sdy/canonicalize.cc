//===- canonicalize.cc - canonicalization of sdy ops ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Pipelines enable patterns by label, so patterns that change the cost of a
// reshard or a collective have the label of their stage.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/reuse_reshard.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/sdy/unreduced_transition.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shardwright::sdy {

namespace {

//===----------------------------------------------------------------------===//
// manual_computation
//===----------------------------------------------------------------------===//

/// Drops operands that the body does not use.
struct DropUnusedManualOperands : OpRewritePattern<ManualComputationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ManualComputationOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    llvm::BitVector unused(body.getNumArguments());
    for (BlockArgument argument : body.getArguments())
      if (argument.use_empty())
        unused.set(argument.getArgNumber());
    if (unused.none())
      return failure();
    SmallVector<TensorShardingAttr> shardings;
    for (auto [i, sharding] : llvm::enumerate(op.getInShardings()))
      if (!unused.test(i))
        shardings.push_back(sharding);
    rewriter.modifyOpInPlace(op, [&] {
      body.eraseArguments(unused);
      op->eraseOperands(unused);
      op.setInShardingsAttr(
          TensorShardingPerValueAttr::get(op.getContext(), shardings));
    });
    return success();
  }
};

/// Erases manual computations without operands, results and ops.
struct EraseEmptyManualComputation : OpRewritePattern<ManualComputationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ManualComputationOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getInShardings().empty() || !op.getOutShardings().empty() ||
        !llvm::hasSingleElement(op.getBody().front()))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// reshard
//===----------------------------------------------------------------------===//

/// reshard(reshard(x)) -> reshard(x), if the inner one has no other users.
struct ReshardOfReshard : OpRewritePattern<ReshardOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshardOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ReshardOp>();
    if (!inner || !inner->hasOneUse())
      return failure();
    // Reshards from or to a single device go via the replicated value.
    auto isOnOneDevice = [&](TensorShardingAttr sharding) {
      MeshAttr mesh = sharding ? getMeshAttr(op, sharding) : MeshAttr();
      return mesh && mesh.isMaximal();
    };
    if (isOnOneDevice(op.getSharding()) ||
        isOnOneDevice(getSharding(inner.getInput())))
      return failure();
    // One reshard may not change the kind of unreduced axes; two may.
    if (changesKind(op, getSharding(inner.getInput()), op.getSharding()))
      return failure();
    rewriter.replaceOpWithNewOp<ReshardOp>(op, op.getType(), inner.getInput(),
                                           op.getSharding());
    rewriter.eraseOp(inner);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

bool allEmpty(ListOfAxisRefListsAttr lists) {
  return llvm::all_of(lists, [](AxisRefListAttr list) { return list.empty(); });
}

/// Replaces a collective without axes by its operand.
template <typename OpT, auto getLists>
struct EraseEmptyCollective : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!allEmpty((op.*getLists)()))
      return failure();
    rewriter.replaceOp(op, op.getTensor());
    return success();
  }
};

/// all_slice(all_gather(x)) along the same axes -> x.
struct SliceOfGather : OpRewritePattern<AllSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto gather = op.getTensor().getDefiningOp<AllGatherOp>();
    if (!gather || gather.getGatheringAxes() != op.getSlicingAxes())
      return failure();
    rewriter.replaceOp(op, gather.getTensor());
    return success();
  }
};

struct SimplifyAllReduce : OpRewritePattern<AllReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getReductionAxes().empty()) {
      rewriter.replaceOp(op, op.getTensor());
      return success();
    }
    Operation *source = op.getTensor().getDefiningOp();
    if (auto r2u = dyn_cast_or_null<ReplicatedToUnreducedOp>(source)) {
      if (r2u.getAxes() != op.getReductionAxes())
        return failure();
      rewriter.replaceOp(op, r2u.getTensor());
      return success();
    }
    // all_reduce(sharded_to_unreduced(x)) is an all_gather.
    auto s2u = dyn_cast_or_null<ShardedToUnreducedOp>(source);
    MeshAttr meshAttr = getMeshAttr(op, op.getOutSharding());
    if (!s2u || !meshAttr)
      return failure();
    Mesh mesh = meshFromAttr(meshAttr);
    AxisList axes;
    for (AxisRefListAttr list : s2u.getAxes())
      llvm::append_range(axes, axesFromAttr(list.getValue(), mesh));
    sortAndMerge(axes);
    AxisList reduced = axesFromAttr(op.getReductionAxes().getValue(), mesh);
    sortAndMerge(reduced);
    if (axes != reduced)
      return failure();
    rewriter.replaceOpWithNewOp<AllGatherOp>(
        op, op.getType(), s2u.getTensor(), s2u.getAxes(), op.getOutSharding());
    return success();
  }
};

/// Replaces a permute to an equivalent sharding by its operand.
struct EraseIdentityPermute : OpRewritePattern<CollectivePermuteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CollectivePermuteOp op,
                                PatternRewriter &rewriter) const override {
    TensorShardingAttr in = sdy::getSharding(op.getTensor());
    if (!in || !in.isEquivalent(op.getOutSharding()))
      return failure();
    rewriter.replaceOp(op, op.getTensor());
    return success();
  }
};

struct EraseUnusedAllToAll : OpRewritePattern<AllToAllOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllToAllOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->use_empty())
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

/// Merges two all-to-alls between different dimensions.
struct AllToAllOfAllToAll : OpRewritePattern<AllToAllOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllToAllOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getTensor().getDefiningOp<AllToAllOp>();
    if (!inner || !inner->hasOneUse())
      return failure();
    SmallVector<AllToAllParamAttr> params(inner.getParams().getValue());
    llvm::append_range(params, op.getParams());
    SmallVector<int64_t> dims;
    for (AllToAllParamAttr param : params)
      dims.append({param.getSrcDim(), param.getTgtDim()});
    llvm::sort(dims);
    if (std::adjacent_find(dims.begin(), dims.end()) != dims.end())
      return failure();
    llvm::sort(params, [](AllToAllParamAttr a, AllToAllParamAttr b) {
      return a.getSrcDim() < b.getSrcDim();
    });
    rewriter.replaceOpWithNewOp<AllToAllOp>(
        op, op.getType(), inner.getTensor(),
        AllToAllParamListAttr::get(op.getContext(), params),
        op.getOutSharding());
    rewriter.eraseOp(inner);
    return success();
  }
};

/// all_slice(all_reduce(x)) -> all_slice(reduce_scatter(x)), if the slice
/// starts with all reduced axes; the remaining slice is removed if it is empty.
struct ReduceScatterFusion : OpRewritePattern<AllSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto reduce = op.getTensor().getDefiningOp<AllReduceOp>();
    if (!reduce || !onlySlicedAlike(reduce, op))
      return failure();
    // A slice may change the unreduced axes; a reduction may not.
    if (op.getOutSharding().getUnreducedAxes() !=
            reduce.getOutSharding().getUnreducedAxes() ||
        op.getOutSharding().getReductionOp() !=
            reduce.getOutSharding().getReductionOp())
      return failure();
    MeshAttr meshAttr = getMeshAttr(op, op.getOutSharding());
    if (!meshAttr)
      return failure();

    MLIRContext *context = op.getContext();
    SmallVector<AxisRefAttr> unused(reduce.getReductionAxes().getValue());
    SmallVector<AxisRefListAttr> scattered, sliced;
    for (AxisRefListAttr list : op.getSlicingAxes()) {
      ArrayRef<AxisRefAttr> axes = list.getValue();
      size_t taken = 0;
      for (; taken < axes.size(); ++taken) {
        auto *it = llvm::find(unused, axes[taken]);
        if (it == unused.end())
          break;
        unused.erase(it);
      }
      scattered.push_back(
          AxisRefListAttr::get(context, axes.take_front(taken)));
      sliced.push_back(AxisRefListAttr::get(context, axes.drop_front(taken)));
    }
    if (!unused.empty())
      return failure();

    auto scatteredAttr = ListOfAxisRefListsAttr::get(context, scattered);
    auto slicedAttr = ListOfAxisRefListsAttr::get(context, sliced);
    auto scatter = ReduceScatterOp::create(
        rewriter, op.getLoc(), op.getType(), reduce.getTensor(), scatteredAttr,
        reduce.getReductionOp(),
        scatteredSharding(reduce, op, scatteredAttr, meshFromAttr(meshAttr)));
    Value result = scatter.getResult();
    if (!allEmpty(slicedAttr))
      result = AllSliceOp::create(rewriter, op.getLoc(), op.getType(), result,
                                  slicedAttr, op.getOutSharding());
    SmallVector<Operation *> users(reduce->getUsers());
    for (Operation *user : users)
      rewriter.replaceOp(user, result);
    rewriter.eraseOp(reduce);
    return success();
  }

private:
  /// True if all users slice along the axes of `first`, the first user.
  static bool onlySlicedAlike(AllReduceOp reduce, AllSliceOp first) {
    return llvm::all_of(reduce->getUsers(), [&](Operation *user) {
      auto slice = dyn_cast<AllSliceOp>(user);
      return slice && slice.getSlicingAxes() == first.getSlicingAxes() &&
             slice->getBlock() == first->getBlock() &&
             !slice->isBeforeInBlock(first);
    });
  }

  static TensorShardingAttr scatteredSharding(AllReduceOp reduce,
                                              AllSliceOp slice,
                                              ListOfAxisRefListsAttr scattered,
                                              const Mesh &mesh) {
    SmallVector<DimensionShardingAttr> dims;
    for (auto [dim, list] : llvm::zip_equal(
             reduce.getOutSharding().getDimShardings(), scattered)) {
      AxisList axes = axesFromAttr(dim.getAxes(), mesh);
      appendMerged(axes, axesFromAttr(list.getValue(), mesh));
      dims.push_back(DimensionShardingAttr::get(
          slice.getContext(), axesToAttr(slice.getContext(), axes, mesh),
          /*isClosed=*/true));
    }
    return slice.getOutSharding().withDimShardings(dims);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void ManualComputationOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropUnusedManualOperands, EraseEmptyManualComputation>(context);
}

void ReshardOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  addReuseEarlierReshard(patterns);
  patterns.addWithLabel<ReshardOfReshard>({kReshardLabel}, context);
}

void AllGatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.addWithLabel<
      EraseEmptyCollective<AllGatherOp, &AllGatherOp::getGatheringAxes>>(
      {kCollectiveLabel}, context);
}

void AllSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.addWithLabel<
      EraseEmptyCollective<AllSliceOp, &AllSliceOp::getSlicingAxes>,
      SliceOfGather, ReduceScatterFusion>({kCollectiveLabel}, context);
}

void ReduceScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.addWithLabel<EraseEmptyCollective<
      ReduceScatterOp, &ReduceScatterOp::getReduceScatterAxes>>(
      {kCollectiveLabel}, context);
}

void AllReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.addWithLabel<SimplifyAllReduce>({kCollectiveLabel}, context);
}

void CollectivePermuteOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.addWithLabel<EraseIdentityPermute>({kCollectiveLabel}, context);
}

void AllToAllOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.addWithLabel<EraseUnusedAllToAll, AllToAllOfAllToAll>(
      {kCollectiveLabel}, context);
}

} // namespace shardwright::sdy
