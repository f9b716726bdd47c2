//===- query_options.cc - options of queries from Python ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/query_options.h"

#include "shardwright/auto/plan_inside.h"

using namespace mlir;

namespace shardwright::pjrt {

llvm::Error badQuery(const Twine &what) {
  return llvm::createStringError("INVALID_ARGUMENT: " + what);
}

llvm::Error readPlanning(const llvm::json::Object &request, Effort &effort,
                         std::optional<MachineModel> &machine,
                         bool *plansInside) {
  if (auto asked = request.getInteger("effort")) {
    if (*asked < 0 || *asked > (plansInside ? kPlanInsideEffort : 2))
      return badQuery("effort is " + Twine(*asked) + ", expected 0, 1" +
                      (plansInside ? ", 2 or 3" : " or 2"));
    effort = Effort(std::min<int64_t>(*asked, 2));
    if (plansInside)
      *plansInside = *asked == kPlanInsideEffort;
  }
  if (auto path = request.getString("machine")) {
    llvm::Expected<MachineModel> model = MachineModel::read(path->str());
    if (!model)
      return badQuery("machine: " + llvm::toString(model.takeError()));
    machine = std::move(*model);
  }
  return llvm::Error::success();
}

llvm::Error readPartitioning(const llvm::json::Object &request,
                             CompileOptions &options, bool *plansInside) {
  if (llvm::Error e = readPlanning(request, options.partition.effort,
                                   options.partition.machine, plansInside))
    return e;
  if (auto name = request.getString("target")) {
    std::optional<Target> target = targetFromName(*name);
    if (!target)
      return badQuery("target is '" + *name + "', expected cpu, gpu or tpu");
    options.partition.target = *target;
  }
  if (auto overlap = request.getString("overlap")) {
    std::optional<Overlap> mode = overlapFromName(*overlap);
    if (!mode || *mode == Overlap::Force)
      return badQuery("overlap is '" + *overlap +
                      "', expected off, rings or on");
    options.overlap = *mode;
  }
  return llvm::Error::success();
}

int64_t devicesOf(ModuleOp module) {
  int64_t devices = 1;
  for (StringRef name : {"mhlo.num_partitions", "mhlo.num_replicas"})
    if (auto count = module->getAttrOfType<IntegerAttr>(name))
      devices *= std::max<int64_t>(count.getInt(), 1);
  return devices;
}

} // namespace shardwright::pjrt
