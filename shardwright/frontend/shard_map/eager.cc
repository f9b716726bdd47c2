//===- eager.cc - shardMap outside of jit, operation by operation ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/eager.h"

#include "shardwright/frontend/array/traced_text.h"
#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/shard_map/collective_helpers.h"
#include "shardwright/frontend/trace/user_function.h"

namespace shardwright::frontend {
namespace {

/// A value that varies: all blocks along a leading dimension that is sharded
/// over the axes along which they vary.
struct BlocksTracer final : Tracer {
  BlocksTracer(Aval a, Tensor b, AxisNames names, TracePtr t)
      : Tracer(std::move(a), std::move(t)), blocks(std::move(b)),
        axes(std::move(names)) {}
  const Tensor blocks;
  const AxisNames axes;
  PartitionSpec spec() const { return leadingSpec(aval, axes); }
  /// Of the blocks of values of a type that vary along these axes.
  static PartitionSpec leadingSpec(const Aval &local, const AxisNames &axes) {
    return *PartitionSpec::get(
        {axes.size() == 1 ? SpecEntry(axes[0]) : SpecEntry(axes)},
        {local.unreduced.begin(), local.unreduced.end()},
        {local.reduced.begin(), local.reduced.end()});
  }
};
bool isSameEverywhere(const Aval &local) {
  return local.varying.empty() && local.unreduced.empty() &&
         local.reduced.empty();
}

/// The block of each device with its place in the mesh.
std::optional<std::string> blocksText(const Tensor &x);

} // namespace

class EagerBody::Impl final : public Trace {
public:
  explicit Impl(const ShardMapEqn &e) : eqn(e) {}

  Tensors bind(const Primitive &primitive, const Tensors &args,
               const Params &params) override {
    if (primitive.name == "device_put")
      if (std::optional<Device> device = deviceOfPut(params))
        return {Tensor(
            valueError("device_put with explicit device not allowed within "
                       "shard_map-decorated functions, but got device cpu:",
                       device->id))};
    bool isPlain = !usesAxes(primitive, params);
    for (const Tensor &arg : args)
      isPlain &= !tracerOf<BlocksTracer>(arg, this);
    // What is the same on all devices needs no shard_map.
    if (isPlain && eqn.check) {
      ScopedTopLevel outside;
      return bindIn(parent, primitive, args, params);
    }
    return apply(
        [&](const Tensors &in) {
          return frontend::bind(primitive, in, params);
        },
        args);
  }

  /// Applies a function to the values of each device.
  Tensors apply(const TensorsFunction &function, const Tensors &args) {
    ShardMapEqn one = eqn;
    one.in.clear();
    one.out.clear();
    Tensors operands;
    std::vector<Aval> types;
    std::vector<size_t> places(args.size());
    std::vector<bool> isBlocks;
    for (size_t i = 0; i < args.size(); ++i) {
      const ArrayValue *array = asArray(args[i]);
      if (array && array->isLiteral)
        continue;
      const auto *tracer = tracerOf<BlocksTracer>(args[i], this);
      one.in.push_back(tracer ? tracer->spec() : PartitionSpec());
      isBlocks.push_back(tracer != nullptr);
      operands.push_back(tracer ? tracer->blocks : args[i]);
      places[i] = operands.size();
      types.push_back(one.localType(operands.back().aval(), one.in.back()));
    }
    return mapped(one, operands, types, [&](const Tensors &in) {
      Tensors all = args;
      for (size_t i = 0; i < args.size(); ++i)
        if (size_t place = places[i])
          all[i] = isBlocks[place - 1] ? lax::squeeze(in[place - 1], {0})
                                       : in[place - 1];
      return function(all);
    });
  }

  /// Runs a body on pieces of the operands; results that vary get a leading
  /// dimension.
  Tensors mapped(ShardMapEqn one, const Tensors &operands,
                 const std::vector<Aval> &types,
                 const TensorsFunction &function) {
    std::vector<Aval> locals;
    std::vector<AxisNames> axes;
    std::vector<bool> isBlocks;
    Expected<JaxprPtr> jaxpr = [&] {
      // Operations on the pieces of one device are recorded.
      ManualScope scope = one.scope();
      return traceToJaxpr(
          [&](const Tensors &in) {
            Tensors outs = function(in);
            if (errorIn(outs))
              return outs;
            for (Tensor &out : outs) {
              locals.push_back(out.aval());
              axes.push_back(eqn.check ? inMeshOrder(out.aval().varying)
                                       : eqn.manual);
              isBlocks.push_back(!axes.back().empty() ||
                                 !isSameEverywhere(out.aval()));
              if (isBlocks.back())
                out = lax::expand_dims(out, {0});
            }
            return outs;
          },
          types, "");
    }();
    if (!jaxpr)
      return {Tensor(jaxpr.error())};
    one.jaxpr = *jaxpr;
    for (size_t i = 0; i < locals.size(); ++i)
      one.out.push_back(isBlocks[i]
                            ? BlocksTracer::leadingSpec(locals[i], axes[i])
                            : PartitionSpec());
    Tensors outs = outside(one, operands);
    if (errorIn(outs))
      return outs;
    for (size_t i = 0; i < locals.size(); ++i)
      if (isBlocks[i])
        outs[i] = tensorOfTracer(std::make_shared<const BlocksTracer>(
            locals[i], outs[i], axes[i], shared_from_this()));
    return outs;
  }

