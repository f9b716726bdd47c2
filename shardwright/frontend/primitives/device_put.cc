//===- device_put.cc - the memory of traced values ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"
#include "shardwright/frontend/trace/partial_sums.h"
#include "shardwright/frontend/trace/sharding_param.h"

namespace shardwright::frontend {
namespace {

/// Where a value goes: to the devices and the memory of a sharding, or only to
/// a memory or device. Only a sharding votes for the devices of the program.
struct PutParam final : ParamObject {
  PutParam(std::string t, bool h, std::optional<Device> d = {})
      : text(std::move(t)), onHost(h), device(d) {}
  std::string str() const override { return "(" + text + ",)"; }
  std::string text;
  bool onHost;
  std::optional<Device> device; ///< the one that the user chose
};

const Sharding &targetOf(const Params &params) {
  static const auto &none = *new Sharding;
  const auto *list = params.object<ShardingsParam>("devices");
  return list ? list->shardings[0] : none;
}

Expected<Aval> placedType(Aval aval, const Params &params) {
  const Sharding &target = targetOf(params);
  if (const auto *place = params.object<PutParam>("devices")) {
    aval.onHost = place->onHost;
    return aval;
  }
  if (!target.isSpecified())
    return aval;
  bool weak = aval.weak;
  auto own = aval.sharding;
  Expected<Aval> typed = typeOn(std::move(aval), target);
  if (!typed)
    return typed;
  typed->weak = weak;
  // A mesh without Explicit axes says nothing about the type.
  if (!target.abstractMesh().anyIs(AxisType::Explicit))
    typed->sharding = own;
  return typed;
}

Param copySemantics(const char *name) {
  return objectParam(TextParam(cat("(ArrayCopySemantics.", name, ",)")));
}

/// The source of a value: known only by the sharding in its type.
Param sourceOf(const Aval &aval) {
  if (!aval.sharding)
    return objectParam(TextParam("(None,)"));
  return objectParam(TextParam(
      cat("(NamedSharding(mesh=", aval.sharding->mesh.str(),
          ", spec=", aval.sharding->spec.str(),
          ", memory_kind=", aval.onHost ? "pinned_host" : "device", "),)")));
}

const Primitive devicePutP = [] {
  Primitive p;
  p.name = "device_put";
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    Expected<Aval> placed = placedType(in[0], params);
    if (!placed)
      return placed.error();
    return std::vector<Aval>{*placed};
  };
  // Memory is that of the program's arguments and results, and the sharding in
  // the result's type becomes a constraint.
  p.lower = [](LoweringContext &c) { return c.operands(); };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("device_put");
    return oneResult(bind1(self, in, params), bind1(self, {*t[0]}, params));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &types, const Params &params) {
    bool moved = ct[0]->aval().onHost != types[0].onHost;
    Param back =
        !moved ? objectParam(PutParam("None", types[0].onHost))
               : objectParam(PutParam(types[0].onHost ? "MemorySpace.Host"
                                                      : "MemorySpace.Device",
                                      types[0].onHost));
    const Param *from = params.find("devices");
    Tensor x = bind1(*findPrimitive("device_put"), {*ct[0]},
                     {{"devices", back},
                      {"srcs", from ? *from : Param()},
                      {"copy_semantics", copySemantics("ALWAYS_COPY")}});
    return MaybeTensors{reshardLike(x, cotangentAval(types[0]))};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    const Sharding &target = targetOf(params);
    if (!target.abstractMesh().anyIs(AxisType::Explicit))
      return {{bind1(*findPrimitive("device_put"), in, params)}, dims};
    std::vector<SpecEntry> entries =
        target.spec().normalized(in[0].rank() - 1).entries();
    entries.insert(entries.begin() + dims[0], in[0].aval().spec()[dims[0]]);
    Expected<PartitionSpec> spec = PartitionSpec::get(
        entries, target.spec().unreduced(), target.spec().reduced());
    if (!spec)
      return {{Tensor(spec.error())}, {}};
    Expected<Sharding> batched = target.withSpec(*spec);
    if (!batched)
      return {{Tensor(batched.error())}, {}};
    Params changed = params;
    changed.set("devices", objectParam(ShardingsParam({*batched})));
    return {{bind1(*findPrimitive("device_put"), in, changed)}, dims};
  };
  return p;
}();
const Registered devicePutR(devicePutP);

} // namespace

static Tensor bindPut(const Tensor &x, Param target, const char *copies) {
  return bind1(devicePutP, {x},
               {{"devices", std::move(target)},
                {"srcs", sourceOf(x.aval())},
                {"copy_semantics", copySemantics(copies)}});
}

Tensor putTraced(const Tensor &x, const Format &format) {
  return bindPut(x, objectParam(PutParam(format.str(), x.aval().onHost)),
                 "REUSE_INPUT");
}

std::optional<Device> deviceOfPut(const Params &params) {
  const auto *place = params.object<PutParam>("devices");
  return place ? place->device : std::nullopt;
}

Params memoryTransfer(bool toHost) {
  return {{"devices",
           objectParam(PutParam(
               toHost ? "MemorySpace.Host" : "MemorySpace.Device", toHost))},
          {"srcs", objectParam(TextParam("(None,)"))},
          {"copy_semantics", copySemantics("ALWAYS_COPY")}};
}

Tensor putTraced(const Tensor &x, const Sharding &sharding,
                 std::optional<Device> device,
                 const DevicePutOptions &options) {
  SW_TRY(checkPut(x, sharding));
  Param target = sharding.isSpecified()
                     ? objectParam(ShardingsParam({sharding}))
                     : objectParam(PutParam(device ? device->repr() : "None",
                                            x.aval().onHost, device));
  const char *copies = options.donate                    ? "DONATE_INPUT"
                       : options.mayAlias.value_or(true) ? "REUSE_INPUT"
                                                         : "ALWAYS_COPY";
  return bindPut(x, target, copies);
}

} // namespace shardwright::frontend
