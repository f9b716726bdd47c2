//===- reduce.cc - reductions ---------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reordered_reshape.h"
#include "shardwright/frontend/primitives/reshard.h"

namespace shardwright::frontend {
namespace {

using namespace lax;

struct ReduceSpec {
  const char *name, *opName;
  Accepts accepts;
  enum Start { Zero, One, Lowest, Highest, Ones } start;
};
const ReduceSpec specs[] = {
    {"reduce_sum", "stablehlo.add", Accepts::Number, ReduceSpec::Zero},
    {"reduce_prod", "stablehlo.multiply", Accepts::Number, ReduceSpec::One},
    {"reduce_max", "stablehlo.maximum", Accepts::Any, ReduceSpec::Lowest},
    {"reduce_min", "stablehlo.minimum", Accepts::Any, ReduceSpec::Highest},
    {"reduce_and", "stablehlo.and", Accepts::BoolOrInt, ReduceSpec::Ones},
    {"reduce_or", "stablehlo.or", Accepts::BoolOrInt, ReduceSpec::Zero},
    {"reduce_xor", "stablehlo.xor", Accepts::BoolOrInt, ReduceSpec::Zero},
};

Aval reducedAval(const Aval &in, const Ints &axes) {
  Shape shape;
  for (int64_t d : withoutInts(in.rank(), axes))
    shape.push_back(in.shape[d]);
  return Aval{in.dtype, shape, in.weak};
}

Status checkAxes(const std::string &name, const Aval &in, const Ints &axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= in.rank())
      return valueError("reduction axes ", tupleText(axes),
                        " contains out-of-bounds indices for ", in.longStr(),
                        ".");
    for (size_t j = 0; j < i; ++j)
      if (axes[i] == axes[j])
        return valueError("duplicate value in 'axes' of reduction: ",
                          tupleText(axes));
  }
  return {};
}

std::string startValue(LoweringContext &c, const ReduceSpec &spec, DType type) {
  Aval scalar{type, {}};
  switch (spec.start) {
  case ReduceSpec::Zero:
    return c.constant(scalar, 0);
  case ReduceSpec::One:
    return c.constant(scalar, 1);
  case ReduceSpec::Lowest:
    return c.constant(scalar, -INFINITY);
  case ReduceSpec::Highest:
    return c.constant(scalar, INFINITY);
  case ReduceSpec::Ones:
    return c.constant(scalar, type == DType::Bool ? 1 : -1);
  }
  return "";
}

std::vector<std::string> lowerReduce(const ReduceSpec &spec,
                                     LoweringContext &c) {
  DType type = c.operandTypes()[0].dtype;
  std::string scalar = mlirType(Aval{type, {}});
  std::string region =
      c.regionOf({scalar, scalar}, [&](const std::vector<std::string> &args) {
        return c.op(spec.opName, args, {scalar, scalar}, {scalar});
      });
  return c.op("stablehlo.reduce", {c.operands()[0], startValue(c, spec, type)},
              {mlirType(c.operandTypes()[0]), scalar},
              mlirTypes(c.resultTypes()),
              arrayAttr("dimensions", c.params().ints("axes")), {region});
}

/// The tangent of max and min: the mean of those of the elements that are equal
/// to the result.
Tensor chosenTangent(const Tensor &x, const Tensor &out, const Tensor &t,
                     const Ints &axes) {
  Shape kept = x.shape();
  for (int64_t d : axes)
    kept.at(d) = 1;
  Tensor chosen = convert_element_type(eq(x, reshape(out, kept)), x.dtype());
  Tensor count = reduce_sum(chosen, axes);
  return div(reduce_sum(mul(t, chosen), axes), count);
}

