//===- node_memory.cc - loads and stores ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/node_emitter.h"

using namespace llvm;

namespace shardwright::cpu {

Value *allocate(IRBuilder<> &b, Type *element, int64_t count) {
  Function *f = b.GetInsertBlock()->getParent();
  IRBuilder<> entry(&f->getEntryBlock(), f->getEntryBlock().begin());
  AllocaInst *memory = entry.CreateAlloca(element, entry.getInt64(count));
  memory->setAlignment(Align(64));
  return memory;
}

void transposeSquare(IRBuilder<> &b, Values &rows) {
  int n = rows.size();
  // Swap the off-diagonal h x h blocks, h = n/2, ..., 1.
  for (int h = n / 2; h >= 1; h /= 2) {
    SmallVector<int, 16> low, high;
    for (int i = 0; i < n; ++i) {
      bool upper = i & h;
      low.push_back(upper ? n + i - h : i);
      high.push_back(upper ? n + i : i + h);
    }
    for (int q = 0; q < n; ++q) {
      if (q & h)
        continue;
      Value *x = rows[q], *y = rows[q + h];
      rows[q] = b.CreateShuffleVector(x, y, low);
      rows[q + h] = b.CreateShuffleVector(x, y, high);
    }
  }
}

/// Extracts one lane as a scalar.
static Value *lane(IRBuilder<> &b, Value *x, uint64_t number) {
  if (isPair(x->getType()))
    return pair(b, lane(b, part(b, x, 0), number),
                lane(b, part(b, x, 1), number));
  return b.CreateExtractElement(x, number);
}

// Loads adjacent complex elements, in reverse if the step is -1.
Value *NodeEmitter::loadPairs(Value *first, int64_t step, ElementType type,
                              Value *mask) {
  Type *component = ops.registerType(componentType(type));
  int lanes = loops.lanes;
  Type *wide = FixedVectorType::get(component, 2 * lanes);
  Align align(byteWidth(type) / 2);
  SmallVector<int, 32> re, im, twice;
  for (int i = 0; i < lanes; ++i) {
    int at = step > 0 ? i : lanes - 1 - i;
    re.push_back(2 * at);
    im.push_back(2 * at + 1);
    llvm::append_values(twice, at, at);
  }
  Value *x;
  if (mask)
    x = b.CreateMaskedLoad(wide, first, align,
                           b.CreateShuffleVector(mask, twice),
                           Constant::getNullValue(wide));
  else
    x = b.CreateAlignedLoad(wide, first, align);
  return pair(b, b.CreateShuffleVector(x, re), b.CreateShuffleVector(x, im));
}

Value *NodeEmitter::gatherPairs(Value *pointers, ElementType type,
                                Value *mask) {
  Type *component = ops.registerType(componentType(type));
  Type *wide = vectorOf(component);
  Align align(byteWidth(type) / 2);
  auto gather = [&](Value *at) {
    return b.CreateMaskedGather(wide, at, align, mask,
                                Constant::getNullValue(wide));
  };
  Value *second = b.CreateGEP(component, pointers, b.getInt64(1));
  return pair(b, gather(pointers), gather(second));
}

// Reads and transposes a block in front of the loop over `tileVar`; inside the
// loop its rows are contiguous.
Value *NodeEmitter::loadTransposed(ElementType type, Value *buffer,
                                   const IndexExpr &offset, int32_t param) {
  Type *element = ops.memoryType(type);
  IndexExpr base = space.add(offset, space.multiply(space.term(tileVar), -1));
  int64_t step = base.coefficient(loops.vectorVar);
  int32_t id = space.intern({base});
  int lanes = loops.lanes;
  Type *row = vectorOf(element);
  Align align(byteWidth(type));
  Value *tile = loops.at(loops.depth(base), TileKey{param, id, lanes}, [&] {
    Value *memory = allocate(b, row, lanes);
    Value *start = b.CreateGEP(element, buffer, scalar(base));
    Values rows;
    for (int i = 0; i < lanes; ++i)
      rows.push_back(b.CreateAlignedLoad(
          row, b.CreateGEP(element, start, b.getInt64(i * step)), align));
    transposeSquare(b, rows);
    for (int i = 0; i < lanes; ++i)
      b.CreateStore(rows[i], b.CreateGEP(row, memory, b.getInt64(i)));
    return memory;
  });
  Value *at = b.CreateGEP(row, tile, loops.variable(tileVar));
  return ops.fromMemory(b.CreateLoad(row, at), type);
}

Value *NodeEmitter::load(ElementType type, Value *buffer, int64_t elements,
                         const IndexExpr &offset, MaskId mask, int32_t param) {
  Type *element = ops.memoryType(type);
  Align align(byteWidth(type));
  bool vec = loops.isVector(offset);
  if (elements == 0)
    return Constant::getNullValue(ops.registerType(type));
  if (!vec) {
    Value *at = scalar(offset);
    // A masked-out lane may load any element.
    if (mask)
      at = b.CreateBinaryIntrinsic(Intrinsic::umin, at,
                                   b.getInt64(elements - 1));
    return ops.fromMemory(
        b.CreateAlignedLoad(element, b.CreateGEP(element, buffer, at), align),
        type);
  }
  int64_t step = offset.coefficient(loops.vectorVar);
  bool linear = !space.dependsNonlinearlyOn(offset, loops.vectorVar);
  Type *wide = vectorOf(element);
  if (linear && std::abs(step) == 1) {
    IndexExpr first = step == 1 ? offset : space.add(offset, 1 - loops.lanes);
    Value *at = b.CreateGEP(element, buffer, scalar(first));
    SmallVector<int, 16> backwards;
    for (int i = loops.lanes - 1; i >= 0; --i)
      backwards.push_back(i);
    Value *x;
    if (isComplex(type))
      return loadPairs(at, step, type, mask ? splat(maskValue(mask)) : nullptr);
    if (mask) {
      Value *m = splat(maskValue(mask));
      if (step < 0)
        m = b.CreateShuffleVector(m, backwards);
      x = b.CreateMaskedLoad(wide, at, align, m, Constant::getNullValue(wide));
    } else {
      x = b.CreateAlignedLoad(wide, at, align);
    }
    if (step < 0)
      x = b.CreateShuffleVector(x, backwards);
    return ops.fromMemory(x, type);
  }
  if (linear && !mask && !isComplex(type) && param >= 0 && tileVar >= 0 &&
      offset.coefficient(tileVar) == 1 &&
      !space.dependsNonlinearlyOn(offset, tileVar))
    return loadTransposed(type, buffer, offset, param);
  Type *indexType = elements <= INT32_MAX ? b.getInt32Ty() : b.getInt64Ty();
  Value *pointers = b.CreateGEP(element, buffer, vector(offset, indexType));
  Value *m = mask ? splat(maskValue(mask)) : nullptr;
  if (isComplex(type))
    return gatherPairs(pointers, type, m);
  Value *x = b.CreateMaskedGather(wide, pointers, align, m,
                                  Constant::getNullValue(wide));
  return ops.fromMemory(x, type);
}

void NodeEmitter::store(Value *x, ElementType type, Value *buffer,
                        const IndexExpr &offset) {
  Type *element = ops.memoryType(type);
  Align align(byteWidth(type));
  if (loops.lanes == 1 || !loops.isVector(offset)) {
    if (isVector(x))
      x = lane(b, x, 0);
    b.CreateAlignedStore(ops.toMemory(x, type),
                         b.CreateGEP(element, buffer, scalar(offset)), align);
    return;
  }
  x = ops.toMemory(splat(x), type);
  if (offset.coefficient(loops.vectorVar) == 1 &&
      !space.dependsNonlinearlyOn(offset, loops.vectorVar)) {
    if (isComplex(type)) {
      SmallVector<int, 32> interleaved;
      for (int i = 0; i < loops.lanes; ++i)
        llvm::append_values(interleaved, i, loops.lanes + i);
      x = b.CreateShuffleVector(part(b, x, 0), part(b, x, 1), interleaved);
      align = Align(byteWidth(type) / 2);
    }
    b.CreateAlignedStore(x, b.CreateGEP(element, buffer, scalar(offset)),
                         align);
    return;
  }
  Value *offsets = vector(offset, b.getInt64Ty());
  for (int i = 0; i < loops.lanes; ++i) {
    Value *at = b.CreateExtractElement(offsets, i);
    b.CreateAlignedStore(lane(b, x, i), b.CreateGEP(element, buffer, at),
                         align);
  }
}

} // namespace shardwright::cpu
