//===- resolve_reshapes.cc - reshapes of sharded dimensions ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reshape works on groups of dimensions with equal numbers of elements. If
// the shards of a group are runs of its elements on both sides, a device
// fetches the elements that it lacks. Other groups whose shards differ become
// replicated.
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/permutation_resolver.h"

#include "shardwright/mesh/shard_size.h"
#include "shardwright/partition/localize/localizer.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/ops/op_builders.h"
#include "shardwright/partition/support/tensor_types.h"

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

namespace {

/// A minimal set of dimensions of both sides with equal numbers of elements.
struct Group {
  SmallVector<int64_t> in, out;
};

SmallVector<Group> groupsOf(ArrayRef<int64_t> in, ArrayRef<int64_t> out) {
  SmallVector<Group> groups;
  size_t i = 0, o = 0;
  while (i < in.size() || o < out.size()) {
    Group group;
    int64_t a = 1, b = 1;
    do {
      bool takeIn = i < in.size() && (a <= b || o == out.size());
      if (takeIn) {
        a *= in[i];
        group.in.push_back(i++);
      } else {
        b *= out[o];
        group.out.push_back(o++);
      }
    } while ((a != b || group.in.empty() || group.out.empty()) &&
             (i < in.size() || o < out.size()));
    groups.push_back(std::move(group));
  }
  return groups;
}

/// Tables of more shards are not made.
constexpr int64_t kMostShards = int64_t(1) << 20;

/// The dimensions of one side of a group.
struct Side {
  SmallVector<int64_t> sizes, shards;
  SmallVector<AxisList> axes;

  int64_t local(size_t d) const { return shardSize(sizes[d], shards[d]); }
  int64_t localElements() const {
    int64_t elements = 1;
    for (size_t d = 0; d < sizes.size(); ++d)
      elements *= local(d);
    return elements;
  }
  bool isEven() const {
    return llvm::all_of(llvm::zip(sizes, shards), [](auto dim) {
      return std::get<0>(dim) % std::get<1>(dim) == 0;
    });
  }
  bool isRun() const;
  std::vector<int64_t> starts() const;
  SmallVector<std::pair<AxisRef, int64_t>> strides() const;
};

/// True if each shard is a run of elements: one index of the leading
/// dimensions, some of the next, all of the others.
bool Side::isRun() const {
  bool isAll = true;
  for (int64_t d = int64_t(sizes.size()) - 1; d >= 0; --d) {
    if (local(d) != 1 && !isAll)
      return false;
    isAll &= shards[d] == 1;
  }
  return true;
}

/// For runs: the first element of each shard; the number of elements for a
/// shard without any.
std::vector<int64_t> Side::starts() const {
  int64_t elements = 1, count = 1;
  for (auto [size, n] : llvm::zip(sizes, shards)) {
    elements *= size;
    count *= n;
  }
  std::vector<int64_t> starts(count, 0);
  for (auto [shard, start] : llvm::enumerate(starts)) {
    int64_t rest = shard, stride = 1;
    for (int64_t d = int64_t(sizes.size()) - 1; d >= 0; --d) {
      int64_t first = rest % shards[d] * local(d);
      start = first >= sizes[d] ? elements
                                : std::min(start + first * stride, elements);
      rest /= shards[d];
      stride *= sizes[d];
    }
  }
  return starts;
}

/// For even shards: the distance between elements of neighbours along each
/// axis, where parts of one axis in several dimensions are merged.
SmallVector<std::pair<AxisRef, int64_t>> Side::strides() const {
  SmallVector<std::pair<AxisRef, int64_t>> list;
  int64_t stride = 1;
  for (int64_t d = int64_t(sizes.size()) - 1; d >= 0; --d) {
    int64_t inside = stride * local(d);
    for (AxisRef axis : llvm::reverse(axes[d])) {
      if (!list.empty() && canMerge(axis, list.back().first) &&
          inside == list.back().second * list.back().first.size)
        list.back().first = merge(axis, list.back().first);
      else
        list.push_back({axis, inside});
      inside *= axis.size;
    }
    stride *= sizes[d];
  }
  return list;
}

/// True if each device has the same elements on both sides, in the same order.
bool holdsSame(const Side &a, const Side &b) {
  if (a.isEven() && b.isEven())
    return a.strides() == b.strides();
  return a.isRun() && b.isRun() && a.localElements() == b.localElements() &&
         a.starts() == b.starts();
}

/// True if fetching rows that start at `starts` is possible, and sends less
/// than gathering all: `in` rows of each shard, `out` rows needed.
bool paysOff(ArrayRef<int64_t> starts, int64_t in, int64_t out,
             int64_t elements) {
  int64_t left = 0, right = 0, n = starts.size();
  for (auto [shard, start] : llvm::enumerate(starts)) {
    if (start >= elements)
      continue;
    int64_t last = std::min(start + out, elements) - 1;
    left = std::max(left, int64_t(shard) - start / in);
    right = std::max(right, last / in - int64_t(shard));
  }
  return left + right + 1 < n || std::max(left, right) <= 1;
}

} // namespace

AxisList Resolver::axesOf(TensorShardingAttr sharding, int64_t d) {
  return sharding ? meshes.toAxes(meshes.idOf(sharding.getMeshOrRef()),
                                  sharding.getDimShardings()[d].getAxes())
                  : AxisList();
}

