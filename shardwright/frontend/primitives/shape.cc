//===- shape.cc - broadcasting and transposing ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"

#include <algorithm>
#include <set>

namespace shardwright::frontend {
namespace {

using namespace lax;
using Specs = Expected<std::vector<PartitionSpec>>;

Specs oneSpec(std::vector<SpecEntry> entries) {
  Expected<PartitionSpec> spec = PartitionSpec::get(std::move(entries));
  if (!spec)
    return spec.error();
  return std::vector<PartitionSpec>{*spec};
}

/// Fills in what linear primitives of one operand share: `again` applies the
/// primitive to a tangent.
Primitive linear(Primitive p) {
  std::string name = p.name;
  p.jvp = [name](const Tensors &in, const MaybeTensors &t,
                 const Params &params) {
    const Primitive &self = *findPrimitive(name);
    return oneResult(bind1(self, in, params), bind1(self, {*t[0]}, params));
  };
  return p;
}

constexpr const char *kHostSpace = "MemorySpace.Host";
constexpr const char *kDeviceSpace = "MemorySpace.Device";

const Primitive broadcastP = [] {
  Primitive p;
  p.name = "broadcast_in_dim";
  p.hidden = {"shape", "sharding"};
  p.hiddenIfNone = {"broadcast_dimensions"};
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    const Shape shape(params.ints("shape"));
    const Ints &dims = params.ints("broadcast_dimensions");
    if (static_cast<int64_t>(dims.size()) != in[0].rank())
      return typeError("broadcast_in_dim broadcast_dimensions must have "
                       "length equal to operand ndim; got "
                       "broadcast_dimensions ",
                       tupleText(dims), " for operand ndim ", in[0].rank(),
                       ".");
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] < 0 || dims[i] >= shape.rank())
        return typeError("broadcast_in_dim broadcast_dimensions must be a "
                         "subset of output dimensions, got ",
                         tupleText(dims), " for operand ndim ", in[0].rank(),
                         " and shape ", tupleText(shape), ".");
      if (in[0].shape[i] != 1 && in[0].shape[i] != shape[dims[i]])
        return typeError(
            "broadcast_in_dim operand dimension sizes must either be 1, or be "
            "equal to their corresponding dimensions in the target broadcast "
            "shape; got operand of shape ",
            tupleText(in[0].shape), ", target broadcast shape ",
            tupleText(shape), ", broadcast_dimensions ", tupleText(dims), " ");
      if (i && dims[i] <= dims[i - 1])
        return typeError("broadcast_in_dim broadcast_dimensions must be "
                         "strictly increasing; got broadcast_dimensions ",
                         tupleText(dims));
    }
    Aval result{in[0].dtype, shape, in[0].weak};
    result.sharding = typeShardingIn(params, "sharding");
    return std::vector<Aval>{result};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &params) -> Specs {
    if (out[0].sharding)
      return std::vector<PartitionSpec>{out[0].sharding->spec};
    std::vector<SpecEntry> entries(out[0].rank());
    const Ints &dims = params.ints("broadcast_dimensions");
    for (size_t i = 0; i < dims.size(); ++i)
      entries[dims[i]] = in[0].spec()[i];
    return oneSpec(std::move(entries));
  };
  p.lower = [](LoweringContext &c) {
    Ints dims = c.params().ints("broadcast_dimensions");
    // The words of keys are a dimension of their own.
    if (c.operandTypes()[0].dtype == DType::Key)
      dims.push_back(c.resultTypes()[0].rank());
    return c.op("stablehlo.broadcast_in_dim", c.operands(),
                mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
                arrayAttr("broadcast_dimensions", dims));
  };
  p = linear(std::move(p));
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &types, const Params &params) {
    const Ints &dims = params.ints("broadcast_dimensions");
    Ints sumAxes = withoutInts(ct[0]->rank(), dims), stretched;
    for (size_t i = 0; i < dims.size(); ++i)
      if (types[0].shape[i] == 1 && types[0].spec()[i].empty()) {
        sumAxes.push_back(dims[i]);
        stretched.push_back(static_cast<int64_t>(i));
      }
    std::sort(sumAxes.begin(), sumAxes.end());
    Tensor sum = sumAxes.empty() ? *ct[0] : reduce_sum(*ct[0], sumAxes);
    return MaybeTensors{expand_dims(sum, stretched)};
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Tensor x = moveBatch(in[0], dims[0], 0);
    Shape shape(params.ints("shape"));
    shape.insert(shape.begin(), axis.size);
    Ints to{0};
    for (int64_t d : params.ints("broadcast_dimensions"))
      to.push_back(d + 1);
    Params changed = params;
    changed.set("shape", Ints(shape));
    changed.set("broadcast_dimensions", to);
    if (Status set = insertBatchEntry(changed, "sharding", 0,
                                      in[0].aval().spec()[dims[0]]);
        !set)
      return {{Tensor(set.error())}, {}};
    return {frontend::bind(*findPrimitive("broadcast_in_dim"), {x}, changed),
            {0}};
  };
  return p;
}();
const Registered broadcastR(broadcastP);

