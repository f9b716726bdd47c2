//===- reduce.cc - reductions by any function -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/reduce.h"

#include "shardwright/frontend/control/control.h"
#include "shardwright/frontend/control/reducer.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

const Primitive &reducePrimitive() {
  static const Primitive &p = *findPrimitive("reduce");
  return p;
}

Params reduceParams(const JaxprPtr &jaxpr, const Param &computation,
                    const Ints &dimensions) {
  return {{"computation", computation},
          {"dimensions", dimensions},
          {"jaxpr", jaxpr}};
}

std::string listText(const std::vector<Aval> &avals) {
  std::string out;
  for (const Aval &a : avals)
    out += cat(out.empty() ? "" : ", ", "ShapedArray(", a.longStr(),
               a.weak ? ", weak_type=True)" : ")");
  return "[" + out + "]";
}

Status checkDimensions(const Aval &x, const Ints &dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= x.rank())
      return valueError("reduction axes ", tupleText(dims),
                        " contains out-of-bounds indices for ", x.longStr(),
                        ".");
    if (std::count(dims.begin(), dims.begin() + i, dims[i]))
      return valueError("duplicate value in 'axes' of reduction: ",
                        tupleText(dims));
  }
  return {};
}

Expected<std::vector<Aval>> inferReduce(const std::vector<Aval> &in,
                                        const Params &params) {
  size_t n = in.size() / 2;
  std::vector<Aval> xs(in.begin(), in.begin() + n),
      inits(in.begin() + n, in.end());
  const Ints &dims = params.ints("dimensions");
  std::vector<Aval> results;
  for (size_t i = 0; i < n; ++i) {
    if (inits[i].rank())
      return valueError("reduce found non-scalar initial value: [",
                        tupleText(inits[i].shape), "]");
    if (xs[i].dtype != inits[i].dtype)
      return typeError("reduce operand dtypes should match corresponding "
                       "initial value dtypes, got operands=",
                       listText(xs), " and initial_values=", listText(inits));
    if (xs[i].shape != xs[0].shape)
      return typeError("reduce operands must have the same shape, got ",
                       listText(xs));
    SW_TRY(checkDimensions(xs[i], dims));
    Aval result = xs[i].withShape({});
    for (int64_t d : withoutInts(xs[i].rank(), dims))
      result.shape.push_back(xs[i].shape[d]);
    result.weak = xs[i].weak && inits[i].weak;
    results.push_back(result);
  }
  return results;
}

Expected<std::vector<PartitionSpec>> reduceSpec(const std::vector<Aval> &in,
                                                const std::vector<Aval> &out,
                                                const Params &params) {
  std::vector<PartitionSpec> specs;
  for (size_t i = 0; i < out.size(); ++i) {
    std::vector<SpecEntry> entries;
    for (int64_t d : withoutInts(in[i].rank(), params.ints("dimensions")))
      entries.push_back(in[i].spec()[d]);
    Expected<PartitionSpec> spec = PartitionSpec::get(entries);
    if (!spec)
      return spec.error();
    specs.push_back(*spec);
  }
  return specs;
}

std::vector<std::string> lowerReduce(LoweringContext &c) {
  const JaxprPtr &jaxpr = c.params().jaxpr("jaxpr");
  Ints dims = c.params().ints("dimensions");
  std::sort(dims.begin(), dims.end());
  return c.op("stablehlo.reduce", c.operands(), mlirTypes(c.operandTypes()),
              mlirTypes(c.resultTypes()), arrayAttr("dimensions", dims),
              {c.region(*jaxpr, {})});
}

/// The reducer applied to lists of arrays, element by element.
Tensors combine(const Jaxpr &jaxpr, const Tensors &a, const Tensors &b) {
  Tensors args = a;
  args.insert(args.end(), b.begin(), b.end());
  if (const Error *error = errorIn(args))
    return Tensors(a.size(), Tensor(*error));
  int64_t rank = a[0].rank();
  TensorsFunction function = [&](const Tensors &in) {
    return evalJaxpr(jaxpr, in);
  };
  for (int64_t d = rank; d-- > 0;) {
    int64_t size = a[0].dim(d);
    function = [inner = std::move(function), size](const Tensors &in) {
      Expected<Tensors> outs =
          vmapFlat(inner, in, Ints(in.size(), 0), {0}, {size, "", {}});
      return outs ? *outs : Tensors{Tensor(outs.error())};
    };
  }
  Tensors outs = function(args);
  if (const Error *error = errorIn(outs))
    return Tensors(a.size(), Tensor(*error));
  return outs;
}

/// The elements `from`, `from + step`, .. before `limit` along a dimension.
Tensors part(const Tensors &xs, int64_t dim, int64_t from, int64_t limit,
             int64_t step) {
  Tensors out;
  for (const Tensor &x : xs)
    out.push_back(lax::slice_in_dim(x, from, limit, step, dim));
  return out;
}

/// Combines neighbours along a dimension until one is left. Keeps the order of
/// the elements, so that the reducer need not be commutative.
Tensors reduceDimension(const Jaxpr &jaxpr, Tensors xs, int64_t dim) {
  std::vector<Tensors> rests;
  for (int64_t n = xs[0].dim(dim); n > 1; n /= 2) {
    if (n % 2)
      rests.push_back(part(xs, dim, n - 1, n, 1));
    xs = combine(jaxpr, part(xs, dim, 0, n - n % 2, 2),
                 part(xs, dim, 1, n - n % 2, 2));
    if (errorIn(xs))
      return xs;
  }
  for (size_t i = rests.size(); i-- > 0;)
    xs = combine(jaxpr, xs, rests[i]);
  for (Tensor &x : xs)
    x = lax::squeeze(x, {dim});
  return xs;
}

