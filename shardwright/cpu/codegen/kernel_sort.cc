//===- kernel_sort.cc - sort kernels --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/kernel_function.h"
#include "shardwright/cpu/kernel_support/symbols.h"

using namespace llvm;

namespace shardwright::cpu {

namespace {
/// The number of each element that the comparator compares.
struct SortKey {
  int32_t node; ///< node of the body that computes the key of the first element
  bool descends;
};
} // namespace

/// True if the nodes are equal except that one reads the element of `side` and
/// the other reads the other element.
static bool mirrors(const Body &body, int32_t one, int32_t other, int side) {
  const Node &a = body.nodes[one], &b = body.nodes[other];
  if (a.op != b.op || a.type != b.type || a.attrs != b.attrs ||
      a.operands.size() != b.operands.size())
    return false;
  if (a.op == Op::Param)
    return a.bits / 2 == b.bits / 2 && int(a.bits % 2) == side &&
           int(b.bits % 2) == 1 - side;
  if (a.body || a.bits != b.bits || a.highBits != b.highBits)
    return false;
  for (auto [x, y] : llvm::zip_equal(a.operands, b.operands))
    if (!mirrors(body, x, y, side))
      return false;
  return true;
}

static bool isSmall(const Body &body, int32_t id, int &budget) {
  if (--budget < 0)
    return false;
  return llvm::all_of(body.nodes[id].operands,
                      [&](int32_t o) { return isSmall(body, o, budget); });
}

/// Returns the key if the comparator is `key(a) < key(b)` or `>`. Floats need a
/// comparison in total order.
static std::optional<SortKey> findSortKey(const Body &body) {
  const Node &result = body.nodes[body.results[0]];
  if (result.op != Op::Compare)
    return std::nullopt;
  auto [direction, totalOrder] = result.get<CompareAttrs>();
  if (direction != Direction::LT && direction != Direction::GT)
    return std::nullopt;
  int32_t left = result.operands[0], right = result.operands[1];
  ElementType type = body.nodes[left].type;
  if (isComplex(type) || (isFloat(type) && !totalOrder) ||
      bitWidth(type) < (isFloat(type) ? 16 : 8))
    return std::nullopt;
  int budget = 200;
  if (!isSmall(body, left, budget) || !isSmall(body, right, budget))
    return std::nullopt;
  bool greater = direction == Direction::GT;
  if (mirrors(body, left, right, 0))
    return SortKey{left, greater};
  if (mirrors(body, left, right, 1))
    return SortKey{right, !greater};
  return std::nullopt;
}

/// Bits whose unsigned order is the order of the values.
static Value *orderedBits(IRBuilder<> &b, OpEmitter &ops, Value *x,
                          ElementType type, bool descends) {
  Value *bits = ops.toBits(x, type);
  unsigned width = bits->getType()->getScalarSizeInBits();
  Value *sign = b.getInt(APInt::getSignMask(width));
  if (isFloat(type)) {
    // The bits of negative floats are in reverse order.
    Value *fill = b.CreateAShr(bits, width - 1);
    bits = b.CreateXor(bits, b.CreateOr(fill, sign));
  } else if (isSignedInteger(type)) {
    bits = b.CreateXor(bits, sign);
  }
  if (descends)
    bits = b.CreateNot(bits);
  return b.CreateZExt(bits, b.getInt64Ty());
}

// The runtime sorts line by line. If the comparator compares keys, the
// generated function returns the key of the element at an offset; otherwise it
// compares the elements at two offsets.
void KernelEmitter::emitSort(const SortPlan &sort) {
  const Node *node = &graph[sort.node];
  Module *module = function->getParent();
  int64_t dim = node->get<SortAttrs>().dim;
  size_t n = node->operands.size();
  Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  std::optional<SortKey> key = findSortKey(*node->body);
  // bool less(buffers, offset a, offset b) or i64 key(buffers, offset)
  SmallVector<Type *, 3> offsets(key ? 1 : 2, i64);
  offsets.insert(offsets.begin(), ptr);
  auto *less = Function::Create(
      FunctionType::get(key ? i64 : b.getInt8Ty(), offsets, false),
      GlobalValue::InternalLinkage,
      function->getName() + (key ? ".key" : ".less"), module);
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
        // A key depends on one element only; the other argument is unused.
        Value *at = less->getArg(key ? 1 : side);
        args.push_back(nodes->ops.fromMemory(
            b.CreateLoad(element, b.CreateGEP(element, buffer, at)), type));
      }
    }
    if (key) {
      cpu::Body half = *node->body;
      half.results = {key->node};
      Values results;
      nodes->ops.evaluate(half, args, results);
      b.CreateRet(orderedBits(b, nodes->ops, results[0],
                              half.nodes[key->node].type, key->descends));
    } else {
      Values results;
      nodes->ops.evaluate(*node->body, args, results);
      b.CreateRet(b.CreateZExt(results[0], b.getInt8Ty()));
    }
  }
  // Pairs of input and output buffer numbers, with their element widths.
  SmallVector<Constant *, 9> table;
  for (size_t i = 0; i < cluster.outputs.size(); ++i) {
    const Node &output = graph[cluster.outputs[i]];
    int64_t number = output.op == Op::Proj ? output.get<ProjAttrs>().result : 0;
    const Node &input = graph[node->operands[number]];
    table.push_back(b.getInt64(input.bits));
    table.push_back(b.getInt64(cluster.numParams + i));
    table.push_back(b.getInt64(byteWidth(input.type)));
  }
  auto *arrayType = ArrayType::get(i64, table.size());
  auto *global = new GlobalVariable(
      *module, arrayType, true, GlobalValue::InternalLinkage,
      ConstantArray::get(arrayType, table), function->getName() + ".columns");
  int64_t stride = 1;
  for (size_t d = dim + 1; d < node->shape.size(); ++d)
    stride *= node->shape[d];
  SmallVector<Value *, 9> args = {function->getArg(0),
                                  function->getArg(1),
                                  function->getArg(2),
                                  b.getInt64(node->shape[dim]),
                                  b.getInt64(stride),
                                  global,
                                  b.getInt64(cluster.outputs.size()),
                                  less};
  SmallVector<Type *, 9> types = {ptr, i64, i64, i64, i64, ptr, i64, ptr};
  if (key) {
    args.push_back(b.getInt64(bitWidth(node->body->nodes[key->node].type)));
    types.push_back(i64);
  }
  b.CreateCall(module->getOrInsertFunction(
                   key ? sortByKeySymbol : sortSymbol,
                   FunctionType::get(b.getVoidTy(), types, false)),
               args);
}

} // namespace shardwright::cpu
