//===- collectives.td - collectives, host transfers and device ids ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "shardwright/dialect/stablehlo/attrs.td"

// Collectives declare no effects: never removed, merged or reordered.

def SHLO_ReplicaIdOp : SHLO_Op<"replica_id", [Pure, SHLO_Infer]> {
  let results = (outs HLO_Ui32Tensor);
  let assemblyFormat = "attr-dict `:` type(results)";
  let inferBody = "return inferDeviceId(context, types);";
}
def SHLO_PartitionIdOp : SHLO_Op<"partition_id", [Pure, SHLO_Infer]> {
  let results = (outs HLO_Ui32Tensor);
  let assemblyFormat = "attr-dict `:` type(results)";
  let inferBody = "return inferDeviceId(context, types);";
}

// A mesh named by a symbol in replica_groups is checked with the symbol tables.
class SHLO_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : SHLO_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def SHLO_AllGatherOp : SHLO_CollectiveOp<"all_gather", [SHLO_PairwiseSameElementType]> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$all_gather_dim, SHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<SHLO_ChannelHandle>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<HLO_Tensor>);
}

def SHLO_AllReduceOp
    : SHLO_CollectiveOp<"all_reduce", [SHLO_Infer, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands, SHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<SHLO_ChannelHandle>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
  let inferBody = [{
    return inferAllReduce(location, adaptor.getOperands(), *adaptor.getRegions().front(), types);
  }];
}

def SHLO_ReduceScatterOp
    : SHLO_CollectiveOp<"reduce_scatter", [SingleBlockImplicitTerminator<"ReturnOp">]> {
  let arguments = (ins HLO_Tensor:$operand,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$scatter_dimension, SHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<SHLO_ChannelHandle>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs HLO_Tensor);
  let regions = (region SizedRegion<1>:$computation);
}

def SHLO_AllToAllOp : SHLO_CollectiveOp<"all_to_all",
    [SHLO_PairwiseSameElementType, SHLO_Infer]> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$split_dimension,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$concat_dimension,
    ConfinedAttr<I64Attr, [IntPositive]>:$split_count, SHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<SHLO_ChannelHandle>:$channel_handle);
  let results = (outs Variadic<HLO_Tensor>);
  let inferBody = [{
    return inferAllToAll(location, adaptor.getOperands(), adaptor.getSplitDimension(),
                         adaptor.getConcatDimension(), adaptor.getSplitCount(), types);
  }];
}

def SHLO_CollectivePermuteOp : SHLO_CollectiveOp<"collective_permute",
    [SameOperandsAndResultElementType, SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, I64ElementsAttr:$source_target_pairs,
                       OptionalAttr<SHLO_ChannelHandle>:$channel_handle);
  let results = (outs HLO_Tensor);
  let inferBody = "return inferSameType(location, adaptor.getOperands(), types);";
}

// With a dynamic root the last operand says, for each group, which member it is.
def SHLO_CollectiveBroadcastOp : SHLO_CollectiveOp<"collective_broadcast", [SHLO_Infer]> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands, SHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<SHLO_ChannelHandle>:$channel_handle, UnitAttr:$has_dynamic_root);
  let useCustomPropertiesEncoding = 1; // has_dynamic_root is newer than 1.17
  let results = (outs Variadic<HLO_Tensor>);
  let inferBody = [{
    return inferFromRooted(location, adaptor.getOperands(), adaptor.getHasDynamicRoot(), types);
  }];
}

// As all_reduce, but only the root has the sum; the others have zeros.
def SHLO_CollectiveReduceOp : SHLO_CollectiveOp<"collective_reduce",
    [SHLO_Infer, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands, SHLO_ReplicaGroups:$replica_groups,
    OptionalAttr<SHLO_ChannelHandle>:$channel_handle, UnitAttr:$use_global_device_ids,
    UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$computation);
  let inferBody = [{
    ::mlir::ValueRange operands = adaptor.getOperands();
    if (adaptor.getHasDynamicRoot() && !operands.empty())
      operands = operands.drop_back();
    return inferAllReduce(location, operands, *adaptor.getRegions().front(), types);
  }];
}

def SHLO_CrossReplicaSumOp : SHLO_Op<"cross-replica-sum",
    [Pure, SHLO_CompatibleTypes, SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs HLO_Tensor);
  let inferBody = "return inferSameType(location, adaptor.getOperands(), types);";
}

//===----------------------------------------------------------------------===//
// Host transfers and point-to-point
//===----------------------------------------------------------------------===//

def SHLO_InfeedResource : Resource<"::shardwright::stablehlo::InfeedResource">;
def SHLO_OutfeedResource : Resource<"::shardwright::stablehlo::OutfeedResource">;
def SHLO_SendResource : Resource<"::shardwright::stablehlo::SendResource">;
def SHLO_RecvResource : Resource<"::shardwright::stablehlo::RecvResource">;

def SHLO_InfeedOp : SHLO_Op<"infeed",
    [MemoryEffects<[MemRead<SHLO_InfeedResource>, MemWrite<SHLO_InfeedResource>]>]> {
  let arguments = (ins HLO_Token:$token, DefaultValuedStrAttr<StrAttr, "">:$infeed_config,
                       OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<HLO_StaticTensorOrToken>);
  let hasVerifier = 1;
}
def SHLO_OutfeedOp : SHLO_Op<"outfeed",
    [MemoryEffects<[MemRead<SHLO_OutfeedResource>, MemWrite<SHLO_OutfeedResource>]>]> {
  let arguments = (ins Variadic<HLO_TensorPerAxis>:$inputs, HLO_Token:$token,
                       DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs HLO_Token);
}
def SHLO_SendOp : SHLO_Op<"send",
    [MemoryEffects<[MemRead<SHLO_SendResource>, MemWrite<SHLO_SendResource>]>]> {
  let arguments = (ins Variadic<HLO_TensorPerAxis>:$inputs, HLO_Token:$token,
                       SHLO_ChannelHandle:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs HLO_Token);
  let hasVerifier = 1;
}
def SHLO_RecvOp : SHLO_Op<"recv",
    [MemoryEffects<[MemRead<SHLO_RecvResource>, MemWrite<SHLO_RecvResource>]>]> {
  let arguments = (ins HLO_Token:$token, SHLO_ChannelHandle:$channel_handle,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<HLO_StaticTensorOrToken>);
  let hasVerifier = 1;
}

def SHLO_AsyncStartOp : SHLO_Op<"async_start",
    [SingleBlockImplicitTerminator<"ReturnOp">, IsolatedFromAbove]> {
  let arguments = (ins Variadic<HLO_Tensor>:$operands);
  let results = (outs HLO_Future);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}
def SHLO_AsyncDoneOp : SHLO_Op<"async_done", [SHLO_Infer]> {
  let arguments = (ins HLO_Future:$operand);
  let results = (outs HLO_Tensor);
  let inferBody = [{
    return inferAsyncDone(location, adaptor.getOperand(), types);
  }];
}
