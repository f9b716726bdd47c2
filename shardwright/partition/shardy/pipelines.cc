//===- pipelines.cc - Shardy's pipelines ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/shardy/pipelines.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "shardwright/partition/shardy/passes.h"
#include "shardwright/partition/shardy/pipeline_steps.h"
#include "shardwright/partition/shardy/propagate_through_calls.h"
#include "shardwright/propagate/export/export_steps.h"
#include "shardwright/propagate/export/save_module.h"
#include "shardwright/propagate/passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace shardwright {

static void addDump(OpPassManager &pm, const PropagateOptions &options,
                    StringRef name, int64_t &dumpIndex) {
  if (!options.dumpDirectory.empty())
    pm.addPass(
        createSaveModulePass(options.dumpDirectory, name.str(), dumpIndex++));
}

void addImportPipeline(OpPassManager &pm, const PropagateOptions &options,
                       int64_t &dumpIndex) {
  pm.addPass(createSymbolDCEIfNeeded());
  pm.addPass(createLiftInlinedMeshes());
  pm.addPass(createRemoveSizeOneAxes());
  pm.addPass(createPropagateShardingFromFuncToCall());
  pm.addPass(createConstantOrScalarSplitter());
  if (options.enableExplicitGatherScatterBatching)
    pm.addNestedPass<func::FuncOp>(createExplicitGatherScatterBatching());
  pm.addPass(createSymbolDCEIfNeeded());
  pm.addPass(createManualAxesCleanup());
  addDump(pm, options, "before_propagation", dumpIndex);
  pm.addPass(createAddDataFlowEdges(
      {.extraRules = options.extraRules, .shardy = options.shardy}));
  if (options.dedupFunctionsFully) {
    pm.addPass(createApplyShardingConstraints({.shardy = options.shardy}));
    pm.addPass(createShardingGroupImport());
  }
}

/// Runs function passes on the whole module, because the pass manager would
/// invalidate the module's analyses.
void addExportPipeline(OpPassManager &pm, const PropagateOptions &options,
                       int64_t &dumpIndex) {
  pm.addPass(createModuleStep("ConstantOrScalarMerger",
                              [](ModuleOp, ModuleAnalyses analyses) {
                                mergeConstantsAndScalars(analyses.index());
                                return success();
                              }));
  pm.addPass(createModuleStep(
      "SinkDataFlowEdges", [=, origins = options.debugShardingOrigins,
                            edges = options.debugPropagationEdgeSharding](
                               ModuleOp, ModuleAnalyses analyses) {
        if (analyses.contents().dataFlow)
          sinkDataFlowEdges(analyses.index(), origins, edges);
        return success();
      }));
  bool forPartitioning = !options.avoidExportForPartitioning;
  if (forPartitioning) {
    pm.addPass(createRemoveShardingGroups());
    pm.addPass(createModuleStep("ShardingConstraintToReshard",
                                [](ModuleOp, ModuleAnalyses analyses) {
                                  if (analyses.contents().constraints)
                                    constraintsToReshards(analyses.index());
                                  return success();
                                }));
  }
  if (options.updateNonDivisibleInputOutputShardings) {
    pm.addPass(createUpdateNonDivisibleInputOutputShardings());
    pm.addPass(createRemoveSubAxesInInputOutputShardings());
  }
  pm.addPass(createCloseShardings());
  addDump(pm, options, "after_propagation", dumpIndex);

  if (forPartitioning) {
    if (options.insertReductions &&
        options.shardy >= ShardyVersion::Jaxlib0_12_0)
      pm.addPass(createModuleStep("VerifyUnreducedAxes",
                                  [](ModuleOp module, ModuleAnalyses analyses) {
                                    if (!analyses.contents().unreduced)
                                      return success();
                                    return verifyUnreducedAxes(module);
                                  }));
    pm.addPass(createModuleStep(
        "InsertExplicitReshards",
        [full = options.enableInsertExplicitCollectives ||
                options.enablePerInstructionPartitioning,
         reductions = options.insertReductions,
         shardy = options.shardy](ModuleOp module, ModuleAnalyses analyses) {
          return insertExplicitReshards(module, analyses.contents(),
                                        analyses.index(), analyses.calls(),
                                        full, reductions, shardy);
        }));
    if (options.enablePerInstructionPartitioning) {
      PerInstructionPartitioningOptions each;
      each.filter = options.perInstructionPartitioningFilter;
      each.replicaCount = options.replicaCount;
      each.partitionCount = options.partitionCount;
      each.shardy = options.shardy;
      pm.addPass(createPerInstructionPartitioning(each));
    } else if (options.enableInsertExplicitCollectives) {
      pm.addPass(mlir::createCanonicalizerPass(GreedyRewriteConfig(), {},
                                               {sdy::kReshardLabel.str()}));
      pm.addNestedPass<func::FuncOp>(createReshardToCollectives(
          {/*keepRedundantReshards=*/false, options.shardy}));
    }
    pm.addPass(createCanonicalizeCollectives());
    if (options.enableInsertExplicitCollectives &&
        options.removeAllGatherReduceScatterForCMV1)
      pm.addNestedPass<func::FuncOp>(
          createRemoveAllGatherReduceScatterForCMV1());
    addDump(pm, options,
            options.enableInsertExplicitCollectives
                ? "after_partitioner_with_global_shapes"
                : "after_minimal_partitioner_with_global_shapes",
            dumpIndex);
  }
  if (options.debugShardingOrigins || options.debugPropagationEdgeSharding)
    pm.addPass(createRemovePropagationDebugInfo());
  if (!options.keepShardingRules)
    pm.addPass(createModuleStep(
        "DropShardingRules", [](ModuleOp module, ModuleAnalyses analyses) {
          if (hasRulesToDrop(analyses.index()))
            for (auto func : module.getOps<func::FuncOp>())
              dropShardingRules(func);
          return success();
        }));
  if (forPartitioning && options.inlineMeshes)
    pm.addPass(createInlineMeshes());
}

