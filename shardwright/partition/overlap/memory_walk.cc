//===- memory_walk.cc - buffers of a program's values ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/memory_walk.h"

#include "shardwright/dialect/stablehlo/element_type.h"
#include "shardwright/partition/ops/op_traits.h"
#include "shardwright/partition/overlap/op_cost.h"

#include <cmath>

using namespace mlir;

namespace shardwright {

static constexpr int32_t kForever = INT32_MAX;

/// Bytes of a value in memory: elements of less than a byte take one. Of a
/// future, those of the values that it stands for. 0 for other types.
static double memoryBytes(Value value) {
  auto ofType = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return 0.0;
    std::optional<ElementType> element =
        elementTypeFromMLIR(tensor.getElementType());
    if (!element)
      return std::ceil(bytesOf(type));
    double bytes = double(byteWidth(*element));
    for (int64_t size : tensor.getShape())
      bytes *= double(size);
    return std::ceil(bytes);
  };
  if (auto start = value.getDefiningOp<stablehlo::AsyncStartOp>()) {
    double bytes = 0;
    for (Type type : start.getBody().front().getTerminator()->getOperandTypes())
      bytes += ofType(type);
    return bytes;
  }
  return ofType(value.getType());
}

static int64_t asInteger(double bytes) {
  return int64_t(std::min(bytes, 9e18));
}

/// Backends align the values that they allocate.
static double aligned(double bytes) {
  constexpr double alignment = 64;
  return std::ceil(bytes / alignment) * alignment;
}

/// True if the op gathers values of several devices.
static bool gathers(Operation *op) {
  if (auto start = dyn_cast<stablehlo::AsyncStartOp>(op))
    return llvm::any_of(start.getBody().front(),
                        [](Operation &inner) { return gathers(&inner); });
  return isa<stablehlo::AllGatherOp>(op);
}

/// True if the loop fills the value that it carries at `i` slice by slice.
static bool isFilled(stablehlo::WhileOp op, unsigned i) {
  Block &body = op.getBody().front();
  Value value = body.getTerminator()->getOperand(i);
  auto update = value.getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  return update && update.getOperand() == body.getArgument(i);
}

/// True if result i of the loop is its initial value.
static bool isInvariant(stablehlo::WhileOp op, unsigned i) {
  Block &body = op.getBody().front();
  return body.getTerminator()->getOperand(i) == body.getArgument(i);
}

//===--- values and buffers -----------------------------------------------===//

MemoryWalk::ValueInfo &MemoryWalk::info(Value value) {
  ValueInfo *&known = infos[value];
  if (!known)
    known = &storage.emplace_back();
  return *known;
}

Value MemoryWalk::root(Value value) {
  while (Value of = info(value).viewOf)
    value = of;
  return value;
}

MemoryWalk::Buffer MemoryWalk::addBuffer(Value value, MemoryClass kind,
                                         int64_t index) {
  double bytes = memoryBytes(value);
  bool isCounted = kind != MemoryClass::Argument && kind != MemoryClass::Result;
  if (isCounted)
    bytes = aligned(bytes);
  buffers.push_back({value, kind, asInteger(bytes), index});
  return timeline.add(bytes, isCounted);
}

/// Memory that only the step needs.
MemoryWalk::Buffer MemoryWalk::addScratch(const BlockStep &step) {
  double bytes = aligned(double(step.scratchBytes));
  buffers.push_back(
      {step.outputs.front(), MemoryClass::Temporary, asInteger(bytes)});
  return timeline.add(bytes);
}

/// The buffer to which a step writes the value.
MemoryWalk::Buffer MemoryWalk::target(Value value) {
  ValueInfo &at = info(value);
  if (at.buffer != none)
    return at.buffer;
  if (at.destination != none)
    return at.buffer = at.destination;
  Operation *op = value.getDefiningOp();
  return at.buffer =
             addBuffer(value, op && gathers(op) ? MemoryClass::Gathered
                                                : MemoryClass::Temporary);
}

void MemoryWalk::advance(Operation *op) {
  timeline.advance();
  ops.push_back(op);
}

void MemoryWalk::use(Buffer buffer) {
  if (buffer != none)
    timeline.use(buffer);
}

void MemoryWalk::copy(Buffer from, Buffer to, Operation *op) {
  if (from == to)
    return;
  advance(op);
  use(from);
  use(to);
}

