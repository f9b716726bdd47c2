//===- index_gather.cc - subscripts as gathers ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/index_range.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/rearrange.h"
#include "shardwright/frontend/primitives/gather_params.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

using Kind = ParsedIndex::Kind;

/// Positions of the true elements of a mask, one array for each dimension.
Expected<std::vector<Tensor>> positionsOf(const Tensor &mask) {
  if (mask.isTraced())
    return makeError(
        ErrorKind::NonConcreteBooleanIndex,
        "Array boolean indices must be concrete; got ", mask.aval().str(),
        "\nSee https://docs.jax.dev/en/latest/errors.html#jax.errors."
        "NonConcreteBooleanIndexError");
  Expected<std::vector<bool>> elements = mask.toVector<bool>();
  if (!elements)
    return elements.error();
  std::vector<std::vector<int32_t>> found(mask.rank());
  for (size_t i = 0; i < elements->size(); ++i) {
    if (!(*elements)[i])
      continue;
    auto rest = static_cast<int64_t>(i);
    for (int64_t d = mask.rank(); d-- > 0; rest /= mask.dim(d))
      found[d].push_back(static_cast<int32_t>(rest % mask.dim(d)));
  }
  Tensors out;
  for (const std::vector<int32_t> &positions : found)
    out.push_back(arrayOf(positions));
  return out;
}

/// Masks of positive rank become arrays of positions, known ones.
Status expandMasks(const Shape &shape, std::vector<ParsedIndex> &parsed) {
  std::vector<ParsedIndex> out;
  for (size_t position = 0; position < parsed.size(); ++position) {
    ParsedIndex &p = parsed[position];
    if (p.kind != Kind::Mask) {
      out.push_back(std::move(p));
      continue;
    }
    const Tensor &mask = p.index.array;
    Expected<Tensors> positions = positionsOf(mask);
    if (!positions)
      return positions.error();
    if (!mask.rank()) {
      out.push_back(std::move(p));
      continue;
    }
    Ints expected;
    bool fits = true;
    for (int64_t d = 0; d < mask.rank(); ++d) {
      expected.push_back(shape[p.firstAxis + d]);
      fits &= mask.dim(d) == 0 || mask.dim(d) == expected.back();
    }
    if (!fits)
      return makeError(ErrorKind::Index,
                       "boolean index did not match shape of indexed array in "
                       "index ",
                       position, ": got ", tupleText(mask.shape()),
                       ", expected ", bracketList(expected));
    for (int64_t d = 0; d < mask.rank(); ++d)
      out.push_back(
          {Kind::Array, Index((*positions)[d]), p.firstAxis + d, 1, true});
  }
  parsed = std::move(out);
  return {};
}

/// Scalar masks become positions in new dimensions of size 1, which are
/// inserted at their places.
Status expandScalarMasks(std::vector<ParsedIndex> &parsed, Shape &shape,
                         std::vector<SpecEntry> &spec, Ints &places) {
  int64_t next = 0;
  for (size_t i = 0; i < parsed.size(); ++i) {
    ParsedIndex &p = parsed[i];
    p.firstAxis = next;
    if (p.kind == Kind::Mask) {
      Expected<std::vector<bool>> value = p.index.array.toVector<bool>();
      if (!value)
        return value.error();
      auto at = std::min(static_cast<int64_t>(i), shape.rank());
      places.push_back(at);
      shape.insert(shape.begin() + at, 1);
      spec.insert(spec.begin() + at, SpecEntry());
      std::vector<int32_t> positions((*value)[0] ? 1 : 0, 0);
      p = {Kind::Array, Index(arrayOf(positions)), next, 1, true};
    }
    next += p.numAxes;
  }
  return {};
}

/// Positions from the end of a dimension of size `n` become positions from its
/// begin.
void wrapNegatives(ParsedIndex &p, int64_t n) {
  if (p.kind == Kind::Integer) {
    p.index.start += p.index.start < 0 ? n : 0;
    return;
  }
  if (p.kind == Kind::Array)
    p.index.array = fromBegin(p.index.array, n, p.isKnown);
}

