//===- sharding_inspector.cc - the primitive inspect_sharding -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/sharding_inspector.h"

#include "shardwright/frontend/callbacks/call_watch.h"
#include "shardwright/frontend/callbacks/host_guard.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/trace/lowering_devices.h"

#include <atomic>

namespace shardwright::frontend {
namespace {

std::shared_ptr<const ShardingInspector> inspectorOf(const Params &params) {
  return std::dynamic_pointer_cast<const ShardingInspector>(
      params.get<std::shared_ptr<const ParamObject>>("callback"));
}

Tensors asTensors(const Status &status) {
  return status ? Tensors() : Tensors{Tensor(status.error())};
}

std::vector<std::string> lowerInspection(LoweringContext &c) {
  auto inspector = inspectorOf(c.params());
  if (loweringDevices() < 2) {
    // Nothing is to be found out.
    if (!isRepeatedLowering())
      if (Status status = inspector->tell(Sharding::single(Device{0})); !status)
        c.fail(status.error());
    return {};
  }
  c.op("stablehlo.custom_call", c.operands(), mlirTypes(c.operandTypes()),
       mlirTypes(c.operandTypes()),
       cat("api_version = 1 : i32, backend_config = \"",
           c.addCallback(inspector), "\", call_target_name = \"",
           kInspectTarget, "\", has_side_effect = true"));
  return {};
}

const Primitive inspectP = [] {
  Primitive p;
  p.name = "inspect_sharding";
  p.ownManualAxes = true;
  p.effects = [](const Params &) -> EffectSet { return Effect::Debug; };
  p.infer = [](const std::vector<Aval> &,
               const Params &) -> Expected<std::vector<Aval>> {
    return std::vector<Aval>();
  };
  p.lower = lowerInspection;
  p.evaluate = [](const Tensors &args, const Params &params) {
    return asTensors(inspectorOf(params)->tell(args[0].sharding()));
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &,
             const Params &params) -> JvpResult {
    return {frontend::bind(*findPrimitive("inspect_sharding"), in, params), {}};
  };
  p.transpose = [](const MaybeTensors &, const MaybeTensors &in,
                   const std::vector<Aval> &,
                   const Params &) { return MaybeTensors(in.size()); };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &,
               const Params &params) -> BatchResult {
    return {frontend::bind(*findPrimitive("inspect_sharding"), in, params), {}};
  };
  return p;
}();
const Registered inspectR(inspectP);

} // namespace

ShardingInspector::ShardingInspector(std::function<void(const Sharding &)> f)
    : function(std::move(f)) {
  static std::atomic<int64_t> next = 0;
  number = next++;
}

Status ShardingInspector::tell(const Sharding &sharding) const {
  auto failed = [](const std::string &why) {
    return makeError(ErrorKind::Runtime,
                     "INTERNAL: Error calling inspect_sharding: ", why);
  };
  if (!function)
    return failed("the function is empty");
  WatchedCall watched("callback of inspect_sharding");
  if (auto why = exceptionOf([&] { function(sharding); }))
    return failed(*why);
  return {};
}

Status bindInspectSharding(std::shared_ptr<const ShardingInspector> inspector,
                           const Tensor &x) {
  if (const Error *error = errorIn(x))
    return *error;
  Tensors outs = frontend::bind(
      inspectP, {x},
      {{"callback", std::shared_ptr<const ParamObject>(std::move(inspector))}});
  const Error *error = errorIn(outs);
  if (!error)
    return {};
  failRecording(*error);
  return *error;
}

} // namespace shardwright::frontend
