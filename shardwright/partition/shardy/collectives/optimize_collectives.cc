//===- optimize_collectives.cc - all-to-alls without permutes -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass sdy-optimize-collectives. A permute that reorders the axes of dimension
// d, and all-to-alls that then move the inner ones away, send each shard twice.
// On the value reshaped so that each axis of d has a dimension of its own, the
// all-to-alls can move these axes directly. The axes that stay then move, in
// their new order, to the outermost dimensions that became free. This is the
// sharding of d that the permute made, if each of them but the last covers its
// dimension.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/shardy/passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shardwright {

#define GEN_PASS_DEF_OPTIMIZECOLLECTIVES
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

/// An axis that leaves dimension d, and where it goes.
struct Leaving {
  AxisRef axis;
  int64_t target;
};

struct Chain {
  int64_t dim = -1;
  /// The axes of dim before the permute, cut so that each axis leaves or stays
  /// as a whole.
  AxisList axes;
  SmallVector<Leaving> leaving;
  /// Axes that stay, in their order after the permute.
  AxisList staying;
  /// The indices of the axes that stay and must move, in an order in which the
  /// new dimension is free.
  SmallVector<int64_t> moves;
  /// The permute, the all-to-alls but the last, and the last.
  SmallVector<Operation *> before;
  sdy::AllToAllOp last;
};

/// Cuts `axes` where an axis of `others` begins or ends within them.
AxisList cutAt(AxisRefs axes, AxisRefs others) {
  AxisList cut;
  for (AxisRef ref : axes) {
    SmallVector<int64_t> at;
    for (AxisRef other : others)
      if (other.axis == ref.axis)
        at.append({other.preSize, other.nextPreSize()});
    llvm::sort(at);
    int64_t end = ref.nextPreSize();
    for (int64_t pre : at)
      if (pre > ref.preSize && pre < end && pre % ref.preSize == 0 &&
          end % pre == 0) {
        cut.push_back({ref.axis, ref.preSize, pre / ref.preSize});
        ref = {ref.axis, pre, end / pre};
      }
    cut.push_back(ref);
  }
  return cut;
}

int64_t placeOf(AxisRefs axes, AxisRef axis) {
  const AxisRef *it = llvm::find(axes, axis);
  return it == axes.end() ? -1 : it - axes.begin();
}

/// The only dimension in which the shardings differ; -1 if there are several
/// or none.
int64_t soleDifference(const TensorSharding &a, const TensorSharding &b) {
  int64_t dim = -1;
  for (int64_t d = 0; d < a.rank(); ++d) {
    if (a.dims[d].axes == b.dims[d].axes)
      continue;
    if (dim >= 0)
      return -1;
    dim = d;
  }
  return dim;
}

class PermuteBeforeAllToAll
    : public OpRewritePattern<sdy::CollectivePermuteOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sdy::CollectivePermuteOp permute,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(permute.getType());
    sdy::TensorShardingAttr from = sdy::getSharding(permute.getTensor());
    sdy::TensorShardingAttr to = permute.getOutSharding();
    if (!type || !type.hasStaticShape() || !from ||
        from.getMeshOrRef() != to.getMeshOrRef())
      return failure();
    sdy::MeshAttr meshAttr = sdy::getMeshAttr(permute, from);
    if (!meshAttr)
      return failure();
    Mesh mesh = sdy::meshFromAttr(meshAttr);
    TensorSharding before = sdy::shardingFromAttr(from, mesh),
                   after = sdy::shardingFromAttr(to, mesh);
    std::optional<Chain> chain = chainOf(permute, before, after, mesh);
    if (!chain || !fits(*chain, type.getDimSize(chain->dim)))
      return failure();
    rewrite(permute, *chain, before, mesh, rewriter);
    return success();
  }

private:
  static std::optional<Chain> chainOf(sdy::CollectivePermuteOp permute,
                                      const TensorSharding &before,
                                      const TensorSharding &after,
                                      const Mesh &mesh);
  static bool fits(Chain &chain, int64_t size);
  static void rewrite(sdy::CollectivePermuteOp permute, const Chain &chain,
                      const TensorSharding &before, const Mesh &mesh,
                      PatternRewriter &rewriter);
};

std::optional<Chain>
PermuteBeforeAllToAll::chainOf(sdy::CollectivePermuteOp permute,
                               const TensorSharding &before,
                               const TensorSharding &after, const Mesh &mesh) {
  Chain chain;
  chain.dim = soleDifference(before, after);
  if (chain.dim < 0)
    return std::nullopt;
  AxisRefs target = after.dims[chain.dim].axes;
  chain.axes = cutAt(before.dims[chain.dim].axes, target);
  chain.staying = cutAt(target, chain.axes);
  // The permute changes only the order.
  if (chain.axes.size() != chain.staying.size() ||
      llvm::any_of(chain.staying,
                   [&](AxisRef a) { return placeOf(chain.axes, a) < 0; }))
    return std::nullopt;
  for (Value value = permute.getResult(); value.hasOneUse();) {
    auto move = dyn_cast<sdy::AllToAllOp>(*value.user_begin());
    if (!move || move.getParams().getValue().size() != 1)
      break;
    sdy::AllToAllParamAttr param = move.getParams().getValue().front();
    AxisList axes = cutAt(sdy::axesFromAttr(param.getAxes(), mesh), chain.axes);
    if (param.getSrcDim() != chain.dim || axes.size() > chain.staying.size() ||
        AxisRefs(chain.staying).take_back(axes.size()) != AxisRefs(axes))
      break;
    // Axes that leave together keep their order.
    if (!llvm::is_sorted(axes, [&](AxisRef a, AxisRef b) {
          return placeOf(chain.axes, a) < placeOf(chain.axes, b);
        }))
      break;
    for (AxisRef axis : axes)
      chain.leaving.push_back({axis, param.getTgtDim()});
    chain.staying.truncate(chain.staying.size() - axes.size());
    chain.before.push_back(value.getDefiningOp());
    chain.last = move;
    value = move.getResult();
  }
  if (!chain.last)
    return std::nullopt;
  return chain;
}

