//===- sdy_ops.td - ops of the sdy dialect ------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_SDY_OPS_TD
#define SHARDWRIGHT_DIALECT_SDY_SDY_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardwright/dialect/sdy/sdy_attrs.td"
include "shardwright/dialect/sdy/sdy_dialect.td"
include "shardwright/dialect/sdy/sdy_interfaces.td"

// Order of attributes is the order in bytecode.
class Sdy_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sdy_Dialect, mnemonic, traits>;

// Tensor that a constant may have; token tensors exist in StableHLO only.
def Sdy_StaticShapeTensor : Type<
    And<[AnyStaticShapeTensor.predicate,
         CPred<"!::shardwright::sdy::detail::hasTokenElement($_self)">]>,
    "statically shaped tensor of any non-token type values", "::mlir::RankedTensorType">;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol, HasParent<"mlir::ModuleOp">]> {
  let summary = "names a mesh";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

//===----------------------------------------------------------------------===//
// Shardings of values
//===----------------------------------------------------------------------===//

def Sdy_ShardingConstraintOp
    : Sdy_Op<"sharding_constraint", [SameOperandsAndResultType]> {
  let summary = "asks for a sharding";
  let description = [{
    Without uses, its sharding is that of `input`; with uses, it holds for those.
    Not pure, so that a dangling one survives.
  }];
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ReshardOp : Sdy_Op<"reshard", [Pure, SameOperandsAndResultType]> {
  let summary = "changes the layout of a value";
  let arguments = (ins AnyType:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "all members of a group end with one sharding";
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def Sdy_PropagationBarrierOp
    : Sdy_Op<"propagation_barrier", [Pure, SameOperandsAndResultType]> {
  let summary = "identity through which shardings flow in one direction or in none";
  let arguments = (ins AnyRankedTensor:$input, Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Sdy_ConstantOp
    : Sdy_Op<"constant", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "constant that is neither folded nor merged";
  let description = [{
    As `stablehlo.constant`, but every use may have its own copy and sharding.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Sdy_StaticShapeTensor:$output);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Data flow
//===----------------------------------------------------------------------===//

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, ReturnLike, Terminator]> {
  let summary = "ends a region of an sdy op";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [
    IsolatedFromAbove, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">,
    DeclareOpInterfaceMethods<Sdy_ShardableDataFlowOpInterface, [
      "getBlockArgumentEdgeOwners", "getBlockArgumentEdgeOwnerShardings",
      "setBlockArgumentEdgeOwnerShardings", "getOpResultEdgeOwnerShardings",
      "setOpResultEdgeOwnerShardings", "transformTargetSharding",
      "shouldKeepEdgeOwnerShardingsDivisible"]>]> {
  let summary = "body that sees its tensors split along manual axes";
  let description = [{
    In `body`, dimensions are divided by the manual axes of the in and out
    shardings, which come first in every dimension; the other axes are free.
  }];
  let arguments = (ins Variadic<AnyType>:$tensors, Sdy_TensorShardingPerValue:$in_shardings,
                       Sdy_TensorShardingPerValue:$out_shardings, Sdy_ManualAxes:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` operands `)`
    `in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)
    `out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)
    `manual_axes` `` `=` `` $manual_axes
    custom<RegionWithArguments>($body)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Sharding of an operand or result as the enclosing region sees it, and as
    /// the body sees it (without manual axes).
    TensorShardingAttr getInSharding(int64_t operand) {
      return getInShardings().getSharding(operand);
    }
    TensorShardingAttr getOutSharding(int64_t result) {
      return getOutShardings().getSharding(result);
    }
    TensorShardingAttr getInShardingWithoutManualAxes(int64_t operand);
    TensorShardingAttr getOutShardingWithoutManualAxes(int64_t result);
    /// Replaces one sharding.
    void setInSharding(int64_t operand, TensorShardingAttr sharding);
    void setOutSharding(int64_t result, TensorShardingAttr sharding);
    /// Puts the manual axes of the present sharding in front of `sharding`.
    void setInShardingAddingManualAxes(int64_t operand, TensorShardingAttr sharding);
    void setOutShardingAddingManualAxes(int64_t result, TensorShardingAttr sharding);
    bool isManualAxis(::llvm::StringRef name);
    ReturnOp getTerminator();
  }];
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation", [
    IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"ReturnOp">,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Sdy_ShardableDataFlowOpInterface, [
      "getBlockArgumentEdgeOwners", "getBlockArgumentEdgeOwnerShardings",
      "setBlockArgumentEdgeOwnerShardings", "getOpResultEdgeOwnerShardings",
      "setOpResultEdgeOwnerShardings"]>]> {
  let summary = "body of a call, inlined";
  let arguments = (ins Variadic<AnyType>:$operands, StrAttr:$name,
                       OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
                       OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let results = (outs Variadic<AnyType>);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `` `<` $name `>` `` `(` $operands `)`
    (`in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)^)?
    (`out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)^)?
    custom<RegionWithArguments>($body)
    attr-dict `:` functional-type($operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ReturnOp getTerminator();
  }];
}

def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge", [SameOperandsAndResultType]> {
  let summary = "holds the sharding of all targets of one data flow edge";
  let description = [{
    `input` is the owner of an edge of a data-flow op and has no other use.
  }];
  let arguments = (ins AnyShaped:$input, OptionalAttr<Sdy_TensorSharding>:$sharding);
  let results = (outs AnyShaped:$result);
  let assemblyFormat =
      "$input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The edge op of the data flow edge whose owner is `owner`, null if none.
    static DataFlowEdgeOp lookup(::mlir::Value owner);
    /// Applies the owning op's transform to the stored sharding, if any.
    TensorShardingAttr transformTargetSharding(TensorShardingAttr sharding,
                                               DataFlowShardingTransformType type);
    /// Operands that flow into the owner, and targets other than it.
    ::llvm::SmallVector<::mlir::OpOperand *> getSources();
    ::llvm::SmallVector<::mlir::Value> getNonOwnerTargets();
  }];
}

def Sdy_FuncDataFlowEdgeOp : Sdy_Op<"func_data_flow_edge", [SameOperandsAndResultType]> {
  let summary = "edge between a call and the argument or result of its callee";
  let arguments = (ins AnyShaped:$operand);
  let results = (outs AnyShaped:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

// Op with one tensor, moved to `out_sharding`; its own parameters come first.
class Sdy_Collective<string mnemonic, dag parameters, string format = "">
    : Sdy_Op<mnemonic, [SameOperandsAndResultType, Sdy_CollectiveOpInterface]> {
  let arguments = !con((ins AnyShaped:$tensor), parameters,
                       (ins Sdy_TensorSharding:$out_sharding));
  let results = (outs AnyShaped:$result);
  let assemblyFormat = !strconcat(
      format, " $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)");
  let hasVerifier = 1;
  code missingInput = [{
    bool allowMissingInputSharding() { return true; }
  }];
}

def Sdy_AllGatherOp : Sdy_Collective<"all_gather",
    (ins Sdy_ListOfAxisRefLists:$gathering_axes), "$gathering_axes"> {
  let summary = "removes axes from the end of dimensions";
  let hasCanonicalizer = 1;
}

def Sdy_AllSliceOp : Sdy_Collective<"all_slice",
    (ins Sdy_ListOfAxisRefLists:$slicing_axes), "$slicing_axes"> {
  let summary = "appends axes to dimensions; no communication";
  let hasCanonicalizer = 1;
  let extraClassDeclaration = missingInput;
}

def Sdy_AllToAllOp : Sdy_Collective<"all_to_all",
    (ins Sdy_AllToAllParamList:$params), "$params"> {
  let summary = "moves axes from the end of dimensions to the end of others";
  let hasCanonicalizer = 1;
}

def Sdy_CollectivePermuteOp : Sdy_Collective<"collective_permute", (ins)> {
  let summary = "replaces or reorders axes, local shape unchanged";
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    bool allowDifferentMeshes() { return true; }
  }];
}

def Sdy_AllReduceOp : Sdy_Collective<"all_reduce",
    (ins Sdy_AxisRefList:$reduction_axes,
         DefaultValuedAttr<Sdy_ReductionOp, "ReductionOp::SUM">:$reduction_op),
    "($reduction_op^)? $reduction_axes"> {
  let useCustomPropertiesEncoding = 1; // reduction_op is newer than jaxlib 0.10
  let summary = "reduces along axes";
  let hasCanonicalizer = 1;
  let extraClassDeclaration = missingInput;
}

def Sdy_ReduceScatterOp : Sdy_Collective<"reduce_scatter",
    (ins Sdy_ListOfAxisRefLists:$reduce_scatter_axes,
         DefaultValuedAttr<Sdy_ReductionOp, "ReductionOp::SUM">:$reduction_op),
    "($reduction_op^)? $reduce_scatter_axes"> {
  let useCustomPropertiesEncoding = 1; // reduction_op is newer than jaxlib 0.10
  let summary = "reduces along axes and appends them to dimensions";
  let hasCanonicalizer = 1;
  let extraClassDeclaration = missingInput;
}

def Sdy_ShardedToUnreducedOp : Sdy_Collective<"sharded_to_unreduced",
    (ins Sdy_ListOfAxisRefLists:$axes), "$axes"> {
  let summary = "turns axes of dimensions into unreduced ones";
}

def Sdy_ReplicatedToUnreducedOp : Sdy_Collective<"replicated_to_unreduced",
    (ins Sdy_AxisRefList:$axes), "$axes"> {
  let summary = "turns replicated axes into unreduced ones";
}

#endif // SHARDWRIGHT_DIALECT_SDY_SDY_OPS_TD
