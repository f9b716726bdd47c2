//===- parts.cc - tiling, stacking and splitting --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/parts.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"

namespace shardwright::frontend {
namespace {

using namespace lax;
using Specs = Expected<std::vector<PartitionSpec>>;
using Types = Expected<std::vector<Aval>>;

Error badAxis(const char *name, int64_t axis, int64_t rank) {
  return valueError(name, " axis ", axis,
                    " is out of bounds for array of dimension ", rank);
}

Ints withInserted(Ints values, int64_t at, int64_t value) {
  values.insert(values.begin() + at, value);
  return values;
}

Primitive makeTile() {
  Primitive p;
  p.name = "tile";
  p.infer = [](const std::vector<Aval> &in, const Params &params) -> Types {
    const Ints &reps = params.ints("reps");
    if (static_cast<int64_t>(reps.size()) != in[0].rank())
      return valueError("tile expects one repetition for each dimension, got "
                        "reps ",
                        tupleText(reps), " for shape ", tupleText(in[0].shape),
                        ".");
    Shape shape = in[0].shape;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (reps[d] < 0)
        return valueError("tile repetitions must not be negative, got ",
                          tupleText(reps), ".");
      if (__builtin_mul_overflow(shape[d], reps[d], &shape.at(d)))
        return valueError("tile of shape ", tupleText(in[0].shape), " by ",
                          tupleText(reps), " is too large.");
    }
    return std::vector<Aval>{Aval{in[0].dtype, shape}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &params) -> Specs {
    const Ints &reps = params.ints("reps");
    PartitionSpec spec = in[0].spec();
    for (int64_t d = 0; d < in[0].rank(); ++d)
      if (reps[d] != 1 && !spec[d].empty())
        return makeError(ErrorKind::ShardingType,
                         "Operand cannot be sharded on dimension ", d,
                         " when the tiling is non-trivial. Got input type: ",
                         in[0].longStr(), " with reps: ", tupleText(reps));
    return std::vector<PartitionSpec>{spec};
  };
  p.composite = [](const Tensors &in, const Params &params) -> Tensors {
    const Ints &reps = params.ints("reps");
    Shape parts, wide, flat;
    Ints own;
    for (int64_t d = 0; d < in[0].rank(); ++d) {
      parts.push_back(1);
      own.push_back(parts.rank());
      parts.push_back(in[0].dim(d));
      wide.push_back(reps[d]);
      wide.push_back(in[0].dim(d));
      flat.push_back(reps[d] * in[0].dim(d));
    }
    Tensor x = broadcast_in_dim(in[0], parts, own);
    return {
        lax::reshape(broadcast_in_dim(x, wide, iotaInts(wide.rank())), flat)};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Ints &reps = params.ints("reps");
    return oneResult(tile(in[0], reps), tile(*t[0], reps));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &types, const Params &params) {
    const Ints &reps = params.ints("reps");
    Shape wide;
    Ints sums;
    for (int64_t d = 0; d < types[0].rank(); ++d) {
      sums.push_back(wide.rank());
      wide.push_back(reps[d]);
      wide.push_back(types[0].shape[d]);
    }
    return MaybeTensors{reduce_sum(lax::reshape(*ct[0], wide), sums)};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    return {{tile(in[0], withInserted(params.ints("reps"), dims[0], 1))}, dims};
  };
  return p;
}

Primitive makeStack() {
  Primitive p;
  p.name = "stack";
  p.infer = [](const std::vector<Aval> &in, const Params &params) -> Types {
    if (in.empty())
      return valueError("Need at least one array to stack.");
    int64_t axis = params.integer("axis");
    if (axis < 0 || axis > in[0].rank())
      return badAxis("stack", axis, in[0].rank() + 1);
    for (const Aval &a : in)
      if (a.shape != in[0].shape || a.dtype != in[0].dtype)
        return valueError("All input arrays must have the same shape and type "
                          "to be stacked, got ",
                          in[0].longStr(), " and ", a.longStr(), ".");
    Shape shape = in[0].shape;
    shape.insert(shape.begin() + axis, static_cast<int64_t>(in.size()));
    return std::vector<Aval>{Aval{in[0].dtype, shape}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &params) -> Specs {
    for (const Aval &a : in)
      if (!(a.spec() == in[0].spec()))
        return makeError(ErrorKind::ShardingType,
                         "All operands should have the same sharding. Got "
                         "shardings ",
                         shardingText(in[0]), ", ", shardingText(a));
    std::vector<SpecEntry> entries = in[0].spec().entries();
    entries.insert(entries.begin() + params.integer("axis"), SpecEntry());
    Expected<PartitionSpec> spec = PartitionSpec::get(entries);
    if (!spec)
      return spec.error();
    return std::vector<PartitionSpec>{*spec};
  };
  p.composite = [](const Tensors &in, const Params &params) -> Tensors {
    int64_t axis = params.integer("axis");
    Tensors wide;
    for (const Tensor &x : in)
      wide.push_back(expand_dims(x, {axis}));
    return {concatenate(wide, axis)};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    int64_t axis = params.integer("axis");
    Tensor out = lax::stack(in, axis);
    Tensors tangents;
    for (size_t i = 0; i < in.size(); ++i)
      tangents.push_back(t[i] ? *t[i] : full_like(in[i], 0));
    return oneResult(out, lax::stack(tangents, axis));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &, const Params &params) {
    Tensors parts = unstack(*ct[0], params.integer("axis"));
    MaybeTensors out(in.size());
    for (size_t i = 0; i < in.size(); ++i)
      if (!in[i])
        out[i] = i < parts.size() ? parts[i] : parts[0];
    return out;
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    int64_t at = params.integer("axis");
    // The new dimension may come before that of the batch.
    if (std::all_of(dims.begin(), dims.end(),
                    [&](int64_t d) { return d == dims[0]; }))
      return at <= dims[0] ? BatchResult{{lax::stack(in, at)}, {dims[0] + 1}}
                           : BatchResult{{lax::stack(in, at + 1)}, {dims[0]}};
    Tensors moved;
    for (size_t i = 0; i < in.size(); ++i)
      moved.push_back(batchToFront(in[i], dims[i], axis));
    return {{lax::stack(moved, at + 1)}, {0}};
  };
  return p;
}

Primitive makeSplit() {
  Primitive p;
  p.name = "split";
  p.infer = [](const std::vector<Aval> &in, const Params &params) -> Types {
    int64_t axis = params.integer("axis"), sum = 0;
    const Ints &sizes = params.ints("sizes");
    if (axis < 0 || axis >= in[0].rank())
      return badAxis("split", axis, in[0].rank());
    std::vector<Aval> out;
    for (int64_t size : sizes) {
      if (size < 0)
        return valueError("Sizes passed to split must be nonnegative, got ",
                          tupleText(sizes));
      Shape shape = in[0].shape;
      shape.at(axis) = size;
      out.push_back(Aval{in[0].dtype, shape});
      sum += size;
    }
    if (sum != in[0].shape[axis])
      return valueError("Sum of sizes ", sum, " must be equal to dimension ",
                        axis, " of the operand shape ", tupleText(in[0].shape));
    return out;
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &) -> Specs {
    std::vector<PartitionSpec> specs;
    for (const Aval &part : out) {
      Specs one = resizedSpec("split", in[0], part);
      if (!one)
        return one;
      specs.push_back((*one)[0]);
    }
    return specs;
  };
  p.composite = [](const Tensors &in, const Params &params) {
    int64_t axis = params.integer("axis"), at = 0;
    Tensors out;
    for (int64_t size : params.ints("sizes")) {
      out.push_back(slice_in_dim(in[0], at, at + size, 1, axis));
      at += size;
    }
    return out;
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    int64_t axis = params.integer("axis");
    const Ints &sizes = params.ints("sizes");
    Tensors outs = lax::split(in[0], sizes, axis);
    Tensors tangents = lax::split(*t[0], sizes, axis);
    return JvpResult{outs, MaybeTensors(tangents.begin(), tangents.end())};
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &types, const Params &params) {
    int64_t axis = params.integer("axis");
    const Ints &sizes = params.ints("sizes");
    Tensors parts;
    for (size_t i = 0; i < ct.size(); ++i) {
      Aval part = types[0].withShape(types[0].shape);
      part.shape.at(axis) = sizes[i];
      parts.push_back(instantiate(ct[i], part));
    }
    return MaybeTensors{concatenate(parts, axis)};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    int64_t axis = params.integer("axis");
    const Ints &sizes = params.ints("sizes");
    return {lax::split(in[0], sizes, axis + (dims[0] <= axis)),
            Ints(sizes.size(), dims[0])};
  };
  return p;
}

Primitive makeUnstack() {
  Primitive p;
  p.name = "unstack";
  p.infer = [](const std::vector<Aval> &in, const Params &params) -> Types {
    int64_t axis = params.integer("axis");
    if (axis < 0 || axis >= in[0].rank())
      return badAxis("unstack", axis, in[0].rank());
    Shape shape = in[0].shape;
    shape.erase(shape.begin() + axis);
    return std::vector<Aval>(in[0].shape[axis], Aval{in[0].dtype, shape});
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &params) -> Specs {
    int64_t axis = params.integer("axis");
    std::vector<SpecEntry> entries = in[0].spec().entries();
    if (!entries[axis].empty())
      return makeError(ErrorKind::ShardingType,
                       "unstack operand cannot be sharded on the unstacking "
                       "axis ",
                       axis, ". Got operand type=", in[0].str());
    entries.erase(entries.begin() + axis);
    Expected<PartitionSpec> spec = PartitionSpec::get(entries);
    if (!spec)
      return spec.error();
    return std::vector<PartitionSpec>(out.size(), *spec);
  };
  p.composite = [](const Tensors &in, const Params &params) {
    int64_t axis = params.integer("axis");
    Tensors out;
    for (int64_t i = 0; i < in[0].dim(axis); ++i)
      out.push_back(
          lax::squeeze(slice_in_dim(in[0], i, i + 1, 1, axis), {axis}));
    return out;
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    int64_t axis = params.integer("axis");
    Tensors outs = unstack(in[0], axis), tangents = unstack(*t[0], axis);
    return JvpResult{outs, MaybeTensors(tangents.begin(), tangents.end())};
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &types, const Params &params) {
    int64_t axis = params.integer("axis");
    Tensors parts;
    for (const MaybeTensor &one : ct)
      parts.push_back(instantiate(one, types[0].withoutDim(axis)));
    return MaybeTensors{lax::stack(parts, axis)};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    int64_t axis = params.integer("axis");
    bool isBefore = dims[0] <= axis;
    Tensors out = unstack(in[0], axis + isBefore);
    return {out, Ints(out.size(), isBefore ? dims[0] : dims[0] - 1)};
  };
  return p;
}

const bool registered =
    registerAll({makeTile(), makeStack(), makeSplit(), makeUnstack()});

const Primitive &found(const char *name) { return *findPrimitive(name); }

/// Negative starts count from the end.
Tensors wrappedStarts(const Tensor &x, const Tensors &starts) {
  Tensors out;
  for (size_t d = 0; d < starts.size(); ++d) {
    const Tensor &start = starts[d];
    if (!start.ok() || !x.ok() || static_cast<int64_t>(d) >= x.rank() ||
        isUnsigned(start.dtype()) || !isInteger(start.dtype())) {
      out.push_back(start);
      continue;
    }
    int64_t n = x.dim(static_cast<int64_t>(d));
    const ArrayValue *array = asArray(start);
    if (array && array->isLiteral) {
      Expected<double> value = start.item();
      out.push_back(
          value && *value < 0
              ? scalarOf(static_cast<int64_t>(*value) + n, start.dtype())
              : start);
      continue;
    }
    Tensor isNegative = lt(start, scalarOf(int64_t(0), start.dtype()));
    out.push_back(
        select(isNegative, add(start, scalarOf(n, start.dtype())), start));
  }
  return out;
}

} // namespace

namespace lax {
Tensor dynamic_slice(const Tensor &x, const Tensors &starts,
                     const Ints &sizes) {
  Tensors in = wrappedStarts(x, starts);
  in.insert(in.begin(), x);
  return bind1(found("dynamic_slice"), in, {{"slice_sizes", sizes}});
}
Tensor dynamic_update_slice(const Tensor &x, const Tensor &update,
                            const Tensors &starts) {
  Tensors in = wrappedStarts(x, starts);
  in.insert(in.begin(), {x, update});
  return bind1(found("dynamic_update_slice"), in);
}
Tensor tile(const Tensor &x, const Ints &reps) {
  return bind1(found("tile"), {x}, {{"reps", reps}});
}
Tensor stack(const Tensors &xs, int64_t axis) {
  return bind1(found("stack"), xs, {{"axis", axis}});
}
Tensors split(const Tensor &x, const Ints &sizes, int64_t axis) {
  if (sizes.empty())
    return {};
  return bindMany(found("split"), sizes.size(), {x},
                  {{"axis", axis}, {"sizes", sizes}});
}
Tensors unstack(const Tensor &x, int64_t axis) {
  if (!x.ok())
    return {x};
  if (axis < 0 || axis >= x.rank())
    return {Tensor(badAxis("unstack", axis, x.rank()))};
  if (!x.dim(axis))
    return {};
  // Each slice is a value of its own.
  if (x.dim(axis) > 1 << 20)
    return {Tensor(valueError("unstack gives at most ", 1 << 20,
                              " slices, but axis ", axis, " has size ",
                              x.dim(axis)))};
  return bindMany(found("unstack"), x.dim(axis), {x}, {{"axis", axis}});
}
} // namespace lax
} // namespace shardwright::frontend
