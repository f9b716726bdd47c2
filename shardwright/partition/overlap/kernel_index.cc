//===- kernel_index.cc - element indices inside a kernel ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/kernel_index.h"

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/tensor_types.h"

using namespace mlir;

namespace shardwright {

using Kind = KernelNode::Kind;

KernelShape withoutOnes(ArrayRef<int64_t> shape) {
  KernelShape result;
  for (int64_t size : shape)
    if (size != 1)
      result.push_back(size);
  return result;
}

KernelShape reducedSizes(const KernelNode &reduce) {
  ArrayRef<int64_t> from = dimsOf(reduce.op->getOperand(0).getType());
  KernelShape sizes;
  for (auto [d, size] : llvm::enumerate(from))
    if (size != 1 && llvm::is_contained(reducedDimensions(reduce), int64_t(d)))
      sizes.push_back(size);
  return sizes;
}

void KernelIndices::reset(ArrayRef<int64_t> sizes) {
  loops.assign(sizes.begin(), sizes.end());
  infos.clear();
  known.clear();
  reshapes.clear();
  derived.clear();
  depths.clear();
}

void KernelIndices::addInnerLoops(ArrayRef<int64_t> sizes) {
  loops.append(sizes.begin(), sizes.end());
}

KernelIndices::Index KernelIndices::intern(ArrayRef<Entry> entries) {
  auto [it, isNew] = known.try_emplace(llvm::SmallVector<Entry, 4>(entries),
                                       Index(infos.size()));
  if (isNew)
    infos.push_back({it->first, -1, {}});
  return it->second;
}

KernelIndices::Entry KernelIndices::derive(ArrayRef<int64_t> key,
                                           int32_t depth) {
  auto [it, isNew] = derived.try_emplace(llvm::SmallVector<int64_t, 4>(key),
                                         -Entry(depths.size()) - 1);
  if (isNew)
    depths.push_back(depth);
  return it->second;
}

int32_t KernelIndices::depthOf(const Info &info) const {
  int32_t depth = -1;
  for (Entry entry : info.entries)
    depth = std::max(depth, depthOf(entry));
  return depth;
}

KernelIndices::Index KernelIndices::alongLoops(size_t first, size_t count) {
  llvm::SmallVector<Entry, 4> entries;
  for (size_t i = 0; i < count; ++i)
    entries.push_back(Entry(first + i));
  return intern(entries);
}

double KernelIndices::iterations(Index index) const {
  // An index of a kernel of one element may name loop 0, which it has not.
  int32_t numLoops = std::min<int32_t>(depthOf(infos[index]) + 1, loops.size());
  double count = 1;
  for (int32_t i = 0; i < numLoops; ++i)
    count *= double(loops[i]);
  return count;
}

bool KernelIndices::isReshapeOf(Index index, Index of) const {
  return index == of || infos[index].base == of;
}

KernelIndices::Index KernelIndices::reshape(Index at, ArrayRef<int64_t> from,
                                            ArrayRef<int64_t> to) {
  KernelShape before = withoutOnes(from), after = withoutOnes(to);
  if (before == after)
    return at;
  Index base = at;
  if (infos[at].base >= 0) {
    base = infos[at].base;
    if (infos[at].baseShape == after)
      return base;
    before = infos[at].baseShape;
  }
  auto [it, isNew] = reshapes.try_emplace({base, after}, -1);
  if (!isNew)
    return it->second;
  int32_t depth = depthOf(infos[base]);
  Info info;
  for (size_t d = 0; d < after.size(); ++d) {
    llvm::SmallVector<int64_t, 6> key{'r', base, int64_t(d)};
    key.append(after.begin(), after.end());
    info.entries.push_back(derive(key, depth));
  }
  info.base = base;
  info.baseShape = before;
  infos.push_back(std::move(info));
  return it->second = Index(infos.size()) - 1;
}

/// Entries by dimension; -1 is unused, for dimensions of size 1.
static llvm::SmallVector<int32_t, 4> spread(ArrayRef<int32_t> entries,
                                            ArrayRef<int64_t> shape) {
  llvm::SmallVector<int32_t, 4> result(shape.size(), 0);
  size_t next = 0;
  for (auto [d, size] : llvm::enumerate(shape))
    if (size != 1 && next < entries.size())
      result[d] = entries[next++];
  return result;
}

/// The dimension of a gather's result that runs with a dimension of its
/// positions: the result has these but for the dimensions of the slices.
static size_t positionDimension(stablehlo::GatherDimensionNumbersAttr dims,
                                size_t position, size_t rank) {
  size_t d = 0;
  for (; d + 1 < rank; ++d)
    if (!llvm::is_contained(dims.getOffsetDims(), int64_t(d)) &&
        position-- == 0)
      break;
  return d;
}

KernelIndices::Index KernelIndices::moved(const KernelNodes &graph, int32_t id,
                                          size_t number, Index at) {
  const KernelNode &node = graph.nodes[id];
  ArrayRef<int64_t> from =
      dimsOf(node.op->getOperand(unsigned(number)).getType());
  llvm::SmallVector<Entry, 4> out = spread(infos[at].entries, node.shape);
  int32_t deepest = depthOf(infos[at]);
  llvm::SmallVector<Entry, 4> in;
  for (auto [d, size] : llvm::enumerate(from)) {
    if (size == 1)
      continue;
    auto same = [&](std::initializer_list<int64_t> key) {
      llvm::SmallVector<int64_t, 6> all{int64_t(node.kind), out[d]};
      all.append(key);
      return derive(all, depthOf(out[d]));
    };
    auto byOp = [&](int32_t depth) {
      return derive({'o', id, int64_t(number), int64_t(d), at}, depth);
    };
    switch (node.kind) {
    case Kind::Broadcast:
      in.push_back(out[cast<stablehlo::BroadcastInDimOp>(node.op)
                           .getBroadcastDimensions()[d]]);
      break;
    case Kind::Transpose: {
      ArrayRef<int64_t> order =
          cast<stablehlo::TransposeOp>(node.op).getPermutation();
      in.push_back(out[llvm::find(order, int64_t(d)) - order.begin()]);
      break;
    }
    case Kind::Slice: {
      auto slice = cast<stablehlo::SliceOp>(node.op);
      int64_t start = slice.getStartIndices()[d],
              stride = slice.getStrides()[d];
      in.push_back(node.shape[d] == 1          ? derive({'s', start}, -1)
                   : start == 0 && stride == 1 ? out[d]
                                               : same({start, stride}));
      break;
    }
    case Kind::Reverse:
      in.push_back(
          llvm::is_contained(
              cast<stablehlo::ReverseOp>(node.op).getDimensions(), int64_t(d))
              ? same({size})
              : out[d]);
      break;
    case Kind::Pad: {
      auto pad = cast<stablehlo::PadOp>(node.op);
      int64_t low = pad.getEdgePaddingLow()[d],
              interior = pad.getInteriorPadding()[d];
      in.push_back(low == 0 && interior == 0 ? out[d] : same({low, interior}));
      break;
    }
    case Kind::Concat: {
      auto concat = cast<stablehlo::ConcatenateOp>(node.op);
      int64_t offset = 0;
      for (size_t i = 0; i < number; ++i)
        offset += dimsOf(concat->getOperand(unsigned(i)).getType())[d];
      in.push_back(concat.getDimension() != d || offset == 0 ? out[d]
                                                             : same({offset}));
      break;
    }
    case Kind::Gather: {
      stablehlo::GatherDimensionNumbersAttr dims =
          cast<stablehlo::GatherOp>(node.op).getDimensionNumbers();
      if (number == 0) {
        in.push_back(derive({'g', node.operands[1], int64_t(d), at}, deepest));
        break;
      }
      int64_t vector = dims.getIndexVectorDim();
      in.push_back(
          int64_t(d) == vector || node.shape.empty()
              ? derive({'v'}, -1)
              : out[positionDimension(dims, d - (int64_t(d) > vector ? 1 : 0),
                                      node.shape.size())]);
      break;
    }
    case Kind::DynamicSlice:
    case Kind::Window:
    case Kind::RunningSum:
      in.push_back(node.kind == Kind::DynamicSlice && node.shape[d] == size
                       ? out[d]
                       : byOp(node.shape[d] == 1 ? -1 : depthOf(out[d])));
      break;
    default:
      in.push_back(byOp(deepest));
    }
  }
  // Positions along a dimension of size 1 tell the operands apart.
  if (auto concat = dyn_cast<stablehlo::ConcatenateOp>(node.op))
    if (size_t dim = concat.getDimension(); from[dim] == 1)
      in.push_back(derive({'c', out[dim], int64_t(number)}, -1));
  return intern(in);
}

KernelIndices::Index KernelIndices::ofOperand(const KernelNodes &graph,
                                              int32_t id, size_t number,
                                              Index at) {
  const KernelNode &node = graph.nodes[id];
  const KernelNode &from = graph.nodes[node.operands[number]];
  if (from.shape.empty())
    return scalar();
  switch (node.kind) {
  case Kind::Pointwise:
  case Kind::Piece:
    return at;
  case Kind::Reshape:
    return reshape(at, node.shape, from.shape);
  default:
    return moved(graph, id, number, at);
  }
}

KernelIndices::Index KernelIndices::ofReduced(const KernelNodes &graph,
                                              int32_t id, Index at,
                                              ArrayRef<int32_t> reduced) {
  const KernelNode &node = graph.nodes[id];
  ArrayRef<int64_t> from = dimsOf(node.op->getOperand(0).getType());
  llvm::SmallVector<Entry, 4> in;
  size_t kept = 0, nextReduced = 0;
  for (auto [d, size] : llvm::enumerate(from)) {
    if (size == 1)
      continue;
    if (llvm::is_contained(reducedDimensions(node), int64_t(d)))
      in.push_back(nextReduced < reduced.size() ? reduced[nextReduced++] : 0);
    else
      in.push_back(kept < infos[at].entries.size() ? infos[at].entries[kept++]
                                                   : 0);
  }
  return intern(in);
}

} // namespace shardwright
