//===- shape.td - constants, shapes and data movement -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "shardwright/dialect/stablehlo/attrs.td"

def SHLO_ConstantOp : SHLO_Op<"constant",
    [Pure, ConstantLike, SHLO_Infer,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs HLO_StaticTensor:$output);
  let builders = [OpBuilder<(ins "::mlir::Attribute":$value)>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let inferBody = "types.push_back(adaptor.getValue().getType()); return ::mlir::success();";
}

def SHLO_IotaOp : SHLO_Op<"iota", [Pure]> {
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$iota_dimension);
  let results = (outs HLO_StaticIotaTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def SHLO_BroadcastInDimOp
    : SHLO_ShapeOp<"broadcast_in_dim", [SHLO_CompatibleElementTypes]> {
  let arguments = (ins HLO_TensorPerAxis:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  // Unnamed, as in StableHLO.
  let results = (outs HLO_StaticOrOneBoundedTensor);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<DenseI64Array>($broadcast_dimensions)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def SHLO_BroadcastOp
    : SHLO_Op<"broadcast", [Pure, SameOperandsAndResultElementType, SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs HLO_TensorPerAxis);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` custom<DenseI64Array>($broadcast_sizes)
    attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferBroadcast(location, adaptor.getOperand(), adaptor.getBroadcastSizes(), types);
  }];
}

def SHLO_ReshapeOp : SHLO_ShapeOp<"reshape", [SHLO_CompatibleElementTypes]> {
  let arguments = (ins HLO_TensorPerAxis:$operand);
  let results = (outs HLO_StaticOrOneBoundedTensor);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def SHLO_TransposeOp : SHLO_ShapeOp<"transpose", [SHLO_CompatibleElementTypes, SHLO_Infer]> {
  let arguments = (ins HLO_TensorPerAxis:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs HLO_TensorPerAxis:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<DenseI64Array>($permutation)
    attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferTranspose(location, adaptor.getOperand(), adaptor.getPermutation(), types);
  }];
}

def SHLO_ReverseOp
    : SHLO_ShapeOp<"reverse", [SameOperandsAndResultElementType, SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<DenseI64Array>($dimensions)
    attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let inferBody = "return inferSameType(location, adaptor.getOperands(), types);";
  let hasVerifier = 1;
}

def SHLO_SliceOp
    : SHLO_ShapeOp<"slice", [SameOperandsAndResultElementType,
        AllMatchSameOperatorTrait<["start_indices", "limit_indices", "strides"],
                                  "$_self.size()", "size">, SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
                       DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs HLO_Tensor);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferSlice(location, adaptor.getOperand(), adaptor.getStartIndices(),
                      adaptor.getLimitIndices(), adaptor.getStrides(), types);
  }];
}

def SHLO_DynamicSliceOp : SHLO_Op<"dynamic_slice",
    [Pure, AllElementTypesMatch<["operand", "result"]>, SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, Variadic<HLO_ScalarIntTensor>:$start_indices,
                       DenseI64ArrayAttr:$slice_sizes);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsAndComma>($start_indices) `sizes` `=` custom<DenseI64Array>($slice_sizes)
    attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferDynamicSlice(location, adaptor.getOperand(), adaptor.getStartIndices(),
                             adaptor.getSliceSizes(), types);
  }];
}

def SHLO_DynamicUpdateSliceOp : SHLO_Op<"dynamic_update_slice",
    [Pure, AllElementTypesMatch<["operand", "update", "result"]>, SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$update,
                       Variadic<HLO_ScalarIntTensor>:$start_indices);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let inferBody = [{
    return inferDynamicUpdateSlice(location, adaptor.getOperand(), adaptor.getUpdate(),
                                   adaptor.getStartIndices(), types);
  }];
}

def SHLO_ConcatenateOp : SHLO_ShapeOp<"concatenate", [SameOperandsAndResultElementType, SHLO_Infer]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs HLO_Tensor);
  let assemblyFormat = [{
    custom<OperandsAndComma>($inputs) `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferConcatenate(location, adaptor.getInputs(), adaptor.getDimension(), types);
  }];
}

def SHLO_PadOp : SHLO_ShapeOp<"pad", [SameOperandsAndResultElementType,
    AllMatchSameOperatorTrait<["edge_padding_low", "edge_padding_high", "interior_padding"],
                              "$_self.size()", "size">, SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_ScalarTensor:$padding_value,
                       DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high,
                       DenseI64ArrayAttr:$interior_padding);
  let results = (outs HLO_Tensor);
  let assemblyFormat = [{
    $operand `,` $padding_value
    `,` `low` `=` custom<DenseI64Array>($edge_padding_low)
    `,` `high` `=` custom<DenseI64Array>($edge_padding_high)
    `,` `interior` `=` custom<DenseI64Array>($interior_padding)
    attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferPad(location, adaptor.getOperand(), adaptor.getPaddingValue(),
                    adaptor.getEdgePaddingLow(), adaptor.getEdgePaddingHigh(),
                    adaptor.getInteriorPadding(), types);
  }];
}

def SHLO_GatherOp
    : SHLO_ShapeOp<"gather", [AllElementTypesMatch<["operand", "result"]>, SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_IntTensor:$start_indices,
                       SHLO_GatherDimensionNumbers:$dimension_numbers,
                       DenseI64ArrayAttr:$slice_sizes,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs HLO_Tensor:$result);
  let inferBody = [{
    return inferGather(location, adaptor.getOperand(), adaptor.getStartIndices(),
                       adaptor.getDimensionNumbers(), adaptor.getSliceSizes(), types);
  }];
  let speculationBody = [{
    getIndicesAreSorted() ? ::mlir::Speculation::NotSpeculatable
                          : ::shardwright::stablehlo::speculatableIfStatic(getOperation())
  }];
}

def SHLO_BitcastConvertOp : SHLO_ShapeOp<"bitcast_convert"> {
  let arguments = (ins HLO_TensorPerAxis:$operand);
  let results = (outs HLO_TensorPerAxis);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def SHLO_GetDimensionSizeOp : SHLO_Op<"get_dimension_size", [Pure, SHLO_Infer]> {
  let arguments = (ins HLO_TensorPerAxis:$operand,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs HLO_Sint32Tensor);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferGetDimensionSize(location, adaptor.getOperand(), adaptor.getDimension(), types);
  }];
}

def SHLO_SetDimensionSizeOp : SHLO_ShapeOp<"set_dimension_size", [SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Sint32Tensor:$size,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs HLO_Tensor);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferSetDimensionSize(location, adaptor.getOperand(), adaptor.getSize(),
                                 adaptor.getDimension(), types);
  }];
}

def SHLO_TorchIndexSelectOp : SHLO_Op<"torch_index_select", [Pure]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs HLO_Tensor);
}
