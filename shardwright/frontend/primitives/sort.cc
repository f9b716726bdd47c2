//===- sort.cc - sorting --------------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"

namespace shardwright::frontend {
namespace {

using namespace lax;

/// Compares the keys of two elements; floats in total order, as JAX does.
std::vector<std::string> lowerSort(LoweringContext &c) {
  int64_t keys = c.params().integer("num_keys");
  std::vector<std::string> scalars;
  for (const Aval &a : c.operandTypes())
    for (int i = 0; i < 2; ++i)
      scalars.push_back(mlirType(Aval{a.dtype, {}}));
  std::string b = mlirType(Aval{DType::Bool, {}});
  std::string region =
      c.regionOf(scalars, [&](const std::vector<std::string> &args) {
        auto compare = [&](int64_t key, const char *direction) {
          DType type = c.operandTypes()[key].dtype;
          // -0.0 equals 0.0, and all NaNs are equal, at the end.
          std::string l = args[2 * key], r = args[2 * key + 1];
          std::string t = scalars[2 * key];
          if (isFloat(type)) {
            Aval scalar{type, {}};
            auto canonical = [&](const std::string &v) {
              std::string zero = c.constant(scalar, 0),
                          nan = c.constant(scalar, NAN);
              auto pick = [&](const char *d, const std::string &x,
                              const std::string &y, const std::string &then,
                              const std::string &otherwise) {
                std::string is =
                    c.op("stablehlo.compare", {x, y}, {t, t}, {b},
                         cat("comparison_direction = "
                             "#stablehlo<comparison_direction ",
                             d,
                             ">, compare_type = #stablehlo<comparison_type "
                             "FLOAT>"))[0];
                return c.op("stablehlo.select", {is, then, otherwise},
                            {b, t, t}, {t})[0];
              };
              std::string w = pick("EQ", v, zero, zero, v);
              return pick("NE", v, v, nan, w);
            };
            l = canonical(l);
            r = canonical(r);
          }
          const char *kind = isFloat(type) ? "TOTALORDER"
                             : isUnsigned(type) || type == DType::Bool
                                 ? "UNSIGNED"
                                 : "SIGNED";
          return c.op(
              "stablehlo.compare", {l, r}, {t, t}, {b},
              cat("comparison_direction = #stablehlo<comparison_direction ",
                  direction, ">, compare_type = #stablehlo<comparison_type ",
                  kind, ">"))[0];
        };
        std::string less = compare(keys - 1, "LT");
        for (int64_t key = keys - 2; key >= 0; --key) {
          std::string same = compare(key, "EQ");
          std::string both =
              c.op("stablehlo.and", {same, less}, {b, b}, {b})[0];
          less =
              c.op("stablehlo.or", {compare(key, "LT"), both}, {b, b}, {b})[0];
        }
        return std::vector<std::string>{less};
      });
  return c.op("stablehlo.sort", c.operands(), mlirTypes(c.operandTypes()),
              mlirTypes(c.resultTypes()),
              cat("dimension = ", c.params().integer("dimension"),
                  " : i64, is_stable = ",
                  c.params().flag("is_stable") ? "true" : "false"),
              {region});
}

/// Elements along one dimension by position.
/// `positions`: with a dimension of size 1 behind those of x.
Tensor takeAlong(const Tensor &x, const Tensor &positions, int64_t dim) {
  GatherDims d;
  d.collapsedSliceDims = d.startIndexMap = {dim};
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != dim)
      d.operandBatchingDims.push_back(i);
  d.startIndicesBatchingDims = d.operandBatchingDims;
  Ints sizes;
  for (int64_t size : x.shape())
    sizes.push_back(size ? 1 : 0);
  return gather(x, positions, d, sizes, GatherMode::PromiseInBounds);
}

/// `[3, 4]`.
std::string paramListText(const Shape &shape) {
  std::string out;
  for (int64_t size : shape)
    out += cat(out.empty() ? "[" : ", ", size);
  return out + "]";
}

const Primitive sortP = [] {
  Primitive p;
  p.name = "sort";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    std::vector<Aval> out;
    int64_t dim = params.integer("dimension");
    for (const Aval &a : in) {
      if (a.shape != in[0].shape)
        return typeError("Arguments to sort must have equal shapes, got: ",
                         tupleText(in[0].shape), " ", tupleText(a.shape));
      if (dim < 0 || dim >= a.rank())
        return valueError("sort dimension ", dim,
                          " is out of bounds for shape ", tupleText(a.shape));
      out.push_back(Aval{a.dtype, a.shape, a.weak});
    }
    if (params.integer("num_keys") < 1 ||
        params.integer("num_keys") > static_cast<int64_t>(in.size()))
      return valueError("num_keys=", params.integer("num_keys"),
                        " must be between 1 and len(operand)=", in.size());
    return out;
  };
  p.sharding =
      [](const std::vector<Aval> &in, const std::vector<Aval> &,
         const Params &params) -> Expected<std::vector<PartitionSpec>> {
    std::vector<PartitionSpec> out;
    for (const Aval &a : in) {
      if (!a.spec()[params.integer("dimension")].empty())
        return makeError(ErrorKind::ShardingType,
                         "Arguments to sort must be unsharded over the sorting "
                         "dimension. Got arg sharding=",
                         shardingText(a), " and sorting dimension=",
                         params.integer("dimension"));
      out.push_back(a.spec());
    }
    for (size_t i = 1; i < in.size(); ++i)
      if (!(in[i].spec() == in[0].spec())) {
        std::string all;
        for (const Aval &a : in)
          all += " " + shardingText(a);
        return makeError(
            ErrorKind::ShardingType,
            "Arguments to sort must have equal shardings, got:", all);
      }
    return out;
  };
  p.lower = lowerSort;
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    int64_t dim = params.integer("dimension");
    Tensors with = in;
    with.push_back(iota(DType::U32, in[0].shape(), dim));
    Tensors sorted =
        sort(with, dim, params.integer("num_keys"), params.flag("is_stable"));
    JvpResult r;
    Tensor positions = expand_dims(sorted.back(), {in[0].rank()});
    bool isEmpty = in[0].ok() && in[0].shape().elements() == 0;
    for (size_t i = 0; i < in.size(); ++i) {
      r.outs.push_back(sorted[i]);
      r.tangents.push_back(!t[i] || isEmpty
                               ? t[i]
                               : MaybeTensor(takeAlong(*t[i], positions, dim)));
    }
    return r;
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    // The batch dimension goes where the first operand has it.
    int64_t at = *std::find_if(dims.begin(), dims.end(),
                               [](int64_t d) { return d >= 0; });
    Tensors moved;
    for (size_t i = 0; i < in.size(); ++i)
      moved.push_back(batchTo(in[i], dims[i], at, axis));
    int64_t dim = params.integer("dimension");
    return {sort(moved, dim + (at <= dim), params.integer("num_keys"),
                 params.flag("is_stable")),
            Ints(in.size(), at)};
  };
  return p;
}();
const Registered sortR(sortP);