bool PermuteBeforeAllToAll::fits(Chain &chain, int64_t size) {
  if (size % totalSize(chain.axes))
    return false;
  llvm::SmallBitVector isTaken(chain.axes.size());
  SmallVector<int64_t> left;
  for (auto [i, axis] : llvm::enumerate(chain.staying)) {
    int64_t room = chain.axes[i].size;
    bool isLast = i + 1 == chain.staying.size();
    if (isLast ? room % axis.size != 0 : room != axis.size)
      return false;
    isTaken.set(placeOf(chain.axes, axis));
    if (placeOf(chain.axes, axis) != int64_t(i))
      left.push_back(i);
  }
  while (!left.empty()) {
    auto next = llvm::find_if(left, [&](int64_t i) { return !isTaken[i]; });
    if (next == left.end())
      return false;
    isTaken.reset(placeOf(chain.axes, chain.staying[*next]));
    isTaken.set(*next);
    chain.moves.push_back(*next);
    left.erase(next);
  }
  return true;
}

void PermuteBeforeAllToAll::rewrite(sdy::CollectivePermuteOp permute,
                                    const Chain &chain,
                                    const TensorSharding &before,
                                    const Mesh &mesh,
                                    PatternRewriter &rewriter) {
  MLIRContext *context = permute.getContext();
  Attribute meshOrRef = permute.getOutSharding().getMeshOrRef();
  Location loc = permute.getLoc();
  rewriter.setInsertionPoint(chain.last);
  auto type = cast<RankedTensorType>(permute.getType());
  int64_t d = chain.dim, parts = chain.axes.size();
  int64_t rest = type.getDimSize(d) / totalSize(chain.axes);
  int64_t added = parts + (rest > 1) - 1;
  auto place = [&](int64_t dim) { return dim > d ? dim + added : dim; };

  SmallVector<int64_t> shape;
  TensorSharding sharding = before.closedLike();
  sharding.dims.clear();
  for (int64_t dim = 0; dim < before.rank(); ++dim) {
    if (dim != d) {
      shape.push_back(type.getDimSize(dim));
      sharding.dims.emplace_back().axes = before.dims[dim].axes;
      sharding.dims.back().isClosed = true;
      continue;
    }
    for (AxisRef axis : chain.axes) {
      shape.push_back(axis.size);
      sharding.dims.emplace_back().axes = {axis};
      sharding.dims.back().isClosed = true;
    }
    if (rest > 1) {
      shape.push_back(rest);
      sharding.dims.emplace_back().isClosed = true;
    }
  }
  auto attr = [&] {
    return sdy::shardingToAttr(context, sharding, mesh, meshOrRef);
  };
  auto wide = type.clone(ArrayRef<int64_t>(shape));
  Value value =
      stablehlo::ReshapeOp::create(rewriter, loc, wide, permute.getTensor());
  sdy::setShardings(value.getDefiningOp(), {attr()});
  auto move = [&](AxisRef axis, int64_t source, int64_t target) {
    sharding.dims[source].axes.clear();
    appendMerged(sharding.dims[target].axes, AxisRefs(axis));
    auto param = sdy::AllToAllParamAttr::get(
        context, sdy::axisListToAttr(context, axis, mesh).getValue(), source,
        target);
    value = sdy::AllToAllOp::create(
        rewriter, loc, wide, value,
        sdy::AllToAllParamListAttr::get(context, param), attr());
  };
  for (const Leaving &leaving : chain.leaving)
    move(leaving.axis, d + placeOf(chain.axes, leaving.axis),
         place(leaving.target));
  for (int64_t i : chain.moves)
    move(chain.staying[i], d + placeOf(chain.axes, chain.staying[i]), d + i);
  auto narrow = stablehlo::ReshapeOp::create(rewriter, loc, type, value);
  sdy::AllToAllOp last = chain.last;
  sdy::setShardings(narrow, {last.getOutSharding()});
  rewriter.replaceOp(last, narrow.getResult());
  // The ops of the chain from the last but one to the permute.
  for (Operation *op : llvm::reverse(chain.before))
    rewriter.eraseOp(op);
}

struct OptimizeCollectivesPass
    : impl::OptimizeCollectivesBase<OptimizeCollectivesPass> {
  using OptimizeCollectivesBase::OptimizeCollectivesBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<PermuteBeforeAllToAll>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardwright
