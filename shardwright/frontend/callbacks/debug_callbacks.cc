//===- debug_callbacks.cc - debug_callback and debug_print ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/callback_lowering.h"
#include "shardwright/frontend/callbacks/callbacks.h"
#include "shardwright/frontend/callbacks/pending_runs.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/trace/ordered_effects.h"

namespace shardwright::frontend {
namespace {

CallbackPtr callbackOf(const Params &params) {
  return std::dynamic_pointer_cast<const HostCallback>(
      params.get<std::shared_ptr<const ParamObject>>("host_callback"));
}
EffectSet effectOf(const Params &params) {
  return params.flag("is_ordered") ? Effect::OrderedDebug : Effect::Debug;
}

/// A batch of calls, one for each example, in order.
BatchResult batchDebug(const Primitive &self, const BatchAxis &axis,
                       const Tensors &in, const Ints &dims,
                       const Params &params) {
  for (int64_t k = 0; k < axis.size; ++k) {
    Tensors args;
    for (size_t i = 0; i < in.size(); ++i)
      args.push_back(
          dims[i] < 0
              ? in[i]
              : lax::squeeze(lax::slice_in_dim(in[i], k, k + 1, 1, dims[i]),
                             {dims[i]}));
    if (Tensors outs = frontend::bind(self, args, params); errorIn(outs))
      return {outs, {}};
  }
  return {};
}

Primitive makeDebug(const std::string &name) {
  Primitive p;
  p.name = name;
  p.hidden = {"host_callback", "is_ordered"};
  p.ownManualAxes = true;
  p.effects = effectOf;
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    for (const Aval &aval : in)
      if (aval.dtype == DType::Key)
        return typeError("callback '", callbackOf(params)->name,
                         "' was given an array of keys, of type ", aval.str(),
                         "; pass their words (random::keyData)");
    return std::vector<Aval>();
  };
  p.jvp = [=](const Tensors &in, const MaybeTensors &,
              const Params &params) -> JvpResult {
    return {frontend::bind(*findPrimitive(name), in, params), {}};
  };
  p.transpose = [](const MaybeTensors &, const MaybeTensors &in,
                   const std::vector<Aval> &,
                   const Params &) { return MaybeTensors(in.size()); };
  p.batch = [=](const BatchAxis &axis, const Tensors &in, const Ints &dims,
                const Params &params) {
    return batchDebug(*findPrimitive(name), axis, in, dims, params);
  };
  p.evaluate = [](const Tensors &args, const Params &params) -> Tensors {
    if (Status free = awaitRunsBefore(effectOf(params)); !free)
      return {Tensor(free.error())};
    Expected<Tensors> done = callOnArrays(*callbackOf(params), args, {});
    return done ? Tensors() : Tensors{Tensor(done.error())};
  };
  p.lower = [](LoweringContext &c) {
    CallSite site;
    site.callback = callbackOf(c.params());
    site.effects = effectOf(c.params());
    site.isPartitioned = c.params().flag("partitioned");
    if (c.params().flag("is_ordered"))
      site.device = -1;
    return lowerDebugCall(c, site);
  };
  return p;
}

const Primitive callbackP = makeDebug("debug_callback");
const Registered callbackR(callbackP);
const Primitive printP = makeDebug("debug_print");
const Registered printR(printP);

/// Values of parameters that JAX's jaxprs show and that cannot be set here.
constexpr const char *kPrintOptions =
    "(('edgeitems', 3), ('threshold', 1000), ('floatmode', 'maxprec'), "
    "('precision', 8), ('suppress', False), ('linewidth', 75), ('nanstr', "
    "'nan'), ('infstr', 'inf'), ('sign', '-'), ('formatter', None), "
    "('legacy', False), ('override_repr', None))";

Param textParam(std::string text) {
  return objectParam(TextParam(std::move(text)));
}

} // namespace

Status bindDebugCallback(const CallbackPtr &callback,
                         const std::optional<std::string> &format, bool ordered,
                         bool partitioned, const Tensors &args) {
  Params params{{"host_callback", std::shared_ptr<const ParamObject>(callback)},
                {"is_ordered", ordered},
                {"partitioned", partitioned}};
  if (format) {
    params.set("fmt", textParam(*format));
    params.set("has_placeholders", format->find('{') != std::string::npos);
    params.set("in_tree", textParam(cat("PyTreeDef(", callback->tree, ")")));
    params.set("logging_record", std::monostate());
    params.set("np_printoptions", textParam(kPrintOptions));
    params.set("ordered", ordered);
    params.set("static_args", textParam("()"));
  } else {
    params.set("callback",
               textParam("<function debug_callback.<locals>._debug_callback."
                         "<locals>._flat_callback>"));
    params.set("effect", textParam(ordered ? "OrderedDebug" : "Debug"));
  }
  Status allowed = ordered ? checkOrder(Effect::OrderedDebug) : Status();
  Tensors outs = allowed
                     ? frontend::bind(format ? printP : callbackP, args, params)
                     : Tensors{Tensor(allowed.error())};
  const Error *error = errorIn(outs);
  if (!error)
    return {};
  failRecording(*error);
  return *error;
}

} // namespace shardwright::frontend
