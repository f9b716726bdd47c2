//===- kernel_sort.cc - sort kernels --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/kernel_function.h"

using namespace llvm;

namespace shardwright::cpu {

// The runtime sorts line after line, asking a generated comparator about the
// elements at two offsets.
void KernelEmitter::emitSort() {
  const Node *node = nullptr;
  for (const Node &candidate : graph.nodes)
    if (candidate.op == Op::Sort)
      node = &candidate;
  Module *module = function->getParent();
  int64_t dim = node->attrs[0][0];
  size_t n = node->operands.size();
  Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  // bool less(buffers, offset a, offset b)
  auto *comparatorType =
      FunctionType::get(b.getInt8Ty(), {ptr, i64, i64}, false);
  auto *less = Function::Create(comparatorType, GlobalValue::InternalLinkage,
                                function->getName() + ".less", module);
  less->copyAttributesFrom(function);
  less->setDSOLocal(true);
  {
    IRBuilder<>::InsertPointGuard guard(b);
    b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", less));
    Values args;
    for (size_t i = 0; i < n; ++i) {
      ElementType type = graph[node->operands[i]].type;
      Value *buffer = b.CreateLoad(
          ptr, b.CreateGEP(ptr, less->getArg(0),
                           b.getInt64(graph[node->operands[i]].bits)));
      for (int side = 1; side <= 2; ++side) {
        Type *element = nodes->ops.memoryType(type);
        args.push_back(nodes->ops.fromMemory(
            b.CreateLoad(element,
                         b.CreateGEP(element, buffer, less->getArg(side))),
            type));
      }
    }
    Values results;
    nodes->ops.evaluate(*node->body, args, results);
    b.CreateRet(b.CreateZExt(results[0], b.getInt8Ty()));
  }
  // Pairs of input and output buffer numbers with their element widths.
  SmallVector<Constant *, 9> table;
  for (size_t i = 0; i < cluster.outputs.size(); ++i) {
    const Node &output = graph[cluster.outputs[i]];
    int64_t number = output.op == Op::Proj ? output.attrs[0][0] : 0;
    const Node &input = graph[node->operands[number]];
    table.push_back(b.getInt64(input.bits));
    table.push_back(b.getInt64(cluster.numParams + i));
    table.push_back(b.getInt64(byteWidth(input.type)));
  }
  auto *arrayType = ArrayType::get(i64, table.size());
  auto *global = new GlobalVariable(
      *module, arrayType, true, GlobalValue::InternalLinkage,
      ConstantArray::get(arrayType, table), function->getName() + ".columns");
  FunctionCallee runtime = module->getOrInsertFunction(
      sortRuntimeSymbol,
      FunctionType::get(b.getVoidTy(), {ptr, i64, i64, i64, i64, ptr, i64, ptr},
                        false));
  int64_t stride = 1;
  for (size_t d = dim + 1; d < node->shape.size(); ++d)
    stride *= node->shape[d];
  b.CreateCall(runtime,
               {function->getArg(0), function->getArg(1), function->getArg(2),
                b.getInt64(node->shape[dim]), b.getInt64(stride), global,
                b.getInt64(cluster.outputs.size()), less});
}

} // namespace shardwright::cpu
