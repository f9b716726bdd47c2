//===- kernel_scan.cc - scan kernels --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration processes several lines along the scanned dimension together and
// keeps their accumulators in registers. Neighbours in the innermost dimension
// are the lanes of a vector. Lines of the innermost dimension itself are
// interleaved scalars, because each step depends on the previous one. The last
// group of lines overlaps the group before it where the lines do not divide
// evenly.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/codegen/accumulation.h"
#include "shardwright/cpu/codegen/kernel_function.h"
#include "shardwright/cpu/codegen/summation.h"

using namespace llvm;

namespace shardwright::cpu {

class KernelEmitter::ScanKernel {
public:
  ScanKernel(KernelEmitter &kernel, const ScanPlan &plan);
  void emit();

private:
  using State = ArrayRef<Value *>;

  /// Lines that are scanned together.
  struct Lines {
    /// First element of each operand and result (null: not stored).
    SmallVector<Value *, 4> from, to;
    /// Offset of a lane from the first element.
    IndexExpr lane;
    /// Steps along the lines, 0 to size - 1.
    AtomId step;
    /// Long lines of floats are summed in blocks.
    SummationBlocks blocks;
    Values fresh; ///< accumulators of no elements (identities)
  };

  Value *firstLine(Value *iteration);
  Value *elementPointer(Value *buffer, size_t operand, Value *first);
  void emitLines(Value *first, const IndexExpr &lane);
  Values initialValues();
  Values emitStep(const Lines &lines, State state, State before);
  Values emitBlock(const Lines &lines, int depth, Value *number, State before);
  Values add(State x, State y);
  ElementType type(size_t operand) const {
    return k.graph[node.operands[operand]].type;
  }