Resolver::ReshapeMoves Resolver::readReshape(stablehlo::ReshapeOp op) {
  Value operand = op.getOperand(), result = op.getResult();
  TensorShardingAttr inSharding = shardingOf(operand),
                     outSharding = shardingOf(result);
  ArrayRef<int64_t> in = dimsOf(operand.getType()),
                    out = dimsOf(result.getType());
  ReshapeMoves moves;
  moves.moving = {llvm::SmallBitVector(in.size()),
                  llvm::SmallBitVector(out.size())};
  bool onOneMesh = inSharding && outSharding &&
                   meshes.idOf(inSharding.getMeshOrRef()) ==
                       meshes.idOf(outSharding.getMeshOrRef());
  moves.fetches = fetchesRows;
  auto sideOf = [&](Value value, TensorShardingAttr sharding,
                    ArrayRef<int64_t> dims) {
    Side side;
    for (int64_t d : dims) {
      side.sizes.push_back(dimsOf(value.getType())[d]);
      side.shards.push_back(shards(value, d));
      side.axes.push_back(axesOf(sharding, d));
    }
    return side;
  };
  for (const Group &group : groupsOf(in, out)) {
    Side a = sideOf(operand, inSharding, group.in),
         b = sideOf(result, outSharding, group.out);
    ReshapeGroup &moved = moves.groups.emplace_back();
    for (const AxisList &axes : a.axes)
      appendMerged(moved.axes, axes);
    AxisList after;
    for (const AxisList &axes : b.axes)
      appendMerged(after, axes);
    moved.in = a.localElements();
    moved.out = b.localElements();
    bool isSame = onOneMesh && moved.axes == after &&
                  totalSize(moved.axes) <= kMostShards;
    if ((moved.axes.empty() && after.empty()) || (isSame && holdsSame(a, b)))
      continue;
    moves.any = true;
    for (int64_t d : group.in)
      if (shards(operand, d) > 1)
        moves.moving[0].set(d);
    for (int64_t d : group.out)
      if (shards(result, d) > 1)
        moves.moving[1].set(d);
    moves.fetches &= isSame && a.isRun() && b.isRun();
    if (!moves.fetches)
      continue;
    // Rows are fetched from shards of one size, one after the other.
    int64_t elements = 1;
    for (int64_t size : a.sizes)
      elements *= size;
    for (auto [shard, start] : llvm::enumerate(a.starts()))
      moves.fetches &= start == std::min<int64_t>(shard * moved.in, elements);
    moved.starts = b.starts();
    moves.fetches &= paysOff(moved.starts, moved.in, moved.out, elements);
  }
  return moves;
}

void Resolver::fetchForReshape(stablehlo::ReshapeOp op,
                               const ReshapeMoves &moves) {
  Value operand = op.getOperand(), result = op.getResult();
  TensorShardingAttr in = shardingOf(operand), out = shardingOf(result);
  int32_t mesh = meshes.idOf(in.getMeshOrRef());
  auto outType = cast<RankedTensorType>(result.getType());
  SmallVector<int64_t> wide = paddedShape(meshes, out, outType.getShape()),
                       local(wide);
  for (auto [d, size] : llvm::enumerate(local))
    size /= shards(result, d);
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value even = resizeAtEnd(builder, loc, operand, in,
                           paddedShape(meshes, in, dimsOf(operand.getType())));
  Value made = halo.buildLocal(
      builder, loc, even, in, outType.clone(ArrayRef<int64_t>(wide)), out,
      [&](Localizer &localizer, OpBuilder &b, Value value) -> Value {
        SmallVector<int64_t> rows;
        for (const ReshapeGroup &group : moves.groups)
          rows.push_back(group.in);
        value = buildReshape(b, loc, value, rows);
        for (auto [d, group] : llvm::enumerate(moves.groups)) {
          if (group.starts.empty())
            continue;
          RowWindow window;
          window.width = group.out;
          window.starts = group.starts;
          int64_t count = group.starts.size();
          value = localizer.fetchRows(b, loc, value, d,
                                      {mesh, group.axes, group.in * count},
                                      window, /*fill=*/nullptr);
        }
        return buildReshape(b, loc, value, local);
      });
  result.replaceAllUsesWith(
      resizeAtEnd(builder, loc, made, out, outType.getShape()));
  op.erase();
}

LogicalResult Resolver::visitReshape(stablehlo::ReshapeOp op) {
  TensorShardingAttr inSharding = shardingOf(op.getOperand()),
                     outSharding = shardingOf(op.getResult());
  auto inType = dyn_cast<RankedTensorType>(op.getOperand().getType());
  auto outType = dyn_cast<RankedTensorType>(op.getResult().getType());
  if ((!inSharding && !outSharding) || !inType || !outType ||
      !inType.hasStaticShape() || !outType.hasStaticShape())
    return success();
  // Tensors without elements have no rule.
  if (inType.getNumElements() == 0) {
    auto all = [&](TensorShardingAttr sharding) {
      return llvm::SmallBitVector(sharding ? sharding.getRank() : 0, true);
    };
    replicate(op, {all(inSharding), all(outSharding)});
    return success();
  }
  ReshapeMoves moves = readReshape(op);
  if (!moves.any)
    return success();
  if (moves.fetches)
    fetchForReshape(op, moves);
  else
    replicate(op, moves.moving);
  return success();
}

} // namespace shardwright