const Primitive transposeP = [] {
  Primitive p;
  p.name = "transpose";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    const Ints &permutation = params.ints("permutation");
    Ints sorted = permutation;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != iotaInts(in[0].rank()))
      return typeError("transpose permutation isn't a permutation of operand "
                       "dimensions, got permutation ",
                       tupleText(permutation), " for operand shape ",
                       tupleText(in[0].shape), ".");
    Shape shape;
    for (int64_t d : permutation)
      shape.push_back(in[0].shape[d]);
    return std::vector<Aval>{Aval{in[0].dtype, shape, in[0].weak}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &params) -> Specs {
    std::vector<SpecEntry> entries;
    for (int64_t d : params.ints("permutation"))
      entries.push_back(in[0].spec()[d]);
    return oneSpec(std::move(entries));
  };
  p.lower = [](LoweringContext &c) {
    Ints permutation = c.params().ints("permutation");
    if (c.operandTypes()[0].dtype == DType::Key)
      permutation.push_back(c.resultTypes()[0].rank());
    return c.op("stablehlo.transpose", c.operands(),
                mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
                arrayAttr("permutation", permutation));
  };
  p = linear(std::move(p));
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &params) {
    const Ints &permutation = params.ints("permutation");
    Ints inverse(permutation.size());
    for (size_t i = 0; i < permutation.size(); ++i)
      inverse[permutation[i]] = static_cast<int64_t>(i);
    return MaybeTensors{lax::transpose(*ct[0], inverse)};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Ints permutation{dims[0]};
    for (int64_t d : params.ints("permutation"))
      permutation.push_back(d + (d >= dims[0]));
    return {{lax::transpose(in[0], permutation)}, {0}};
  };
  return p;
}();
const Registered transposeR(transposeP);

/// Dimensions of an operand whose batch dimension is at 0.
Ints shifted(const Ints &dims) {
  Ints out = dims;
  for (int64_t &d : out)
    ++d;
  return out;
}

const Primitive revP = [] {
  Primitive p;
  p.name = "rev";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    for (int64_t d : params.ints("dimensions"))
      if (d < 0 || d >= in[0].rank())
        return typeError("rev dimensions must all be less than operand ndim, "
                         "got dimensions ",
                         tupleText(params.ints("dimensions")),
                         " for operand ndim ", in[0].rank(), ".");
    std::set<int64_t> unique(params.ints("dimensions").begin(),
                             params.ints("dimensions").end());
    if (unique.size() != params.ints("dimensions").size())
      return typeError("rev dimensions must be unique, got ",
                       tupleText(params.ints("dimensions")), ".");
    return std::vector<Aval>{Aval{in[0].dtype, in[0].shape, in[0].weak}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Specs {
    return std::vector<PartitionSpec>{in[0].spec()};
  };
  p.lower = [](LoweringContext &c) {
    return c.op("stablehlo.reverse", c.operands(), mlirTypes(c.operandTypes()),
                mlirTypes(c.resultTypes()),
                arrayAttr("dimensions", c.params().ints("dimensions")));
  };
  p = linear(std::move(p));
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &params) {
    return MaybeTensors{rev(*ct[0], params.ints("dimensions"))};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Ints reversed = params.ints("dimensions");
    for (int64_t &d : reversed)
      d += d >= dims[0];
    return {{rev(in[0], reversed)}, dims};
  };
  return p;
}();
const Registered revR(revP);

const Primitive squeezeP = [] {
  Primitive p;
  p.name = "squeeze";
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    const Ints &dims = params.ints("dimensions");
    Shape shape;
    for (int64_t d = 0; d < in[0].rank(); ++d)
      if (!containsInt(dims, d))
        shape.push_back(in[0].shape[d]);
      else if (in[0].shape[d] != 1)
        return valueError(
            "cannot select an axis to squeeze out which has size not equal to "
            "one, got shape=",
            tupleText(in[0].shape), " and dimensions=", tupleText(dims));
    return std::vector<Aval>{Aval{in[0].dtype, shape, in[0].weak}};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &params) -> Specs {
    std::vector<SpecEntry> entries;
    for (int64_t d : withoutInts(in[0].rank(), params.ints("dimensions")))
      entries.push_back(in[0].spec()[d]);
    return oneSpec(std::move(entries));
  };
  p.lower = lowerTo("stablehlo.reshape");
  p = linear(std::move(p));
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &types, const Params &params) {
    Ints kept = withoutInts(types[0].rank(), params.ints("dimensions"));
    return MaybeTensors{broadcast_in_dim(*ct[0], types[0].shape, kept)};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    return {{squeeze(moveBatch(in[0], dims[0], 0),
                     shifted(params.ints("dimensions")))},
            {0}};
  };
  return p;
}();
const Registered squeezeR(squeezeP);

