//===- kernel_emitter.cc - a cluster as an LLVM function ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/node_emitter.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace shardwright::cpu {

namespace {

class KernelEmitter {
public:
  KernelEmitter(Function *function, const Cluster &cluster,
                const KernelPlan &plan, const TargetInfo &target);
  void emit();

private:
  using Body = function_ref<void(const IndexVector &)>;

  void emitRows(size_t group, IndexVector &groups, function_ref<void()> body);
  void emitDomain();
  void emitTiles(IndexVector &groups);
  void emitTail(const IndexVector &rowGroups);
  void emitOutputs(const IndexVector &rowGroups,
                   const IndexVector &tailGroups, bool rowOutputs);
  void emitRowLevel(int level);
  void emitColumnReduces(ArrayRef<IndexVector> kept);
  void emitScatter();
  void emitSort();
  /// Runs `body` for `unroll` times lanes consecutive values of the innermost
  /// loop at a time; what is left over goes with fewer.
  Values innermost(int64_t size, Value *lo, Value *hi, int unroll,
                   ArrayRef<Value *> carried,
                   function_ref<Values(ArrayRef<IndexExpr>, ArrayRef<Value *>)>
                       body);
  /// Index vector at which output `number` is stored, and its value node.
  bool isRowOutput(int number) const;
  Value *outputBuffer(int number) const {
    return buffers[cluster.numParams + number];
  }
  Value *identity(Op op, ElementType type);
  Value *horizontal(Op op, ElementType type, Value *x);
  IndexVector rowIndex(const Node &node, const IndexVector &groups);

  Function *function;
  const Cluster &cluster;
  const Graph &graph;
  const KernelPlan &plan;
  IRBuilder<> b;
  IndexSpace space;
  LoopEmitter loops;
  SmallVector<Value *, 8> buffers;
  std::unique_ptr<NodeEmitter> nodes;
  Shape rowShape, tailShape, reducedShape;
  IndexVector currentRow; ///< one expression for each row group
};

int32_t valueNode(const Graph &graph, int32_t output) {
  const Node &node = graph[output];
  return node.op == Op::UpdateSlice ? node.operands[1] : output;
}

Shape joined(ArrayRef<Shape> groups) {
  Shape all;
  for (const Shape &g : groups)
    llvm::append_range(all, g);
  return all;
}

} // namespace

KernelEmitter::KernelEmitter(Function *function, const Cluster &cluster,
                             const KernelPlan &plan, const TargetInfo &target)
    : function(function), cluster(cluster), graph(cluster.graph), plan(plan),
      b(BasicBlock::Create(function->getContext(), "entry", function)),
      loops(b, space) {
  Value *table = function->getArg(0);
  size_t count = cluster.numParams + cluster.outputs.size();
  for (size_t i = 0; i < count; ++i) {
    auto *pointer = b.CreateAlignedLoad(
        b.getPtrTy(), b.CreateGEP(b.getPtrTy(), table, b.getInt64(i)), Align(8));
    pointer->setMetadata(LLVMContext::MD_nonnull, MDNode::get(b.getContext(), {}));
    buffers.push_back(pointer);
  }
  nodes = std::make_unique<NodeEmitter>(b, loops, space, cluster, target, buffers);
  rowShape = joined(plan.rowDims);
  tailShape = joined(plan.tailDims);
  reducedShape = joined(plan.reducedDims);
}

bool KernelEmitter::isRowOutput(int number) const {
  const Node &node = graph[valueNode(graph, cluster.outputs[number])];
  return plan.kind == KernelPlan::Kind::Row && product(plan.tail) != 1 &&
         node.elements() == product(plan.rows);
}