//===--- blocks -----------------------------------------------------------===//

void MemoryWalk::findViews(const BlockStep &step) {
  if (step.kind == BlockStep::Kind::View && !step.inputs.empty())
    info(step.outputs[0]).viewOf = step.inputs[0];
  if (auto loop = dyn_cast<stablehlo::WhileOp>(step.op))
    for (unsigned i = 0; i < loop->getNumResults(); ++i)
      if (isInvariant(loop, i))
        info(loop->getResult(i)).viewOf = loop->getOperand(i);
  if (isa<stablehlo::OptimizationBarrierOp>(step.op))
    for (auto [result, operand] :
         llvm::zip_equal(step.op->getResults(), step.op->getOperands()))
      info(result).viewOf = operand;
}

void MemoryWalk::findReads(Frame &frame) {
  auto read = [&](Value value, int32_t step) {
    ValueInfo *at = &info(value);
    ++at->reads;
    at->lastRead = std::max(at->lastRead, step);
    while (Value of = at->viewOf) {
      at = &info(of);
      at->lastRead = std::max(at->lastRead, step);
    }
  };
  for (auto [s, step] : llvm::enumerate(frame.steps)) {
    for (Value output : step.outputs)
      if (ValueInfo &at = info(output); at.maker < 0)
        at.maker = int32_t(s);
    findViews(step);
  }
  for (auto [s, step] : llvm::enumerate(frame.steps))
    for (Value input : step.inputs)
      read(input, int32_t(s));
  for (Value value : frame.block.getTerminator()->getOperands())
    read(value, kForever);
}

/// Lets the step that makes the value write it to a buffer, if it may.
bool MemoryWalk::assign(Frame &frame, Value value, const Destination &to) {
  ValueInfo &at = info(value);
  if (at.destination != none || at.buffer != none || at.maker < 0 ||
      value.getParentBlock() != &frame.block)
    return false;
  const BlockStep &step = frame.steps[at.maker];
  if (Value of = at.viewOf) {
    if (step.kind != BlockStep::Kind::View ||
        memoryBytes(of) != memoryBytes(value) || !assign(frame, of, to))
      return false;
    at.destination = to.buffer;
    return true;
  }
  auto *output = llvm::find(step.outputs, value);
  int32_t updated = output == step.outputs.end() || step.updated.empty()
                        ? -1
                        : step.updated[output - step.outputs.begin()];
  if (to.liveIn) {
    const ValueInfo &live = info(to.liveIn);
    if (live.lastRead > at.maker)
      return false;
    if (live.lastRead == at.maker) {
      if (step.kind != BlockStep::Kind::Kernel || updated >= 0)
        return false;
      for (auto [input, isPointwise] :
           llvm::zip_equal(step.inputs, step.isPointwise))
        if (root(input) == to.liveIn &&
            (!isPointwise || input.getType() != value.getType()))
          return false;
    }
  }
  at.destination = to.buffer;
  frame.destinations.insert(to.buffer);
  // What the step updates should be in that buffer before.
  if (updated >= 0) {
    Value old = step.inputs[updated];
    if (info(old).reads == 1 && !info(old).viewOf)
      assign(frame, old, to);
  }
  return true;
}

/// Assigns the buffers of loops before the steps in front of them, which may
/// write the initial values there.
void MemoryWalk::planLoops(Frame &frame) {
  for (const BlockStep &step : frame.steps) {
    auto loop = dyn_cast<stablehlo::WhileOp>(step.op);
    if (!loop)
      continue;
    for (unsigned i = 0; i < loop->getNumResults(); ++i) {
      Value result = loop->getResult(i), initial = loop->getOperand(i);
      if (isInvariant(loop, i))
        continue;
      Buffer carried = target(result);
      bool isAlone = true;
      for (Value at = initial; at; at = info(at).viewOf)
        isAlone &= info(at).reads == 1;
      if (isAlone)
        assign(frame, initial, {carried, Value()});
    }
  }
}

