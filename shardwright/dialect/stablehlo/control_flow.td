//===- control_flow.td - branches, loops, tuples, tokens and calls ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "shardwright/dialect/stablehlo/attrs.td"

include "mlir/IR/SymbolInterfaces.td"

def SHLO_ReturnOp : SHLO_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<HLO_TensorOrTokenOrBuffer>:$results);
  let builders = [OpBuilder<(ins), "">];
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def SHLO_IfOp : SHLO_Op<"if", [RecursiveMemoryEffects, RecursivelySpeculatable, SHLO_Infer,
                               SingleBlockImplicitTerminator<"ReturnOp">]> {
  let arguments = (ins HLO_PredTensor:$pred);
  let results = (outs Variadic<HLO_TensorOrToken>);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let inferBody = "return inferBranches(location, adaptor.getPred(), adaptor.getRegions(), types);";
}

def SHLO_CaseOp : SHLO_Op<"case", [RecursiveMemoryEffects, RecursivelySpeculatable, SHLO_Infer,
                                   SingleBlockImplicitTerminator<"ReturnOp">]> {
  let arguments = (ins HLO_Sint32Tensor:$index);
  let results = (outs Variadic<HLO_TensorOrToken>);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let inferBody = "return inferBranches(location, adaptor.getIndex(), adaptor.getRegions(), types);";
}

def SHLO_WhileOp : SHLO_Op<"while", [RecursiveMemoryEffects, SHLO_Infer,
    SingleBlockImplicitTerminator<"ReturnOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<HLO_TensorOrTokenOrBuffer>:$operand);
  let results = (outs Variadic<HLO_TensorOrTokenOrBuffer>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let inferBody = [{
    ::llvm::append_range(types, adaptor.getOperand().getTypes());
    return ::mlir::success();
  }];
}

def SHLO_AfterAllOp : SHLO_Op<"after_all", [Pure]> {
  let arguments = (ins Variadic<HLO_Token>:$inputs);
  let results = (outs HLO_Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` custom<VariadicSameOperandsAndResultType>(
        ref($inputs), type($inputs), type($result))
  }];
}

def SHLO_CreateTokenOp : SHLO_Op<"create_token", [Pure]> {
  let results = (outs HLO_Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def SHLO_OptimizationBarrierOp : SHLO_Op<"optimization_barrier",
    [Pure, SHLO_PairwiseSameType, SHLO_Infer]> {
  let arguments = (ins Variadic<HLO_PerTensorOrToken>:$operand);
  let results = (outs Variadic<HLO_PerTensorOrToken>:$result);
  // An operation without operands is written with empty parentheses.
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?
  }];
  let inferBody = [{
    ::llvm::append_range(types, adaptor.getOperand().getTypes());
    return ::mlir::success();
  }];
}

def SHLO_TupleOp : SHLO_Op<"tuple", [Pure, SHLO_Infer]> {
  let arguments = (ins Variadic<HLO_TensorOrTokenOrTupleOrBuffer>:$val);
  let results = (outs HLO_Tuple:$result);
  let assemblyFormat = [{
    $val attr-dict `:` custom<TupleOpType>(type($val), type($result))
  }];
  let inferBody = [{
    types.push_back(::mlir::TupleType::get(context, ::llvm::to_vector(adaptor.getVal().getTypes())));
    return ::mlir::success();
  }];
}

def SHLO_GetTupleElementOp : SHLO_Op<"get_tuple_element", [Pure, SHLO_Infer]> {
  let arguments = (ins HLO_Tuple:$operand, ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs HLO_TensorOrTokenOrTupleOrBuffer);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
  let inferBody = [{
    return inferGetTupleElement(location, adaptor.getOperand(), adaptor.getIndex(), types);
  }];
}

def SHLO_CustomCallOp : SHLO_Op<"custom_call",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Variadic<HLO_CustomCallValue>:$inputs, StrAttr:$call_target_name,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
    OptionalAttr<SHLO_BackendConfig>:$backend_config,
    DefaultValuedOptionalAttr<SHLO_CustomCallApiVersionAttr,
        "::shardwright::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
    DefaultValuedOptionalAttr<SHLO_FlatSymbolRefArrayAttr, "{}">:$called_computations,
    OptionalAttr<SHLO_ArrayOfLayoutAttr>:$operand_layouts,
    OptionalAttr<SHLO_ArrayOfLayoutAttr>:$result_layouts,
    DefaultValuedOptionalAttr<TypedArrayAttrBase<SHLO_OutputOperandAlias,
        "Aliasing attribute for outputs and operands of CustomCall">, "{}">:$output_operand_aliases,
    OptionalAttr<ArrayAttr>:$result_tilings);
  let useCustomPropertiesEncoding = 1; // result_tilings is newer than 1.17
  let results = (outs Variadic<HLO_CustomCallValue>);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def SHLO_CompositeOp : SHLO_Op<"composite", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins Variadic<HLO_TensorOrTokenOrTuple>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition,
                       DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<HLO_TensorOrTokenOrTuple>);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let assemblyFormat = [{
    $name $inputs (` ` `(` $composite_regions^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
