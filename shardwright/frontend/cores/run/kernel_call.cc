//===- kernel_call.cc - kernels as calls in a module ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primitive core_kernel is a core_map on values in place of references:
// its results are what the references that the kernel writes hold at the end.
// A module calls it as it calls functions of the host.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/callback_lowering.h"
#include "shardwright/frontend/cores/run/meeting.h"
#include "shardwright/frontend/cores/state_primitives.h"
#include "shardwright/frontend/primitives/helpers.h"

#include <algorithm>

namespace shardwright::frontend::kernels {
namespace {

using Names = std::vector<std::string>;

/// Joint kernels wait on threads of their own, of which there are not more.
constexpr int64_t mostJointDevices = 512;

Expected<KernelPtr> makeKernel(const KernelParam &param,
                               const ManualAxes &manual) {
  AxisNames axes = param.mesh.names();
  axes.insert(axes.end(), manual.axes.begin(), manual.axes.end());
  Expected<PlanPtr> plan = makePlan(param.jaxpr, axes);
  if (!plan)
    return plan.error();
  auto out = std::make_shared<Kernel>((*plan)->numSteps);
  out->param = param;
  out->plan = *plan;
  out->written = writtenInputs(*param.jaxpr);
  out->x64 = x64Enabled();
  if (manual.axes.empty())
    return KernelPtr(out);
  if (!manual.areAll())
    return notImplemented("core_map is supported in a shard_map only if all "
                          "axes of the mesh are manual; ",
                          namesText(manual.axes), " of ",
                          namesText(manual.mesh.names()), " are");
  out->devices = manual.mesh;
  out->isJoint = manual.mesh.size() > 1 &&
                 namesOtherDevices(*param.jaxpr, param.mesh.names());
  if (out->isJoint && manual.mesh.size() > mostJointDevices)
    return notImplemented("a core_map copies between at most ",
                          mostJointDevices, " devices, the mesh has ",
                          manual.mesh.size());
  return KernelPtr(out);
}

/// An exchange of all devices, so that each knows that the others come, too: a
/// number that is 0.
std::string exchange(LoweringContext &c, const AbstractMesh &mesh) {
  const std::string i32 = mlirType(Aval{DType::I32, {}});
  std::string u32 = mlirType(Aval{DType::U32, {}}), group;
  std::string id = c.op("stablehlo.partition_id", {}, {}, {u32})[0];
  std::string value = c.op("stablehlo.convert", {id}, {u32}, {i32})[0];
  for (int64_t i = 0; i < mesh.size(); ++i)
    group += cat(i ? ", " : "", i);
  std::string region = c.regionOf({i32, i32}, [&](const Names &args) {
    return c.op("stablehlo.minimum", args, {i32, i32}, {i32});
  });
  return c.op("stablehlo.all_reduce", {value}, {i32}, {i32},
              cat("channel_handle = #stablehlo.channel_handle<handle = 1, type "
                  "= 1>, replica_groups = dense<[[",
                  group, "]]> : tensor<1x", mesh.size(),
                  "xi64>, use_global_device_ids"),
              {region})[0];
}

/// The call with the operand `last`, if it is not empty, added.
Names writeCall(LoweringContext &c, const KernelPtr &kernel,
                const std::string &last) {
  auto callback = std::make_shared<HostCallback>();
  callback->name = kernel->param.options.name;
  callback->owner = kernel;
  callback->tree = "kernel";
  callback->function = [](const Tensors &) -> Expected<Tensors> {
    return makeError(ErrorKind::Runtime, "a kernel is called by programs only");
  };
  callback->onBuffers = [kernel](const CustomCall &call) {
    return runKernel(kernel, call);
  };
  CallSite site;
  site.callback = callback;
  site.device = -1;
  site.extraOperand = last;
  return lowerCall(c, site);
}

const Primitive kernelP = [] {
  Primitive p;
  p.name = "core_kernel";
  p.ownManualAxes = true;
  p.usesAxisNames = true;
  p.infer = [](const std::vector<Aval> &in,
               const Params &params) -> Expected<std::vector<Aval>> {
    std::vector<bool> written = writtenInputs(*kernelOf(params).jaxpr);
    std::vector<Aval> out;
    for (size_t i = 0; i < in.size(); ++i)
      if (written[i]) {
        out.push_back(in[i]);
        out.back().weak = false;
      }
    return out;
  };
  p.jvp = [](const Tensors &, const MaybeTensors &, const Params &) {
    return failedJvp(
        notImplemented("Differentiation rule for 'core_map' not implemented"));
  };
  p.batch = [](const BatchAxis &, const Tensors &, const Ints &,
               const Params &) -> BatchResult {
    return {{Tensor(notImplemented(
                "Batching rule for 'core_map' not implemented"))},
            {}};
  };
  p.lower = [](LoweringContext &c) {
    const ManualAxes manual = c.manualAxes();
    Expected<KernelPtr> kernel = makeKernel(kernelOf(c.params()), manual);
    if (!kernel) {
      c.fail(kernel.error());
      return Names(c.resultTypes().size(), "%error");
    }
    return writeCall(c, *kernel,
                     (*kernel)->isJoint ? exchange(c, manual.mesh)
                                        : std::string());
  };
  return p;
}();
const Registered kernelR(kernelP);

} // namespace
} // namespace shardwright::frontend::kernels
