//===- import_module.cc - the import stage --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/import_module.h"

#include "shardwright/backend/device.h"
#include "shardwright/dialect/chlo/chlo.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/bounded/bounded_passes.h"
#include "shardwright/interop/bounded/refine_shapes.h"
#include "shardwright/interop/chlo/chlo_passes.h"
#include "shardwright/interop/entry_meshes.h"
#include "shardwright/interop/expand/expand_passes.h"
#include "shardwright/interop/flatten_tuples.h"
#include "shardwright/interop/gspmd/import_gspmd.h"
#include "shardwright/interop/import_custom_calls.h"
#include "shardwright/interop/mesh_axes_groups.h"
#include "shardwright/interop/round_trip/round_trip.h"
#include "shardwright/mesh/did_you_mean.h"
#include "shardwright/partition/prepare/inline_calls.h"
#include "shardwright/propagate/import/call_growth.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardwright {
namespace {

constexpr llvm::StringLiteral numPartitionsName("mhlo.num_partitions");
constexpr llvm::StringLiteral numReplicasName("mhlo.num_replicas");

bool isNamedMesh(sdy::MeshOp mesh) { return !mesh.getMesh().getAxes().empty(); }

LogicalResult resizeMeshes(ModuleOp module, ArrayRef<MeshAxis> sizes) {
  MLIRContext *context = module.getContext();
  SmallVector<StringRef> known;
  bool resized = false;
  int64_t devices = 1;
  for (sdy::MeshOp mesh : module.getOps<sdy::MeshOp>()) {
    if (!isNamedMesh(mesh))
      continue;
    SmallVector<sdy::MeshAxisAttr> axes;
    for (sdy::MeshAxisAttr axis : mesh.getMesh().getAxes()) {
      known.push_back(axis.getName());
      const auto *size = llvm::find_if(
          sizes, [&](const MeshAxis &a) { return a.name == axis.getName(); });
      if (size == sizes.end())
        return mesh.emitError()
               << "the new mesh gives no size for axis \"" << axis.getName()
               << "\" of mesh @" << mesh.getSymName();
      resized |= size->size != axis.getSize();
      axes.push_back(
          sdy::MeshAxisAttr::get(context, axis.getName(), size->size));
    }
    mesh.setMeshAttr(sdy::MeshAttr::get(context, axes, /*deviceIds=*/{}));
    // A copy of the old sizes in another notation, which the import passes will
    // recreate.
    mesh->removeDiscardableAttr("stablehlo.mesh");
  }
  for (const MeshAxis &axis : sizes) {
    if (!llvm::is_contained(known, axis.name))
      return module.emitError()
             << "no mesh of the module has an axis \"" << axis.name << "\""
             << didYouMean(axis.name, known);
    devices *= axis.size;
  }
  if (!resized)
    return success();
  WalkResult manual = module.walk([](sdy::ManualComputationOp op) {
    op.emitError() << "the body of a manual computation has the shapes of the "
                      "module's own mesh, so that the mesh cannot be resized";
    return WalkResult::interrupt();
  });
  if (manual.wasInterrupted())
    return failure();
  if (module->hasAttr(numPartitionsName))
    module->setAttr(numPartitionsName,
                    Builder(context).getI32IntegerAttr(devices));
  return success();
}

int64_t integerAttr(ModuleOp module, StringRef name) {
  auto attr = module->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

} // namespace

LogicalResult importShardings(ModuleOp module, const ImportOptions &options) {
  if (hasRoundTripShardings(module)) {
    bool isGspmd = !hasRoundTripMeshes(module) && hasGspmdShardings(module);
    if (failed(isGspmd ? importRoundTripGroups(module)
                       : importRoundTrip(module, options.keepOpShardings)))
      return failure();
  }
  if (hasGspmdShardings(module)) {
    // Their axes have no names, so use those of the caller, if given.
    int64_t devices = options.devices ? options.devices
                                      : integerAttr(module, numPartitionsName);
    return importGspmd(module, options.meshSizes, devices);
  }
  return options.meshSizes.empty() ? success()
                                   : resizeMeshes(module, options.meshSizes);
}

LogicalResult importModule(ModuleOp module, const ImportOptions &options) {
  if (failed(checkCallGrowth(module, mayNameFunctions)) ||
      failed(flattenTuples(module)))
    return failure();
  // Before meshes are resized, and after they are read from attributes.
  keepEntryMeshes(module);
  if (failed(importShardings(module, options)))
    return failure();
  keepEntryMeshes(module);
  auto passes = [&] {
    return PassManager(module.getContext(), ModuleOp::getOperationName(),
                       PassManager::Nesting::Explicit);
  };
  // This run also verifies the shardings against resized meshes.
  PassManager calls = passes();
  calls.addPass(createImportCustomCallsPass());
  calls.addPass(createInlineCompositesPass());
  if (failed(calls.run(module)) ||
      failed(expandMeshAxesGroups(module, options.devices)))
    return failure();
  // Composites must be calls by now: their types would not match those of their
  // decompositions.
  if (options.shapeOfArgument &&
      failed(giveShapes(module, options.shapeOfArgument)))
    return failure();
  PassManager pm = passes();
  pm.addNestedPass<func::FuncOp>(
      createChloLegalizeToStablehloPass(options.keepFunctions));
  pm.addPass(createPadBoundedPass());
  pm.addPass(createExpandQuantizedPass());
  pm.addPass(createExpandOpsPass());
  return pm.run(module);
}

int64_t countReplicas(ModuleOp module) {
  return std::max<int64_t>(integerAttr(module, numReplicasName), 1);
}

FailureOr<int64_t> countDevices(ModuleOp module, int64_t devices) {
  int64_t fromMesh = 0;
  sdy::MeshOp first;
  for (sdy::MeshOp mesh : module.getOps<sdy::MeshOp>()) {
    if (!isNamedMesh(mesh))
      continue;
    int64_t n = 1;
    for (sdy::MeshAxisAttr axis : mesh.getMesh().getAxes())
      n *= axis.getSize();
    if (first && n != fromMesh)
      return mesh.emitError() << "mesh @" << mesh.getSymName() << " has " << n
                              << " devices, but mesh @" << first.getSymName()
                              << " has " << fromMesh;
    if (!first) {
      first = mesh;
      fromMesh = n;
    }
  }
  auto contradicts = [&](int64_t n) { return devices != 0 && n != devices; };
  int64_t replicas = countReplicas(module);
  if (first) {
    // Each replica has its own mesh.
    if (replicas > kMaxDevices)
      return module.emitError() << "the module asks for " << replicas
                                << " replicas (mhlo.num_replicas), expected at "
                                   "most "
                                << kMaxDevices;
    int64_t all = 0;
    if (llvm::MulOverflow(fromMesh, replicas, all))
      return first.emitError()
             << "mesh @" << first.getSymName() << " has " << fromMesh
             << " devices in each of " << replicas
             << " replicas, which is more than can be counted";
    if (all > kMaxDevices)
      return first.emitError()
             << "mesh @" << first.getSymName() << " makes " << all
             << " devices of all replicas, expected at most " << kMaxDevices;
    if (contradicts(all)) {
      auto error = first.emitError() << "mesh @" << first.getSymName()
                                     << " has " << fromMesh << " devices";
      if (replicas > 1)
        error << " in each of " << replicas << " replicas";
      return error << ", but --devices asks for " << devices;
    }
    return all;
  }
  int64_t partitions = integerAttr(module, numPartitionsName);
  if (partitions > 0 || replicas > 1) {
    int64_t n = 0;
    if (llvm::MulOverflow(std::max<int64_t>(partitions, 1), replicas, n) ||
        n > kMaxDevices)
      return module.emitError()
             << "the module asks for " << partitions << " partitions "
             << "(mhlo.num_partitions) of " << replicas
             << " replicas (mhlo.num_replicas), expected a product of at most "
             << kMaxDevices;
    // JAX writes 1 if it has no mesh, so ignore 1.
    if (n > 1 && contradicts(n))
      return module.emitError() << "the module runs on " << n
                                << " devices (mhlo.num_partitions * "
                                   "mhlo.num_replicas), but --devices asks for "
                                << devices;
    if (n > 1)
      return n;
  }
  return devices > 0 ? devices : 1;
}

} // namespace shardwright
