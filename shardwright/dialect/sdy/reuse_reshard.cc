//===- reuse_reshard.cc - reuse earlier reshards --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the operand of a reshard back through reshapes and transposes to a
// root, and transforms the target layout with it. An earlier reshard of the
// root, or of a reshape of it, to this layout replaces the reshard.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/reuse_reshard.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/mesh/shard_size.h"

using namespace mlir;

namespace shardwright::sdy {

namespace {

// Op names instead of classes, because this dialect does not link StableHLO.
constexpr StringLiteral kReshape = "stablehlo.reshape";
constexpr StringLiteral kTranspose = "stablehlo.transpose";

bool isUnary(Operation *op, StringRef name) {
  return op && op->getName().getStringRef() == name &&
         op->getNumOperands() == 1 && op->getNumResults() == 1;
}

bool isReshape(Operation *op) { return isUnary(op, kReshape); }

/// For a transpose: the operand's dimension of each result dimension. Null for
/// other ops.
DenseI64ArrayAttr permutationOf(Operation *op) {
  if (!isUnary(op, kTranspose))
    return nullptr;
  return dyn_cast_if_present<DenseI64ArrayAttr>(
      op->getInherentAttr("permutation").value_or(Attribute()));
}

using Dims = SmallVector<AxisList>;
/// Axes with strides: shards that are neighbours along the axis start that many
/// elements apart, in row-major order.
using Linear = SmallVector<std::pair<AxisRef, int64_t>>;

/// The layout of a value, as far as it can be expressed: by dimensions of its
/// type, and by elements.
struct Split {
  Type type;
  std::optional<Dims> dims;
  std::optional<Linear> linear;
};

RankedTensorType staticType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding()
             ? tensor
             : RankedTensorType();
}

std::optional<Linear> linearOf(Type valueType, const Dims &dims) {
  RankedTensorType type = staticType(valueType);
  if (!type || type.getRank() != int64_t(dims.size()))
    return std::nullopt;
  Linear linear;
  int64_t stride = 1;
  for (auto [size, axes] :
       llvm::reverse(llvm::zip_equal(type.getShape(), dims))) {
    if (size == 0)
      return std::nullopt;
    // Shards of uneven dimensions have the rounded size.
    int64_t axisStride = stride * shardSize(size, totalSize(axes));
    for (AxisRef axis : llvm::reverse(axes)) {
      linear.push_back({axis, axisStride});
      axisStride *= axis.size;
    }
    stride *= size;
  }
  llvm::sort(linear);
  // Merge consecutive sub-axes of one axis.
  Linear merged;
  for (auto [axis, axisStride] : linear) {
    if (!merged.empty()) {
      auto &[last, lastStride] = merged.back();
      if (canMerge(last, axis) && lastStride == axisStride * axis.size) {
        last = merge(last, axis);
        lastStride = axisStride;
        continue;
      }
    }
    merged.push_back({axis, axisStride});
  }
  return merged;
}

/// None if the axes do not split leading parts of the type's dimensions.
std::optional<Dims> dimsOf(Type valueType, const Linear &linear) {
  RankedTensorType type = staticType(valueType);
  if (!type)
    return std::nullopt;
  // Major to minor; `size` is the remaining part of each axis.
  Linear left(linear);
  llvm::sort(left, [](const auto &a, const auto &b) {
    return a.second * a.first.size > b.second * b.first.size;
  });
  Dims dims;
  int64_t stride = type.getNumElements();
  size_t next = 0;
  for (int64_t size : type.getShape()) {
    AxisList &axes = dims.emplace_back();
    if (size == 0)
      return std::nullopt;
    int64_t end = stride, begin = stride / size;
    while (next < left.size() && end > begin) {
      auto &[axis, axisStride] = left[next];
      if (axisStride * axis.size != end)
        break;
      if (axisStride >= begin) {
        appendMerged(axes, axis);
        end = axisStride;
        ++next;
        continue;
      }
      // The rest of the axis splits the next dimension.
      if (begin % axisStride != 0)
        return std::nullopt;
      int64_t major = end / begin;
      if (axis.size % major != 0)
        return std::nullopt;
      appendMerged(axes, AxisRef{axis.axis, axis.preSize, major});
      axis = {axis.axis, axis.preSize * major, axis.size / major};
      end = begin;
    }
    stride = begin;
  }
  if (next != left.size())
    return std::nullopt;
  return dims;
}

/// The layout before `op`, a reshape or transpose, given the layout `of` after
/// it.
Split before(Operation *op, const Split &of) {
  Split result{op->getOperand(0).getType(), std::nullopt, std::nullopt};
  DenseI64ArrayAttr permutation = permutationOf(op);
  if (!permutation) {
    result.linear = of.linear;
    if (of.linear)
      result.dims = dimsOf(result.type, *of.linear);
    return result;
  }
  if (!of.dims || permutation.size() != int64_t(of.dims->size()))
    return result;
  Dims dims(of.dims->size());
  for (auto [d, from] : llvm::enumerate(permutation.asArrayRef()))
    dims[from] = (*of.dims)[d];
  result.linear = linearOf(result.type, dims);
  result.dims = std::move(dims);
  return result;
}

bool isEqual(const Split &a, const Split &b) {
  if (a.type == b.type && a.dims && b.dims)
    return *a.dims == *b.dims;
  return a.linear && b.linear && *a.linear == *b.linear;
}

/// Reuses an earlier reshard of the same data to the same layout, converting
/// the earlier result to the shape of the common root and from there to this
/// op's shape.
struct ReuseEarlierReshard : OpRewritePattern<ReshardOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshardOp op,
                                PatternRewriter &rewriter) const override {
    MeshAttr meshAttr = getMeshAttr(op, op.getSharding());
    if (!meshAttr)
      return failure();
    Search search{op, meshFromAttr(meshAttr)};
    // The ops from the root to this op's input, with the layout of each result.
    SmallVector<std::pair<Operation *, Split>> path;
    Split wanted = search.splitOf(op);
    Value root = op.getInput();
    while (true) {
      for (; isReshape(root.getDefiningOp());
           root = path.back().first->getOperand(0)) {
        path.push_back({root.getDefiningOp(), wanted});
        wanted = before(root.getDefiningOp(), wanted);
      }
      if (search.run(root, wanted))
        break;
      Operation *transpose = root.getDefiningOp();
      if (!permutationOf(transpose))
        return failure();
      path.push_back({transpose, wanted});
      wanted = before(transpose, wanted);
      root = transpose->getOperand(0);
      if (!wanted.dims)
        return failure();
    }

    rewriter.setInsertionPoint(op);
    Value value = search.found.getResult();
    if (search.found.getInput() != op.getInput()) {
      Split split = search.splitOf(search.found);
      for (Operation *forward : llvm::reverse(search.reshapes)) {
        split = before(forward, split);
        OperationState state(op.getLoc(), kReshape, value,
                             forward->getOperand(0).getType());
        Operation *back = rewriter.create(state);
        if (!getShardings(forward).empty())
          setSplit(back, split, search);
        value = back->getResult(0);
      }
      for (auto &[forward, after] : llvm::reverse(path)) {
        Operation *again = rewriter.clone(*forward);
        again->setOperand(0, value);
        if (!getShardings(forward).empty())
          setSplit(again, after, search);
        value = again->getResult(0);
      }
    }
    rewriter.replaceOp(op, value);
    return success();
  }

