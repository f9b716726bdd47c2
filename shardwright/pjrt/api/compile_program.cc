//===- compile_program.cc - compilation of a client's module --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/auto_named_options.h"
#include "shardwright/auto/plan_inside.h"
#include "shardwright/auto/prepare.h"
#include "shardwright/compile/compile.h"
#include "shardwright/compile/host_callbacks.h"
#include "shardwright/compile/named_options.h"
#include "shardwright/ffi/attributes.h"
#include "shardwright/interop/portable/portable.h"
#include "shardwright/interop/region/region_passes.h"
#include "shardwright/mesh/hlo/hlo_sharding.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/pjrt/api/program.h"
#include "shardwright/pjrt/calls/expand_calls.h"
#include "shardwright/pjrt/calls/host_callback.h"
#include "shardwright/pjrt/calls/propagate_calls.h"
#include "shardwright/pjrt/request/prepare_module.h"
#include "shardwright/pjrt/request/program_reader.h"
#include "shardwright/pjrt/request/program_text.h"
#include "shardwright/pjrt/request/save_program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <numeric>

using namespace mlir;

namespace shardwright::pjrt {

static std::string fingerprintOf(StringRef code, StringRef options,
                                 const Backend &backend) {
  llvm::BLAKE3 hasher;
  hasher.update(code);
  hasher.update(options);
  hasher.update(SHARDWRIGHT_VERSION);
  hasher.update(backend.codeIdentity());
  llvm::BLAKE3Result<16> sum = hasher.final<16>();
  return llvm::toHex(llvm::ArrayRef<uint8_t>(sum), /*LowerCase=*/true);
}

/// The mesh of JAX's AUTO before 0.10.1, whose axes have no names there.
static void takeAutoMesh(const CompileRequest &request, AutoOptions &options) {
  for (auto [i, size] : llvm::enumerate(request.autoMeshShape))
    options.mesh.push_back({"axis" + std::to_string(i), size});
  bool inOrder = true;
  for (auto [i, id] : llvm::enumerate(request.autoMeshIds))
    inOrder &= id == int64_t(i);
  if (!inOrder)
    options.deviceIds.assign(request.autoMeshIds.begin(),
                             request.autoMeshIds.end());
}

/// Lists the replicas of an all_to_all of all of them: StableHLO's verifier in
/// PyTorch/XLA divides by the size of the groups.
static void listGroupsOfAllToAll(ModuleOp local, int64_t replicas) {
  local.walk([&](stablehlo::AllToAllOp op) {
    auto groups = op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
    if (!groups || !groups.empty())
      return;
    SmallVector<int64_t> all(replicas);
    std::iota(all.begin(), all.end(), 0);
    op->setAttr(
        "replica_groups",
        DenseIntElementsAttr::get(
            RankedTensorType::get({1, replicas}, groups.getElementType()),
            all));
  });
}

/// Prepares the program of one device for XLA's reader of modules, by which
/// PyTorch/XLA gets the shardings of its results: notes the shardings of
/// parameters and outputs, and splits collectives of several operands, which
/// the reader refuses if their element types differ. Shardings list their
/// devices: PyTorch/XLA finds compiled programs by them, but takes iotas of any
/// transposition for equal.
static void prepareForTorchXla(ModuleOp local, const ClientProgram &program) {
  splitCollectives(local);
  listGroupsOfAllToAll(local, program.request.numReplicas);
  if (program.request.numPartitions == 1)
    return;
  Builder b(local.getContext());
  auto texts = [](const StringTable &protos) {
    SmallVector<std::string> found;
    for (const std::string &proto : protos.texts) {
      llvm::Expected<HloSharding> sharding = HloSharding::fromProto(proto);
      if (!sharding)
        llvm::consumeError(sharding.takeError());
      found.push_back(sharding && !proto.empty()
                          ? sharding->withDeviceList().str()
                          : "{replicated}");
    }
    return found;
  };
  SmallVector<std::string> outputs = texts(program.outputShardings);
  SmallVector<Attribute> parameters;
  for (const std::string &text : texts(program.parameterShardings))
    parameters.push_back(b.getStringAttr(text));
  local->setAttr("mhlo.spmd_output_sharding",
                 b.getStringAttr(outputs.size() == 1
                                     ? outputs.front()
                                     : "{" + llvm::join(outputs, ", ") + "}"));
  local->setAttr("mhlo.spmd_parameters_shardings", b.getArrayAttr(parameters));
}

/// The program as a portable artifact for the reader of the client, of the
/// version in which it wrote `code`: texts of another version of MLIR may
/// differ (as in constants of bools). Text if it cannot be an artifact.
static std::string textForTorchXla(ModuleOp local, StringRef code) {
  if (std::optional<vhlo::Version> version = artifactVersion(code)) {
    std::string name, artifact;
    llvm::raw_string_ostream(name)
        << std::clamp(*version, vhlo::kMinimumVersion, vhlo::kCurrentVersion);
    llvm::raw_string_ostream os(artifact);
    ScopedDiagnosticHandler quiet(local.getContext(),
                                  [](Diagnostic &) { return success(); });
    if (succeeded(writePortableArtifact(local, name, os)))
      return artifact;
  }
  return programText(local);
}

/// True if what a replica computes depends on its number or on other replicas.
static bool replicasDiffer(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isCollective(op) || isa<stablehlo::ReplicaIdOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Applies the options that the user sets by name.
static llvm::Error applyOverrides(const CompileRequest &request,
                                  CompileOptions &options,
                                  AutoRequest &automatic) {
  for (const NamedText &option : request.overrides) {
    llvm::Expected<bool> isAuto =
        applyAutoOption(option.name, option.value, automatic);
    if (!isAuto)
      return isAuto.takeError();
    if (*isAuto)
      continue;
    if (llvm::Error e = applyNamedOption(option.name, option.value, options))
      return e;
  }
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<ClientProgram>>
compileProgram(StringRef code, ProgramFormat format, CompileRequest request,
               Backend &backend) {
  CompileOptions options;
  options.backend = &backend;
  options.padsShards = request.isTorchXla;
  AutoRequest automatic;
  if (llvm::Error e = applyOverrides(request, options, automatic))
    return e;
  ProgramReader reader;
  auto program = std::make_shared<ClientProgram>();
  program->fingerprint = fingerprintOf(code, request.key(), backend);
  KeptSources kept;
  OwningOpRef<ModuleOp> module =
      reader.read(code, format, request.numReplicas, request.numPartitions);
  if (!module)
    return reader.error();
  // PyTorch/XLA always asks for as many replicas as there are devices, and
  // calls each of them by itself.
  if (request.isTorchXla && request.numPartitions == 1 &&
      !replicasDiffer(*module)) {
    request.numReplicas = 1;
    request.assignment.clear();
    request.isPortable = true;
  }
  program->name = module->getSymName().value_or("module").str();
  closeShardings(*module, request);
  if (failed(ffi::checkFfiAttributes(*module)))
    return reader.error();
  pinCallbacks(*module);
  FailureOr<ProgramLayouts> layouts = takeLayoutModes(*module);
  if (failed(layouts))
    return reader.error();
  program->layouts = std::move(*layouts);
  FailureOr<TokenPositions> tokens = dropTokens(*module);
  if (failed(tokens))
    return reader.error();
  program->argumentOf = std::move(tokens->argumentOf);
  program->resultOf = std::move(tokens->resultOf);

  Builder b(&reader.context);
  module.get()->setAttr("mhlo.num_partitions",
                        b.getI32IntegerAttr(request.numPartitions));
  module.get()->setAttr("mhlo.num_replicas",
                        b.getI32IntegerAttr(request.numReplicas));
  if (llvm::Error e = saveProgram(*module))
    return e;
  options.import.devices = request.numDevices();
  if (!request.usesShardy)
    options.beforePropagate = [&](ModuleOp module) {
      return propagateThroughClientCalls(module, request.numPartitions);
    };
  options.beforePartition = [&](ModuleOp module) {
    return expandClientCalls(module, request.numPartitions, kept);
  };
  if (request.usesAuto) {
    automatic.isAsked = true;
    if (automatic.options.mesh.empty() && !hasMesh(*module))
      takeAutoMesh(request, automatic.options);
  }
  automatic.chooseMachine(options);
  automatic.options.compile = options;
  if (automatic.isAsked && request.numPartitions > 1 &&
      failed(shardAsAsked(module, automatic)))
    return reader.error();
  if (automatic.plansInside && failed(planInside(*module, options)))
    return reader.error();
  OwningOpRef<ModuleOp> local;
  options.afterStage = [&](Stage stage, ModuleOp module) {
    if (stage != Stage::Local)
      return;
    shareCallbackResults(module, request.numPartitions);
    writeLayouts(module, program->layouts,
                 {program->argumentOf, program->resultOf});
    if (request.isTorchXla)
      local = module.clone();
    else
      program->text = programText(module);
    dropLayouts(module);
  };
  FailureOr<Compiled> compiled = compile(*module, options);
  if (failed(compiled))
    return reader.error();
  program->executable = compiled->executable;
  if (program->executable->numDevices() != request.numDevices())
    return llvm::createStringError(
        "the program's mesh has " + Twine(program->executable->numDevices()) +
        " devices, expected " + Twine(request.numReplicas) + " replicas of " +
        Twine(request.numPartitions) + " partitions");
  program->request = std::move(request);
  program->describe();
  if (local) {
    prepareForTorchXla(*local, *program);
    program->text = textForTorchXla(*local, code);
  }
  return program;
}

} // namespace shardwright::pjrt
