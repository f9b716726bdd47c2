//===- compile.cc - compiles a module to an executable --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/compile.h"
#include "shardwright/compile/predict.h"
#include "shardwright/compile/region_program.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/element_type.h"
#include "shardwright/interop/bounded/bounded_passes.h"
#include "shardwright/partition/cost/machine_option.h"
#include "shardwright/partition/partition.h"
#include "shardwright/partition/prepare/pad_borders.h"
#include "shardwright/partition/shardy/pipelines.h"
#include "shardwright/report/explain/user_values.h"
#include "shardwright/report/type_text.h"
#include "shardwright/simplify/simplify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <chrono>
#include <cstdlib>

using namespace mlir;

namespace shardwright {
namespace {

constexpr llvm::StringLiteral memoryKindAttr("mhlo.memory_kind");

const llvm::StringRef printableStages[] = {"import", "propagate", "reshard",
                                           "local"};

/// Adds the lifetime of the object in seconds to `total`.
class Timer {
public:
  explicit Timer(double &total) : total(total) {}
  ~Timer() {
    total +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
  }

private:
  double &total;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

/// The mesh with a new outermost axis for the replicas, along which every value
/// is replicated.
Mesh withReplicas(const Mesh &mesh, int64_t replicas) {
  if (replicas == 1 || mesh.numAxes() == 0)
    return mesh;
  std::string name = "replica";
  while (mesh.find(name))
    name += "_";
  SmallVector<MeshAxis, 4> axes = {{name, replicas}};
  llvm::append_range(axes, mesh.axes());
  SmallVector<int64_t, 0> ids;
  if (!mesh.deviceIds().empty())
    for (int64_t r = 0; r < replicas; ++r)
      for (int64_t id : mesh.deviceIds())
        ids.push_back(r * mesh.numDevices() + id);
  return Mesh(axes, ids);
}

/// The meshes of the module's values, replicas included; the first is the mesh
/// of the program.
struct ProgramMeshes {
  std::vector<Mesh> meshes;
  int64_t replicas = 1;

