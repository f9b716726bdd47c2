//===- dynamic.td - ops whose shapes are values -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "shardwright/dialect/stablehlo/attrs.td"

def SHLO_DynamicReshapeOp : SHLO_ShapeOp<"dynamic_reshape"> {
  let arguments = (ins HLO_TensorPerAxis:$operand, HLO_DimensionTensor:$output_shape);
  let results = (outs HLO_TensorPerAxis:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def SHLO_DynamicBroadcastInDimOp : SHLO_ShapeOp<"dynamic_broadcast_in_dim"> {
  let arguments = (ins HLO_TensorPerAxis:$operand, HLO_DimensionTensor:$output_dimensions,
                       DenseI64ArrayAttr:$broadcast_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs HLO_TensorPerAxis);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` custom<DenseI64Array>($broadcast_dimensions)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def SHLO_DynamicIotaOp : SHLO_ShapeOp<"dynamic_iota"> {
  let arguments = (ins HLO_DimensionTensor:$output_shape,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$iota_dimension);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def SHLO_DynamicPadOp : SHLO_ShapeOp<"dynamic_pad", [
    AllElementTypesMatch<["operand", "padding_value", "result"]>,
    AllTypesMatch<["edge_padding_low", "edge_padding_high", "interior_padding"]>,
    AllRanksMatch<["operand", "result"]>]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_ScalarTensor:$padding_value,
                       HLO_DimensionTensor:$edge_padding_low, HLO_DimensionTensor:$edge_padding_high,
                       HLO_DimensionTensor:$interior_padding);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def SHLO_RealDynamicSliceOp : SHLO_ShapeOp<"real_dynamic_slice", [
    AllElementTypesMatch<["operand", "result"]>,
    AllTypesMatch<["start_indices", "limit_indices", "strides"]>]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_1DTensorOf<[Index, HLO_Int]>:$start_indices,
                       HLO_1DTensorOf<[Index, HLO_Int]>:$limit_indices,
                       HLO_1DTensorOf<[Index, HLO_Int]>:$strides);
  let results = (outs HLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def SHLO_DynamicGatherOp : SHLO_ShapeOp<"dynamic_gather", [SHLO_Infer]> {
  let arguments = (ins HLO_Tensor:$operand, HLO_IntTensor:$start_indices, HLO_StaticIntTensor<1>:$slice_sizes,
                       SHLO_GatherDimensionNumbers:$dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs HLO_Tensor);
  let inferBody = [{
    return inferDynamicGather(location, adaptor.getOperand(), adaptor.getStartIndices(),
                              adaptor.getSliceSizes(), adaptor.getDimensionNumbers(), types);
  }];
}

def SHLO_DynamicConvOp : SHLO_ShapeOp<"dynamic_conv"> {
  let arguments = (ins HLO_Tensor:$lhs, HLO_Tensor:$rhs, HLO_StaticIntTensor<2>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation, OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    SHLO_ConvDimensionNumbers:$dimension_numbers,
    ConfinedAttr<I64Attr, [IntPositive]>:$feature_group_count,
    ConfinedAttr<I64Attr, [IntPositive]>:$batch_group_count,
    SHLO_PrecisionConfigAttr:$precision_config);
  let results = (outs HLO_Tensor);
  let hasVerifier = 1;
}