void addLocalizationPasses(OpPassManager &pm,
                           const LocalizationOptions &options) {
  int64_t replicas = options.replicaCount, partitions = options.partitionCount;
  pm.addNestedPass<func::FuncOp>(createInsertExplicitReshards(
      {/*enableFullVersion=*/true,
       /*markPartialResults=*/false, options.shardy}));
  pm.addPass(createResolvePermutationFactors(
      {options.enableHaloExchange, options.rngBitGeneratorUnsafe, replicas,
       partitions, options.shardy}));
  pm.addNestedPass<func::FuncOp>(createReshardToCollectives(
      {/*keepRedundantReshards=*/false, options.shardy}));
  pm.addPass(mlir::createCanonicalizerPass(GreedyRewriteConfig(), {},
                                           {sdy::kCollectiveLabel.str()}));
  pm.addPass(createPadForDivisibility({replicas, partitions}));
  pm.addNestedPass<func::FuncOp>(
      createResolveSingleDeviceSharding({replicas, partitions}));
  ConvertGlobalToLocalOptions local;
  local.replicaCount = replicas;
  local.partitionCount = partitions;
  local.shardy = options.shardy;
  pm.addPass(createConvertGlobalToLocal(local));
  pm.addPass(createDropShardingAndMesh());
}

void addCallFlattening(OpPassManager &pm) {
  pm.addPass(createFlattenCallGraph());
  pm.addPass(createSymbolDCEIfNeeded());
}

void addConstraintAndCallImport(OpPassManager &pm,
                                const PropagateOptions &options) {
  auto importConstraints = [&] {
    return createApplyShardingConstraints({options.debugShardingOrigins,
                                           options.debugPropagationEdgeSharding,
                                           options.shardy});
  };
  if (options.shardy >= ShardyVersion::Jaxlib0_12_0) {
    pm.addPass(createAddFuncDataFlowEdges());
    pm.addPass(importConstraints());
    pm.addNestedPass<func::FuncOp>(createSinkFuncDataFlowEdges());
    pm.addPass(createShardingGroupImport());
    pm.addPass(createImportFuncCalls());
    pm.addPass(createSymbolDCEIfNeeded());
  } else {
    pm.addPass(createImportFuncCalls());
    pm.addPass(createSymbolDCEIfNeeded());
    pm.addPass(importConstraints());
    pm.addPass(createShardingGroupImport());
  }
}

static UserPriorityPropagateOptions
propagationOptions(const PropagateOptions &options) {
  UserPriorityPropagateOptions propagation;
  // No pass reads the rules before they are dropped.
  propagation.keepShardingRules = options.keepShardingRules;
  propagation.dumpDirectory = options.dumpDirectory;
  propagation.conservativePropagation = options.conservativePropagation;
  propagation.extraRules = options.extraRules;
  propagation.shardy = options.shardy;
  propagation.debugShardingOrigins = options.debugShardingOrigins;
  propagation.debugPropagationEdgeSharding =
      options.debugPropagationEdgeSharding;
  return propagation;
}