/// True if a step may overwrite the memory of one of its inputs.
bool MemoryWalk::mayOverwrite(Frame &frame, int32_t number, int32_t input) {
  const BlockStep &step = frame.steps[number];
  Value value = step.inputs[input], origin = root(value);
  const ValueInfo &from = info(origin);
  if (from.buffer == none || from.lastRead != number ||
      memoryBytes(value) != memoryBytes(origin))
    return false;
  for (auto [i, other] : llvm::enumerate(step.inputs))
    if (int32_t(i) != input && root(other) == origin)
      return false;
  if (origin.getParentBlock() != &frame.block ||
      (isa<BlockArgument>(origin) && !frame.ownsArguments))
    return false;
  return buffers[from.buffer].kind != MemoryClass::Argument;
}

void MemoryWalk::walkKernel(Frame &frame, int32_t number) {
  const BlockStep &step = frame.steps[number];
  SmallVector<Buffer, 4> inputs, outputs;
  for (Value input : step.inputs)
    inputs.push_back(bufferOf(input));
  for (auto [i, output] : llvm::enumerate(step.outputs)) {
    int32_t updated = i < step.updated.size() ? step.updated[i] : -1;
    if (updated < 0) {
      outputs.push_back(target(output));
      continue;
    }
    ValueInfo &at = info(output);
    Buffer old = inputs[updated];
    bool fits = at.destination != none ? at.destination == old
                                       : !frame.destinations.contains(old);
    if (fits && mayOverwrite(frame, number, updated)) {
      at.buffer = old;
    } else {
      copy(old, target(output), step.op);
      inputs[updated] = at.buffer;
    }
    outputs.push_back(at.buffer);
  }
  advance(step.op);
  llvm::for_each(inputs, [&](Buffer b) { use(b); });
  llvm::for_each(outputs, [&](Buffer b) { use(b); });
  noteConflicts(step);
}

void MemoryWalk::noteConflicts(const BlockStep &step) {
  for (Value output : step.outputs) {
    Buffer to = bufferOf(output);
    if (to == none || buffers[to].kind != MemoryClass::Result)
      continue;
    for (auto [i, input] : llvm::enumerate(step.inputs)) {
      Buffer from = bufferOf(input);
      // What is updated has been copied before.
      if (from == none || buffers[from].kind != MemoryClass::Argument ||
          llvm::is_contained(step.updated, int32_t(i)))
        continue;
      bool isPointwise = step.kind == BlockStep::Kind::Kernel &&
                         step.isPointwise[i] &&
                         input.getType() == output.getType();
      if (!isPointwise)
        conflicts.insert({from, to});
    }
  }
}

void MemoryWalk::walkOp(const BlockStep &step) {
  for (Value output : step.outputs)
    target(output);
  // Collectives of several operands run one after another.
  if (isCollective(step.op) &&
      step.op->getNumOperands() == step.op->getNumResults()) {
    for (auto [operand, result] :
         llvm::zip_equal(step.op->getOperands(), step.op->getResults())) {
      advance(step.op);
      use(bufferOf(operand));
      use(bufferOf(result));
    }
    return noteConflicts(step);
  }
  advance(step.op);
  for (Value input : step.inputs)
    use(bufferOf(input));
  for (Value output : step.outputs)
    use(bufferOf(output));
  if (step.scratchBytes > 0)
    use(addScratch(step));
  noteConflicts(step);
}

std::vector<MemoryWalk::Buffer>
MemoryWalk::walkBlock(Block &block, ArrayRef<Destination> destinations,
                      bool ownsArguments) {
  Frame frame{block, ownsArguments, stepsOfBlock(block), {}};
  findReads(frame);
  Operation *end = block.getTerminator();
  for (auto [value, to] : llvm::zip(end->getOperands(), destinations))
    if (to.buffer != none)
      assign(frame, value, to);
  planLoops(frame);
  for (auto [s, step] : llvm::enumerate(frame.steps)) {
    if (step.kind == BlockStep::Kind::View)
      continue;
    if (step.kind == BlockStep::Kind::Kernel)
      walkKernel(frame, int32_t(s));
    else if (isa<stablehlo::WhileOp>(step.op))
      walkLoop(step);
    else if (isa<stablehlo::IfOp, stablehlo::CaseOp>(step.op))
      walkBranches(step);
    else if (isa<func::CallOp>(step.op))
      walkCall(step);
    else if (!isa<stablehlo::OptimizationBarrierOp>(step.op))
      walkOp(step);
  }
  std::vector<Buffer> yielded;
  for (Value value : end->getOperands())
    yielded.push_back(bufferOf(value));
  return yielded;
}

