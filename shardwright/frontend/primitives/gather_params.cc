//===- gather_params.cc - parameters of gather and scatter ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/gather_params.h"

#include <set>

namespace shardwright::frontend {

using namespace lax;

namespace {

struct GatherParam : ParamObject {
  GatherParam(GatherDims d, bool scatter)
      : dims(std::move(d)), isScatter(scatter) {}
  std::string str() const override {
    if (isScatter)
      return cat(
          "ScatterDimensionNumbers(update_window_dims=",
          tupleText(dims.offsetDims),
          ", inserted_window_dims=", tupleText(dims.collapsedSliceDims),
          ", scatter_dims_to_operand_dims=", tupleText(dims.startIndexMap),
          ", operand_batching_dims=", tupleText(dims.operandBatchingDims),
          ", scatter_indices_batching_dims=",
          tupleText(dims.startIndicesBatchingDims), ")");
    return cat(
        "GatherDimensionNumbers(offset_dims=", tupleText(dims.offsetDims),
        ", collapsed_slice_dims=", tupleText(dims.collapsedSliceDims),
        ", start_index_map=", tupleText(dims.startIndexMap),
        ", operand_batching_dims=", tupleText(dims.operandBatchingDims),
        ", start_indices_batching_dims=",
        tupleText(dims.startIndicesBatchingDims), ")");
  }
  GatherDims dims;
  bool isScatter;
};

struct ModeParam : ParamObject {
  explicit ModeParam(GatherMode m) : mode(m) {}
  std::string str() const override {
    return cat("GatherScatterMode.", mode == GatherMode::ClipIndices ? "CLIP"
                                     : mode == GatherMode::FillOrDrop
                                         ? "FILL_OR_DROP"
                                         : "PROMISE_IN_BOUNDS");
  }
  GatherMode mode;
};

} // namespace

GatherDims gatherDimsOf(const Params &params) {
  const auto *p = params.object<GatherParam>("dimension_numbers");
  return p ? p->dims : GatherDims();
}
GatherMode gatherModeOf(const Params &params) {
  const auto *p = params.object<ModeParam>("mode");
  return p ? p->mode : GatherMode::PromiseInBounds;
}
Param gatherDimsParam(const GatherDims &dims, bool scatter) {
  return objectParam(GatherParam(dims, scatter));
}
Param gatherModeParam(GatherMode mode) { return objectParam(ModeParam(mode)); }

Status checkGatherDims(const std::string &name, const GatherDims &dims,
                       int64_t rank, int64_t indices, int64_t updates) {
  auto check = [&](const Ints &list, int64_t count) -> Status {
    std::set<int64_t> seen;
    for (int64_t d : list)
      if (d < 0 || d >= count || !seen.insert(d).second)
        return typeError(name,
                         " dimension numbers must be different and in "
                         "[0, ",
                         count, "), got ", tupleText(list));
    return {};
  };
  SW_TRY(check(dims.offsetDims, updates));
  SW_TRY(check(dims.collapsedSliceDims, rank));
  SW_TRY(check(dims.startIndexMap, rank));
  SW_TRY(check(dims.operandBatchingDims, rank));
  SW_TRY(check(dims.startIndicesBatchingDims, indices - 1));
  if (dims.operandBatchingDims.size() != dims.startIndicesBatchingDims.size())
    return typeError(name,
                     " must have as many batching dimensions of the "
                     "operand as of the indices, got ",
                     tupleText(dims.operandBatchingDims), " and ",
                     tupleText(dims.startIndicesBatchingDims));
  return {};
}

std::string bracketList(const Ints &v) {
  std::string out = "[";
  for (size_t i = 0; i < v.size(); ++i)
    out += cat(i ? ", " : "", v[i]);
  return out + "]";
}

Tensor indicesInBounds(const Tensor &indices, const Shape &operand,
                       const Ints &window, const GatherDims &d) {
  std::vector<int32_t> limits;
  for (int64_t dim : d.startIndexMap)
    limits.push_back(static_cast<int32_t>(operand[dim] - window[dim]));
  Tensor limit = convert_element_type(arrayOf(limits), indices.dtype());
  Shape wide(Ints(indices.rank(), 1));
  wide.at(indices.rank() - 1) = static_cast<int64_t>(limits.size());
  Tensor zero = scalarOf(int64_t(0), indices.dtype());
  Tensor fits =
      bitwise_and(ge(indices, zero), le(indices, reshape(limit, wide)));
  return reduce_and(fits, {indices.rank() - 1});
}

std::string shapedArray(const Aval &aval) {
  return cat("ShapedArray(", aval.longStr(), ")");
}

std::optional<PartitionSpec> gatherSpec(const Aval &operand,
                                        const Aval &indices,
                                        const GatherDims &d, const Ints &window,
                                        int64_t rank) {
  PartitionSpec from = operand.spec(), at = indices.spec();
  for (int64_t i = 0; i < indices.rank(); ++i)
    if (!at[i].empty() && !containsInt(d.startIndicesBatchingDims, i))
      return std::nullopt;
  std::vector<SpecEntry> slices;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (containsInt(d.operandBatchingDims, i))
      continue;
    // A sharded dimension must be taken whole.
    if (!from[i].empty() && window[i] != operand.shape[i])
      return std::nullopt;
    if (!containsInt(d.collapsedSliceDims, i))
      slices.push_back(from[i]);
  }
  std::vector<SpecEntry> batches;
  for (int64_t i = 0; i + 1 < indices.rank(); ++i) {
    SpecEntry entry = at[i];
    for (size_t k = 0; k < d.startIndicesBatchingDims.size(); ++k) {
      if (d.startIndicesBatchingDims[k] != i)
        continue;
      const SpecEntry &other = from[d.operandBatchingDims[k]];
      if (entry.empty())
        entry = other;
      else if (!other.empty() && !(other == entry))
        return std::nullopt;
    }
    batches.push_back(entry);
  }
  std::vector<SpecEntry> entries;
  std::set<std::string> seen;
  size_t batch = 0, offset = 0;
  for (int64_t i = 0; i < rank; ++i) {
    entries.push_back(containsInt(d.offsetDims, i) ? slices[offset++]
                                                   : batches[batch++]);
    for (const std::string &axis : entries.back().axes)
      if (!seen.insert(axis).second)
        return std::nullopt;
  }
  Expected<PartitionSpec> spec = PartitionSpec::get(entries);
  return spec ? std::optional(*spec) : std::nullopt;
}

} // namespace shardwright::frontend