/// From sdy-flatten-call-graph to sdy-unflatten-call-graph, if calls are
/// copied.
static void addPropagationThroughCalls(OpPassManager &pm,
                                       const PropagateOptions &options,
                                       int64_t dumpIndex) {
  addCallFlattening(pm);
  addConstraintAndCallImport(pm, options);
  pm.addPass(createPreOrderFuncs());
  pm.addPass(createUserPriorityPropagate(propagationOptions(options),
                                         options.observer, dumpIndex));
  if (options.addAutoPartitioner)
    options.addAutoPartitioner(pm, options);
  pm.addPass(createExportNamedComputations());
  pm.addPass(createPropagateToFuncResults({options.shardy}));
  pm.addPass(createUnflattenCallGraph());
}

/// True if no option exposes the module between the passes, or the copies of
/// ops.
static bool mayShareCalls(const PropagateOptions &options) {
  return !options.observer && !options.keepShardingRules &&
         !options.debugShardingOrigins &&
         !options.debugPropagationEdgeSharding &&
         options.dumpDirectory.empty() && !options.addAutoPartitioner;
}

void addPropagationPipeline(OpPassManager &pm,
                            const PropagateOptions &options) {
  int64_t dumpIndex = 1;
  addImportPipeline(pm, options, dumpIndex);
  if (options.dedupFunctionsFully) {
    pm.addPass(createAddFuncDataFlowEdges());
    pm.addPass(createPreOrderFuncs());
    pm.addPass(createUserPriorityPropagate(propagationOptions(options),
                                           options.observer, dumpIndex));
    if (options.addAutoPartitioner)
      options.addAutoPartitioner(pm, options);
    pm.addPass(createPropagateToFuncResults({options.shardy}));
    pm.addNestedPass<func::FuncOp>(createSinkFuncDataFlowEdges());
    pm.addPass(createUnflattenCallGraph());
  } else if (mayShareCalls(options)) {
    EngineOptions engine;
    engine.conservative = options.conservativePropagation;
    engine.extraRules = options.extraRules;
    engine.shardy = options.shardy;
    engine.kept = options.kept;
    pm.addPass(
        createPropagateThroughCalls(engine, [options](OpPassManager &pm) {
          addPropagationThroughCalls(pm, options, /*dumpIndex=*/1);
        }));
  } else {
    addPropagationThroughCalls(pm, options, dumpIndex);
  }
  pm.addPass(createSymbolDCEIfNeeded());
  pm.addPass(createInsertFuncCallReshards());
  addExportPipeline(pm, options, dumpIndex);
}

LogicalResult propagate(ModuleOp module, const PropagateOptions &options) {
  PassManager pm = PassManager::on<ModuleOp>(module.getContext());
  addPropagationPipeline(pm, options);
  // Verify once at the end: verifying after each of thirty passes would take
  // longer than the passes.
  pm.enableVerifier(false);
  if (failed(pm.run(module)))
    return failure();
  return success(!options.verifies || succeeded(verify(module)));
}

namespace {

struct ShardyOption {
  explicit ShardyOption(mlir::detail::PassOptions &parent)
      : version(parent, "sw-shardy",
                llvm::cl::desc("behave like this version of Shardy"),
                llvm::cl::init(kNewestShardy), shardyVersionValues()) {}

  mlir::detail::PassOptions::Option<ShardyVersion> version;
};

struct DedupOptions : PassPipelineOptions<DedupOptions> {
  Option<bool> dedupFunctionsFully{
      *this, "dedup-functions-fully",
      llvm::cl::desc(
          "keep one copy of each function for all shardings of its calls"),
      llvm::cl::init(false)};

  Option<bool> extraRules{
      *this, "sw-extra-rules",
      llvm::cl::desc("add sharding rules for ops that have none in Shardy"),
      llvm::cl::init(false)};
  ShardyOption shardy{*this};