  KernelEmitter &k;
  IRBuilder<> &b;
  const ScanPlan &plan;
  const Scan &scan;
  const Node &node;
  Accumulation sums;
  size_t operands; ///< number of scanned operands
  int lanes;
  size_t copies; ///< interleaved scalar lines
  /// Buffer of each result, or null.
  SmallVector<Value *, 4> outputOf;
};

KernelEmitter::ScanKernel::ScanKernel(KernelEmitter &kernel,
                                      const ScanPlan &plan)
    : k(kernel), b(kernel.b), plan(plan), scan(plan.scan),
      node(kernel.graph[plan.node]), sums(*node.body),
      operands(node.operands.size() / 2),
      lanes(scan.isVector() ? plan.together : 1),
      copies(scan.isVector() ? 1 : plan.together), outputOf(operands, nullptr) {
  for (size_t i = 0; i < k.cluster.outputs.size(); ++i) {
    const Node &output = k.graph[k.cluster.outputs[i]];
    outputOf[output.op == Op::Proj ? output.get<ProjAttrs>().result : 0] =
        k.outputBuffer(i);
  }
}

void KernelEmitter::ScanKernel::emit() {
  AtomId turn = k.space.variable({0, k.plan.iterations - 1});
  k.loops.loop(turn,
               {k.function->getArg(1),
                k.function->getArg(2),
                1,
                /*maybeEmpty=*/true,
                {}},
               1, {}, [&](State) {
                 Value *first = firstLine(k.loops.variable(turn));
                 AtomId lane = k.space.variable({0, lanes - 1});
                 k.loops.loop(lane, k.loops.bounds(0, lanes, lanes), lanes, {},
                              [&](State) {
                                emitLines(first, k.space.term(lane));
                                return Values();
                              });
                 return Values();
               });
}

/// Offset of the first element of the lines of an iteration.
Value *KernelEmitter::ScanKernel::firstLine(Value *iteration) {
  int64_t lines = scan.lines(), together = plan.together;
  Value *outer = b.getInt64(0), *group = iteration;
  if (scan.isVector()) {
    Value *groups = b.getInt64((lines + together - 1) / together);
    outer = b.CreateUDiv(iteration, groups);
    group = b.CreateURem(iteration, groups);
  }
  Value *line = b.CreateBinaryIntrinsic(
      Intrinsic::smin, b.CreateMul(group, b.getInt64(together)),
      b.getInt64(lines - together));
  if (!scan.isVector())
    line = b.CreateMul(line, b.getInt64(scan.size));
  return b.CreateAdd(b.CreateMul(outer, b.getInt64(scan.size * scan.inner)),
                     line);
}

Value *KernelEmitter::ScanKernel::elementPointer(Value *buffer, size_t operand,
                                                 Value *first) {
  return b.CreateGEP(k.nodes->ops.memoryType(type(operand)), buffer, first);
}

void KernelEmitter::ScanKernel::emitLines(Value *first, const IndexExpr &lane) {
  Lines lines;
  lines.lane = lane;
  for (size_t i = 0; i < operands; ++i) {
    Value *input = k.buffers[k.graph[node.operands[i]].bits];
    lines.from.push_back(elementPointer(input, i, first));
    lines.to.push_back(outputOf[i] ? elementPointer(outputOf[i], i, first)
                                   : nullptr);
  }
  Values initial = initialValues();
  lines.step = k.space.variable({0, scan.size - 1});
  lines.blocks = SummationBlocks::of(
      scan.size, sums.errorGrows() ? summationBlock : scan.size);
  if (lines.blocks.depth == 0) {
    k.loops.loop(lines.step, k.loops.bounds(0, scan.size), 1, initial,
                 [&](State state) { return emitStep(lines, state, {}); });
    return;
  }
  lines.fresh.assign(copies, k.nodes->splat(sums.nothing(k.nodes->ops)));
  emitBlock(lines, lines.blocks.depth, nullptr, initial);
}

Values KernelEmitter::ScanKernel::initialValues() {
  Values initial;
  for (size_t c = 0; c < copies; ++c)
    for (size_t i = 0; i < operands; ++i)
      initial.push_back(k.nodes->splat(
          k.nodes->ops.convert(k.nodes->value(node.operands[operands + i], {}),
                               type(operands + i), sums.type(i))));
  return initial;
}

/// Scans one more element of each line. `before`, the total of all earlier
/// blocks, is added to the stored results.
Values KernelEmitter::ScanKernel::emitStep(const Lines &lines, State state,
                                           State before) {
  IndexSpace &space = k.space;
  OpEmitter &ops = k.nodes->ops;
  IndexExpr place = space.term(lines.step);
  if (scan.fromEnd)
    place = space.add(space.multiply(place, -1), scan.size - 1);
  Values after;
  for (size_t c = 0; c < copies; ++c) {
    IndexExpr offset = space.add(space.multiply(place, scan.inner), lines.lane);
    offset = space.add(offset, static_cast<int64_t>(c) * scan.size);
    Values old(state.slice(c * operands, operands)), elements, next;
    for (size_t i = 0; i < operands; ++i) {
      Value *x = k.nodes->load(type(i), lines.from[i],
                               k.graph[node.operands[i]].elements(), offset);
      elements.push_back(ops.convert(x, type(i), sums.type(operands + i)));
    }
    // Arguments are in element order, from whichever end the scan starts.
    Values args = scan.fromEnd ? elements : old;
    llvm::append_range(args, scan.fromEnd ? old : elements);
    sums.step(ops, args, next);
    for (size_t i = 0; i < operands; ++i) {
      next[i] = k.nodes->splat(next[i]);
      if (!lines.to[i])
        continue;
      Value *result = next[i];
      if (!before.empty())
        result = sums.add(ops, before[c], result);
      k.nodes->store(sums.finish(ops, result), type(i), lines.to[i], offset);
    }
    llvm::append_range(after, next);
  }
  return after;
}

Values KernelEmitter::ScanKernel::add(State x, State y) {
  Values total;
  for (auto [a, c] : llvm::zip_equal(x, y))
    total.push_back(sums.add(k.nodes->ops, a, c));
  return total;
}

/// Scans a block and returns its total. `before`, the total of all earlier
/// blocks, is added to the stored elements. A block of depth 0 holds elements,
/// a deeper one holds blocks.
Values KernelEmitter::ScanKernel::emitBlock(const Lines &lines, int depth,
                                            Value *number, State before) {
  const SummationBlocks &blocks = lines.blocks;
  if (depth == 0)
    return k.loops.loop(
        lines.step, blocks.bounds(b, number), 1, lines.fresh,
        [&](State state) { return emitStep(lines, state, before); });
  AtomId turn = k.space.variable({0, blocks.fan - 1});
  return k.loops.loop(
      turn, k.loops.bounds(0, blocks.fan), 1, lines.fresh, [&](State total) {
        Value *inside = blocks.number(b, number, k.loops.variable(turn));
        return add(total,
                   emitBlock(lines, depth - 1, inside, add(before, total)));
      });
}

void KernelEmitter::emitScan(const ScanPlan &scan) {
  ScanKernel(*this, scan).emit();
}

} // namespace shardwright::cpu
