//===- value_callbacks.cc - pure_callback and io_callback -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/callback_lowering.h"
#include "shardwright/frontend/callbacks/callbacks.h"
#include "shardwright/frontend/callbacks/pending_runs.h"
#include "shardwright/frontend/control/control.h"

namespace shardwright::frontend {
namespace {

/// Types of results as a parameter.
struct ResultTypes final : ParamObject {
  explicit ResultTypes(std::vector<Aval> t) : types(std::move(t)) {}
  std::string str() const override {
    std::string out = "(";
    for (size_t i = 0; i < types.size(); ++i)
      out +=
          cat(i ? ", ShapedArray(" : "ShapedArray(", types[i].longStr(), ")");
    return out + (types.size() == 1 ? ",)" : ")");
  }
  std::vector<Aval> types;
};

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
const std::vector<Aval> &resultsOf(const Params &params) {
  return params.object<ResultTypes>("result_avals")->types;
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
  for (const Event &event : runsBefore(effects))
    llvm::consumeError(event.await());
  Expected<Tensors> outs =
      callOnArrays(*callbackOf(params), args, resultsOf(params));
  return outs ? *outs : Tensors{Tensor(outs.error())};
}

std::vector<Aval> batchedTypes(const std::vector<Aval> &types, int64_t size) {
  std::vector<Aval> out;
  for (const Aval &type : types)
    out.push_back(type.withDim(0, size));
  return out;
}

/// Calls with one example after another, in a loop.
BatchResult batchInLoop(const Primitive &self, const BatchAxis &axis,
                        const Tensors &in, const Ints &dims,
                        const Params &params, int64_t unroll) {
  Tensors xs, fixed;
  for (size_t i = 0; i < in.size(); ++i)
    if (dims[i] >= 0)
      xs.push_back(moveBatch(in[i], dims[i], 0));
    else
      fixed.push_back(in[i]);
  size_t count = resultsOf(params).size();
  Tensors outs = mapSlices(
      [&](const Tensors &consts, const Tensors &slices) {
        Tensors args;
        size_t nextConst = 0, nextSlice = 0;
        for (int64_t dim : dims)
          args.push_back(dim >= 0 ? slices[nextSlice++] : consts[nextConst++]);
        return bindMany(self, count, args, params);
      },
      fixed, xs, axis.size, unroll);
  return {outs, Ints(std::max<size_t>(count, 1), 0)};
}

const Primitive &pureCallback() {
  static const Primitive &p = *findPrimitive("pure_callback");
  return p;
}

/// Calls once with all examples.
BatchResult batchAtOnce(const BatchAxis &axis, const Tensors &in,
                        const Ints &dims, const Params &params) {
  const std::string &method = params.text("vmap_method");
  Tensors args;
  for (size_t i = 0; i < in.size(); ++i) {
    if (dims[i] >= 0)
      args.push_back(moveBatch(in[i], dims[i], 0));
    else if (method == "broadcast_all")
      args.push_back(batchToFront(in[i], -1, axis.size));
    else if (method == "expand_dims")
      args.push_back(batchToFront(in[i], -1, 1));
    else
      args.push_back(in[i]);
  }
  Params changed = params;
  changed.set("result_avals",
              object(ResultTypes(batchedTypes(resultsOf(params), axis.size))));
  size_t count = resultsOf(params).size();
  return {bindMany(pureCallback(), count, args, changed), Ints(count, 0)};
}

BatchResult batchPure(const BatchAxis &axis, const Tensors &in,
                      const Ints &dims, const Params &params) {
  const std::string &method = params.text("vmap_method");
  if (params.isNone("vmap_method"))
    return {{Tensor(notImplemented(
                "vmap is only supported for the pure_callback primitive when "
                "vmap_method is one of 'sequential', 'sequential_unrolled', "
                "'expand_dims', 'broadcast_all', or 'legacy_vectorized'. Got "
                "vmap_method=None."))},
            {}};
  if (method == "sequential")
    return batchInLoop(pureCallback(), axis, in, dims, params, 1);
  if (method == "sequential_unrolled")
    return batchInLoop(pureCallback(), axis, in, dims, params, axis.size);
  return batchAtOnce(axis, in, dims, params);
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
    return batchInLoop(*findPrimitive("io_callback"), axis, in, dims, params,
                       1);
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
       {"result_avals", object(ResultTypes(results))},
       {"sharding", deviceParam(device)},
       {"vmap_method", how}});
}

Tensors bindIoCallback(const CallbackPtr &callback,
                       const std::vector<Aval> &results, bool ordered,
                       std::optional<Device> device, const Tensors &args) {
  return bindChecked(
      ioP, args,
      {{"callback", std::shared_ptr<const ParamObject>(callback)},
       {"result_avals", object(ResultTypes(results))},
       {"ordered", ordered},
       {"sharding", deviceParam(device)}});
}

} // namespace shardwright::frontend