const Primitive topKP = [] {
  Primitive p;
  p.name = "top_k";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    int64_t k = params.integer("k"), axis = params.integer("axis");
    if (k < 0)
      return valueError("k argument to top_k must be nonnegative, got ", k);
    if (!in[0].rank())
      return typeError("top_k operand must have >= 1 dimension, got ()");
    if (axis < 0 || axis >= in[0].rank())
      return valueError("axis ", axis, " is out of bounds for array of shape ",
                        tupleText(in[0].shape));
    SW_TRY(checkAccepts("top_k", Accepts::Number, in[0].dtype));
    if (isComplex(in[0].dtype))
      return valueError("top_k is not compatible with complex inputs.");
    Shape shape = in[0].shape;
    if (shape[axis] < k)
      return valueError("k argument to top_k must be no larger than size along "
                        "axis; got k=",
                        k, " with shape=", paramListText(shape),
                        " and axis=", axis);
    shape.at(axis) = k;
    return std::vector<Aval>{Aval{in[0].dtype, shape}, Aval{DType::I32, shape}};
  };
  p.sharding =
      [](const std::vector<Aval> &in, const std::vector<Aval> &out,
         const Params &params) -> Expected<std::vector<PartitionSpec>> {
    int64_t axis = params.integer("axis");
    if (!in[0].spec()[axis].empty())
      return makeError(ErrorKind::ShardingType,
                       "The input should be unsharded over the axis along "
                       "which to compute the top_k values. Got input type=",
                       in[0].longStr(), " and axis=", axis);
    return std::vector<PartitionSpec>(out.size(), in[0].spec());
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    int64_t axis = params.integer("axis");
    Tensors outs = top_k(in[0], params.integer("k"), axis);
    if (errorIn(outs))
      return JvpResult{outs, {}};
    Shape shape = outs[1].shape();
    shape.push_back(1);
    Tensor positions = reshape(outs[1], shape);
    return JvpResult{outs, {takeAlong(*t[0], positions, axis), MaybeTensor()}};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    int64_t axis = params.integer("axis");
    return {top_k(in[0], params.integer("k"), axis + (axis >= dims[0])),
            {dims[0], dims[0]}};
  };
  p.lower = [](LoweringContext &c) {
    int64_t k = c.params().integer("k"), axis = c.params().integer("axis");
    int64_t rank = c.operandTypes()[0].rank();
    if (axis == rank - 1)
      return c.op("chlo.top_k", c.operands(), mlirTypes(c.operandTypes()),
                  mlirTypes(c.resultTypes()), cat("k = ", k, " : i64"));
    return c.inlineFunction([=](const Tensors &in) {
      Ints order = iotaInts(rank);
      std::swap(order[axis], order.back());
      Tensors outs = top_k(transpose(in[0], order), k);
      for (Tensor &out : outs)
        out = transpose(out, order);
      return outs;
    });
  };
  return p;
}();
const Registered topKR(topKP);

} // namespace

namespace lax {
Tensors top_k(const Tensor &x, int64_t k, int64_t axis) {
  return bindMany(topKP, 2, {x},
                  {{"k", k}, {"axis", axis < 0 ? axis + x.rank() : axis}});
}
Tensors sort(const Tensors &xs, int64_t dimension, int64_t numKeys,
             bool isStable) {
  return bindMany(sortP, xs.size(), xs,
                  {{"dimension", dimension},
                   {"num_keys", numKeys},
                   {"is_stable", isStable}});
}
} // namespace lax
} // namespace shardwright::frontend
