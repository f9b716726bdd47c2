//===- reduction.td - ops that apply a region to elements or windows ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "shardwright/dialect/stablehlo/attrs.td"

def SHLO_ReduceOp : SHLO_RegionOp<"reduce", [SameVariadicOperandSize, SHLO_Infer]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, Variadic<HLO_Tensor>:$init_values,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let inferBody = [{
    return inferReduce(location, adaptor.getInputs(), adaptor.getInitValues(),
                       adaptor.getDimensions(), *adaptor.getRegions().front(), types);
  }];
}

def SHLO_ReduceWindowOp : SHLO_RegionOp<"reduce_window", [SameVariadicOperandSize, SHLO_Infer]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, Variadic<HLO_Tensor>:$init_values,
    DenseI64ArrayAttr:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
    OptionalAttr<DenseI64ArrayAttr>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let inferBody = [{
    return inferReduceWindow(location, adaptor.getInputs(), adaptor.getInitValues(),
                             adaptor.getWindowDimensions(), adaptor.getWindowStrides(),
                             adaptor.getBaseDilations(), adaptor.getWindowDilations(),
                             adaptor.getPaddingAttr(), *adaptor.getRegions().front(), types);
  }];
}

def SHLO_SelectAndScatterOp : SHLO_RegionOp<"select_and_scatter"> {
  let arguments = (ins HLO_Tensor:$operand, HLO_Tensor:$source, HLO_Tensor:$init_value,
    OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs HLO_Tensor);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let hasVerifier = 1;
}

def SHLO_MapOp : SHLO_RegionOp<"map", [SameOperandsAndResultShape, SHLO_Infer]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs HLO_Tensor);
  let regions = (region SizedRegion<1>:$computation);
  let inferBody = [{
    return inferMap(location, adaptor.getInputs(), adaptor.getDimensions(),
                    *adaptor.getRegions().front(), types);
  }];
}

def SHLO_SortOp : SHLO_RegionOp<"sort", [SameOperandsAndResultShape, SHLO_Infer]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs,
                       DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$comparator);
  let hasVerifier = 1;
  let inferBody = [{
    ::llvm::append_range(types, adaptor.getInputs().getTypes());
    return ::mlir::success();
  }];
}

def SHLO_ScatterOp : SHLO_RegionOp<"scatter", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<HLO_Tensor>:$inputs, HLO_TensorOf<[AnyInteger, Index]>:$scatter_indices,
                       Variadic<HLO_Tensor>:$updates,
                       SHLO_ScatterDimensionNumbers:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Variadic<HLO_Tensor>);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
  let speculationBody = [{
    getIndicesAreSorted() || getUniqueIndices()
        ? ::mlir::Speculation::NotSpeculatable
        : ::shardwright::stablehlo::recursivelySpeculatableIfStatic(getOperation())
  }];
}
