//===- index_map.cc - operand indices of result elements ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/plan/index_map.h"

#include "llvm/ADT/STLExtras.h"

namespace shardwright::cpu {

static void addGuard(OperandIndex &result, Guard guard, IndexSpace &space) {
  Range r = space.range(guard.expr);
  if (r.hi < guard.lo || r.lo > guard.hi) {
    result.never = true;
    return;
  }
  if (guard.expr.isConstant() && guard.multiple > 1) {
    result.never |= guard.expr.constant % guard.multiple != 0;
    guard.multiple = 1;
  }
  if (r.lo >= guard.lo && r.hi <= guard.hi && guard.multiple == 1)
    return;
  result.guards.push_back(std::move(guard));
}

IndexVector reshapeIndex(const IndexVector &index, llvm::ArrayRef<int64_t> from,
                         llvm::ArrayRef<int64_t> to, IndexSpace &space) {
  if (from == to)
    return index;
  return space.delinearize(space.linearize(index, rowMajorStrides(from)), to);
}

/// The scalar start `number`, clamped so that `size` elements fit.
static IndexExpr clampedStart(const Node &node, int number, int64_t dim,
                              int64_t size, IndexSpace &space) {
  return space.opaque(node.operands[number], {}, {0, dim - size});
}

IndexVector startsIndex(const WindowDims &dims, const Node &starts,
                        const IndexVector &batch, int64_t component) {
  IndexVector at;
  size_t next = 0;
  for (size_t d = 0; d < starts.shape.size(); ++d)
    at.push_back(static_cast<int64_t>(d) == dims.indexVectorDim
                     ? IndexExpr(component)
                     : batch[next++]);
  return at;
}

static OperandIndex gatherIndex(const Graph &graph, const Node &node,
                                int number, const IndexVector &index,
                                IndexSpace &space) {
  const Node &operand = graph[node.operands[0]];
  const Node &starts = graph[node.operands[1]];
  const auto &[dims, sizes] = node.get<GatherAttrs>();
  // The batch dimensions of the result index, in order.
  IndexVector batch;
  for (size_t d = 0; d < index.size(); ++d)
    if (!llvm::is_contained(dims.windowDims, static_cast<int64_t>(d)))
      batch.push_back(index[d]);
  OperandIndex result;
  if (number == 1) {
    result.index = startsIndex(dims, starts, batch, 0);
    return result;
  }
  result.index.assign(operand.shape.size(), IndexExpr(0));
  size_t nextOffset = 0;
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    auto dim = static_cast<int64_t>(d);
    if (llvm::is_contained(dims.collapsedDims, dim) ||
        llvm::is_contained(dims.operandBatchingDims, dim))
      continue;
    result.index[d] = index[dims.windowDims[nextOffset++]];
  }
  for (auto [k, d] : llvm::enumerate(dims.startMap))
    result.index[d] = space.add(
        result.index[d],
        space.opaque(node.operands[1], startsIndex(dims, starts, batch, k),
                     {0, operand.shape[d] - sizes[d]}));
  for (auto [d, s] :
       llvm::zip_equal(dims.operandBatchingDims, dims.startsBatchingDims))
    result.index[d] = batch[s - (dims.indexVectorDim < s ? 1 : 0)];
  return result;
}