private:
  struct Search {
    ReshardOp op;
    Mesh mesh;
    /// The first matching reshard of the block, and the ops from the root to
    /// its input.
    ReshardOp found = nullptr;
    SmallVector<Operation *> reshapes;

    Split splitOf(ReshardOp reshard) const {
      Dims dims;
      for (DimensionShardingAttr dim : reshard.getSharding().getDimShardings())
        dims.push_back(axesFromAttr(dim.getAxes(), mesh));
      return {reshard.getType(), dims, linearOf(reshard.getType(), dims)};
    }

    bool isLike(ReshardOp other) {
      TensorShardingAttr x = op.getSharding(), y = other.getSharding();
      return x.getMeshOrRef() == y.getMeshOrRef() &&
             x.getReplicatedAxes() == y.getReplicatedAxes() &&
             x.getUnreducedAxes() == y.getUnreducedAxes() &&
             x.getReductionOp() == y.getReductionOp();
    }

    bool run(Value root, const Split &wanted) {
      SmallVector<std::pair<Value, SmallVector<Operation *>>> work{{root, {}}};
      while (!work.empty()) {
        auto [value, way] = work.pop_back_val();
        for (Operation *user : value.getUsers()) {
          if (user->getBlock() != op->getBlock() || user == op ||
              !user->isBeforeInBlock(op))
            continue;
          if (isReshape(user)) {
            way.push_back(user);
            work.push_back({user->getResult(0), way});
            way.pop_back();
          } else if (auto reshard = dyn_cast<ReshardOp>(user);
                     reshard && isLike(reshard) &&
                     (!found || reshard->isBeforeInBlock(found)) &&
                     isEqual(splitOf(reshard), wanted)) {
            found = reshard;
            reshapes = way;
          }
        }
      }
      return bool(found);
    }
  };

  static void setSplit(Operation *op, const Split &split, Search &search) {
    if (!split.dims)
      return setShardings(op, {});
    MLIRContext *context = op->getContext();
    SmallVector<DimensionShardingAttr> dims;
    for (const AxisList &axes : *split.dims)
      dims.push_back(DimensionShardingAttr::get(
          context, axesToAttr(context, axes, search.mesh), /*isClosed=*/true));
    TensorShardingAttr like = search.op.getSharding();
    setShardings(op, TensorShardingAttr::get(context, like.getMeshOrRef(), dims,
                                             like.getReplicatedAxes(),
                                             like.getUnreducedAxes(),
                                             like.getReductionOp()));
  }
};

} // namespace

void addReuseEarlierReshard(RewritePatternSet &patterns) {
  patterns.add<ReuseEarlierReshard>(patterns.getContext());
}

} // namespace shardwright::sdy