//===--- control flow -----------------------------------------------------===//

void MemoryWalk::walkLoop(const BlockStep &step) {
  auto loop = cast<stablehlo::WhileOp>(step.op);
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  SmallVector<Destination, 4> carried(loop->getNumResults());
  for (unsigned i = 0; i < loop->getNumResults(); ++i) {
    Buffer initial = bufferOf(loop->getOperand(i)), inside = initial;
    if (!isInvariant(loop, i)) {
      inside = target(loop->getResult(i));
      if (isFilled(loop, i) && buffers[inside].kind == MemoryClass::Temporary)
        buffers[inside].kind = MemoryClass::Residual;
      copy(initial, inside, loop);
      carried[i] = {inside, body.getArgument(i)};
    }
    info(cond.getArgument(i)).buffer = inside;
    info(body.getArgument(i)).buffer = inside;
  }
  std::vector<Buffer> predicate = walkBlock(cond, {}, false);
  advance(loop);
  for (Buffer buffer : predicate)
    use(buffer);
  std::vector<Buffer> next = walkBlock(body, carried, true);
  // The moves to the next iteration are parallel: a value that another move
  // overwrites is saved before.
  llvm::DenseSet<Buffer> overwritten;
  for (auto [from, to] : llvm::zip_equal(next, carried))
    if (to.buffer != none && from != to.buffer)
      overwritten.insert(to.buffer);
  for (auto [i, to] : llvm::enumerate(carried))
    if (to.buffer != none && next[i] != to.buffer &&
        overwritten.contains(next[i])) {
      Buffer saved = addBuffer(body.getArgument(i), MemoryClass::Temporary);
      copy(next[i], saved, loop);
      next[i] = saved;
    }
  for (auto [from, to] : llvm::zip_equal(next, carried))
    if (to.buffer != none)
      copy(from, to.buffer, loop);
  // All that the loop reads from outside is alive until its end.
  advance(loop);
  for (unsigned i = 0; i < loop->getNumResults(); ++i)
    use(carried[i].buffer != none ? carried[i].buffer
                                  : bufferOf(loop->getOperand(i)));
  ValueRange initial = loop->getOperands();
  for (Value input : step.inputs)
    if (!llvm::is_contained(initial, input))
      use(bufferOf(input));
}

void MemoryWalk::walkBranches(const BlockStep &step) {
  Operation *op = step.op;
  SmallVector<Destination, 4> destinations;
  for (Value result : op->getResults())
    destinations.push_back({target(result), Value()});
  advance(op);
  use(bufferOf(op->getOperand(0)));
  for (Region &region : op->getRegions()) {
    std::vector<Buffer> yielded =
        walkBlock(region.front(), destinations, false);
    for (auto [from, to] : llvm::zip(yielded, destinations))
      copy(from, to.buffer, op);
  }
  advance(op);
  for (const Destination &to : destinations)
    use(to.buffer);
}

void MemoryWalk::walkCall(const BlockStep &step) {
  StringRef name = cast<func::CallOp>(step.op).getCallee();
  auto [known, isNew] = called.peaks.try_emplace(name);
  func::FuncOp callee = called.functions.lookup(name);
  if (isNew && callee && !callee.isExternal()) {
    MemoryWalk walk(called);
    walk.run(callee);
    called.peaks[name] = std::make_unique<PredictedPeak>(peakOf(walk));
  }
  const PredictedPeak *inside = called.peaks[name].get();
  walkOp(step);
  if (!inside || inside->bytes == 0)
    return;
  buffers.push_back(
      {Value(), MemoryClass::Temporary, inside->bytes, -1, inside});
  use(timeline.add(double(inside->bytes)));
}

void MemoryWalk::run(func::FuncOp func) {
  Block &block = func.getBody().front();
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    arguments.push_back(addBuffer(argument, MemoryClass::Argument, int64_t(i)));
    info(argument).buffer = arguments.back();
  }
  SmallVector<Destination, 4> destinations;
  for (auto [i, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    results.push_back(addBuffer(value, MemoryClass::Result, int64_t(i)));
    destinations.push_back({results.back(), Value()});
  }
  std::vector<Buffer> returned = walkBlock(block, destinations, false);
  for (auto [from, to] : llvm::zip_equal(returned, results))
    copy(from, to, block.getTerminator());
}

} // namespace shardwright
