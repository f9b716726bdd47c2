//===- index.cc - subscripts and indexed updates --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/index.h"

#include "shardwright/frontend/api/explicit_axes.h"
#include "shardwright/frontend/base/warning.h"
#include "shardwright/frontend/numpy/indexer.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/slices.h"
#include "shardwright/frontend/primitives/gather_params.h"
#include "shardwright/frontend/primitives/out_sharding.h"

namespace shardwright::frontend {
namespace {

/// Applies an operation of x, and of values beside it, whose result has a
/// given sharding over the Explicit axes of the mesh in context.
Tensor withSharding(const AtOptions &options, const Tensors &in,
                    const TensorsFunction &op) {
  auto one = [&](const std::vector<Tensor> &args) { return op(args)[0]; };
  if (!options.outSharding)
    return one(in);
  auto out = autoAxes(one, {.specs = {*options.outSharding}})(in);
  return out ? *out : Tensor(out.error());
}

/// The parameter that says what a gather gives out of bounds.
Expected<std::optional<Param>> fillParam(const AtOptions &options) {
  if (!options.fillValue)
    return std::optional<Param>();
  const Tensor &fill = *options.fillValue;
  if (const Error *error = errorIn(fill))
    return *error;
  if (fill.rank())
    return valueError("fill_value argument to indexed get() must be a scalar");
  Expected<double> number = fill.item();
  if (!number)
    return number.error();
  if (isInteger(fill.dtype()))
    return std::optional<Param>(static_cast<int64_t>(*number));
  if (fill.dtype() == DType::Bool)
    return std::optional<Param>(*number != 0);
  return std::optional<Param>(*number);
}

Tensor gathered(const Tensor &in, const std::vector<ParsedIndex> &parsed,
                const AtOptions &options) {
  Expected<GatherPlan> plan =
      gatherPlan(in, parsed, options.wrapNegativeIndices);
  if (!plan)
    return plan.error();
  Expected<std::optional<Param>> fill = fillParam(options);
  if (!fill)
    return fill.error();
  Tensor x =
      plan->scalarMasks.empty() ? in : lax::expand_dims(in, plan->scalarMasks);
  if (!plan->sliceShape.elements())
    return lax::broadcast_in_dim(scalarOf(int64_t(0), x.dtype()),
                                 plan->sliceShape, {});
  if (plan->indices.size()) {
    GatherMode mode = options.mode.value_or(GatherMode::PromiseInBounds);
    if (mode != GatherMode::FillOrDrop)
      fill->reset();
    x = bind1(*findPrimitive("gather"), {x, plan->indices},
              gatherParams(plan->dims, plan->gatherSizes, mode, x.dtype(),
                           options.indicesAreSorted || plan->isBasic,
                           options.uniqueIndices || plan->isBasic, *fill));
  }
  if (!plan->reversed.empty())
    x = lax::rev(x, plan->reversed);
  return plan->inserted.empty() ? x : lax::expand_dims(x, plan->inserted);
}

/// The elements that the subscripts name.
Tensor read(const Tensor &x, const std::vector<Index> &indices,
            const AtOptions &options) {
  Expected<std::vector<ParsedIndex>> parsed = parseIndices(x.shape(), indices);
  if (!parsed)
    return parsed.error();
  bool wraps = options.wrapNegativeIndices;
  // A constant position out of bounds is a mistake; JAX clips it, unless
  // jax_check_static_indices is set.
  if (!options.mode || *options.mode == GatherMode::PromiseInBounds)
    if (Status inside = checkIntegers(x.shape(), *parsed, wraps); !inside)
      return inside.error();
  if (!options.outSharding && options.mode != GatherMode::FillOrDrop) {
    if (auto plan = slicePlan(x.shape(), *parsed, wraps))
      return applySlicePlan(x, *plan);
    if (auto plan = dynamicSlicePlan(x.shape(), *parsed))
      return applyDynamicSlicePlan(x, *plan, wraps);
  }
  return withSharding(options, {x}, [&](const Tensors &in) -> Tensors {
    return {gathered(in[0], *parsed, options)};
  });
}

/// A type of which both values and elements of the array are converted.
void warnIfUnsafe(const Tensor &x, const Tensor &y) {
  PromotedType common =
      promoteTypes(y.dtype(), y.aval().weak, x.dtype(), false);
  if (y.dtype() == x.dtype() || canonicalType(common.type) == x.dtype())
    return;
  warn(cat("scatter inputs have incompatible types: cannot safely cast value "
           "from dtype=",
           name(y.dtype()), " to dtype=", name(x.dtype()),
           " with jax_numpy_dtype_promotion=standard. In future JAX releases "
           "this will result in an error."));
}

Tensor spreadTo(const Tensor &y, const GatherPlan &plan, const Tensor &x) {
  if (!y.ok() || y.shape() == plan.sliceShape || !x.aval().sharding)
    return broadcastTo(y, plan.sliceShape);
  Expected<PartitionSpec> spec = PartitionSpec::get(plan.sliceSpec);
  int64_t extra = plan.sliceShape.rank() - y.rank();
  if (!spec || extra < 0)
    return broadcastTo(y, plan.sliceShape);
  Ints dims;
  for (int64_t d = 0; d < y.rank(); ++d)
    dims.push_back(d + extra);
  return lax::broadcast_in_dim(y, plan.sliceShape, dims, *spec);
}

using ScatterFunction = std::function<Tensor(
    const Tensor &x, const Tensor &indices, const Tensor &updates,
    const GatherDims &dims, GatherMode mode, bool sorted, bool unique)>;

Tensor scattered(const Tensor &in, const std::vector<Index> &indices,
                 const Tensor &values, const ScatterFunction &scatter,
                 const AtOptions &options) {
  Expected<std::vector<ParsedIndex>> parsed = parseIndices(in.shape(), indices);
  if (!parsed)
    return parsed.error();
  warnIfUnsafe(in, values);
  Expected<GatherPlan> plan =
      gatherPlan(in, *parsed, options.wrapNegativeIndices);
  if (!plan)
    return plan.error();
  if (!plan->sliceShape.elements())
    return in;
  SW_TRY(checkPromotion(in.dtype(), in.aval().weak, values.dtype(),
                        values.aval().weak));
  PromotedType common = promoteTypes(in.dtype(), in.aval().weak, values.dtype(),
                                     values.aval().weak);
  DType type = canonicalType(common.type);
  Tensor x = lax::convert_element_type(in, type, common.weak);
  Tensor y = lax::convert_element_type(values, type, common.weak);
  y = spreadTo(y, *plan, in);
  if (!plan->inserted.empty())
    y = lax::squeeze(y, plan->inserted);
  if (!plan->reversed.empty())
    y = lax::rev(y, plan->reversed);
  if (!plan->scalarMasks.empty())
    x = lax::expand_dims(x, plan->scalarMasks);
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  Tensor out = scatter(x, plan->indices, y, plan->dims,
                       options.mode.value_or(GatherMode::FillOrDrop),
                       options.indicesAreSorted || plan->isBasic,
                       options.uniqueIndices || plan->isBasic);
  if (!plan->scalarMasks.empty())
    out = lax::squeeze(out, plan->scalarMasks);
  return lax::convert_element_type(out, in.dtype(), in.aval().weak);
}

Tensor updated(const Tensor &x, const std::vector<Index> &indices,
               const Tensor &y, const ScatterFunction &scatter,
               const AtOptions &options) {
  if (const Error *error = errorIn(Tensors{x, y}))
    return *error;
  return withSharding(options, {x, y}, [&](const Tensors &in) -> Tensors {
    return {scattered(in[0], indices, in[1], scatter, options)};
  });
}

ScatterFunction scatterOf(lax::ScatterKind kind) {
  return [kind](const Tensor &x, const Tensor &indices, const Tensor &updates,
                const GatherDims &dims, GatherMode mode, bool sorted,
                bool unique) {
    return lax::scatter(kind, x, indices, updates, dims, mode, sorted, unique);
  };
}

} // namespace

Index slice(std::optional<int64_t> start, std::optional<int64_t> stop,
            int64_t step) {
  Index out(Index::Kind::Range);
  out.hasStart = start.has_value();
  out.hasStop = stop.has_value();
  out.start = start.value_or(0);
  out.stop = stop.value_or(0);
  out.step = step;
  return out;
}

Tensor Tensor::index(const std::vector<Index> &indices) const {
  return IndexUpdate(*this, indices).get();
}

Tensor IndexUpdate::get(const AtOptions &options) const {
  if (!x.ok())
    return x;
  if (x.dtype() != DType::Key)
    return read(x, indices, options);
  // The words of keys are a last dimension, all of which is read.
  std::vector<Index> all = indices;
  bool isOpen = true;
  for (const Index &i : indices)
    isOpen &= i.kind != Index::Kind::Ellipsis;
  if (isOpen)
    all.push_back(ellipsis);
  all.push_back(frontend::slice());
  return lax::random_wrap(read(lax::random_unwrap(x), all, options));
}

Tensor IndexUpdate::set(const Tensor &y, const AtOptions &options) const {
  return updated(x, indices, y, scatterOf(lax::ScatterKind::Set), options);
}
Tensor IndexUpdate::add(const Tensor &y, const AtOptions &options) const {
  return updated(x, indices, y, scatterOf(lax::ScatterKind::Add), options);
}
Tensor IndexUpdate::subtract(const Tensor &y, const AtOptions &options) const {
  return updated(x, indices, y, scatterOf(lax::ScatterKind::Sub), options);
}
Tensor IndexUpdate::multiply(const Tensor &y, const AtOptions &options) const {
  return updated(x, indices, y, scatterOf(lax::ScatterKind::Mul), options);
}
Tensor IndexUpdate::divide(const Tensor &y, const AtOptions &options) const {
  return x / updated(onesLike(x), indices, y, scatterOf(lax::ScatterKind::Mul),
                     options);
}
Tensor IndexUpdate::power(const Tensor &y, const AtOptions &options) const {
  return frontend::power(x, updated(onesLike(x), indices, y,
                                    scatterOf(lax::ScatterKind::Mul), options));
}
Tensor IndexUpdate::min(const Tensor &y, const AtOptions &options) const {
  return updated(x, indices, y, scatterOf(lax::ScatterKind::Min), options);
}
Tensor IndexUpdate::max(const Tensor &y, const AtOptions &options) const {
  return updated(x, indices, y, scatterOf(lax::ScatterKind::Max), options);
}
Tensor IndexUpdate::apply(const std::function<Tensor(const Tensor &)> &function,
                          const AtOptions &options) const {
  if (!x.ok())
    return x;
  auto scatter = [&](const Tensor &to, const Tensor &positions,
                     const Tensor &updates, const GatherDims &dims,
                     GatherMode mode, bool sorted, bool unique) {
    return lax::scatter_apply(to, positions, function, dims, updates.shape(),
                              mode, sorted, unique);
  };
  return updated(x, indices, scalarOf(int64_t(0), x.dtype(), x.aval().weak),
                 scatter, options);
}

} // namespace shardwright::frontend
