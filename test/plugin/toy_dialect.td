//===- toy_dialect.td - a dialect outside of Shardwright ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardwright/rules/rule_interface.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::toy";
}

class Toy_Op<string name>
    : Op<Toy_Dialect, name,
         [Pure, DeclareOpInterfaceMethods<ShardingRuleOpInterface>]>;

def Toy_MatMulOp : Toy_Op<"matmul"> {
  let summary = "rows of `a` by columns of `b`";
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b);
  let results = (outs AnyRankedTensor:$c);
  let assemblyFormat =
      "$a `,` $b attr-dict `:` functional-type(operands, results)";
}

def Toy_NormalizeOp : Toy_Op<"normalize"> {
  let summary = "makes the last dimension have unit length";
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def Toy_ZerosOp
    : Op<Toy_Dialect, "zeros",
         [Pure, DeclareOpInterfaceMethods<ShardingRuleOpInterface,
                                          ["getPropagationTraits"]>]> {
  let summary = "a tensor of zeros";
  let results = (outs AnyRankedTensor:$y);
  let assemblyFormat = "attr-dict `:` type($y)";
}