/// The product and its tangent, by halves along the reduced dimensions, which
/// become the first one.
JvpResult productJvp(Tensor x, Tensor t, const Ints &axes) {
  Ints order = axes, kept = withoutInts(x.rank(), axes);
  order.insert(order.end(), kept.begin(), kept.end());
  Shape shape{1};
  for (int64_t d : axes)
    shape.at(0) *= x.dim(d);
  for (int64_t d : kept)
    shape.push_back(x.dim(d));
  x = reshape(x, shape, order);
  t = reshape(t, shape, order);
  auto pair = [](const Tensor &x1, const Tensor &t1, const Tensor &x2,
                 const Tensor &t2) {
    Tensor out = mul(x1, x2);
    Tensor ofFirst = mul(t1, x2);
    return std::pair{out, add_any(ofFirst, mul(x1, t2))};
  };
  while (x.ok() && x.dim(0) > 1) {
    int64_t n = x.dim(0), half = (n + 1) / 2;
    Tensor x1 = slice_in_dim(x, 0, half, 1, 0);
    Tensor t1 = slice_in_dim(t, 0, half, 1, 0);
    Tensor x2 = slice_in_dim(x, half, n, 1, 0);
    Tensor t2 = slice_in_dim(t, half, n, 1, 0);
    if (n - half != half) {
      std::vector<Ints> config(x.rank(), Ints{0, 0, 0});
      config[0][1] = 1;
      x2 = pad(x2, scalarOf(1.0, x.dtype()), config);
      t2 = pad(t2, scalarOf(0.0, x.dtype()), config);
    }
    std::tie(x, t) = pair(x1, t1, x2, t2);
  }
  if (x.ok() && x.dim(0) == 0)
    return oneResult(
        lax::full(Shape(Ints(shape.begin() + 1, shape.end())), 1, x.dtype()),
        {});
  Tensor out = squeeze(x, {0});
  return oneResult(out, squeeze(t, {0}));
}

BatchResult batchReduce(const std::string &name, const Tensors &in,
                        const Ints &dims, Params params) {
  Ints axes = params.ints("axes");
  for (int64_t &d : axes)
    d += d >= dims[0];
  int64_t out = dims[0];
  for (int64_t d : axes)
    out -= d < dims[0];
  params.set("axes", axes);
  if (Status set = insertBatchEntry(params, "out_sharding", out,
                                    in[0].aval().spec()[dims[0]]);
      !set)
    return {{Tensor(set.error())}, {}};
  return {frontend::bind(*findPrimitive(name), in, params), {out}};
}

Expected<std::vector<PartitionSpec>> reducedSpec(const Aval &in,
                                                 const Ints &axes) {
  std::vector<SpecEntry> entries;
  for (int64_t d : withoutInts(in.rank(), axes))
    entries.push_back(in.spec()[d]);
  Expected<PartitionSpec> spec = PartitionSpec::get(entries);
  if (!spec)
    return spec.error();
  return std::vector<PartitionSpec>{*spec};
}

/// Unreduced axes of a sum shard the dimensions that are summed.
Status checkUnreduced(const Aval &x, const Ints &axes,
                      const PartitionSpec &out) {
  std::set<std::string> summed;
  const PartitionSpec spec = x.spec();
  for (int64_t d : axes)
    for (const std::string &axis : spec[d].axes)
      summed.insert(axis);
  bool fits = true;
  std::string names, dims;
  for (const std::string &axis : out.unreduced()) {
    fits = fits && summed.count(axis);
    names += cat(names.empty() ? "" : ", ", "'", axis, "'");
  }
  for (int64_t d : axes)
    dims += cat(dims.empty() ? "" : ", ", d);
  if (fits)
    return {};
  return makeError(ErrorKind::ShardingType,
                   "out_sharding's unreduced axes should be in operand's "
                   "specs that were summed over. Got operand=ShapedArray(",
                   x.longStr(), "), axes=frozenset({", dims,
                   "}), unreduced_spec=frozenset({", names, "})");
}