OperandIndex operandIndex(const Graph &graph, int32_t id, int number,
                          const IndexVector &index, IndexSpace &space) {
  const Node &node = graph[id];
  const Node &operand = graph[node.operands[number]];
  OperandIndex result;
  IndexVector &to = result.index;
  if (isElementwise(node.op)) {
    if (!operand.shape.empty())
      to = index;
    return result;
  }
  switch (node.op) {
  case Op::Broadcast:
    for (auto [size, dim] :
         llvm::zip_equal(operand.shape, node.get<BroadcastAttrs>().dims))
      to.push_back(size == 1 ? IndexExpr(0) : index[dim]);
    break;
  case Op::Reshape:
    to = reshapeIndex(index, node.shape, operand.shape, space);
    break;
  case Op::Transpose:
    to.resize(index.size());
    for (auto [i, from] :
         llvm::enumerate(node.get<TransposeAttrs>().permutation))
      to[from] = index[i];
    break;
  case Op::Slice: {
    const auto &[starts, strides] = node.get<SliceAttrs>();
    for (size_t d = 0; d < index.size(); ++d)
      to.push_back(space.add(space.multiply(index[d], strides[d]), starts[d]));
    break;
  }
  case Op::Reverse:
    to = index;
    for (int64_t d : node.get<ReverseAttrs>().dims)
      to[d] = space.add(space.multiply(index[d], -1), node.shape[d] - 1);
    break;
  case Op::Pad: {
    if (number == 1)
      break;
    const auto &[low, interior] = node.get<PadAttrs>();
    for (size_t d = 0; d < index.size(); ++d) {
      int64_t step = interior[d] + 1;
      IndexExpr e = space.add(index[d], -low[d]);
      addGuard(result, {e, 0, (operand.shape[d] - 1) * step, step}, space);
      to.push_back(space.divide(e, step));
    }
    break;
  }
  case Op::Concat: {
    int64_t dim = node.get<ConcatAttrs>().dim, begin = 0;
    for (int i = 0; i < number; ++i)
      begin += graph[node.operands[i]].shape[dim];
    to = index;
    to[dim] = space.add(index[dim], -begin);
    addGuard(result, {to[dim], 0, operand.shape[dim] - 1, 1}, space);
    break;
  }
  case Op::Bitcast: {
    int64_t from = bitWidth(operand.type), into = bitWidth(node.type);
    to = index;
    if (from > into)
      to.pop_back();
    else if (from < into)
      to.push_back(IndexExpr(0));
    break;
  }
  case Op::DynamicSlice:
    if (number > 0)
      break;
    for (size_t d = 0; d < index.size(); ++d)
      to.push_back(
          space.add(index[d], clampedStart(node, 1 + d, operand.shape[d],
                                           node.shape[d], space)));
    break;
  case Op::Gather:
    return gatherIndex(graph, node, number, index, space);
  default:
    break;
  }
  return result;
}

Shape reducedSizes(const Graph &graph, int32_t id) {
  const Node &node = graph[id];
  const Node &input = graph[node.operands[0]];
  Shape sizes;
  for (size_t d = 0; d < input.shape.size(); ++d)
    if (llvm::is_contained(node.get<ReduceAttrs>().dims,
                           static_cast<int64_t>(d)))
      sizes.push_back(input.shape[d]);
  return sizes;
}

IndexVector reduceInputIndex(const Graph &graph, int32_t id,
                             const IndexVector &index,
                             const IndexVector &reduced) {
  const Node &node = graph[id];
  const Node &input = graph[node.operands[0]];
  IndexVector to;
  size_t nextKept = 0, nextReduced = 0;
  for (size_t d = 0; d < input.shape.size(); ++d)
    to.push_back(llvm::is_contained(node.get<ReduceAttrs>().dims,
                                    static_cast<int64_t>(d))
                     ? reduced[nextReduced++]
                     : index[nextKept++]);
  return to;
}

OperandIndex windowInputIndex(const Graph &graph, int32_t id,
                              const IndexVector &index,
                              const IndexVector &window, IndexSpace &space) {
  const Node &node = graph[id];
  const Node &input = graph[node.operands[0]];
  const auto &attrs = node.get<ReduceWindowAttrs>();
  OperandIndex result;
  for (size_t d = 0; d < index.size(); ++d) {
    IndexExpr e = space.add(space.multiply(index[d], attrs.strides[d]),
                            space.multiply(window[d], attrs.windowDilation[d]));
    e = space.add(e, -attrs.lowPadding[d]);
    int64_t dilation = attrs.baseDilation[d];
    addGuard(result, {e, 0, (input.shape[d] - 1) * dilation, dilation}, space);
    result.index.push_back(space.divide(e, dilation));
  }
  return result;
}

IndexVector updateIndex(const Graph &graph, int32_t id,
                        const IndexVector &index, IndexSpace &space) {
  const Node &node = graph[id];
  const Node &update = graph[node.operands[1]];
  IndexVector to;
  for (size_t d = 0; d < index.size(); ++d)
    to.push_back(space.add(index[d], clampedStart(node, 2 + d, node.shape[d],
                                                  update.shape[d], space)));
  return to;
}

} // namespace shardwright::cpu
