//===- loop_emitter.cc - loops with invariant values hoisted --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/loop_emitter.h"

using namespace llvm;

namespace shardwright::cpu {

/// Opens control flow in a scope. If the loop of the scope is already open
/// (invariant reductions), the block is split before that loop and the deeper
/// scopes are saved until `close`.
class LoopEmitter::Opening {
public:
  explicit Opening(LoopEmitter &e) : e(e) {
    pre = e.b.GetInsertBlock();
    anchor = e.scopes[e.current].anchor;
    if (anchor) {
      rest = pre->splitBasicBlock(anchor->getIterator());
      pre->getTerminator()->eraseFromParent();
      e.b.SetInsertPoint(pre);
      deeper.assign(std::make_move_iterator(e.scopes.begin() + e.current + 1),
                    std::make_move_iterator(e.scopes.end()));
      e.scopes.resize(e.current + 1);
    }
  }
  /// Ends the scope with `branch` and opens a new scope.
  void enter(Instruction *branch) {
    e.scopes[e.current].anchor = branch;
    e.scopes.emplace_back();
    ++e.current;
  }
  void leave() {
    e.scopes.pop_back();
    --e.current;
  }
  /// Continues at the builder's insertion point.
  void close() {
    e.scopes[e.current].anchor = anchor;
    if (!anchor)
      return;
    e.b.CreateBr(rest);
    rest->moveAfter(e.b.GetInsertBlock());
    e.b.SetInsertPoint(anchor);
    for (Scope &scope : deeper)
      e.scopes.push_back(std::move(scope));
  }

private:
  LoopEmitter &e;
  BasicBlock *pre, *rest = nullptr;
  Instruction *anchor;
  std::vector<Scope> deeper;
};

Values LoopEmitter::loop(AtomId var, const Bounds &range, int loopLanes,
                         ArrayRef<Value *> carried,
                         function_ref<Values(ArrayRef<Value *>)> body) {
  auto *lo = dyn_cast<ConstantInt>(range.lo),
       *hi = dyn_cast<ConstantInt>(range.hi);
  bool known = lo && hi;
  if (known && lo->getSExtValue() >= hi->getSExtValue())
    return Values(carried);
  bool once = known && lo->getSExtValue() + range.step >= hi->getSExtValue();
  bool guard = !known && range.maybeEmpty;

  Opening opening(*this);
  Function *f = b.GetInsertBlock()->getParent();
  LLVMContext &context = b.getContext();
  BasicBlock *pre = b.GetInsertBlock();
  BasicBlock *header = BasicBlock::Create(context, "loop", f);
  BasicBlock *exit = BasicBlock::Create(context, "done", f);
  Instruction *enter =
      guard ? b.CreateCondBr(b.CreateICmpSLT(range.lo, range.hi), header, exit)
            : b.CreateBr(header);
  opening.enter(enter);
  b.SetInsertPoint(header);
  PHINode *iv = nullptr;
  SmallVector<PHINode *, 8> phis;
  Values inside;
  if (once) {
    inside.assign(carried.begin(), carried.end());
    vars[var] = {range.lo, current};
  } else {
    iv = b.CreatePHI(b.getInt64Ty(), 2, "i");
    iv->addIncoming(range.lo, pre);
    for (Value *c : carried) {
      phis.push_back(b.CreatePHI(c->getType(), 2));
      phis.back()->addIncoming(c, pre);
      inside.push_back(phis.back());
    }
    Value *at = iv;
    if (range.last)
      at =
          b.CreateBinaryIntrinsic(Intrinsic::smin, iv, b.getInt64(*range.last));
    vars[var] = {at, current};
  }
  AtomId outerVector = vectorVar;
  int outerLanes = lanes;
  if (loopLanes > 1) {
    vectorVar = var;
    lanes = loopLanes;
  }
  Values next = body(inside);
  vectorVar = outerVector;
  lanes = outerLanes;
  BasicBlock *latch = b.GetInsertBlock();
  if (once) {
    b.CreateBr(exit);
  } else {
    Value *stepped = b.CreateNUWAdd(iv, b.getInt64(range.step));
    b.CreateCondBr(b.CreateICmpSLT(stepped, range.hi), header, exit);
    iv->addIncoming(stepped, latch);
    for (auto [phi, value] : zip_equal(phis, next))
      phi->addIncoming(value, latch);
  }
  exit->moveAfter(latch);
  b.SetInsertPoint(exit);
  opening.leave();
  if (guard)
    for (auto [value, init] : zip_equal(next, carried)) {
      PHINode *phi = b.CreatePHI(init->getType(), 2);
      phi->addIncoming(init, pre);
      phi->addIncoming(value, latch);
      value = phi;
    }
  opening.close();
  return next;
}

void LoopEmitter::branch(Value *condition, function_ref<void()> then,
                         function_ref<void()> otherwise) {
  Opening opening(*this);
  Function *f = b.GetInsertBlock()->getParent();
  BasicBlock *yes = BasicBlock::Create(b.getContext(), "then", f);
  BasicBlock *no = BasicBlock::Create(b.getContext(), "else", f);
  BasicBlock *exit = BasicBlock::Create(b.getContext(), "endif", f);
  Instruction *enter = b.CreateCondBr(condition, yes, no);
  for (auto [block, piece] : {std::pair(yes, then), std::pair(no, otherwise)}) {
    opening.enter(enter);
    b.SetInsertPoint(block);
    piece();
    b.CreateBr(exit);
    opening.leave();
  }
  b.SetInsertPoint(exit);
  opening.close();
}

int LoopEmitter::depth(const IndexExpr &e) const {
  int result = 0;
  for (auto [atomId, c] : e.terms) {
    const Atom &atom = space.atom(atomId);
    int d = 0;
    switch (atom.kind) {
    case Atom::Kind::Variable:
      d = vars.at(atomId).depth;
      break;
    case Atom::Kind::Opaque:
      d = depth(space.interned(atom.index));
      break;
    default:
      d = depth(atom.expr);
    }
    result = std::max(result, d);
  }
  return result;
}

int LoopEmitter::depth(const IndexVector &index) const {
  int result = 0;
  for (const IndexExpr &e : index)
    result = std::max(result, depth(e));
  return result;
}

Value *LoopEmitter::lookup(int depth, const Key &key) {
  auto it = scopes[depth].values.find(key);
  return it == scopes[depth].values.end() ? nullptr : it->second;
}

void LoopEmitter::remember(int depth, const Key &key, Value *value) {
  scopes[depth].values[key] = value;
}

Value *LoopEmitter::at(int depth, const Key &key,
                       function_ref<Value *()> make) {
  if (Value *known = lookup(depth, key))
    return known;
  Value *value;
  if (depth >= current) {
    value = make();
  } else {
    IRBuilderBase::InsertPoint saved = b.saveIP();
    int savedDepth = current;
    AtomId savedVector = vectorVar;
    int savedLanes = lanes;
    current = depth;
    // There are no vectors outside the vectorised loop.
    if (vectorVar >= 0 && vars.at(vectorVar).depth > depth) {
      vectorVar = -1;
      lanes = 1;
    }
    b.SetInsertPoint(scopes[depth].anchor);
    value = make();
    current = savedDepth;
    vectorVar = savedVector;
    lanes = savedLanes;
    b.restoreIP(saved);
  }
  if (value)
    remember(depth, key, value);
  return value;
}

} // namespace shardwright::cpu
