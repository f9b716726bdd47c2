//===- value_callbacks.cc - pure_callback and io_callback -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/callback_lowering.h"
#include "shardwright/frontend/callbacks/callbacks.h"
#include "shardwright/frontend/callbacks/pending_runs.h"
#include "shardwright/frontend/callbacks/result_types.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/trace/ordered_effects.h"

namespace shardwright::frontend {
namespace {

/// The device of a call as a parameter.
struct DeviceParam final : ParamObject {
  explicit DeviceParam(Device d) : device(d) {}
  std::string str() const override { return Sharding::single(device).str(); }
  Device device;
};

template <typename T> Param object(T value) {
  return objectParam(T(std::move(value)));
}
Param deviceParam(std::optional<Device> device) {
  return device ? object(DeviceParam(*device)) : Param(std::monostate());
}
CallbackPtr callbackOf(const Params &params) {
  return std::dynamic_pointer_cast<const HostCallback>(
      params.get<std::shared_ptr<const ParamObject>>("callback"));
}
Expected<std::vector<Aval>> inferCallback(const std::vector<Aval> &in,
                                          const Params &params) {
  for (const Aval &aval : in)
    if (aval.dtype == DType::Key)
      return typeError("callback '", callbackOf(params)->name,
                       "' was given an array of keys, of type ", aval.str(),
                       "; pass their words (random::keyData)");
  return resultsOf(params);
}

EffectSet effectOf(const Params &params) {
  if (!params.has("ordered"))
    return {};
  return params.flag("ordered") ? Effect::OrderedIO : Effect::IO;
}

std::vector<std::string> lowerCallback(LoweringContext &c) {
  CallSite site;
  site.callback = callbackOf(c.params());
  site.effects = effectOf(c.params());
  if (const auto *given = c.params().object<DeviceParam>("sharding")) {
    site.device = given->device.id;
    site.isDeviceGiven = true;
  }
  return lowerCall(c, site);
}

Tensors evaluateCallback(const Tensors &args, const Params &params) {
  EffectSet effects = effectOf(params);
  if (Status free = awaitRunsBefore(effects); !free)
    return {Tensor(free.error())};
  Expected<Tensors> outs =
      callOnArrays(*callbackOf(params), args, resultsOf(params));
  return outs ? *outs : Tensors{Tensor(outs.error())};
}

BatchResult batchPure(const BatchAxis &axis, const Tensors &in,
                      const Ints &dims, const Params &params) {
  return batchCall(*findPrimitive("pure_callback"), axis, in, dims, params);
}

Primitive makeCallback(const char *name, const char *jvpError) {
  Primitive p;
  p.name = name;
  p.ownManualAxes = true;
  p.infer = inferCallback;
  p.lower = lowerCallback;
  p.evaluate = evaluateCallback;
  p.jvp = [=](const Tensors &, const MaybeTensors &, const Params &) {
    return failedJvp(valueError(jvpError));
  };
  return p;
}

const Primitive pureP = [] {
  Primitive p = makeCallback("pure_callback",
                             "Pure callbacks do not support JVP. Please use "
                             "`jax.custom_jvp` to use callbacks while taking "
                             "gradients.");
  p.batch = batchPure;
  return p;
}();
const Registered pureR(pureP);

const Primitive ioP = [] {
  Primitive p = makeCallback("io_callback", "IO callbacks do not support JVP.");
  p.effects = effectOf;
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    if (params.flag("ordered"))
      return {{Tensor(valueError("Cannot `vmap` ordered IO callback."))}, {}};
    return batchCallInLoop(*findPrimitive("io_callback"), axis, in, dims,
                           params, 1);
  };
  return p;
}();
const Registered ioR(ioP);

/// Binds a primitive whose error must not be lost, although it may have no
/// results.
Tensors bindChecked(const Primitive &primitive, const Tensors &args,
                    const Params &params) {
  Tensors outs = frontend::bind(primitive, args, params);
  if (const Error *error = errorIn(outs))
    failRecording(*error);
  return outs;
}

} // namespace

Tensors bindPureCallback(const CallbackPtr &callback,
                         const std::vector<Aval> &results,
                         const std::string &method,
                         std::optional<Device> device, const Tensors &args) {
  Param how = method.empty() ? Param(std::monostate()) : Param(method);
  return bindChecked(
      pureP, args,
      {{"callback", std::shared_ptr<const ParamObject>(callback)},
       {"result_avals", resultTypesParam(results)},
       {"sharding", deviceParam(device)},
       {"vmap_method", how}});
}

Tensors bindIoCallback(const CallbackPtr &callback,
                       const std::vector<Aval> &results, bool ordered,
                       std::optional<Device> device, const Tensors &args) {
  if (ordered)
    if (Status allowed = checkOrder(Effect::OrderedIO); !allowed)
      return {Tensor(allowed.error())};
  return bindChecked(
      ioP, args,
      {{"callback", std::shared_ptr<const ParamObject>(callback)},
       {"result_avals", resultTypesParam(results)},
       {"ordered", ordered},
       {"sharding", deviceParam(device)}});
}

} // namespace shardwright::frontend