  /// The index of the mesh of a sharding; 0 for a mesh without axes.
  int32_t idOf(Operation *op, sdy::TensorShardingAttr sharding) {
    sdy::MeshAttr attr = sdy::getMeshAttr(op, sharding);
    if (!attr || attr.getAxes().empty())
      return 0;
    Mesh mesh = withReplicas(sdy::meshFromAttr(attr), replicas);
    auto it = llvm::find(meshes, mesh);
    if (it == meshes.end())
      it = meshes.insert(it, std::move(mesh));
    return it - meshes.begin();
  }
};

/// The arguments or results of @main, with global types and closed shardings.
FailureOr<std::vector<ValueSpec>>
valueSpecs(func::FuncOp main, ProgramMeshes &meshes, bool arguments) {
  std::vector<ValueSpec> specs;
  unsigned n = arguments ? main.getNumArguments() : main.getNumResults();
  for (unsigned i = 0; i < n; ++i) {
    Type type =
        arguments ? main.getArgumentTypes()[i] : main.getResultTypes()[i];
    const char *what = arguments ? "argument" : "result";
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return main.emitError() << what << " #" << i << " has type " << type
                              << ", expected a tensor of static shape";
    std::optional<ElementType> element =
        elementTypeFromMLIR(tensor.getElementType());
    if (!element)
      return main.emitError()
             << what << " #" << i << " has element type "
             << tensor.getElementType() << ", which is not supported";
    ValueSpec spec;
    spec.type = *element;
    spec.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    if (auto unpadded = arguments ? main.getArgAttrOfType<DenseI64ArrayAttr>(
                                        i, kUnpaddedShapeAttrName)
                                  : main.getResultAttrOfType<DenseI64ArrayAttr>(
                                        i, kUnpaddedShapeAttrName))
      spec.shape.assign(unpadded.asArrayRef().begin(),
                        unpadded.asArrayRef().end());
    spec.sharding = TensorSharding::closed(tensor.getRank());
    auto attr = arguments ? main.getArgAttrOfType<sdy::TensorShardingAttr>(
                                i, sdy::kShardingAttr)
                          : main.getResultAttrOfType<sdy::TensorShardingAttr>(
                                i, sdy::kShardingAttr);
    spec.mesh = meshes.meshes.front().numAxes() > 0 ? 0 : -1;
    // A maximal sharding has no rank; such values are replicated at the
    // interface.
    if (attr && attr.getRank() == tensor.getRank() &&
        (tensor.getRank() > 0 || !attr.getUnreducedAxes().empty())) {
      spec.mesh = meshes.idOf(main, attr);
      spec.sharding = sdy::shardingFromAttr(attr, meshes.meshes[spec.mesh]);
    }
    auto kind = arguments
                    ? main.getArgAttrOfType<StringAttr>(i, memoryKindAttr)
                    : main.getResultAttrOfType<StringAttr>(i, memoryKindAttr);
    if (kind) {
      std::optional<MemoryKind> memory = memoryKindNamed(kind.getValue());
      if (!memory)
        return main.emitError()
               << what << " #" << i << " is in memory of kind " << kind
               << ", expected device, pinned_host or "
                  "unpinned_host";
      spec.memory = *memory;
    }
    if (arguments) {
      spec.name = sourceNameOf(main.getArgument(i).getLoc());
      if (spec.name.empty())
        spec.name = "arg" + std::to_string(i);
      auto alias = main.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
      auto donor = main.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
      spec.donated = alias || (donor && donor.getValue());
      if (alias && alias.getInt() >= 0 &&
          alias.getInt() < int64_t(main.getNumResults()))
        spec.aliasedResult = int32_t(alias.getInt());
    } else {
      auto info = main.getResultAttrOfType<StringAttr>(i, "jax.result_info");
      spec.name =
          info && !info.empty() ? info.str() : "out" + std::to_string(i);
    }
    if (auto size =
            arguments
                ? main.getArgAttrOfType<DenseI64ArrayAttr>(i, sizeOfAttr)
                : main.getResultAttrOfType<DenseI64ArrayAttr>(i, sizeOfAttr);
        size && size.size() == 2 && size[0] >= 0 && size[0] < int64_t(i)) {
      spec.sizeOf = size[0];
      spec.sizeOfDim = size[1];
      spec.name =
          specs[size[0]].name + ".size[" + std::to_string(size[1]) + "]";
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

/// The first mesh of the module that has axes, or an empty one.
Mesh moduleMesh(ModuleOp module) {
  for (sdy::MeshOp op : module.getOps<sdy::MeshOp>())
    if (!op.getMesh().getAxes().empty())
      return sdy::meshFromAttr(op.getMesh());
  return Mesh();
}

/// Bytes of one device's shard.
int64_t localBytes(const ValueSpec &spec) {
  int64_t elements = 1;
  for (int64_t size : localShape(spec.shape, spec.sharding))
    elements *= size;
  return elements * byteWidth(spec.type);
}

void describe(std::vector<ValueReport> &reports,
              const std::vector<ValueSpec> &specs, func::FuncOp main,
              const ProgramMeshes &meshes, bool arguments) {
  for (auto [i, spec] : llvm::enumerate(specs)) {
    ValueReport report;
    report.name = spec.name;
    auto type = cast<RankedTensorType>(arguments ? main.getArgumentTypes()[i]
                                                 : main.getResultTypes()[i]);
    report.type = typeText(type.clone(ArrayRef<int64_t>(spec.shape)));
    report.local = typeText(type.clone(localShape(spec.shape, spec.sharding)));
    report.sharding = str(spec.sharding, meshes.meshes[std::max(spec.mesh, 0)]);
    report.bytesPerDevice = double(localBytes(spec));
    reports.push_back(std::move(report));
  }
}

int64_t countOps(ModuleOp module) {
  int64_t n = 0;
  module.walk([&](Operation *) { ++n; });
  return n;
}

} // namespace

llvm::StringRef str(Stage stage) {
  return stage == Stage::Executable ? llvm::StringRef("executable")
                                    : printableStages[int(stage)];
}

std::optional<Stage> stageFromName(llvm::StringRef name) {
  for (auto [i, known] : llvm::enumerate(printableStages))
    if (known == name)
      return Stage(i);
  return std::nullopt;
}

ArrayRef<llvm::StringRef> stageNames() { return printableStages; }

LogicalResult requireEntry(ModuleOp module) {
  if (func::FuncOp main = sdy::getMainFunc(module)) {
    if (!main.isDeclaration())
      return success();
    return main.emitError() << "the entry function has no body";
  }
  return module.emitError() << "the module has no entry function, expected "
                               "@main or exactly one function";
}

FailureOr<int64_t> simplifyForDevices(ModuleOp imported, int64_t devices) {
  FailureOr<int64_t> count = countDevices(imported, devices);
  if (succeeded(count) && *count > 1 && failed(simplify(imported)))
    return failure();
  return count;
}

/// Makes the simplified program of one device.
static LogicalResult makeLocal(ModuleOp module, const CompileOptions &options,
                               const MachineModel &machine, int64_t replicas,
                               ProgramReport &report) {
  Timer timer(report.seconds.partition);
  if (failed(localize(module, machine, options.partition.target)) ||
      failed(simplify(module)))
    return failure();
  // Without a mesh every device runs the full program.
  if (report.mesh.numAxes() == 0) {
    Builder b(module);
    module->setAttr("mhlo.num_replicas", b.getI32IntegerAttr(replicas));
    module->setAttr("mhlo.num_partitions",
                    b.getI32IntegerAttr(report.devices / replicas));
  }
  OverlapOptions overlap;
  overlap.machine = machine;
  overlap.mesh = report.mesh;
  overlapCommunication(module, options.overlap, overlap);
  return success();
}

/// A machine may serve many programs, so it may name links of axes that this
/// one has not. A name next to that of an axis without a link is a typing
/// error.
static LogicalResult checkLinks(ModuleOp module, const MachineModel &machine) {
  SmallVector<StringRef> axes;
  for (sdy::MeshOp mesh : module.getOps<sdy::MeshOp>())
    for (sdy::MeshAxisAttr axis : mesh.getMesh().getAxes())
      axes.push_back(axis.getName());
  for (const auto &[name, link] : machine.links) {
    if (llvm::is_contained(axes, name))
      continue;
    for (StringRef axis : axes) {
      unsigned near = std::min<size_t>(2, axis.size() / 2);
      if (!machine.links.count(axis.str()) && near > 0 &&
          axis.edit_distance(name, /*AllowReplacements=*/true, near) <= near)
        return module.emitError()
               << "the machine '" << machine.name << "' has a link of axis '"
               << name << "', which the program does not have, did you mean \""
               << axis << "\"?";
    }
  }
  return success();
}

/// Gives the mesh axes the links of their levels.
static LogicalResult placeOnMachine(ModuleOp module, MachineModel &machine) {
  if (failed(checkLinks(module, machine)))
    return failure();
  FailureOr<MachineModel> placed = placeMesh(module, machine);
  if (succeeded(placed))
    machine = std::move(*placed);
  return placed;
}

static PropagateOptions propagateOptions(const CompileOptions &options) {
  PropagateOptions propagation;
  propagation.extraRules = true;
  propagation.shardy = options.shardy;
  propagation.insertReductions = false;
  propagation.updateNonDivisibleInputOutputShardings = !options.padsShards;
  propagation.observer = options.observer;
  propagation.verifies = options.verifies;
  propagation.kept = options.keptSteps;
  return propagation;
}

FailureOr<Compiled> compile(ModuleOp module, const CompileOptions &options) {
  Compiled compiled;
  ProgramReport &report = compiled.report;
  PartitionOptions partition = options.partition;
  MachineModel machine;
  StageSeconds &seconds = report.seconds;
  /// True if `stage` is the last requested one.
  auto done = [&](Stage stage) {
    if (options.afterStage)
      options.afterStage(stage, module);
    return options.stopAfter == stage;
  };

  EntrySignature signature;
  if (options.form == ProgramForm::Region)
    signature = EntrySignature::of(module);
  int64_t replicas = 1;
  {
    Timer timer(seconds.import);
    if (!options.isImported && failed(importModule(module, options.import)))
      return failure();
    if (failed(requireEntry(module)))
      return failure();
    report.ops = countOps(module);
    FailureOr<int64_t> devices =
        options.isImported ? countDevices(module, options.import.devices)
                           : simplifyForDevices(module, options.import.devices);
    if (failed(devices))
      return failure();
    report.devices = *devices;
    if (partition.machine && failed(placeOnMachine(module, *partition.machine)))
      return failure();
    machine = partition.machine.value_or(MachineModel());
    replicas = countReplicas(module);
    report.mesh = withReplicas(moduleMesh(module), replicas);
  }
  if (done(Stage::Import))
    return compiled;

  {
    Timer timer(seconds.propagate);
    if (options.beforePropagate && failed(options.beforePropagate(module)))
      return failure();
    if (failed(propagate(module, propagateOptions(options))))
      return failure();
  }
  if (done(Stage::Propagate))
    return compiled;

  {
    Timer timer(seconds.partition);
    if (options.beforePartition && failed(options.beforePartition(module)))
      return failure();
    if (options.padsShards && failed(padBorders(sdy::getMainFunc(module))))
      return failure();
    if (partition.machine)
      partition.planned = &report.predicted.planned.emplace();
    if (failed(insertCollectives(module, partition)))
      return failure();
  }
  func::FuncOp main = sdy::getMainFunc(module);
  ProgramMeshes meshes{{report.mesh}, replicas};
  FailureOr<std::vector<ValueSpec>> arguments =
      valueSpecs(main, meshes, /*arguments=*/true);
  FailureOr<std::vector<ValueSpec>> results =
      valueSpecs(main, meshes, /*arguments=*/false);
  if (failed(arguments) || failed(results))
    return failure();
  describe(report.arguments, *arguments, main, meshes, true);
  describe(report.results, *results, main, meshes, false);
  compiled.meshes = std::move(meshes.meshes);
  compiled.arguments = std::move(*arguments);
  compiled.results = std::move(*results);
  if (done(Stage::Reshard))
    return compiled;

  if (failed(makeLocal(module, options, machine, replicas, report)))
    return failure();
  predict(module, options, machine, report);
  if (options.form == ProgramForm::Region &&
      failed(signature.convertToRegion(module, compiled, options.partition)))
    return failure();
  if (done(Stage::Local))
    return compiled;

  if (options.form == ProgramForm::Region)
    return module.emitError() << "a program in region form is for another "
                                 "compiler, and cannot become an executable";
  if (failed(generateCode(module, compiled, options)))
    return failure();
  return compiled;
}

LogicalResult generateCode(ModuleOp local, Compiled &compiled,
                           const CompileOptions &options) {
  ProgramReport &report = compiled.report;
  Timer timer(report.seconds.compile);
  Backend &backend =
      options.backend ? *options.backend : Client::shared().backend();
  ProgramOptions program;
  program.donations = donationsOf(compiled.arguments);
  program.cacheDir = options.kernelCacheDir;
  if (const char *directory = std::getenv("SHARDWRIGHT_KERNEL_CACHE");
      directory && program.cacheDir.empty())
    program.cacheDir = directory;
  program.compileThreads = options.compileThreads;
  ExecutableParts parts;
  FailureOr<std::shared_ptr<LoadedProgram>> loaded =
      backend.compile(local, program);
  if (failed(loaded))
    return failure();
  for (const ValueSpec &spec : compiled.arguments)
    report.argumentBytes += localBytes(spec);
  for (const ValueSpec &spec : compiled.results)
    report.resultBytes += localBytes(spec);
  report.arenaBytes = (*loaded)->memory().temporaries;
  report.reusedBytes = (*loaded)->memory().reusedByResults;
  parts.program = std::move(*loaded);
  parts.meshes = compiled.meshes;
  if (parts.meshes.empty())
    parts.meshes.push_back(report.mesh);
  parts.arguments = compiled.arguments;
  parts.results = compiled.results;
  parts.notes = reportNotes(report);
  llvm::Expected<std::unique_ptr<Executable>> executable =
      Executable::create(std::move(parts));
  if (!executable)
    return local.emitError() << llvm::toString(executable.takeError());
  report.peakBytesPerDevice = (*executable)->peakBytesPerDevice();
  compiled.executable = std::move(*executable);
  return success();
}

} // namespace shardwright