/// Builds a plan subscript by subscript.
class GatherPlanner {
public:
  GatherPlanner(Shape s, std::vector<SpecEntry> entries)
      : shape(std::move(s)), spec(std::move(entries)), type(indexType(shape)) {}

  Status addArrays(const std::vector<ParsedIndex> &parsed);
  Status add(const std::vector<ParsedIndex> &parsed, bool areContiguous);
  GatherPlan finish();
  GatherPlan plan;

private:
  Status addScalar(const ParsedIndex &p);
  void addRange(const ParsedIndex &p);

  Shape shape;
  std::vector<SpecEntry> spec;
  DType type;
  int64_t resultDims = 0; ///< without inserted ones
  /// Positions, and the dimension of the index vectors where each begins.
  std::vector<std::pair<Tensor, int64_t>> positions;
  Ints indexShape;
};

Tensor positionOf(const ParsedIndex &p, DType type, bool weak = false) {
  return p.kind == Kind::Integer ? scalarOf(p.index.start, type, weak)
                                 : p.index.array;
}

/// The arrays, and integers beside them, name elements together.
Status GatherPlanner::addArrays(const std::vector<ParsedIndex> &parsed) {
  Tensors found;
  for (const ParsedIndex &p : parsed)
    if (p.kind == Kind::Array || p.kind == Kind::Integer)
      found.push_back(positionOf(p, DType::I32, /*weak=*/true));
  Tensors same = broadcastArrays(found);
  if (const Error *error = errorIn(same))
    return *error;
  auto start = static_cast<int64_t>(indexShape.size());
  for (const Tensor &x : same)
    positions.push_back({lax::convert_element_type(x, type), start});
  const Shape &common = same[0].shape();
  indexShape.insert(indexShape.end(), common.begin(), common.end());
  plan.sliceShape.insert(plan.sliceShape.end(), common.begin(), common.end());
  PartitionSpec entries = same[0].aval().spec();
  for (int64_t d = 0; d < common.rank(); ++d)
    plan.sliceSpec.push_back(entries[d]);
  resultDims += common.rank();
  for (const ParsedIndex &p : parsed)
    if (p.kind == Kind::Array || p.kind == Kind::Integer) {
      plan.dims.startIndexMap.push_back(p.firstAxis);
      plan.dims.collapsedSliceDims.push_back(p.firstAxis);
    }
  return {};
}

Status GatherPlanner::addScalar(const ParsedIndex &p) {
  if (!shape[p.firstAxis])
    return makeError(ErrorKind::Index, "index is out of bounds for axis ",
                     p.firstAxis, " with size 0");
  positions.push_back({lax::convert_element_type(positionOf(p, type), type),
                       static_cast<int64_t>(indexShape.size())});
  plan.dims.collapsedSliceDims.push_back(p.firstAxis);
  plan.dims.startIndexMap.push_back(p.firstAxis);
  plan.gatherSizes.push_back(1);
  return {};
}

void GatherPlanner::addRange(const ParsedIndex &p) {
  int64_t axis = p.firstAxis;
  ElementRange r = rangeOf(p.index, shape[axis]);
  plan.sliceShape.push_back(r.size);
  plan.sliceSpec.push_back(spec[axis]);
  auto at = static_cast<int64_t>(indexShape.size());
  if (r.step == 1) {
    // A full dimension needs no position.
    if (r.size != shape[axis]) {
      positions.push_back({scalarOf(r.start, type), at});
      plan.dims.startIndexMap.push_back(axis);
    }
    plan.gatherSizes.push_back(r.size);
    plan.dims.offsetDims.push_back(resultDims);
  } else {
    Tensor each = lax::add(
        scalarOf(r.start, type),
        lax::mul(scalarOf(r.step, type), lax::iota(type, {r.size}, 0)));
    if (r.step < 0) {
      plan.reversed.push_back(resultDims);
      each = lax::rev(each, {0});
    }
    plan.gatherSizes.push_back(1);
    positions.push_back({each, at});
    plan.dims.startIndexMap.push_back(axis);
    indexShape.push_back(r.size);
    plan.dims.collapsedSliceDims.push_back(axis);
  }
  ++resultDims;
}