Primitive makeReduce(const ReduceSpec &spec) {
  Primitive p;
  p.name = spec.name;
  const ReduceSpec *s = &spec;
  p.infer = [s](const std::vector<Aval> &in,
                const Params &params) -> Expected<std::vector<Aval>> {
    if (s->accepts == Accepts::BoolOrInt &&
        !checkAccepts(s->name, s->accepts, in[0].dtype))
      return typeError("logical reduction requires operand dtype bool or int, "
                       "got ",
                       frontend::name(in[0].dtype), ".");
    if (in[0].dtype == DType::Key || isWithoutElements(in[0].dtype) ||
        !checkAccepts(s->name, s->accepts, in[0].dtype))
      return typeError(s->name, " does not accept dtype ",
                       frontend::name(in[0].dtype),
                       ". Accepted dtypes are subtypes of number.");
    SW_TRY(checkAxes(s->name, in[0], params.ints("axes")));
    Aval result = reducedAval(in[0], params.ints("axes"));
    if (auto given = typeShardingIn(params, "out_sharding"))
      result.sharding = given;
    return std::vector<Aval>{result};
  };
  p.sharding =
      [](const std::vector<Aval> &in, const std::vector<Aval> &,
         const Params &params) -> Expected<std::vector<PartitionSpec>> {
    auto given = typeShardingIn(params, "out_sharding");
    if (!given)
      return reducedSpec(in[0], params.ints("axes"));
    SW_TRY(checkUnreduced(in[0], params.ints("axes"), given->spec));
    return std::vector<PartitionSpec>{given->spec};
  };
  p.lower = [s](LoweringContext &c) { return lowerReduce(*s, c); };
  p.batch = [s](const BatchAxis &, const Tensors &in, const Ints &dims,
                const Params &params) {
    return batchReduce(s->name, in, dims, params);
  };
  p.jvp = [s](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Ints &axes = params.ints("axes");
    if (s->start == ReduceSpec::One)
      return productJvp(in[0], *t[0], axes);
    Tensor out = bind1(*findPrimitive(s->name), in, params);
    switch (s->start) {
    case ReduceSpec::Zero:
      return oneResult(out, isInexact(in[0].dtype())
                                ? MaybeTensor(reduce_sum(*t[0], axes))
                                : MaybeTensor());
    case ReduceSpec::Lowest:
    case ReduceSpec::Highest:
      return oneResult(out, chosenTangent(in[0], out, *t[0], axes));
    default:
      return oneResult(out, {});
    }
  };
  if (spec.start == ReduceSpec::Zero)
    p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                     const std::vector<Aval> &types, const Params &params) {
      Ints kept = withoutInts(types[0].rank(), params.ints("axes"));
      return MaybeTensors{broadcast_in_dim(*ct[0], types[0].shape, kept)};
    };
  return p;
}

/// argmax and argmin: a reduction of (value, index) pairs.
std::vector<std::string> lowerArg(bool isMax, LoweringContext &c) {
  const Aval &x = c.operandTypes()[0];
  int64_t axis = c.params().ints("axes")[0];
  Aval index = x.withType(c.params().dtype("index_dtype"));
  std::string positions = c.op("stablehlo.iota", {}, {}, {mlirType(index)},
                               cat("iota_dimension = ", axis, " : i64"))[0];
  std::string v = mlirType(Aval{x.dtype, {}}),
              n = mlirType(Aval{index.dtype, {}}),
              b = mlirType(Aval{DType::Bool, {}});
  std::string start =
      c.constant(Aval{x.dtype, {}}, isMax ? -INFINITY : INFINITY);
  std::string zero = c.constant(Aval{index.dtype, {}}, 0);
  const char *kind = isFloat(x.dtype) ? "FLOAT"
                     : isUnsigned(x.dtype) || x.dtype == DType::Bool
                         ? "UNSIGNED"
                         : "SIGNED";
  auto compare = [&](const std::string &l, const std::string &r,
                     const std::string &type, const char *direction,
                     const char *how) {
    return c.op("stablehlo.compare", {l, r}, {type, type}, {b},
                cat("comparison_direction = #stablehlo<comparison_direction ",
                    direction, ">, compare_type = #stablehlo<comparison_type ",
                    how, ">"))[0];
  };
  std::string region =
      c.regionOf({v, n, v, n}, [&](const std::vector<std::string> &a) {
        // NaN wins; of equal values the first.
        std::string better = compare(a[0], a[2], v, isMax ? "GT" : "LT", kind);
        std::string nan = compare(a[0], a[0], v, "NE", kind);
        std::string pick = c.op("stablehlo.or", {better, nan}, {b, b}, {b})[0];
        std::string same = compare(a[0], a[2], v, "EQ", kind);
        std::string first = compare(a[1], a[3], n, "LT", "SIGNED");
        std::string tie = c.op("stablehlo.and", {same, first}, {b, b}, {b})[0];
        std::string pickIndex =
            c.op("stablehlo.or", {pick, tie}, {b, b}, {b})[0];
        return std::vector<std::string>{
            c.op("stablehlo.select", {pick, a[0], a[2]}, {b, v, v}, {v})[0],
            c.op("stablehlo.select", {pickIndex, a[1], a[3]}, {b, n, n},
                 {n})[0]};
      });
  Aval values = reducedAval(x, {axis});
  return {c.op("stablehlo.reduce", {c.operands()[0], positions, start, zero},
               {mlirType(x), mlirType(index), v, n},
               {mlirType(values), mlirType(c.resultTypes()[0])},
               arrayAttr("dimensions", {axis}), {region})[1]};
}