const Primitive iotaP = [] {
  Primitive p;
  p.name = "iota";
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    Shape shape(params.ints("shape"));
    int64_t d = params.integer("dimension");
    if (d < 0 || d >= shape.rank())
      return valueError("iota dimension must be between 0 and len(shape), got "
                        "dimension=",
                        d, " for shape=", tupleText(shape));
    Aval result{params.dtype("dtype"), shape};
    result.sharding = typeShardingIn(params, "sharding");
    return std::vector<Aval>{result};
  };
  p.lower = [](LoweringContext &c) {
    return c.op(
        "stablehlo.iota", {}, {}, mlirTypes(c.resultTypes()),
        cat("iota_dimension = ", c.params().integer("dimension"), " : i64"));
  };
  return p;
}();
const Registered iotaR(iotaP);

/// A scalar whose value does not matter.
const Primitive emptyP = [] {
  Primitive p;
  p.name = "empty2";
  p.infer = [](const std::vector<Aval> &,
               const Params &params) -> Expected<std::vector<Aval>> {
    Aval result{params.dtype("dtype"), {}};
    result.onHost = params.text("memory_space") == kHostSpace;
    return std::vector<Aval>{result};
  };
  p.lower = [](LoweringContext &c) {
    return std::vector<std::string>{c.constant(c.resultTypes()[0], 0)};
  };
  return p;
}();
const Registered emptyR(emptyP);

} // namespace

namespace lax {

Tensor broadcast_in_dim(const Tensor &x, const Shape &shape, const Ints &dims) {
  if (x.ok() && x.shape() == shape && dims == iotaInts(shape.rank()))
    return x;
  return bind1(broadcastP, {x},
               {{"shape", Ints(shape)},
                {"broadcast_dimensions", dims},
                {"sharding", std::monostate()}});
}
/// A scalar in every element, with the sharding of a type.
static Tensor spreadTo(const Tensor &scalar, const Aval &type) {
  if (type.rank() == 0)
    return reshardLike(scalar, type);
  return bind1(broadcastP, {scalar},
               {{"shape", Ints(type.shape)},
                {"broadcast_dimensions", Ints()},
                {"sharding", typeShardingParam(type.sharding)}});
}
static Tensor fullOf(const Aval &type, double value) {
  return spreadTo(scalarOf(value, canonicalType(type.dtype)), type);
}
Tensor full(const Shape &shape, double value, DType type) {
  return broadcast_in_dim(scalarOf(value, canonicalType(type)), shape, {});
}
Tensor full_like(const Tensor &x, double value) {
  if (!x.ok())
    return x;
  return fullOf(x.aval(), value);
}
Tensor zeros(const Aval &type) {
  if (isWithoutElements(type.dtype))
    return arrayOfHost(type, allocateHost(1));
  return castManualAxes(fullOf(type, 0), type);
}
Tensor transpose(const Tensor &x, const Ints &permutation) {
  if (x.ok() && permutation == iotaInts(x.rank()))
    return x;
  return bind1(transposeP, {x}, {{"permutation", permutation}});
}
Tensor rev(const Tensor &x, const Ints &dimensions) {
  return bind1(revP, {x}, {{"dimensions", dimensions}});
}
Tensor squeeze(const Tensor &x, const Ints &dimensions) {
  if (dimensions.empty())
    return x;
  return bind1(squeezeP, {x}, {{"dimensions", dimensions}});
}
Tensor expand_dims(const Tensor &x, const Ints &dimensions) {
  if (!x.ok() || dimensions.empty())
    return x;
  int64_t rank = x.rank() + static_cast<int64_t>(dimensions.size());
  for (int64_t d : dimensions)
    if (d < 0 || d >= rank)
      return valueError("axis ", d, " is out of bounds for array of dimension ",
                        rank);
  Shape shape;
  Ints to;
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (containsInt(dimensions, d)) {
      shape.push_back(1);
      continue;
    }
    shape.push_back(x.dim(static_cast<int64_t>(next++)));
    to.push_back(d);
  }
  return broadcast_in_dim(x, shape, to);
}
Tensor iota(DType type, const Shape &shape, int64_t dimension) {
  return bind1(iotaP, {},
               {{"dtype", canonicalType(type)},
                {"shape", Ints(shape)},
                {"dimension", dimension},
                {"sharding", std::monostate()}});
}

} // namespace lax

Tensor emptyOf(const Aval &type) {
  Tensor scalar = bind1(
      emptyP, {},
      {{"dtype", type.dtype},
       {"memory_space", std::string(type.onHost ? kHostSpace : kDeviceSpace)}});
  return lax::spreadTo(castManualAxes(scalar, type), type);
}

} // namespace shardwright::frontend