/// The reduction by operations on arrays. `inits`: scalars, or vectors along
/// the results' leading dimension.
Tensors reduceByTree(const Jaxpr &jaxpr, Tensors xs, const Tensors &inits,
                     Ints dims) {
  std::sort(dims.begin(), dims.end());
  bool isEmpty = false;
  Shape shape;
  for (int64_t d : dims)
    isEmpty |= xs[0].dim(d) == 0;
  for (int64_t d : withoutInts(xs[0].rank(), dims))
    shape.push_back(xs[0].dim(d));
  Tensors starts;
  for (const Tensor &init : inits)
    starts.push_back(lax::broadcast_in_dim(init, shape, iotaInts(init.rank())));
  if (isEmpty)
    return starts;
  for (size_t i = dims.size(); i-- > 0;) {
    xs = reduceDimension(jaxpr, std::move(xs), dims[i]);
    if (errorIn(xs))
      return xs;
  }
  return combine(jaxpr, starts, xs);
}

JvpResult jvpReduce(const Tensors &in, const MaybeTensors &t,
                    const Params &params) {
  size_t n = in.size() / 2;
  for (size_t i = n; i < in.size(); ++i)
    if (t[i])
      return failedJvp(notImplemented(
          "Gradient of general lax.reduce with non-zero tangents for initial "
          "values to reduction not implemented"));
  JaxprPtr jaxpr = params.jaxpr("jaxpr");
  Tensors inits(in.begin() + n, in.end());
  Expected<JvpResult> result = jvpFlat(
      [&](const Tensors &xs) {
        return reduceByTree(*jaxpr, xs, inits, params.ints("dimensions"));
      },
      Tensors(in.begin(), in.begin() + n),
      MaybeTensors(t.begin(), t.begin() + n));
  return result ? *result : failedJvp(result.error());
}

BatchResult batchReduce(const BatchAxis &axis, const Tensors &in,
                        const Ints &dims, const Params &params) {
  size_t n = in.size() / 2;
  Tensors xs, inits;
  bool mapsInits = false;
  for (size_t i = 0; i < n; ++i)
    xs.push_back(batchToFront(in[i], dims[i], axis));
  for (size_t i = n; i < in.size(); ++i) {
    inits.push_back(in[i]);
    mapsInits |= dims[i] >= 0;
  }
  Ints moved = params.ints("dimensions");
  for (int64_t &d : moved)
    ++d;
  Ints outDims(n, 0);
  // The op has one initial value for all.
  if (mapsInits)
    return {reduceByTree(*params.jaxpr("jaxpr"), xs, inits, moved), outDims};
  xs.insert(xs.end(), inits.begin(), inits.end());
  Params changed = params;
  changed.set("dimensions", moved);
  return {bindMany(reducePrimitive(), n, xs, changed), outDims};
}

const Primitive reduceP = [] {
  Primitive p;
  p.name = "reduce";
  p.infer = inferReduce;
  p.sharding = reduceSpec;
  p.jvp = jvpReduce;
  p.batch = batchReduce;
  p.lower = lowerReduce;
  return p;
}();
const Registered reduceR(reduceP);

Tensors reduceGeneral(const Tensors &xs, const Tensors &inits,
                      const lax::TupleReducer &reducer, const Ints &dimensions,
                      const std::string &name) {
  if (xs.empty() || xs.size() != inits.size())
    return {Tensor(valueError("reduce needs operands, and one initial value "
                              "for each; got ",
                              xs.size(), " operands and ", inits.size(),
                              " initial values"))};
  Tensors args = xs;
  args.insert(args.end(), inits.begin(), inits.end());
  if (const Error *error = errorIn(args))
    return Tensors(xs.size(), Tensor(*error));
  // Types first: the reducer's error would speak of scalars.
  std::vector<Aval> types;
  for (const Tensor &arg : args)
    types.push_back(arg.aval());
  Expected<std::vector<Aval>> inferred =
      inferReduce(types, {{"dimensions", dimensions}});
  Expected<JaxprPtr> jaxpr = inferred
                                 ? reducerJaxpr("reduce", xs, inits, reducer)
                                 : Expected<JaxprPtr>(inferred.error());
  if (!jaxpr)
    return Tensors(xs.size(), Tensor(jaxpr.error()));
  Param computation = objectParam(TextParam("<function " + name + ">"));
  return bindMany(reduceP, xs.size(), args,
                  reduceParams(*jaxpr, computation, dimensions));
}

} // namespace

namespace lax {
Tensor reduce(const Tensor &x, const Tensor &init, const Reducer &reducer,
              const Ints &dimensions) {
  if (const Error *error = errorIn(Tensors{x, init}))
    return *error;
  const Monoid *monoid = monoidOf(reducer);
  if (monoid && isIdentity(*monoid, init, x.dtype()))
    return monoid->reduce(x, dimensions);
  return reduceGeneral(
             {x}, {init},
             [&](const Tensors &a, const Tensors &b) {
               return Tensors{reducer(a[0], b[0])};
             },
             dimensions, monoid ? monoid->name : "<lambda>")
      .at(0);
}

Tensors reduce(const Tensors &xs, const Tensors &inits,
               const TupleReducer &reducer, const Ints &dimensions) {
  return reduceGeneral(xs, inits, reducer, dimensions, "<lambda>");
}
} // namespace lax
} // namespace shardwright::frontend
