//===- convert.cc - changes of the element type ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

std::vector<std::string> lowerConvert(LoweringContext &c) {
  const Aval &from = c.operandTypes()[0], &to = c.resultTypes()[0];
  std::vector<std::string> in = c.operands();
  Aval type = from;
  if (isComplex(from.dtype) && !isComplex(to.dtype)) {
    type = from.withType(realType(from.dtype));
    in = c.op("stablehlo.real", in, {mlirType(from)}, {mlirType(type)});
  }
  if (to.dtype == DType::Bool)
    return c.op("stablehlo.compare", {in[0], c.constant(type, 0)},
                {mlirType(type), mlirType(type)}, {mlirType(to)},
                "comparison_direction = #stablehlo<comparison_direction NE>");
  return c.op("stablehlo.convert", in, {mlirType(type)}, {mlirType(to)});
}

const Primitive convertP = [] {
  Primitive p;
  p.name = "convert_element_type";
  p.hidden = {"sharding"};
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    return std::vector<Aval>{
        Aval{params.dtype("new_dtype"), in[0].shape, params.flag("weak_type")}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return std::vector<PartitionSpec>{in[0].spec()};
  };
  p.lower = lowerConvert;
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    return {frontend::bind(*findPrimitive("convert_element_type"), in, params),
            dims};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("convert_element_type");
    Tensor out = bind1(self, in, params);
    if (!isInexact(params.dtype("new_dtype")) || !isInexact(in[0].dtype()))
      return oneResult(out, {});
    return oneResult(out, bind1(self, {*t[0]}, params));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &types, const Params &) {
    return MaybeTensors{lax::convert_element_type(*ct[0], types[0].dtype)};
  };
  return p;
}();
const Registered convertR(convertP);

const Primitive bitcastP = [] {
  Primitive p;
  p.name = "bitcast_convert_type";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    DType to = params.dtype("new_dtype");
    Shape shape = in[0].shape;
    int from = bitWidth(in[0].dtype), width = bitWidth(to);
    auto printed = [](DType t) { return t == DType::Bool ? 8 : bitWidth(t); };
    // Keys and tangents of integers have no bits.
    if (from == 0 || width == 0 ||
        std::max(from, width) % std::min(from, width))
      return typeError("bitcast_convert_type cannot convert ", in[0].longStr(),
                       " to ", name(to));
    if (from > width)
      shape.push_back(from / width);
    if (from < width) {
      if (shape.empty() || shape[-1] * from != width)
        return valueError("Attempting to convert array of shape ",
                          tupleText(in[0].shape), " from ", name(in[0].dtype),
                          " of size ", printed(in[0].dtype), " bits to ",
                          name(to), " of size ", width, ", bits but ",
                          shape.empty() ? 1 : shape[-1], " * ",
                          printed(in[0].dtype), " != ", width);
      shape.pop_back();
    }
    auto isBoolOrComplex = [](DType t) {
      return t == DType::Bool || isComplex(t);
    };
    if (in[0].dtype != to &&
        (isBoolOrComplex(in[0].dtype) || isBoolOrComplex(to)))
      return typeError("lax.bitcast_convert_type does not support bool or "
                       "complex values unless the operand and destination "
                       "types match. Got operand dtype=",
                       name(in[0].dtype), ", new_dtype=dtype('", name(to),
                       "'). Consider using the arr.view() method instead.");
    return std::vector<Aval>{Aval{to, shape}};
  };
  p.lower = lowerTo("stablehlo.bitcast_convert");
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return std::vector<PartitionSpec>{in[0].spec().normalized(out[0].rank())};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    // Bits that become a dimension, or make up an element, are at the end.
    int64_t last = in[0].rank() - 1;
    bool isSame =
        bitWidth(in[0].dtype()) == bitWidth(params.dtype("new_dtype"));
    bool stays = isSame || dims[0] < last;
    return {frontend::bind(*findPrimitive("bitcast_convert_type"),
                           {stays ? in[0] : moveBatch(in[0], dims[0], 0)},
                           params),
            {stays ? dims[0] : 0}};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &, const Params &params) {
    return oneResult(bind1(*findPrimitive("bitcast_convert_type"), in, params),
                     {});
  };
  return p;
}();
const Registered bitcastR(bitcastP);

const Primitive barrierP = [] {
  Primitive p;
  p.name = "optimization_barrier";
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> { return in; };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    std::vector<PartitionSpec> out;
    for (const Aval &a : in)
      out.push_back(a.spec());
    return out;
  };
  p.lower = lowerTo("stablehlo.optimization_barrier");
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &) -> BatchResult {
    return {lax::optimization_barrier(in), dims};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &) {
    Tensors outs = lax::optimization_barrier(in), tangents;
    appendGiven(tangents, t);
    return JvpResult{outs,
                     spread(lax::optimization_barrier(tangents), given(t))};
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &) {
    Tensors cts;
    appendGiven(cts, ct);
    return spread(lax::optimization_barrier(cts), given(ct));
  };
  return p;
}();
const Registered barrierR(barrierP);

} // namespace

namespace lax {

Tensor convert_element_type(const Tensor &x, DType type, bool weak) {
  if (!x.ok())
    return x;
  type = canonicalType(type);
  if (x.dtype() == type && x.aval().weak == weak)
    return x;
  // Scalars from C++ stay literals.
  const ArrayValue *array = asArray(x);
  if (array && array->isLiteral && !isComplex(x.dtype())) {
    const void *data = array->state.host.get();
    if (isInteger(x.dtype()) || x.dtype() == DType::Bool)
      return scalarOf(readInt(data, x.dtype(), 0), type, weak);
    return scalarOf(readDouble(data, x.dtype(), 0), type, weak);
  }
  return bind1(convertP, {x},
               {{"new_dtype", type},
                {"weak_type", weak},
                {"sharding", std::monostate()}});
}
Tensor bitcast_convert_type(const Tensor &x, DType type) {
  return bind1(bitcastP, {x}, {{"new_dtype", type}});
}
Tensors optimization_barrier(const Tensors &xs) {
  return bindMany(barrierP, xs.size(), xs);
}
} // namespace lax
} // namespace shardwright::frontend