Value *KernelEmitter::identity(Op op, ElementType type) {
  Type *t = nodes->ops.registerType(type);
  bool isSigned = isSignedInteger(type);
  unsigned width = t->getScalarSizeInBits();
  switch (op) {
  case Op::Add:
    return isFloat(type) ? ConstantFP::getNegativeZero(t)
                         : Constant::getNullValue(t);
  case Op::Multiply:
    return isFloat(type) ? ConstantFP::get(t, 1.0)
                         : (Constant *)ConstantInt::get(t, 1);
  case Op::Maximum:
    if (isFloat(type))
      return ConstantFP::getInfinity(t, /*Negative=*/true);
    return ConstantInt::get(
        t, isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0));
  case Op::Minimum:
    if (isFloat(type))
      return ConstantFP::getInfinity(t);
    return ConstantInt::get(t, isSigned ? APInt::getSignedMaxValue(width)
                                        : APInt::getMaxValue(width));
  case Op::And:
    return Constant::getAllOnesValue(t);
  default:
    return Constant::getNullValue(t);
  }
}

Value *KernelEmitter::horizontal(Op op, ElementType type, Value *x) {
  bool isSigned = isSignedInteger(type), floating = isFloat(type);
  if (type == ElementType::Pred) {
    if (op == Op::Xor)
      return b.CreateXorReduce(x);
    return op == Op::Multiply || op == Op::And || op == Op::Minimum
               ? b.CreateAndReduce(x)
               : b.CreateOrReduce(x);
  }
  switch (op) {
  case Op::Add: {
    if (!floating)
      return b.CreateAddReduce(x);
    CallInst *sum = b.CreateFAddReduce(identity(op, type), x);
    FastMathFlags flags;
    flags.setAllowReassoc();
    sum->setFastMathFlags(flags);
    return sum;
  }
  case Op::Multiply: {
    if (!floating)
      return b.CreateMulReduce(x);
    CallInst *p = b.CreateFMulReduce(identity(op, type), x);
    FastMathFlags flags;
    flags.setAllowReassoc();
    p->setFastMathFlags(flags);
    return p;
  }
  case Op::Maximum:
    return floating ? b.CreateFPMaximumReduce(x) : b.CreateIntMaxReduce(x, isSigned);
  case Op::Minimum:
    return floating ? b.CreateFPMinimumReduce(x) : b.CreateIntMinReduce(x, isSigned);
  case Op::And:
    return b.CreateAndReduce(x);
  case Op::Or:
    return b.CreateOrReduce(x);
  default:
    return b.CreateXorReduce(x);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Values KernelEmitter::innermost(
    int64_t size, Value *lo, Value *hi, int unroll, ArrayRef<Value *> carried,
    function_ref<Values(ArrayRef<IndexExpr>, ArrayRef<Value *>)> body) {
  int lanes = plan.lanes;
  int64_t wide = static_cast<int64_t>(lanes) * unroll;
  int64_t mainEnd = size / wide * wide, vectorEnd = size / lanes * lanes;
  bool whole = lo == nullptr;
  Values state(carried);
  auto piece = [&](int64_t from, int64_t to, int width, int copies) {
    if (from >= to)
      return;
    int64_t step = static_cast<int64_t>(width) * copies;
    // The range is that of all lanes of the first copy.
    AtomId var = space.variable({0, to - step + width - 1});
    LoopEmitter::Bounds range = loops.bounds(from, to, step);
    if (!whole) {
      range.lo = from == 0 ? lo
                           : b.CreateBinaryIntrinsic(Intrinsic::smax, lo,
                                                     b.getInt64(from));
      range.hi = b.CreateBinaryIntrinsic(Intrinsic::smin, hi, b.getInt64(to));
      range.maybeEmpty = true;
    }
    state = loops.loop(var, range, width, state, [&](ArrayRef<Value *> inner) {
      IndexVector at;
      for (int u = 0; u < copies; ++u)
        at.push_back(space.add(space.term(var), u * width));
      return body(at, inner);
    });
  };
  piece(0, mainEnd, lanes, unroll);
  piece(mainEnd, vectorEnd, lanes, 1);
  piece(vectorEnd, size, 1, 1);
  return state;
}

IndexVector KernelEmitter::rowIndex(const Node &node, const IndexVector &groups) {
  return reshapeIndex(domainIndex(groups, plan.rowDims, space), rowShape,
                      node.shape, space);
}

void KernelEmitter::emitOutputs(const IndexVector &rowGroups,
                                const IndexVector &tailGroups,
                                bool rowOutputs) {
  IndexVector row = domainIndex(rowGroups, plan.rowDims, space);
  IndexVector full = row;
  Shape fullShape = rowShape;
  if (!rowOutputs) {
    llvm::append_range(full, domainIndex(tailGroups, plan.tailDims, space));
    llvm::append_range(fullShape, tailShape);
  }
  // All values before all stores: an output may share the buffer of a param that
  // is read at the same element (mayShareBuffer).
  std::vector<std::pair<int, Value *>> values;
  std::vector<IndexVector> indices;
  for (int i = 0; i < static_cast<int>(cluster.outputs.size()); ++i) {
    if (isRowOutput(i) != rowOutputs)
      continue;
    int32_t id = valueNode(graph, cluster.outputs[i]);
    indices.push_back(reshapeIndex(full, fullShape, graph[id].shape, space));
    values.push_back({i, nodes->value(id, indices.back())});
  }
  for (auto [value, index] : llvm::zip_equal(values, indices)) {
    auto [i, x] = value;
    int32_t output = cluster.outputs[i];
    IndexVector at = index;
    if (graph[output].op == Op::UpdateSlice)
      at = updateIndex(graph, output, at, space);
    nodes->store(x, graph[output].type, outputBuffer(i),
                 space.linearize(at, rowMajorStrides(graph[output].shape)));
  }
}

void KernelEmitter::emitRows(size_t group, IndexVector &groups,
                             function_ref<void()> body) {
  if (group == plan.rows.size()) {
    body();
    return;
  }
  if (static_cast<int>(group) == plan.transposedRow) {
    groups[group] = IndexExpr(0);
    emitRows(group + 1, groups, body);
    return;
  }
  AtomId var = space.variable({0, plan.rows[group] - 1});
  groups[group] = space.term(var);
  LoopEmitter::Bounds range = loops.bounds(0, plan.rows[group]);
  if (group == 0) {
    range.lo = function->getArg(1);
    range.hi = function->getArg(2);
    range.maybeEmpty = true;
  }
  loops.loop(var, range, 1, {}, [&](ArrayRef<Value *>) {
    emitRows(group + 1, groups, body);
    return Values();
  });
}

void KernelEmitter::emitDomain() {
  IndexVector groups(plan.rows.size());
  auto body = [&] {
    currentRow = groups;
    if (plan.transposedRow >= 0)
      emitTiles(groups);
    else
      emitTail(groups);
  };
  emitRows(0, groups, body);
}

// Blocks of lanes x lanes elements, then the rows that are left over.
void KernelEmitter::emitTiles(IndexVector &groups) {
  int t = plan.transposedRow;
  int64_t rows = plan.rows[t], size = plan.tail[0];
  int lanes = plan.lanes;
  auto block = [&](const IndexExpr &first) {
    auto within = [&](int width, const IndexExpr &v) {
      AtomId var = space.variable({0, lanes - 1});
      loops.loop(var, loops.bounds(0, lanes), 1, {}, [&](ArrayRef<Value *>) {
        if (width > 1)
          nodes->tileVar = var;
        IndexVector at = groups;
        at[t] = space.add(first, space.term(var));
        emitOutputs(at, {v}, false);
        nodes->tileVar = -1;
        return Values();
      });
    };
    innermost(size, nullptr, nullptr, 1, {},
              [&](ArrayRef<IndexExpr> v, ArrayRef<Value *>) {
                within(loops.lanes, v[0]);
                return Values();
              });
  };
  auto leftOver = [&] {
    int64_t first = rows / lanes * lanes;
    AtomId var = space.variable({0, rows - 1});
    loops.loop(var, loops.bounds(first, rows), 1, {}, [&](ArrayRef<Value *>) {
      IndexVector at = groups;
      at[t] = space.term(var);
      emitTail(at);
      return Values();
    });
  };
  int64_t blocks = rows / lanes;
  AtomId var = space.variable({0, blocks});
  IndexExpr first = space.multiply(space.term(var), lanes);
  if (t != 0) {
    loops.loop(var, loops.bounds(0, blocks), 1, {}, [&](ArrayRef<Value *>) {
      block(first);
      return Values();
    });
    leftOver();
    return;
  }
  LoopEmitter::Bounds range{function->getArg(1), function->getArg(2), 1, true};
  loops.loop(var, range, 1, {}, [&](ArrayRef<Value *>) {
    if (rows % lanes == 0)
      block(first);
    else
      loops.branch(
          b.CreateICmpSLT(loops.variable(var), b.getInt64(blocks)),
          [&] { block(first); }, leftOver);
    return Values();
  });
}

void KernelEmitter::emitTail(const IndexVector &rowGroups) {
  if (plan.kind == KernelPlan::Kind::Row) {
    nodes->rowLinear = space.linearize(rowGroups, rowMajorStrides(plan.rows));
    nodes->tailSize = product(plan.tail);
    for (auto [id, level] : plan.scratch)
      nodes->scratch[id].filled = false;
    for (int level = 0; level < static_cast<int>(plan.levels.size()); ++level) {
      emitRowLevel(level);
      for (auto [id, first] : plan.scratch)
        if (first == level)
          nodes->scratch[id].filled = true;
    }
    emitOutputs(rowGroups, {}, /*rowOutputs=*/true);
    bool any = false;
    for (int i = 0; i < static_cast<int>(cluster.outputs.size()); ++i)
      any |= !isRowOutput(i);
    if (!any)
      return;
  }
  if (plan.tail.empty()) {
    emitOutputs(rowGroups, {}, false);
    return;
  }
  // Outer groups of the tail, then the innermost one.
  IndexVector tail(plan.tail.size());
  std::function<void(size_t)> nest = [&](size_t group) {
    int64_t size = plan.tail[group];
    if (group + 1 < plan.tail.size()) {
      AtomId var = space.variable({0, size - 1});
      tail[group] = space.term(var);
      loops.loop(var, loops.bounds(0, size), 1, {}, [&](ArrayRef<Value *>) {
        nest(group + 1);
        return Values();
      });
      return;
    }
    bool column = plan.kind == KernelPlan::Kind::Column;
    // Wide pieces of each row keep the memory system busy, as long as the
    // accumulators stay in registers.
    int unroll = 1;
    if (column) {
      size_t reduces = 0;
      for (const auto &level : plan.levels)
        reduces += level.size();
      unroll = reduces <= 1 && size >= 8 * plan.lanes ? 8 : 4;
    }
    Value *lo = nullptr, *hi = nullptr;
    auto inner = [&] {
      innermost(size, lo, hi, unroll, {},
                [&](ArrayRef<IndexExpr> at, ArrayRef<Value *>) {
                  std::vector<IndexVector> kept;
                  for (const IndexExpr &v : at) {
                    tail[group] = v;
                    IndexVector index = domainIndex(rowGroups, plan.rowDims, space);
                    llvm::append_range(index,
                                       domainIndex(tail, plan.tailDims, space));
                    kept.push_back(index);
                  }
                  if (column)
                    emitColumnReduces(kept);
                  for (const IndexExpr &v : at) {
                    tail[group] = v;
                    emitOutputs(rowGroups, tail, false);
                  }
                  return Values();
                });
    };
    if (!plan.chunk) {
      inner();
      return;
    }
    AtomId chunk = space.variable({0, plan.iterations - 1});
    LoopEmitter::Bounds range{function->getArg(1), function->getArg(2), 1, true};
    loops.loop(chunk, range, 1, {}, [&](ArrayRef<Value *>) {
      lo = b.CreateMul(loops.variable(chunk), b.getInt64(plan.chunk));
      hi = b.CreateBinaryIntrinsic(Intrinsic::smin,
                                   b.CreateAdd(lo, b.getInt64(plan.chunk)),
                                   b.getInt64(size));
      if (plan.iterations == 1)
        lo = hi = nullptr;
      inner();
      return Values();
    });
  };
  nest(0);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Floats narrower than f32 are summed in f32.
static ElementType accumulatorType(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16
             ? ElementType::F32
             : type;
}

// All reductions of a level in one pass over the tail. Those in any order use
// `lanes` times `unroll` partial results; if one of them is not, all go element
// by element.
void KernelEmitter::emitRowLevel(int level) {
  const auto &reduces = plan.levels[level];
  bool parallel = plan.lanes > 1 && !plan.tail.empty();
  for (int32_t r : reduces)
    parallel &= commutativeBody(*graph[r].body).has_value();
  if (!parallel || plan.tail.empty()) {
    for (int32_t r : reduces)
      nodes->value(r, rowIndex(graph[r], currentRow));
    return;
  }
  struct Reduction {
    int32_t id;
    Op op;
    ElementType type, inputType;
  };
  std::vector<Reduction> list;
  for (int32_t r : reduces) {
    const Node &node = graph[r];
    list.push_back({r, *commutativeBody(*node.body),
                    accumulatorType(node.body->nodes[0].type),
                    graph[node.operands[0]].type});
  }
  int lanes = plan.lanes;
  int64_t size = plan.tail.back();
  int unroll = size >= 4 * lanes ? 4 : 1;
  bool scalars = size % lanes != 0;
  // unroll vectors for each reduction, then a scalar for each.
  Values carried;
  for (const Reduction &r : list)
    for (int u = 0; u < unroll; ++u)
      carried.push_back(b.CreateVectorSplat(lanes, identity(r.op, r.type)));
  if (scalars)
    for (const Reduction &r : list)
      carried.push_back(identity(r.op, r.type));
  IndexVector tail(plan.tail.size());
  auto accumulate = [&](ArrayRef<IndexExpr> at, ArrayRef<Value *> state) {
    Values next(state);
    for (auto [u, v] : llvm::enumerate(at)) {
      tail.back() = v;
      IndexVector tailIndex = domainIndex(tail, plan.tailDims, space);
      for (auto [i, r] : llvm::enumerate(list)) {
        const Node &node = graph[r.id];
        IndexVector reduced = reshapeIndex(tailIndex, tailShape,
                                           reducedSizes(graph, r.id), space);
        IndexVector input = reduceInputIndex(
            graph, r.id, rowIndex(node, currentRow), reduced);
        Value *x = nodes->value(node.operands[0], input);
        x = nodes->splat(nodes->ops.convert(x, r.inputType, r.type));
        Value *&into = loops.lanes == 1 ? next[list.size() * unroll + i]
                                        : next[i * unroll + u];
        into = nodes->ops.binary(r.op, r.type, into, x);
      }
    }
    return next;
  };
  std::function<Values(size_t, ArrayRef<Value *>)> nest =
      [&](size_t group, ArrayRef<Value *> state) -> Values {
    int64_t count = plan.tail[group];
    if (group + 1 == plan.tail.size())
      return innermost(count, nullptr, nullptr, unroll, state, accumulate);
    AtomId var = space.variable({0, count - 1});
    tail[group] = space.term(var);
    return loops.loop(var, loops.bounds(0, count), 1, state,
                      [&](ArrayRef<Value *> inner) { return nest(group + 1, inner); });
  };
  Values results = nest(0, carried);
  for (auto [i, r] : llvm::enumerate(list)) {
    const Node &node = graph[r.id];
    Values parts(results.begin() + i * unroll, results.begin() + (i + 1) * unroll);
    while (parts.size() > 1) {
      Values half;
      for (size_t k = 0; k < parts.size() / 2; ++k)
        half.push_back(nodes->ops.binary(r.op, r.type, parts[k],
                                         parts[k + parts.size() / 2]));
      parts = half;
    }
    Value *x = horizontal(r.op, r.type, parts[0]);
    if (scalars)
      x = nodes->ops.binary(r.op, r.type, x, results[list.size() * unroll + i]);
    Value *init = nodes->ops.convert(nodes->value(node.operands[1], {}),
                                     graph[node.operands[1]].type, r.type);
    x = nodes->ops.binary(r.op, r.type, init, x);
    x = nodes->ops.convert(x, r.type, node.type);
    nodes->setResult(r.id, 0, rowIndex(node, currentRow), x);
  }
}

// All reductions for several vectors of kept elements, in one loop.
void KernelEmitter::emitColumnReduces(ArrayRef<IndexVector> kept) {
  struct Part {
    int32_t id;
    IndexVector index;
    size_t first; ///< of its accumulators
  };
  std::vector<Part> parts;
  Values carried;
  Shape domain = rowShape;
  llvm::append_range(domain, tailShape);
  for (const auto &level : plan.levels)
    for (int32_t r : level)
      for (const IndexVector &index : kept) {
        const Node &node = graph[r];
        size_t n = node.operands.size() / 2;
        parts.push_back({r, reshapeIndex(index, domain, node.shape, space),
                         carried.size()});
        for (size_t i = 0; i < n; ++i) {
          ElementType from = graph[node.operands[n + i]].type;
          ElementType type = node.body->nodes[i].type;
          if (commutativeBody(*node.body))
            type = accumulatorType(type);
          carried.push_back(nodes->splat(nodes->ops.convert(
              nodes->value(node.operands[n + i], {}), from, type)));
        }
      }
  IndexVector groups(plan.reduced.size());
  std::function<Values(size_t, ArrayRef<Value *>)> nest =
      [&](size_t group, ArrayRef<Value *> state) -> Values {
    if (group < plan.reduced.size()) {
      AtomId var = space.variable({0, plan.reduced[group] - 1});
      groups[group] = space.term(var);
      return loops.loop(var, loops.bounds(0, plan.reduced[group]), 1, state,
                        [&](ArrayRef<Value *> inner) { return nest(group + 1, inner); });
    }
    IndexVector reducedIndex = domainIndex(groups, plan.reducedDims, space);
    Values next(state);
    for (const Part &part : parts) {
      const Node &node = graph[part.id];
      size_t n = node.operands.size() / 2;
      IndexVector reduced = reshapeIndex(reducedIndex, reducedShape,
                                         reducedSizes(graph, part.id), space);
      IndexVector at = reduceInputIndex(graph, part.id, part.index, reduced);
      std::optional<Op> op = commutativeBody(*node.body);
      Values args;
      for (size_t i = 0; i < n; ++i)
        args.push_back(state[part.first + i]);
      for (size_t i = 0; i < n; ++i) {
        ElementType type = node.body->nodes[n + i].type;
        if (op)
          type = accumulatorType(type);
        Value *x = nodes->value(node.operands[i], at);
        args.push_back(nodes->splat(nodes->ops.convert(
            x, graph[node.operands[i]].type, type)));
      }
      Values results;
      if (op)
        results.push_back(nodes->ops.binary(
            *op, accumulatorType(node.body->nodes[0].type), args[0], args[1]));
      else
        nodes->ops.evaluate(*node.body, args, results);
      for (size_t i = 0; i < n; ++i)
        next[part.first + i] = results[i];
    }
    return next;
  };
  Values results = nest(0, carried);
  for (const Part &part : parts) {
    const Node &node = graph[part.id];
    for (size_t i = 0; i < node.operands.size() / 2; ++i) {
      Value *x = results[part.first + i];
      if (commutativeBody(*node.body))
        x = nodes->ops.convert(x, accumulatorType(node.type), node.type);
      nodes->setResult(part.id, i, part.index, x);
    }
  }
}

//===----------------------------------------------------------------------===//
// Scatter and sort
//===----------------------------------------------------------------------===//

// Index by index, in row-major order; a window that is not wholly inside is
// skipped, as XLA does.
void KernelEmitter::emitScatter() {
  int32_t id = cluster.outputs[0];
  if (graph[id].op == Op::Proj)
    id = graph[id].operands[0];
  const Node &node = graph[id];
  size_t n = (node.operands.size() - 1) / 2;
  const Node &operand = graph[node.operands[0]];
  const Node &starts = graph[node.operands[n]];
  const Node &update = graph[node.operands[n + 1]];
  const Shape &windowDims = node.attrs[0], &inserted = node.attrs[1],
              &batching = node.attrs[2], &startsBatching = node.attrs[3],
              &operandDims = node.attrs[4];
  int64_t vectorDim = node.attrs[5][0];
  // One loop for each scatter dimension of the updates.
  IndexVector scatter;
  std::vector<std::pair<AtomId, int64_t>> scatterLoops;
  for (size_t d = 0; d < update.shape.size(); ++d)
    if (!llvm::is_contained(windowDims, static_cast<int64_t>(d))) {
      AtomId var = space.variable({0, update.shape[d] - 1});
      scatterLoops.push_back({var, update.shape[d]});
      scatter.push_back(space.term(var));
    }
  auto startsIndex = [&](int64_t component) {
    IndexVector at;
    size_t next = 0;
    for (size_t d = 0; d < starts.shape.size(); ++d)
      at.push_back(static_cast<int64_t>(d) == vectorDim ? IndexExpr(component)
                                                        : scatter[next++]);
    return at;
  };
  // Size of the window along each dimension of the operand.
  Shape window(operand.shape.size(), 1);
  SmallVector<int> windowOf(operand.shape.size(), -1);
  size_t nextWindow = 0;
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    auto dim = static_cast<int64_t>(d);
    if (llvm::is_contained(inserted, dim) || llvm::is_contained(batching, dim))
      continue;
    windowOf[d] = windowDims[nextWindow++];
    window[d] = update.shape[windowOf[d]];
  }
  Shape strides = rowMajorStrides(operand.shape);

  auto body = [&] {
    SmallVector<Value *, 4> start(operand.shape.size(), b.getInt64(0));
    Value *inside = b.getTrue();
    for (auto [k, d] : llvm::enumerate(operandDims)) {
      Value *s = nodes->value(node.operands[n], startsIndex(k));
      s = isSignedInteger(starts.type) ? b.CreateSExt(s, b.getInt64Ty())
                                       : b.CreateZExt(s, b.getInt64Ty());
      start[d] = s;
      // As unsigned, one comparison rejects both sides.
      inside = b.CreateAnd(
          inside, window[d] > operand.shape[d]
                      ? (Value *)b.getFalse()
                      : b.CreateICmpULE(s, b.getInt64(operand.shape[d] - window[d])));
    }
    for (auto [d, s] : llvm::zip_equal(batching, startsBatching))
      start[d] = nodes->scalar(scatter[s - (vectorDim < s ? 1 : 0)]);
    Value *base = b.getInt64(0);
    for (size_t d = 0; d < start.size(); ++d)
      base = b.CreateAdd(base, b.CreateMul(start[d], b.getInt64(strides[d])));
    loops.branch(
        inside,
        [&] {
          // Window loops; the innermost is vectorised where it is contiguous.
          IndexVector updateAt(update.shape.size());
          size_t next = 0;
          for (size_t d = 0; d < update.shape.size(); ++d)
            if (!llvm::is_contained(windowDims, static_cast<int64_t>(d)))
              updateAt[d] = scatter[next++];
          IndexVector within(operand.shape.size());
          std::function<void(size_t)> nest = [&](size_t d) {
            if (d == operand.shape.size()) {
              IndexExpr offset = space.linearize(within, strides);
              Values args, results;
              for (size_t i = 0; i < n; ++i)
                args.push_back(nodes->load(
                    graph[node.operands[i]].type,
                    b.CreateGEP(nodes->ops.memoryType(graph[node.operands[i]].type),
                                outputBuffer(i), base),
                    operand.elements(), offset));
              for (size_t i = 0; i < n; ++i) {
                Value *x = nodes->value(node.operands[n + 1 + i], updateAt);
                ElementType from = graph[node.operands[n + 1 + i]].type;
                args.push_back(
                    nodes->ops.convert(x, from, node.body->nodes[n + i].type));
              }
              for (Value *&arg : args)
                arg = nodes->splat(arg);
              nodes->ops.evaluate(*node.body, args, results);
              for (size_t i = 0; i < n; ++i)
                nodes->store(
                    results[i], graph[node.operands[i]].type,
                    b.CreateGEP(nodes->ops.memoryType(graph[node.operands[i]].type),
                                outputBuffer(i), base),
                    offset);
              return;
            }
            if (windowOf[d] < 0) {
              within[d] = IndexExpr(0);
              nest(d + 1);
              return;
            }
            int lanes = d + 1 == operand.shape.size() ? plan.lanes : 1;
            while (lanes > window[d])
              lanes /= 2;
            auto piece = [&](int64_t from, int64_t to, int width) {
              if (from >= to)
                return;
              AtomId var = space.variable({0, to - 1});
              within[d] = updateAt[windowOf[d]] = space.term(var);
              loops.loop(var, loops.bounds(from, to, width), width, {},
                         [&](ArrayRef<Value *>) {
                           nest(d + 1);
                           return Values();
                         });
            };
            lanes = std::max(lanes, 1);
            int64_t vectorEnd = window[d] / lanes * lanes;
            piece(0, vectorEnd, lanes);
            piece(vectorEnd, window[d], 1);
          };
          nest(0);
        },
        [] {});
  };
  std::function<void(size_t)> nest = [&](size_t i) {
    if (i == scatterLoops.size()) {
      body();
      return;
    }
    loops.loop(scatterLoops[i].first, loops.bounds(0, scatterLoops[i].second), 1, {},
               [&](ArrayRef<Value *>) {
                 nest(i + 1);
                 return Values();
               });
  };
  nest(0);
}

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
  auto *comparatorType = FunctionType::get(b.getInt8Ty(), {ptr, i64, i64}, false);
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
            b.CreateLoad(element, b.CreateGEP(element, buffer, less->getArg(side))),
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
  auto *global = new GlobalVariable(*module, arrayType, true,
                                    GlobalValue::InternalLinkage,
                                    ConstantArray::get(arrayType, table),
                                    function->getName() + ".columns");
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

void KernelEmitter::emit() {
  for (auto [id, level] : plan.scratch) {
    Type *type = nodes->ops.registerType(graph[id].type);
    if (type->isIntegerTy(1))
      type = b.getInt8Ty();
    nodes->scratch[id].buffer = allocate(b, type, product(plan.tail));
  }
  bool empty = true;
  for (int32_t output : cluster.outputs)
    empty &= graph[valueNode(graph, output)].elements() == 0;
  if (plan.kind == KernelPlan::Kind::Scatter)
    emitScatter();
  else if (plan.kind == KernelPlan::Kind::Sort)
    emitSort();
  else if (!empty)
    emitDomain();
  b.CreateRetVoid();
}

void emitKernel(Module &module, const Cluster &cluster, const KernelPlan &plan,
                StringRef symbol, const TargetInfo &target) {
  LLVMContext &context = module.getContext();
  Type *ptr = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  auto *function = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {ptr, i64, i64}, false),
      GlobalValue::ExternalLinkage, symbol, module);
  function->addFnAttr("target-cpu", target.cpu);
  function->addFnAttr("target-features", target.features);
  function->addFnAttr("prefer-vector-width", target.lanes512 ? "512" : "256");
  function->addFnAttr(Attribute::NoUnwind);
  KernelEmitter(function, cluster, plan, target).emit();
}

} // namespace shardwright::cpu