  Tensor enter(const Tensor &global, const PartitionSpec &spec) {
    ShardMapEqn one = eqn;
    one.in = {spec};
    one.out.clear();
    Aval type = one.localType(global.aval(), spec);
    if (eqn.check && isSameEverywhere(type))
      return global;
    return mapped(one, {global}, {type}, [](const Tensors &in) { return in; })
        .at(0);
  }

  Tensor leave(const Tensor &local, const PartitionSpec &spec) {
    const auto *tracer = tracerOf<BlocksTracer>(local, this);
    ShardMapEqn one = eqn;
    one.in = {tracer ? tracer->spec() : PartitionSpec()};
    one.out = {spec};
    const Tensor &operand = tracer ? tracer->blocks : local;
    Expected<JaxprPtr> jaxpr = [&] {
      ManualScope scope = one.scope();
      return traceToJaxpr(
          [&](const Tensors &in) {
            Tensor x = tracer ? lax::squeeze(in[0], {0}) : in[0];
            return Tensors{matchSpec(x, spec)};
          },
          {one.localType(operand.aval(), one.in[0])}, "");
    }();
    if (!jaxpr)
      return jaxpr.error();
    one.jaxpr = *jaxpr;
    return outside(one, {operand}).at(0);
  }

  const ShardMapEqn eqn;

private:
  AxisNames inMeshOrder(const AxisNames &names) const {
    AxisNames out;
    for (const std::string &axis : eqn.outer().names())
      if (contains(names, axis))
        out.push_back(axis);
    return out;
  }
  static bool usesAxes(const Primitive &primitive, const Params &params) {
    if (primitive.usesAxisNames || primitive.name == "pvary")
      return true;
    bool found = false;
    Jaxpr::forEachInner(params, [&](const JaxprPtr &inner) {
      for (const Eqn &eqn : inner->eqns)
        found = found || usesAxes(*eqn.primitive, eqn.params);
    });
    return found;
  }
  /// The program of one operation, as it runs outside of the body.
  Tensors outside(const ShardMapEqn &one, const Tensors &operands) const {
    ScopedTopLevel scope;
    ScopedTrace trace(parent);
    return one.bind(operands);
  }
};

namespace {

std::optional<std::string> blocksText(const Tensor &x) {
  const auto *tracer = dynamic_cast<const BlocksTracer *>(x.handle().get());
  if (!tracer)
    return {};
  Sharding sharding = tracer->blocks.sharding();
  Expected<std::vector<std::byte>> bytes = tracer->blocks.toBytes();
  if (!bytes || !sharding.isNamed())
    return {};
  const Mesh &mesh = sharding.mesh();
  std::string names, out;
  for (const std::string &name : mesh.names())
    names += cat(names.empty() ? "(" : ", ", name);
  names += ",)";
  size_t count = 1;
  for (const std::string &axis : tracer->axes)
    count *= mesh.abstractMesh().sizeOf(axis);
  size_t size = bytes->size() / count;
  for (int64_t k = 0; k < mesh.size(); ++k) {
    Ints place(mesh.sizes().size());
    int64_t rest = k, block = 0;
    for (size_t d = place.size(); d-- > 0;) {
      place[d] = rest % mesh.sizes()[d];
      rest /= mesh.sizes()[d];
    }
    for (const std::string &axis : tracer->axes)
      block = block * mesh.abstractMesh().sizeOf(axis) +
              place[mesh.abstractMesh().find(axis)];
    Tensor own =
        arrayFromBytes(bytes->data() + block * size, x.dtype(), x.shape());
    out += cat(k ? "\n" : "", "On ", mesh.devices()[k].str(),
               " at mesh coordinates ", names, " = ", tupleText(place), ":\n",
               own.str(), "\n");
  }
  return out;
}

[[maybe_unused]] const bool isSet = [] {
  detail::setTracedText(blocksText);
  return true;
}();

} // namespace

EagerBody::EagerBody(const ShardMapEqn &eqn)
    : impl(std::make_shared<Impl>(eqn)) {
  impl->parent = currentTrace();
}
EagerBody::~EagerBody() { impl->ended = true; }

Tensor EagerBody::enter(const Tensor &global, const PartitionSpec &spec) {
  return impl->enter(global, spec);
}
Tensors EagerBody::run(const TensorsFunction &function, const Tensors &args) {
  ManualScope manual = impl->eqn.scope();
  ScopedTrace scope(impl);
  return callFunction(function, args);
}
Tensor EagerBody::leave(const Tensor &local, const PartitionSpec &spec) {
  return impl->leave(local, spec);
}

} // namespace shardwright::frontend