Status GatherPlanner::add(const std::vector<ParsedIndex> &parsed,
                          bool areContiguous) {
  bool hasArrays =
      std::any_of(parsed.begin(), parsed.end(), [](const ParsedIndex &p) {
        return p.kind == Kind::Array && p.index.array.rank() > 0;
      });
  plan.isBasic = !hasArrays;
  auto isAdvanced = [&](const ParsedIndex &p) {
    return hasArrays && (p.kind == Kind::Array || p.kind == Kind::Integer);
  };
  bool isPending = hasArrays;
  for (const ParsedIndex &p : parsed) {
    // Arrays beside each other stay at their place; else they go to the front.
    if (isPending && (!areContiguous || isAdvanced(p))) {
      SW_TRY(addArrays(parsed));
      isPending = false;
    }
    if (isAdvanced(p)) {
      plan.gatherSizes.push_back(1);
    } else if (p.kind == Kind::Array || p.kind == Kind::Integer) {
      SW_TRY(addScalar(p));
    } else if (p.kind == Kind::None) {
      plan.inserted.push_back(plan.sliceShape.rank());
      plan.sliceShape.push_back(1);
      plan.sliceSpec.push_back({});
    } else {
      addRange(p);
    }
  }
  return {};
}

GatherPlan GatherPlanner::finish() {
  if (positions.empty()) {
    plan.indices = type == DType::I32 ? arrayOf(std::vector<int32_t>())
                                      : arrayOf(std::vector<int64_t>());
  } else if (positions.size() == 1) {
    const Tensor &only = positions[0].first;
    plan.indices = only.ok() ? lax::expand_dims(only, {only.rank()}) : only;
  } else {
    Shape wide(indexShape);
    wide.push_back(1);
    Tensors columns;
    for (const auto &[x, at] : positions) {
      Ints dims;
      for (int64_t d = 0; x.ok() && d < x.rank(); ++d)
        dims.push_back(at + d);
      columns.push_back(x.ok() ? lax::broadcast_in_dim(x, wide, dims) : x);
    }
    plan.indices = lax::concatenate(columns, wide.rank() - 1);
  }
  std::sort(plan.dims.collapsedSliceDims.begin(),
            plan.dims.collapsedSliceDims.end());
  return std::move(plan);
}

} // namespace

Expected<GatherPlan> gatherPlan(const Tensor &x,
                                std::vector<ParsedIndex> parsed,
                                bool wrapNegative) {
  Shape shape = x.shape();
  SW_TRY(expandMasks(shape, parsed));
  // Arrays and integers with another subscript between them are apart, also
  // where an ellipsis stands for no dimension.
  bool areContiguous = true;
  int64_t last = -1;
  for (size_t i = 0; i < parsed.size(); ++i) {
    if (parsed[i].kind != Kind::Array && parsed[i].kind != Kind::Integer)
      continue;
    areContiguous &= last < 0 || last + 1 == static_cast<int64_t>(i);
    last = static_cast<int64_t>(i);
  }
  parsed = withoutEllipsis(parsed, shape.rank());
  PartitionSpec types = x.aval().spec();
  std::vector<SpecEntry> spec;
  for (int64_t d = 0; d < shape.rank(); ++d)
    spec.push_back(types[d]);
  Ints places;
  SW_TRY(expandScalarMasks(parsed, shape, spec, places));
  if (wrapNegative)
    for (ParsedIndex &p : parsed)
      if (p.kind == Kind::Array || p.kind == Kind::Integer)
        wrapNegatives(p, shape[p.firstAxis]);
  GatherPlanner planner(shape, std::move(spec));
  SW_TRY(planner.add(parsed, areContiguous));
  GatherPlan plan = planner.finish();
  if (!plan.indices.ok())
    return plan.indices.error();
  plan.scalarMasks = places;
  return plan;
}

} // namespace shardwright::frontend