Primitive makeArg(const char *name, bool isMax) {
  Primitive p;
  p.name = name;
  p.infer = [=](const std::vector<Aval> &in,
                const Params &params) -> Expected<std::vector<Aval>> {
    const Ints &axes = params.ints("axes");
    DType index = params.dtype("index_dtype");
    if (!isInteger(index))
      return typeError("index_dtype must be an integer type, but got ",
                       frontend::name(index));
    if (axes.size() != 1 || axes[0] < 0 || axes[0] >= in[0].rank())
      return valueError("Invalid axis ", axes.empty() ? 0 : axes[0],
                        " for operand shape ", tupleText(in[0].shape));
    if (in[0].shape[axes[0]] == 0)
      return valueError("argmin and argmax require non-empty reduced "
                        "dimension. operand.shape=",
                        tupleText(in[0].shape), " axis=", axes[0]);
    if (isComplex(in[0].dtype))
      return checkAccepts(name, Accepts::Float, in[0].dtype).error();
    Aval out = reducedAval(in[0], params.ints("axes"));
    return std::vector<Aval>{Aval{params.dtype("index_dtype"), out.shape}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &params) {
    return reducedSpec(in[0], params.ints("axes"));
  };
  p.lower = [=](LoweringContext &c) { return lowerArg(isMax, c); };
  p.batch = [=](const BatchAxis &, const Tensors &in, const Ints &dims,
                const Params &params) {
    return batchReduce(name, in, dims, params);
  };
  p.jvp = [=](const Tensors &in, const MaybeTensors &, const Params &params) {
    return oneResult(bind1(*findPrimitive(name), in, params), {});
  };
  return p;
}

const bool registered = [] {
  std::vector<Primitive> made{makeArg("argmax", true),
                              makeArg("argmin", false)};
  for (const ReduceSpec &spec : specs)
    made.push_back(makeReduce(spec));
  return registerAll(std::move(made));
}();

} // namespace

namespace lax {
Tensor reduce_sum(const Tensor &x, const Ints &axes) {
  return bind1(*findPrimitive("reduce_sum"), {x},
               {{"axes", axes}, {"out_sharding", std::monostate()}});
}
#define SW_DEFINE(name)                                                        \
  Tensor name(const Tensor &x, const Ints &axes) {                             \
    return bind1(*findPrimitive(#name), {x}, {{"axes", axes}});                \
  }
SW_DEFINE(reduce_prod)
SW_DEFINE(reduce_max)
SW_DEFINE(reduce_min)
SW_DEFINE(reduce_and)
SW_DEFINE(reduce_or)
SW_DEFINE(reduce_xor)
#undef SW_DEFINE
Tensor argmax(const Tensor &x, int64_t axis, DType indexType) {
  return bind1(*findPrimitive("argmax"), {x},
               {{"axes", Ints{axis}}, {"index_dtype", indexType}});
}
Tensor argmin(const Tensor &x, int64_t axis, DType indexType) {
  return bind1(*findPrimitive("argmin"), {x},
               {{"axes", Ints{axis}}, {"index_dtype", indexType}});
}
} // namespace lax
} // namespace shardwright::frontend
