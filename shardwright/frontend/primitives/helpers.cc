//===- helpers.cc - parts of descriptions that primitives share -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"

#include "shardwright/frontend/primitives/reshard.h"

namespace shardwright::frontend {

JvpResult oneResult(Tensor out, MaybeTensor tangent) {
  return {{std::move(out)}, {std::move(tangent)}};
}

MaybeTensor addTangents(const MaybeTensor &a, const MaybeTensor &b) {
  if (a && b)
    return lax::add_any(*a, *b);
  return a ? a : b;
}

Tensor instantiate(const MaybeTensor &tangent, const Aval &primal) {
  return tangent ? *tangent : lax::zeros(tangentAval(primal));
}

std::vector<bool> given(const MaybeTensors &values) {
  std::vector<bool> out;
  for (const MaybeTensor &v : values)
    out.push_back(v.has_value());
  return out;
}

void appendGiven(Tensors &to, const MaybeTensors &values) {
  for (const MaybeTensor &v : values)
    if (v)
      to.push_back(*v);
}

MaybeTensors spread(const Tensors &values, const std::vector<bool> &has,
                    size_t from) {
  MaybeTensors out(has.size());
  for (size_t i = 0; i < has.size(); ++i)
    if (has[i])
      out[i] = values[from++];
  return out;
}

JvpResult failedJvp(const Error &error) { return {{Tensor(error)}, {}}; }

std::vector<bool> isBatched(const Ints &dims) {
  std::vector<bool> out;
  for (int64_t d : dims)
    out.push_back(d >= 0);
  return out;
}

Ints batchDims(const std::vector<bool> &batched, int64_t dim) {
  Ints out;
  for (bool b : batched)
    out.push_back(b ? dim : -1);
  return out;
}

Tensor moveBatch(const Tensor &x, int64_t from, int64_t to) {
  if (from < 0)
    return lax::expand_dims(x, {to});
  if (from == to)
    return x;
  Ints permutation = withoutInts(x.rank(), {from});
  permutation.insert(permutation.begin() + to, from);
  return lax::transpose(x, permutation);
}

/// Broadcasts along a new dimension `to`.
static Tensor broadcastTo(const Tensor &x, int64_t to, int64_t size) {
  Shape shape = x.shape();
  shape.insert(shape.begin() + to, size);
  return lax::broadcast_in_dim(x, shape, withoutInts(shape.rank(), {to}));
}

Tensor batchToFront(const Tensor &x, int64_t dim, int64_t size) {
  return dim >= 0 ? moveBatch(x, dim, 0) : broadcastTo(x, 0, size);
}

Tensor batchTo(const Tensor &x, int64_t dim, int64_t to,
               const BatchAxis &axis) {
  if (!x.ok())
    return x;
  if (dim >= 0)
    return moveBatch(x, dim, to);
  if (axis.explicitAxes.empty())
    return broadcastTo(x, to, axis.size);
  const AbstractMesh &context = contextAbstractMesh();
  const AbstractMesh &mesh = context.empty() ? axis.explicitMesh : context;
  auto sharding = withDimension({mesh, x.aval().spec().normalized(x.rank())},
                                to, SpecEntry(axis.explicitAxes));
  if (!sharding)
    return sharding.error();
  Shape shape = x.shape();
  shape.insert(shape.begin() + to, axis.size);
  return bind1(*findPrimitive("broadcast_in_dim"), {x},
               {{"shape", Ints(shape)},
                {"broadcast_dimensions", withoutInts(shape.rank(), {to})},
                {"sharding", typeShardingParam(typeShardingOf(
                                 mesh, (*sharding)->spec, shape.rank()))}});
}

Tensor batchToFront(const Tensor &x, int64_t dim, const BatchAxis &axis) {
  return batchTo(x, dim, 0, axis);
}

void setContextMesh(Params &params) {
  std::string text;
  if (!contextMesh().empty())
    text = contextMesh().str();
  else if (contextAbstractMesh().anyIs(AxisType::Explicit))
    text = contextAbstractMesh().str();
  if (!text.empty())
    params.set("ctx_mesh", objectParam(TextParam(std::move(text))));
}

Tensor unbroadcast(const Tensor &cotangent, const Aval &operand) {
  if (!cotangent.ok() || cotangent.shape() == operand.shape)
    return cotangent;
  Ints axes;
  if (operand.rank() == 0) {
    axes = iotaInts(cotangent.rank());
    return lax::reduce_sum(cotangent, axes);
  }
  for (int64_t d = 0; d < cotangent.rank(); ++d)
    if (operand.shape[d] != cotangent.dim(d))
      axes.push_back(d);
  Tensor sum = lax::reduce_sum(cotangent, axes);
  return operand.sharding ? lax::expand_dims(sum, axes)
                          : lax::reshape(sum, operand.shape);
}

std::string arrayAttr(std::string_view name, const Ints &values) {
  std::string list;
  for (size_t i = 0; i < values.size(); ++i)
    list += cat(i ? ", " : ": ", values[i]);
  return cat(name, " = array<i64", list, ">");
}

std::vector<std::string> mlirTypes(const std::vector<Aval> &avals) {
  std::vector<std::string> out;
  for (const Aval &aval : avals)
    out.push_back(mlirType(aval));
  return out;
}

std::function<std::vector<std::string>(LoweringContext &)>
lowerTo(std::string opName, std::string attributes) {
  return [=](LoweringContext &c) {
    return c.op(opName, c.operands(), mlirTypes(c.operandTypes()),
                mlirTypes(c.resultTypes()), attributes);
  };
}

std::string broadcastTo(LoweringContext &c, const std::string &value,
                        const Aval &from, const Shape &to) {
  if (from.shape == to)
    return value;
  Aval result = from.withShape(to);
  std::string source = value;
  Aval sourceType = from;
  // Dimensions of size 1 that are stretched are dropped first.
  Ints dims;
  if (from.rank()) {
    Shape kept;
    for (int64_t d = 0; d < from.rank(); ++d)
      if (from.shape[d] == to[d]) {
        kept.push_back(from.shape[d]);
        dims.push_back(d);
      }
    sourceType = from.withShape(kept);
    if (kept.size() != from.shape.size())
      source = c.op("stablehlo.reshape", {value}, {mlirType(from)},
                    {mlirType(sourceType)})[0];
  }
  return c.op("stablehlo.broadcast_in_dim", {source}, {mlirType(sourceType)},
              {mlirType(result)}, arrayAttr("broadcast_dimensions", dims))[0];
}

std::vector<std::string> broadcastOperands(LoweringContext &c) {
  std::vector<std::string> out;
  for (size_t i = 0; i < c.operands().size(); ++i)
    out.push_back(broadcastTo(c, c.operands()[i], c.operandTypes()[i],
                              c.resultTypes()[0].shape));
  return out;
}

Expected<Shape> broadcastShapes(const std::string &name,
                                const std::vector<Aval> &args) {
  Shape out;
  bool first = true;
  auto mismatch = [&](const char *what) {
    std::string list;
    for (const Aval &a : args)
      list += cat(list.empty() ? "" : ", ", tupleText(a.shape));
    return typeError(name, what, list, ".");
  };
  for (const Aval &a : args) {
    if (a.rank() == 0)
      continue;
    if (first) {
      out = a.shape;
      first = false;
      continue;
    }
    if (a.rank() != out.rank())
      return mismatch(": arrays must have same number of dimensions, got ");
    for (int64_t d = 0; d < out.rank(); ++d) {
      if (out[d] == a.shape[d] || a.shape[d] == 1)
        continue;
      if (out[d] != 1)
        return mismatch(" got incompatible shapes for broadcasting: ");
      out.at(d) = a.shape[d];
    }
  }
  return out;
}

Expected<std::vector<PartitionSpec>>
broadcastSpecs(const std::string &name, const std::vector<Aval> &args) {
  Expected<Shape> shape = broadcastShapes(name, args);
  if (!shape)
    return shape.error();
  std::vector<SpecEntry> entries(shape->size());
  for (const Aval &a : args)
    for (int64_t d = 0; d < a.rank(); ++d) {
      SpecEntry entry = a.spec()[d];
      if (entry.empty())
        continue;
      if (!entries[d].empty() && !(entries[d] == entry)) {
        std::string list;
        for (const Aval &b : args)
          if (b.rank())
            list += cat(list.empty() ? "" : ", ", b.spec().str().substr(1));
        return makeError(ErrorKind::ShardingType, name,
                         " got incompatible shardings for broadcasting: ", list,
                         ".");
      }
      entries[d] = entry;
    }
  Expected<PartitionSpec> spec = PartitionSpec::get(entries);
  if (!spec)
    return spec.error();
  std::set<std::string> seen;
  for (const SpecEntry &e : entries)
    for (const std::string &axis : e.axes)
      if (!seen.insert(axis).second) {
        std::string list;
        for (const Aval &b : args)
          list += cat(list.empty() ? "" : ", ", b.str());
        Aval result = args[0].withShape(*shape);
        if (const Primitive *primitive = findPrimitive(name))
          if (auto types = primitive->infer(args, {}); types.ok())
            result = (*types)[0];
        for (const Aval &b : args)
          if (b.sharding)
            result.sharding = std::make_shared<const TypeSharding>(
                TypeSharding{b.sharding->mesh, *spec});
        return makeError(
            ErrorKind::ShardingType, name, " operation with inputs: ", list,
            " produces an illegally sharded result: ", result.str());
      }
  return std::vector<PartitionSpec>{*spec};
}

BatchResult batchElementwise(const Primitive &primitive, const BatchAxis &axis,
                             const Tensors &args, const Ints &dims,
                             const Params &params) {
  // Equal batch dimensions and shapes need no rearrangement.
  int64_t rank = -1;
  for (size_t i = 0; i < args.size(); ++i)
    rank = std::max(rank, args[i].rank() - (dims[i] >= 0));
  int64_t common = -1;
  bool same = true;
  for (size_t i = 0; i < args.size(); ++i) {
    if (dims[i] >= 0 && args[i].rank() == rank + 1) {
      same = same && (common < 0 || common == dims[i]);
      common = dims[i];
    } else if (args[i].rank() > 0) {
      same = false;
    }
  }
  if (same && common >= 0)
    return {frontend::bind(primitive, args, params), {common}};
  Tensors moved;
  for (size_t i = 0; i < args.size(); ++i) {
    if (dims[i] < 0 && args[i].rank() == 0) {
      moved.push_back(args[i]);
      continue;
    }
    Tensor x = moveBatch(args[i], dims[i], 0);
    // A batch of scalars meets arrays: dimensions of size 1 follow.
    if (x.rank() < rank + 1) {
      Shape shape = x.shape();
      shape.resize(rank + 1, 1);
      Ints extra;
      for (int64_t d = x.rank(); d <= rank; ++d)
        extra.push_back(d);
      x = lax::expand_dims(x, extra);
    }
    moved.push_back(x);
  }
  return {frontend::bind(primitive, moved, params), {0}};
}

Status checkAccepts(const std::string &name, Accepts accepts, DType type) {
  bool ok = true, isPart = type == DType::F32 || type == DType::F64;
  const char *list = "";
  switch (accepts) {
  case Accepts::Any:
    return {};
  case Accepts::Ordered:
    ok = !isComplex(type), list = "integer, floating, bool";
    break;
  case Accepts::Float:
    ok = isFloat(type), list = "floating";
    break;
  case Accepts::Inexact:
    ok = isInexact(type), list = "floating, complexfloating";
    break;
  case Accepts::Number:
    ok = isInexact(type) || isInteger(type);
    list = "integer, floating, complexfloating";
    break;
  case Accepts::Real:
    ok = isFloat(type) || isInteger(type), list = "integer, floating";
    break;
  case Accepts::Signed:
    ok = isInexact(type) || (isInteger(type) && !isUnsigned(type));
    list = "floating, complexfloating, signedinteger";
    break;
  case Accepts::Integer:
    ok = isInteger(type), list = "integer";
    break;
  case Accepts::Complex:
    ok = isComplex(type), list = "complexfloating";
    break;
  case Accepts::BoolOrInt:
    ok = isInteger(type) || type == DType::Bool;
    list = "bool, integer";
    break;
  case Accepts::PartOfComplex:
    ok = isPart, list = "float32, float64";
    break;
  case Accepts::ComplexOrPartOfComplex:
    ok = isPart || isComplex(type);
    list = "float32, complexfloating, float64";
    break;
  }
  if (ok)
    return {};
  return typeError(name, " does not accept dtype ", frontend::name(type),
                   ". Accepted dtypes are subtypes of ", list, ".");
}

Primitive sameTypePrimitive(std::string name) {
  Primitive p;
  p.name = std::move(name);
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    return std::vector<Aval>{in[0]};
  };
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    return std::vector<PartitionSpec>{in[0].spec()};
  };
  return p;
}

Tensor castManualAxes(Tensor x, const Aval &type) {
  const std::pair<const char *, AxisNames> casts[] = {
      {"pvary", inBindingOrder(joinedNames(type.varying, type.unreduced))},
      {"vary_unreduced_cast_p", type.unreduced},
      {"preduced", type.reduced}};
  for (const auto &[name, axes] : casts)
    if (!axes.empty())
      x = bind1(*findPrimitive(name), {x}, {{"axes", axes}});
  return x;
}

} // namespace shardwright::frontend
