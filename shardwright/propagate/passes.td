//===- passes.td - import, propagation and export passes of sdy ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and options are Shardy's. In each example, above `=>` is the input.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PROPAGATE_PASSES_TD
#define SHARDWRIGHT_PROPAGATE_PASSES_TD

include "shardwright/rules/shardy_version.td"
include "mlir/Pass/PassBase.td"

class PropagatePass<string name, string anchor> : Pass<name, anchor> {
  let dependentDialects = ["::shardwright::sdy::SdyDialect", "::mlir::func::FuncDialect"];
}
class ModulePass<string name> : PropagatePass<name, "::mlir::ModuleOp">;
class FuncPass<string name> : PropagatePass<name, "::mlir::func::FuncOp">;

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

def LiftInlinedMeshes : ModulePass<"sdy-lift-inlined-meshes"> {
  let summary = "gives every mesh one symbol";
  let description = [{
    Equal meshes become one; a mesh written inside a sharding becomes a symbol.
    ```mlir
    %1 = sdy.reshard %0 <mesh<["x"=2]>, [{"x"}, {} ]> : tensor<8x8xf32>
    =>
    sdy.mesh @mesh = <["x"=2]>
    %1 = sdy.reshard %0 <@mesh, [{"x"}, {} ]> : tensor<8x8xf32>
    ```
  }];
}

def RemoveSizeOneAxes : ModulePass<"sdy-remove-size-one-axes"> {
  let summary = "drops axes of size 1 from shardings";
  let description = [{
    ```mlir
    <@mesh, [{"x"}, {"one", ?} ]>   =>   <@mesh, [{"x"}, {?} ]>      // "one"=1
    ```
  }];
}

def PropagateShardingFromFuncToCall
    : ModulePass<"sdy-propagate-sharding-from-func-to-call"> {
  let summary = "gives calls without shardings those of the callee's results";
}

def ConstantOrScalarSplitter : ModulePass<"sdy-constant-or-scalar-splitter"> {
  let summary = "gives every use of a constant its own copy";
  let description = [{
    So that uses with different shardings do not meet in a shared constant.
    Constants of rank 0 stay shared. `stablehlo.constant` becomes `sdy.constant`,
    which nothing merges.
    ```mlir
    %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
    %1 = stablehlo.add %a, %0
    %2 = stablehlo.add %b, %0
    =>
    %0 = sdy.constant dense<0.0> : tensor<8xf32>
    %1 = sdy.constant dense<0.0> : tensor<8xf32>
    %2 = stablehlo.add %a, %0
    %3 = stablehlo.add %b, %1
    ```
  }];
}

def ManualAxesCleanup : ModulePass<"sdy-manual-axes-cleanup"> {
  let summary = "sorts manual axes and names unused ones as replicated";
  let description = [{
    ```mlir
    sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"} ]>] ... manual_axes={"y", "x"}
    =>
    sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"} ], replicated={"y"}>] ... manual_axes={"x", "y"}
    ```
  }];
}

def AddDataFlowEdges : ModulePass<"sdy-add-data-flow-edges"> {
  let summary = "puts a data_flow_edge after each value that owns an edge";
  let options = [
    Option<"extraRules", "sw-extra-rules", "bool", "false",
           "also where Shardy of sw-shardy knows no edges (stablehlo.if)">,
    ShardyOption];
}

def AddFuncDataFlowEdges : ModulePass<"sdy-add-func-data-flow-edges"> {
  let summary = "puts a func_data_flow_edge after arguments of callees and results of calls";
}

def ApplyShardingConstraints : ModulePass<"sdy-apply-sharding-constraints"> {
  let summary = "gives a constrained value without a sharding that of its constraint";
  let options = [
    Option<"debugShardingOrigins", "debug-sharding-origins", "bool", "false",
           "record which constraint or argument introduced each axis">,
    Option<"debugPropagationEdgeSharding", "debug-propagation-edge-sharding", "bool", "false",
           "record along which edges each axis propagated">,
    ShardyOption];
}

def ShardingGroupImport : ModulePass<"sdy-sharding-group-import"> {
  let summary = "merges sharding groups that share a value and numbers them 0, 1, ...";
}

def FlattenCallGraph : ModulePass<"sdy-flatten-call-graph"> {
  let summary = "gives every call its own copy of the callee";
}

def ImportFuncCalls : ModulePass<"sdy-import-func-calls"> {
  let summary = "turns calls into named computations";
  let options = [
    Option<"addDataFlowEdgesOnNamedComputations",
           "add-data-flow-edges-on-named-computations", "bool", "true",
           "add data flow edges to the named computations">];
}