  PropagateOptions get() const {
    PropagateOptions options;
    options.dedupFunctionsFully = dedupFunctionsFully;
    options.extraRules = extraRules;
    options.shardy = shardy.version;
    return options;
  }
};

struct ExportOptions : PassPipelineOptions<ExportOptions> {
  Option<std::string> dumpDirectory{
      *this, "dump-directory",
      llvm::cl::desc("where to write the module after the main steps")};
  Option<bool> avoidExportForPartitioning{
      *this, "avoid-export-for-partitioning",
      llvm::cl::desc("keep constraints and groups, insert no reshards"),
      llvm::cl::init(false)};
  Option<bool> enableInsertExplicitCollectives{
      *this, "enable-insert-explicit-collectives",
      llvm::cl::desc("turn reshards into collectives"), llvm::cl::init(false)};
  Option<bool> removeAllGatherReduceScatterForCMV1{
      *this, "remove-all-gather-reduce-scatter-for-cmv1",
      llvm::cl::desc("leave some collectives to the collective matmul"),
      llvm::cl::init(false)};
  Option<bool> enablePerInstructionPartitioning{
      *this, "enable-per-instruction-partitioning",
      llvm::cl::desc("partition selected ops one by one"),
      llvm::cl::init(false)};
  Option<std::string> perInstructionPartitioningFilter{
      *this, "per-instruction-partitioning-filter",
      llvm::cl::desc(
          "the ops: selectLow=N, selectHigh=N, or parts of their names")};
  Option<int64_t> replicaCount{
      *this, "replica-count",
      llvm::cl::desc(
          "number of replicas; above 1 the devices of the mesh are replicas"),
      llvm::cl::init(1)};
  Option<int64_t> partitionCount{
      *this, "partition-count",
      llvm::cl::desc("number of partitions; above 1 the devices of the mesh "
                     "are partitions"),
      llvm::cl::init(1)};
  Option<bool> keepShardingRules{*this, "keep-sharding-rules",
                                 llvm::cl::desc("keep sharding rules"),
                                 llvm::cl::init(false)};
  Option<bool> dumpShardingOrigins{
      *this, "dump-sharding-origins",
      llvm::cl::desc("keep recorded origins until the dump"),
      llvm::cl::init(false)};
  Option<bool> dumpPropagationEdges{
      *this, "dump-propagation-edges",
      llvm::cl::desc("keep recorded edges until the dump"),
      llvm::cl::init(false)};
  Option<bool> avoidReshardsOnCalls{*this, "avoid-reshards-on-calls",
                                    llvm::cl::desc("accepted, not used"),
                                    llvm::cl::init(false)};
  Option<bool> updateNonDivisible{
      *this, "update-non-divisible-input-output-shardings",
      llvm::cl::desc("trim axes that do not divide arguments and results"),
      llvm::cl::init(true)};
  Option<bool> inlineMeshes{
      *this, "inline-meshes",
      llvm::cl::desc("write meshes into shardings (default: as sw-shardy does, "
                     "true since 0.12)"),
      llvm::cl::init(false)};
  ShardyOption shardy{*this};

  PropagateOptions get() const {
    PropagateOptions options;
    options.dumpDirectory = dumpDirectory;
    options.avoidExportForPartitioning = avoidExportForPartitioning;
    options.enableInsertExplicitCollectives = enableInsertExplicitCollectives;
    options.removeAllGatherReduceScatterForCMV1 =
        removeAllGatherReduceScatterForCMV1;
    options.enablePerInstructionPartitioning = enablePerInstructionPartitioning;
    options.perInstructionPartitioningFilter = perInstructionPartitioningFilter;
    options.replicaCount = replicaCount;
    options.partitionCount = partitionCount;
    options.keepShardingRules = keepShardingRules;
    options.debugShardingOrigins = dumpShardingOrigins;
    options.debugPropagationEdgeSharding = dumpPropagationEdges;
    options.updateNonDivisibleInputOutputShardings = updateNonDivisible;
    // Options that were given as text count as given; others have no value.
    options.inlineMeshes = inlineMeshes.hasValue()
                               ? bool(inlineMeshes)
                               : shardy.version >= ShardyVersion::Jaxlib0_12_0;
    options.shardy = shardy.version;
    return options;
  }
};

} // namespace

void registerShardyPipelines() {
  registerShardyPartitionPasses();
  PassPipelineRegistration<DedupOptions>(
      "sdy-import-pipeline", "prepares a module for propagation",
      [](OpPassManager &pm, const DedupOptions &options) {
        int64_t dumpIndex = 0;
        addImportPipeline(pm, options.get(), dumpIndex);
      });
  PassPipelineRegistration<DedupOptions>(
      "sdy-propagation-pipeline", "import, propagation and export",
      [](OpPassManager &pm, const DedupOptions &options) {
        addPropagationPipeline(pm, options.get());
      });
  PassPipelineRegistration<ExportOptions>(
      "sdy-export-pipeline", "makes a propagated module ready to partition",
      [](OpPassManager &pm, const ExportOptions &options) {
        int64_t dumpIndex = 0;
        addExportPipeline(pm, options.get(), dumpIndex);
      });
}

} // namespace shardwright
