//===- select.cc - select_n and clamp -------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/primitives/type_errors.h"

namespace shardwright::frontend {
namespace {

using namespace lax;

Expected<std::vector<Aval>> inferSelect(const std::vector<Aval> &in) {
  if (in.size() < 2)
    return typeError("select_n requires at least one case");
  for (size_t i = 2; i < in.size(); ++i) {
    if (in[i].shape != in[1].shape)
      return typeError("select cases must have the same shapes, got [",
                       tupleText(in[1].shape), ", ", tupleText(in[i].shape),
                       "].");
  }
  std::string types;
  bool areEqual = true;
  for (size_t i = 1; i < in.size(); ++i) {
    types += cat(i > 1 ? ", " : "", name(in[i].dtype));
    areEqual &= in[i].dtype == in[1].dtype;
  }
  if (!areEqual)
    return typeError("lax.select requires arguments to have the same dtypes, "
                     "got ",
                     types,
                     ". (Tip: jnp.where is a similar function that does "
                     "automatic type promotion on inputs).");
  if (in[0].dtype != DType::Bool && in[0].dtype != DType::I32)
    return typeError("select `which` must be boolean or ",
                     isInteger(in[0].dtype) ? "int32" : "integer",
                     " type, got ", name(in[0].dtype), ".");
  if (in[0].dtype == DType::Bool && in.size() > 3)
    return typeError("select with boolean `which` cannot have > 2 cases.");
  if (in[0].rank() && in[0].shape != in[1].shape)
    return typeError("select `which` must be scalar or have the same shape as "
                     "cases, got `which` shape ",
                     tupleText(in[0].shape), " but case shape ",
                     tupleText(in[1].shape), ".");
  bool weak = true;
  for (size_t i = 1; i < in.size(); ++i)
    weak &= in[i].weak;
  return std::vector<Aval>{Aval{in[1].dtype, in[1].shape, weak}};
}

const Primitive selectP = [] {
  Primitive p;
  p.name = "select_n";
  p.infer = [](const std::vector<Aval> &in, const Params &) {
    return inferSelect(in);
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    std::string list;
    bool same = true;
    for (size_t i = 1; i < in.size(); ++i) {
      same &= in[i].spec() == in[1].spec();
      list += cat(i > 1 ? ", " : "", shardingText(in[i]));
    }
    if (!same)
      return makeError(ErrorKind::ShardingType,
                       "select cases must have the same shardings, got [", list,
                       "].");
    if (in[0].rank() && !(in[0].spec() == in[1].spec()))
      return makeError(ErrorKind::ShardingType,
                       "select `which` must be scalar or have the same "
                       "sharding as cases, got `which` sharding ",
                       shardingText(in[0]), " but case sharding ",
                       shardingText(in[1]), ".");
    return std::vector<PartitionSpec>{in[1].spec()};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &) {
    Tensor out = bind1(*findPrimitive("select_n"), in);
    Tensor zeros = full_like(out, 0);
    Tensors cases;
    for (size_t i = 1; i < in.size(); ++i)
      cases.push_back(t[i] ? *t[i] : zeros);
    return oneResult(out, select_n(in[0], cases));
  };
  p.isLinearIn = [](size_t i) { return i > 0; };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &types, const Params &) {
    MaybeTensors out(in.size());
    Tensor zeros = full_like(*ct[0], 0);
    for (size_t i = 1; i < in.size(); ++i) {
      if (in[i])
        continue;
      if (in[0]->dtype() == DType::Bool) {
        Tensors cases(in.size() - 1, zeros);
        cases[i - 1] = *ct[0];
        out[i] = select_n(*in[0], cases);
        continue;
      }
      Tensor isChosen =
          eq(*in[0], scalarOf(static_cast<int64_t>(i) - 1, in[0]->dtype()));
      out[i] = select(isChosen, *ct[0], zeros);
    }
    return out;
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &) -> BatchResult {
    bool areBatched = std::all_of(dims.begin() + 1, dims.end(),
                                  [](int64_t d) { return d >= 0; });
    bool isScalar = dims[0] < 0 && in[0].rank() == 0;
    bool isSame = std::all_of(dims.begin() + 1, dims.end(),
                              [&](int64_t d) { return d == dims[0]; });
    // Batch dimensions stay where they are, or go to that of the first case.
    if (isSame || (isScalar && areBatched)) {
      Tensors moved{in[0]};
      for (size_t i = 1; i < in.size(); ++i)
        moved.push_back(moveBatch(in[i], dims[i], dims[1]));
      if (!isScalar && in[0].rank() < in[1].rank())
        moved[0] = broadcast_in_dim(in[0], in[1].shape(), {dims[0]});
      return {frontend::bind(*findPrimitive("select_n"), moved), {dims[1]}};
    }
    if (isScalar) {
      Tensors moved{in[0]};
      for (size_t i = 1; i < in.size(); ++i)
        moved.push_back(batchToFront(in[i], dims[i], axis));
      return {frontend::bind(*findPrimitive("select_n"), moved), {0}};
    }
    Tensors moved;
    for (size_t i = 0; i < in.size(); ++i)
      moved.push_back(batchToFront(in[i], dims[i], axis));
    if (moved[0].rank() < moved[1].rank()) {
      Tensor which = moved[0];
      moved[0] = broadcast_in_dim(which, moved[1].shape(), {0});
    }
    return {frontend::bind(*findPrimitive("select_n"), moved), {0}};
  };
  p.lower = [](LoweringContext &c) {
    auto in = c.operands();
    auto types = mlirTypes(c.operandTypes());
    auto result = mlirTypes(c.resultTypes());
    const Aval &which = c.operandTypes()[0];
    if (in.size() == 2)
      return std::vector<std::string>{in[1]};
    if (which.dtype == DType::Bool)
      return c.op("stablehlo.select", {in[0], in[2], in[1]},
                  {types[0], types[2], types[1]}, result);
    // A chain of selects, from the last case.
    std::string out = in.back();
    Aval predicate{DType::Bool, which.shape};
    for (size_t i = in.size() - 2; i >= 1; --i) {
      std::string limit = c.constant(which, static_cast<double>(i));
      std::string less =
          c.op("stablehlo.compare", {in[0], limit}, {types[0], types[0]},
               {mlirType(predicate)},
               "comparison_direction = #stablehlo<comparison_direction LT>, "
               "compare_type = #stablehlo<comparison_type SIGNED>")[0];
      out = c.op("stablehlo.select", {less, in[i], out},
                 {mlirType(predicate), result[0], result[0]}, result)[0];
    }
    return std::vector<std::string>{out};
  };
  return p;
}();
const Registered selectR(selectP);

const Primitive clampP = [] {
  Primitive p;
  p.name = "clamp";
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    for (int i : {0, 2})
      if (in[i].dtype != in[1].dtype)
        return typeError("lax.clamp requires arguments to have the same "
                         "dtypes, got ",
                         name(in[0].dtype), ", ", name(in[1].dtype), ", ",
                         name(in[2].dtype), ".");
    if (in[0].rank() && in[0].shape != in[1].shape)
      return typeError("clamp requires min.shape == operand.shape or "
                       "min.shape == (), got min.shape=",
                       tupleText(in[0].shape),
                       ", operand.shape=", tupleText(in[1].shape), ".");
    if (in[2].rank() && in[2].shape != in[1].shape)
      return typeError("clamp requires max.shape == operand.shape or "
                       "max.shape == (), got max.shape=",
                       tupleText(in[2].shape),
                       ", operand.shape=", tupleText(in[1].shape), ".");
    return std::vector<Aval>{Aval{in[1].dtype, in[1].shape}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return std::vector<PartitionSpec>{in[1].spec()};
  };
  p.lower = [](LoweringContext &c) {
    const Aval &type = c.operandTypes()[1];
    std::string wide = mlirType(type);
    std::string low = c.operands()[0], high = c.operands()[2];
    for (auto [bound, at] : {std::pair(&low, 0), {&high, 2}})
      *bound = broadcastTo(c, *bound, c.operandTypes()[at], type.shape);
    return c.op("stablehlo.clamp", {low, c.operands()[1], high},
                {wide, wide, wide}, mlirTypes(c.resultTypes()));
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &) {
    Tensor out = clamp(in[0], in[1], in[2]);
    MaybeTensor tangent;
    auto wide = [&](const Tensor &v) {
      return broadcast_in_dim(v, out.shape(),
                              v.rank() ? iotaInts(v.rank()) : Ints());
    };
    auto where = [&](const Tensor &chosen, const Tensor &value) {
      return select(chosen, value, full_like(out, 0));
    };
    Tensors parts;
    // Scalars, which JAX refuses here, are broadcast.
    auto bound = [&](int b) { return in[b].rank() ? in[b] : wide(in[b]); };
    if (t[0])
      parts.push_back(
          where(bitwise_and(gt(bound(0), in[1]),
                            lt(bound(0), in[0].rank() ? in[2] : bound(2))),
                wide(*t[0])));
    if (t[1])
      parts.push_back(
          where(bitwise_and(gt(in[1], in[0]), lt(in[1], in[2])), *t[1]));
    if (t[2])
      parts.push_back(where(lt(bound(2), in[1]), wide(*t[2])));
    for (const Tensor &part : parts)
      tangent = addTangents(tangent, part);
    return oneResult(out, tangent);
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &) -> BatchResult {
    bool areScalars =
        dims[0] < 0 && dims[2] < 0 && !in[0].rank() && !in[2].rank();
    bool areEqual = dims[0] == dims[1] && dims[2] == dims[1];
    int64_t at = areScalars || areEqual ? dims[1] : 0;
    Tensors moved = in;
    if (!areScalars && !areEqual)
      for (size_t i : {0, 2, 1})
        if (i == 1 || in[i].rank())
          moved[i] = batchToFront(in[i], dims[i], axis);
    // Scalars first, then batches of them.
    for (int64_t rank : {0, 1})
      for (int i : {0, 2})
        if (!areScalars && moved[i].rank() == rank &&
            moved[i].shape() != moved[1].shape())
          moved[i] = broadcast_in_dim(moved[i], moved[1].shape(),
                                      rank ? Ints{at} : Ints());
    return {{clamp(moved[0], moved[1], moved[2])}, {at}};
  };
  return p;
}();
const Registered clampR(clampP);

} // namespace

namespace lax {
Tensor select_n(const Tensor &which, const Tensors &cases) {
  Tensors in{which};
  in.insert(in.end(), cases.begin(), cases.end());
  return bind1(selectP, in);
}
Tensor select(const Tensor &which, const Tensor &onTrue,
              const Tensor &onFalse) {
  return select_n(which, {onFalse, onTrue});
}
Tensor clamp(const Tensor &lo, const Tensor &x, const Tensor &hi) {
  return bind1(clampP, {lo, x, hi});
}
} // namespace lax
} // namespace shardwright::frontend