def PreOrderFuncs : ModulePass<"sdy-pre-order-funcs"> {
  let summary = "orders functions so that callers come before callees";
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

class PropagationPass<string name> : ModulePass<name> {
  list<Option> commonOptions = [
    Option<"keepShardingRules", "keep-sharding-rules", "bool", "false",
           "leave sharding rules on the ops">,
    Option<"dumpDirectory", "module-dump-directory", "std::string", "\"\"",
           "where to write the module at interesting points">,
    Option<"conservativePropagation", "conservative-propagation", "bool", "false",
           "do not propagate what needs padding or halo exchange">,
    Option<"extraRules", "sw-extra-rules", "bool", "false",
           "also rules for ops for which Shardy has none">,
    ShardyOption,
    Option<"debugShardingOrigins", "debug-sharding-origins", "bool", "false",
           "record which constraint or argument introduced each axis">,
    Option<"debugPropagationEdgeSharding", "debug-propagation-edge-sharding", "bool", "false",
           "record along which edges each axis propagated">];
  list<Option> strategyOption = [
    Option<"propagationStrategy", "propagation-strategy",
           "::shardwright::PropagationStrategy",
           "::shardwright::PropagationStrategy::Aggressive", "which strategy, or both in turn",
           [{::llvm::cl::values(
             clEnumValN(::shardwright::PropagationStrategy::Basic, "basic",
                        "an axis moves only if it fits everywhere"),
             clEnumValN(::shardwright::PropagationStrategy::Aggressive, "aggressive",
                        "conflicts are resolved"),
             clEnumValN(::shardwright::PropagationStrategy::BasicThenAggressive,
                        "basic-then-aggressive", "first one, then the other"))}]>];
  list<Option> opPriorityOption = [
    Option<"runOpPriorityPropagation", "run-op-priority-propagation", "bool", "true",
           "propagate through cheap ops first">];
}

def BasicPropagate : PropagationPass<"sdy-basic-propagate"> {
  let summary = "propagates an axis only where every tensor of an op can take it";
  let options = commonOptions;
}

def AggressivePropagate : PropagationPass<"sdy-aggressive-propagate"> {
  let summary = "propagates and resolves conflicts between factors";
  let options = !listconcat(commonOptions, strategyOption);
}

def OpPriorityPropagate : PropagationPass<"sdy-op-priority-propagate"> {
  let summary = "propagates through identities first, then through all ops";
  let options = !listconcat(commonOptions, strategyOption, opPriorityOption);
}

def UserPriorityPropagate : PropagationPass<"sdy-user-priority-propagate"> {
  let summary = "propagates dimensions in the order of their priorities";
  let options = !listconcat(commonOptions, strategyOption, opPriorityOption);
}

//===----------------------------------------------------------------------===//
// Export
//===----------------------------------------------------------------------===//

def ExportNamedComputations : ModulePass<"sdy-export-named-computations"> {
  let summary = "turns named computations into calls of private functions";
}

def PropagateToFuncResults : ModulePass<"sdy-propagate-to-func-results"> {
  let summary = "gives results of functions the sharding of the value returned";
  let description = [{
    A result of main that has a sharding keeps it.
  }];
  let options = [ShardyOption];
}

def SinkFuncDataFlowEdges : FuncPass<"sdy-sink-func-data-flow-edges"> {
  let summary = "moves the sharding of each func_data_flow_edge to its operand";
}

def UnflattenCallGraph : ModulePass<"sdy-unflatten-call-graph"> {
  let summary = "makes calls share a function again where the shardings agree";
  let options = [
    Option<"dedupFunctionsFully", "dedup-functions-fully", "bool", "false",
           "share one function whatever the shardings">];
}

def InsertFuncCallReshards : ModulePass<"sdy-insert-func-call-reshards"> {
  let summary = "reshards results of calls whose sharding is not the callee's";
}

def ConstantOrScalarMerger : FuncPass<"sdy-constant-or-scalar-merger"> {
  let summary = "merges equal constants that ended with equal shardings";
}

def SinkDataFlowEdges : FuncPass<"sdy-sink-data-flow-edges"> {
  let summary = "moves the sharding of each data_flow_edge to its op";
  let options = [
    Option<"sinkDebugShardingOrigins", "sink-debug-sharding-origins", "bool", "false",
           "move recorded origins too">,
    Option<"sinkDebugPropagationEdgeSharding", "sink-debug-propagation-edge-sharding", "bool",
           "false", "move recorded edges too">];
}

def RemoveShardingGroups : ModulePass<"sdy-remove-sharding-groups"> {
  let summary = "erases sharding_group ops";
}

def ShardingConstraintToReshard : FuncPass<"sdy-sharding-constraint-to-reshard"> {
  let summary = "turns sharding constraints into reshards";
}

def UpdateNonDivisibleInputOutputShardings
    : ModulePass<"sdy-update-non-divisible-input-output-shardings"> {
  let summary = "trims axes that do not divide dimensions of arguments and results";
  let description = [{
    ```mlir
    tensor<12xf32> {"a"=2, "d"=8, "c"=4}   =>   {"a", "d":(1)2}
    ```
  }];
}

def RemoveSubAxesInInputOutputShardings
    : ModulePass<"sdy-remove-sub-axes-in-input-output-shardings"> {
  let summary = "cuts open dimensions of main's arguments and results at the first sub-axis";
}

def CloseShardings : ModulePass<"sdy-close-shardings"> {
  let summary = "closes every dimension and drops replicated axes";
  let description = [{
    ```mlir
    <@mesh, [{"x", ?}, {?} ], replicated={"y"}>   =>   <@mesh, [{"x"}, {} ]>
    ```
  }];
}

def RemovePropagationDebugInfo : ModulePass<"sdy-remove-propagation-debug-info"> {
  let summary = "removes recorded origins and edges";
}

def DropShardingRules : FuncPass<"sdy-drop-sharding-rules"> {
  let summary = "removes sharding rules except custom ones";
}

def DropShardingAndMesh : ModulePass<"sdy-drop-sharding-and-mesh"> {
  let summary = "removes all shardings and meshes";
}

def InlineMeshes : ModulePass<"sdy-inline-meshes"> {
  let summary = "writes meshes into shardings and erases their symbols";
}

#endif // SHARDWRIGHT_PROPAGATE_PASSES_TD
