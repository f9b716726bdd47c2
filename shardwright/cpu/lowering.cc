//===- lowering.cc - local StableHLO to a Program -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/lowering.h"

#include "shardwright/cpu/dot_layout.h"
#include "shardwright/cpu/entry_function.h"
#include "shardwright/cpu/fusion.h"
#include "shardwright/cpu/jit.h"
#include "shardwright/cpu/kernel_plan.h"
#include "shardwright/cpu/replica_groups.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/partition.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace shardwright::cpu {

namespace hlo = shardwright::stablehlo;

namespace {

constexpr int32_t forever = INT32_MAX;

/// A buffer that a block's result should end up in.
struct Wish {
  SlotId slot = -1;
  /// The value that occupies the buffer when the block begins (a loop's
  /// argument): the result may be written only after its last use.
  Value occupant;
};

class Lowering {
public:
  Lowering(ModuleOp module, const LoweringOptions &options)
      : module(module), options(options), locations(program.locations) {}
  FailureOr<Program> run();

private:
  friend class BlockLowering;

  SlotId makeSlot(ElementType type, llvm::ArrayRef<int64_t> shape,
                  Slot::Home home = Slot::Home::Arena, int32_t index = -1);
  SlotId makeView(SlotId of, ElementType type, llvm::ArrayRef<int64_t> shape,
                  int64_t offset);
  SlotId makeConstant(ElementType type, llvm::ArrayRef<int64_t> shape,
                      std::vector<char> bytes);
  Step &addStep(StepKind kind, llvm::ArrayRef<SlotId> inputs,
                llvm::ArrayRef<SlotId> outputs, int32_t location);
  void copy(SlotId from, SlotId to, int32_t location);
  bool sameBytes(SlotId a, SlotId b) const;
  SlotId base(SlotId slot) const;
  int32_t here() const { return static_cast<int32_t>(program.steps.size()); }
  int32_t kernel(const Cluster &cluster);

  ModuleOp module;
  const LoweringOptions &options;
  Program program;
  LocationTable locations;
  llvm::DenseMap<Value, SlotId> slotOfValue;
  std::map<std::string, int32_t> kernelIds, constantIds;
  std::vector<std::unique_ptr<Cluster>> clusters;
};

/// Steps of one block.
class BlockLowering {
public:
  /// `ownsArguments`: the block's arguments may be overwritten when dead.
  BlockLowering(Lowering &parent, Block &block, bool ownsArguments)
      : p(parent), program(parent.program), block(block),
        ownsArguments(ownsArguments) {}
  /// Slots of the terminator's operands (-1: token), those wished for if it can
  /// be.
  FailureOr<llvm::SmallVector<SlotId, 4>> run(llvm::ArrayRef<Wish> wishes);

private:
  LogicalResult bindExternals();
  void findUses();
  bool grant(int32_t node, const Wish &wish);
  bool replaces(const Unit &unit, int32_t node, int32_t old) const;
  void planLoops();
  LogicalResult lower(int32_t unit);
  void lowerView(const Unit &unit);
  void lowerKernel(int32_t number, Unit &unit);
  LogicalResult lowerOpaque(const BlockGraph::Opaque &opaque);
  LogicalResult lowerDot(const BlockGraph::Opaque &opaque);
  LogicalResult lowerCollective(const BlockGraph::Opaque &opaque);
  LogicalResult lowerWhile(const BlockGraph::Opaque &opaque);
  LogicalResult lowerBranches(const BlockGraph::Opaque &opaque);
  SlotId slot(int32_t node);
  SlotId target(int32_t node);
  int32_t root(int32_t node) const {
    while (viewOf[node] >= 0)
      node = viewOf[node];
    return node;
  }
  bool mayOverwrite(int32_t node, int32_t unit, const Unit &inUnit,
                    size_t param) const;

  Lowering &p;
  Program &program;
  Block &block;
  bool ownsArguments;
  BlockGraph graph;
  std::vector<Unit> units;
  std::vector<SlotId> slots, granted;
  /// The granted buffer is in use until the unit begins.
  std::vector<bool> guarded;
  std::vector<int32_t> viewOf, maker, lastUse, useCount;
};

} // namespace

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

SlotId Lowering::makeSlot(ElementType type, llvm::ArrayRef<int64_t> shape,
                          Slot::Home home, int32_t index) {
  Slot slot;
  slot.home = home;
  slot.index = index;
  slot.type = type;
  slot.shape = Shape(shape);
  program.slots.push_back(std::move(slot));
  return static_cast<SlotId>(program.slots.size()) - 1;
}

SlotId Lowering::makeView(SlotId of, ElementType type,
                          llvm::ArrayRef<int64_t> shape, int64_t offset) {
  if (program.slots[of].home == Slot::Home::View) {
    offset += program.slots[of].offset;
    of = program.slots[of].index;
  }
  const Slot &target = program.slots[of];
  if (offset == 0 && target.type == type && target.shape == Shape(shape))
    return of;
  SlotId view = makeSlot(type, shape, Slot::Home::View, of);
  program.slots[view].offset = offset;
  return view;
}

SlotId Lowering::makeConstant(ElementType type, llvm::ArrayRef<int64_t> shape,
                              std::vector<char> bytes) {
  std::string key(bytes.begin(), bytes.end());
  auto [it, inserted] = constantIds.try_emplace(
      key, static_cast<int32_t>(program.constants.size()));
  if (inserted) {
    ConstantData data;
    data.bytes = static_cast<int64_t>(bytes.size());
    size_t room = (bytes.size() + 63) / 64 * 64;
    void *memory = std::aligned_alloc(64, std::max<size_t>(room, 64));
    if (!memory)
      llvm::report_bad_alloc_error("constants of a program");
    std::memcpy(memory, bytes.data(), bytes.size());
    data.data = std::shared_ptr<const void>(
        memory, [](const void *m) { std::free(const_cast<void *>(m)); });
    program.constants.push_back(std::move(data));
  }
  return makeSlot(type, shape, Slot::Home::Constant, it->second);
}

Step &Lowering::addStep(StepKind kind, llvm::ArrayRef<SlotId> inputs,
                        llvm::ArrayRef<SlotId> outputs, int32_t location) {
  Step step;
  step.kind = kind;
  step.inputs.assign(inputs.begin(), inputs.end());
  step.outputs.assign(outputs.begin(), outputs.end());
  step.location = location;
  program.steps.push_back(std::move(step));
  return program.steps.back();
}

SlotId Lowering::base(SlotId slot) const {
  while (program.slots[slot].home == Slot::Home::View)
    slot = program.slots[slot].index;
  return slot;
}

bool Lowering::sameBytes(SlotId a, SlotId b) const {
  auto offset = [&](SlotId s) {
    return program.slots[s].home == Slot::Home::View ? program.slots[s].offset
                                                     : 0;
  };
  return a == b || (base(a) == base(b) && offset(a) == offset(b) &&
                    program.slots[a].bytes() == program.slots[b].bytes());
}

void Lowering::copy(SlotId from, SlotId to, int32_t location) {
  if (!sameBytes(from, to) && program.slots[to].elements() != 0)
    addStep(StepKind::Copy, {from}, {to}, location);
}

int32_t Lowering::kernel(const Cluster &cluster) {
  std::string symbol = kernelSymbol(cluster);
  auto [it, inserted] =
      kernelIds.try_emplace(symbol, static_cast<int32_t>(clusters.size()));
  if (inserted)
    clusters.push_back(std::make_unique<Cluster>(cluster));
  return it->second;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult BlockLowering::bindExternals() {
  for (int32_t id = 0; id < static_cast<int32_t>(graph.graph.nodes.size());
       ++id) {
    auto it = graph.external.find(id);
    if (it == graph.external.end())
      continue;
    const Node &node = graph.graph[id];
    Value value = it->second;
    if (auto known = p.slotOfValue.find(value); known != p.slotOfValue.end()) {
      slots[id] = known->second;
      continue;
    }
    auto constant = value.getDefiningOp<hlo::ConstantOp>();
    if (!constant)
      return block.getParentOp()->emitError(
          "internal error: a value of an outer block has no buffer");
    if (lastUse[id] < 0)
      continue;
    FailureOr<std::vector<char>> bytes =
        constantBytes(constant.getValue(), node.type, node.elements());
    if (failed(bytes))
      return constant.emitError("the elements of this constant cannot be read");
    slots[id] = p.makeConstant(node.type, node.shape, std::move(*bytes));
  }
  return success();
}

/// Is result i of the loop always its initial value?
static bool isInvariant(hlo::WhileOp op, unsigned i) {
  Block &body = op.getBody().front();
  return body.getTerminator()->getOperand(i) == body.getArgument(i);
}

void BlockLowering::findUses() {
  size_t n = graph.graph.nodes.size();
  viewOf.assign(n, -1);
  maker.assign(n, -1);
  lastUse.assign(n, -1);
  useCount.assign(n, 0);
  for (auto [u, unit] : llvm::enumerate(units)) {
    for (int32_t o : unit.outputs)
      maker[o] = static_cast<int32_t>(u);
    if (unit.kind == Unit::Kind::View)
      viewOf[unit.outputs[0]] = unit.inputs[0];
    // Results that share the buffer of an operand.
    if (unit.kind == Unit::Kind::Opaque) {
      const BlockGraph::Opaque &opaque = graph.opaque[unit.opaque];
      if (auto loop = dyn_cast<hlo::WhileOp>(opaque.op))
        for (unsigned i = 0; i < loop->getNumResults(); ++i)
          if (opaque.results[i] >= 0 && isInvariant(loop, i))
            viewOf[opaque.results[i]] = opaque.inputs[i];
    }
    if (unit.kind == Unit::Kind::Opaque &&
        isa<hlo::OptimizationBarrierOp>(graph.opaque[unit.opaque].op))
      for (auto [i, r] : llvm::zip_equal(graph.opaque[unit.opaque].inputs,
                                         graph.opaque[unit.opaque].results))
        if (r >= 0)
          viewOf[r] = i;
  }
  for (auto [u, unit] : llvm::enumerate(units))
    for (int32_t i : unit.inputs)
      if (i >= 0) {
        ++useCount[i];
        for (int32_t at = i; at >= 0; at = viewOf[at])
          lastUse[at] = std::max(lastUse[at], static_cast<int32_t>(u));
      }
  for (int32_t i : graph.terminator)
    if (i >= 0) {
      ++useCount[i];
      for (int32_t at = i; at >= 0; at = viewOf[at])
        lastUse[at] = forever;
    }
}

// Does the unit need elements of `old` only for the same elements of `node`?
bool BlockLowering::replaces(const Unit &unit, int32_t node,
                             int32_t old) const {
  if (unit.kind != Unit::Kind::Kernel)
    return false;
  int output = -1, param = -1;
  for (auto [i, o] : llvm::enumerate(unit.outputs))
    if (o == node)
      output = static_cast<int>(i);
  for (auto [i, input] : llvm::enumerate(unit.inputs)) {
    if (input == old)
      param = static_cast<int>(i);
    else if (root(input) == old)
      return false;
  }
  return output >= 0 && param >= 0 && unit.cluster.inPlace[output] < 0 &&
         mayShareBuffer(unit.cluster, output, param);
}

// May the unit that makes `node` write into the wished buffer?
bool BlockLowering::grant(int32_t node, const Wish &wish) {
  if (granted[node] >= 0 || slots[node] >= 0)
    return false;
  if (graph.graph[node].op == Op::Undef)
    slots[node] = wish.slot;
  if (maker[node] < 0)
    return false;
  const Unit &unit = units[maker[node]];
  if (viewOf[node] >= 0) {
    const Node &from = graph.graph[viewOf[node]];
    if (unit.kind != Unit::Kind::View || unit.offset != 0 ||
        from.elements() != graph.graph[node].elements())
      return false;
    Wish inner = wish;
    inner.slot = p.makeView(wish.slot, from.type, from.shape, 0);
    if (!grant(viewOf[node], inner))
      return false;
    granted[node] = wish.slot;
    guarded[node] = wish.occupant != nullptr;
    return true;
  }
  if (wish.occupant)
    for (auto &[id, value] : graph.external) {
      if (value != wish.occupant || lastUse[id] < maker[node])
        continue;
      if (lastUse[id] > maker[node] || !replaces(unit, node, id))
        return false;
    }
  granted[node] = wish.slot;
  guarded[node] = wish.occupant != nullptr;
  // What it updates in place should be in that buffer before.
  for (auto [i, output] : llvm::enumerate(unit.outputs)) {
    int32_t param = unit.cluster.inPlace.empty() ? -1 : unit.cluster.inPlace[i];
    if (output != node || param < 0)
      continue;
    int32_t old = unit.inputs[param];
    if (useCount[old] == 1 && viewOf[old] < 0)
      grant(old, wish);
  }
  return true;
}

SlotId BlockLowering::slot(int32_t node) {
  if (slots[node] >= 0)
    return slots[node];
  const Node &n = graph.graph[node];
  if (n.op == Op::Undef)
    return slots[node] = p.makeSlot(n.type, n.shape);
  // Only small splats are left without a unit.
  std::vector<char> bytes;
  int64_t width = byteWidth(n.type);
  for (int64_t i = 0; i < n.elements(); ++i) {
    const char *b = reinterpret_cast<const char *>(&n.bits);
    bytes.insert(bytes.end(), b, b + width);
  }
  return slots[node] = p.makeConstant(n.type, n.shape, std::move(bytes));
}

/// The buffer that a unit writes `node` to.
SlotId BlockLowering::target(int32_t node) {
  const Node &n = graph.graph[node];
  if (slots[node] < 0)
    slots[node] =
        granted[node] >= 0 ? granted[node] : p.makeSlot(n.type, n.shape);
  return slots[node];
}

void BlockLowering::lowerView(const Unit &unit) {
  int32_t out = unit.outputs[0];
  const Node &n = graph.graph[out];
  slots[out] = p.makeView(slot(unit.inputs[0]), n.type, n.shape, unit.offset);
}

bool BlockLowering::mayOverwrite(int32_t node, int32_t number, const Unit &unit,
                                 size_t param) const {
  int32_t origin = root(node);
  SlotId s = slots[node];
  if (s < 0 || lastUse[origin] != number ||
      graph.graph[node].elements() != graph.graph[origin].elements())
    return false;
  for (auto [i, input] : llvm::enumerate(unit.inputs))
    if (i != param && root(input) == origin)
      return false;
  auto external = graph.external.find(origin);
  if (external != graph.external.end()) {
    auto arg = dyn_cast<BlockArgument>(external->second);
    if (!arg || arg.getOwner() != &block || !ownsArguments)
      return false;
  }
  Slot::Home home = program.slots[p.base(s)].home;
  return home == Slot::Home::Arena || home == Slot::Home::Result;
}

void BlockLowering::lowerKernel(int32_t number, Unit &unit) {
  int32_t location = graph.graph[unit.outputs.back()].location;
  llvm::SmallVector<SlotId, 4> inputs, outputs;
  for (int32_t i : unit.inputs)
    inputs.push_back(slot(i));
  for (auto [i, node] : llvm::enumerate(unit.outputs)) {
    int32_t param = unit.cluster.inPlace[i];
    if (param < 0) {
      outputs.push_back(target(node));
      continue;
    }
    // The new value starts as the old one.
    int32_t old = unit.inputs[param];
    // Not where another value is to be written, perhaps before this one's last
    // use.
    bool fits = granted[node] >= 0
                    ? p.sameBytes(granted[node], inputs[param])
                    : llvm::none_of(granted, [&](SlotId s) {
                        return s >= 0 && p.base(s) == p.base(inputs[param]);
                      });
    if (fits && mayOverwrite(old, number, unit, param)) {
      slots[node] = inputs[param];
    } else {
      p.copy(inputs[param], target(node), location);
      inputs[param] = slots[node];
    }
    outputs.push_back(slots[node]);
  }
  if (llvm::all_of(outputs,
                   [&](SlotId s) { return program.slots[s].elements() == 0; }))
    return;
  p.addStep(StepKind::Kernel, inputs, outputs, location).payload =
      p.kernel(unit.cluster);
}

LogicalResult BlockLowering::lowerDot(const BlockGraph::Opaque &opaque) {
  auto op = cast<hlo::DotGeneralOp>(opaque.op);
  ElementType type;
  Shape lhsShape, rhsShape;
  if (failed(readType(op, op.getLhs().getType(), type, lhsShape)) ||
      failed(readType(op, op.getRhs().getType(), type, rhsShape)))
    return failure();
  hlo::DotDimensionNumbersAttr d = op.getDotDimensionNumbers();
  DotDims dims{Shape(d.getLhsBatchingDimensions()),
               Shape(d.getRhsBatchingDimensions()),
               Shape(d.getLhsContractingDimensions()),
               Shape(d.getRhsContractingDimensions())};
  DotSpec spec = makeDotSpec(lhsShape, opaque.lhsOrder, rhsShape,
                             opaque.rhsOrder, opaque.outOrder, dims);
  SlotId lhs = slot(opaque.inputs[0]), rhs = slot(opaque.inputs[1]);
  SlotId out = target(opaque.results[0]);
  spec.lhsType = program.slots[lhs].type;
  spec.rhsType = program.slots[rhs].type;
  spec.outType = program.slots[out].type;
  if ((isComplex(spec.lhsType) || isComplex(spec.rhsType)) !=
      isComplex(spec.outType))
    return op.emitError("dot_general of complex with real elements is not "
                        "supported by the cpu backend yet");
  if (program.slots[out].elements() == 0)
    return success();
  Step &step = p.addStep(StepKind::Dot, {lhs, rhs}, {out}, p.locations.add(op));
  step.payload = static_cast<int32_t>(program.dots.size());
  program.dots.push_back(std::move(spec));
  return success();
}

/// Do the shapes agree with the size of the groups?
static LogicalResult checkCollective(Operation *op, const CollectiveSpec &spec,
                                     int64_t numDevices) {
  auto rank = static_cast<int64_t>(spec.inputShape.size());
  bool grows = spec.kind == CollectiveKind::AllGather,
       shrinks = spec.kind == CollectiveKind::ReduceScatter,
       exchanges = spec.kind == CollectiveKind::AllToAll;
  Shape expected = spec.inputShape;
  if (grows || shrinks || exchanges) {
    if (spec.dim >= rank || spec.concatDim >= rank ||
        spec.outputShape.size() != spec.inputShape.size())
      return op->emitError("the dimension is not one of the operand's");
    auto n = static_cast<int64_t>(spec.groups.front().size());
    for (const auto &group : spec.groups)
      if (static_cast<int64_t>(group.size()) != n)
        return op->emitError("replica groups should have one size");
    if (grows)
      expected[spec.dim] *= n;
    if ((shrinks || exchanges) && expected[spec.dim] % n)
      return op->emitError() << "dimension of size " << expected[spec.dim]
                             << " does not split over groups of " << n;
    if (shrinks || exchanges)
      expected[spec.dim] /= n;
    if (exchanges)
      expected[spec.concatDim] *= n;
  }
  if (expected != spec.outputShape)
    return op->emitError(
        "the result's shape does not fit the size of the replica "
        "groups");
  if (spec.kind == CollectiveKind::CollectivePermute ||
      spec.kind == CollectiveKind::CollectiveBroadcast)
    return success();
  int64_t members = 0;
  for (const auto &group : spec.groups)
    members += static_cast<int64_t>(group.size());
  if (members != numDevices)
    return op->emitError() << "replica groups name " << members << " of the "
                           << numDevices << " devices";
  return success();
}

LogicalResult BlockLowering::lowerCollective(const BlockGraph::Opaque &opaque) {
  CollectiveSpec spec;
  if (failed(readCollective(opaque.op, program.numReplicas,
                            program.numPartitions, spec)))
    return failure();
  for (auto [in, out] : llvm::zip_equal(opaque.inputs, opaque.results)) {
    CollectiveSpec one = spec;
    SlotId from = slot(in), to = target(out);
    one.type = program.slots[from].type;
    one.inputShape = program.slots[from].shape;
    one.outputShape = program.slots[to].shape;
    if (program.slots[to].type != one.type)
      return opaque.op->emitError(
          "a collective that changes the element type is "
          "not supported by the cpu backend yet");
    if (failed(checkCollective(opaque.op, one, program.numDevices())))
      return failure();
    Step &step = p.addStep(StepKind::Collective, {from}, {to},
                           p.locations.add(opaque.op));
    step.payload = static_cast<int32_t>(program.collectives.size());
    program.collectives.push_back(std::move(one));
  }
  return success();
}

// Buffers of loops, before the steps in front of them: initial values that only
// the loop uses are computed in place.
void BlockLowering::planLoops() {
  for (const Unit &unit : units) {
    if (unit.kind != Unit::Kind::Opaque)
      continue;
    const BlockGraph::Opaque &opaque = graph.opaque[unit.opaque];
    auto loop = dyn_cast<hlo::WhileOp>(opaque.op);
    if (!loop)
      continue;
    for (unsigned i = 0; i < loop->getNumResults(); ++i) {
      int32_t result = opaque.results[i], init = opaque.inputs[i];
      if (result < 0 || guarded[result] || isInvariant(loop, i))
        continue;
      target(result);
      if (useCount[init] == 1)
        grant(init, {slots[result], nullptr});
    }
  }
}

LogicalResult BlockLowering::lowerWhile(const BlockGraph::Opaque &opaque) {
  auto op = cast<hlo::WhileOp>(opaque.op);
  Block &cond = op.getCond().front(), &body = op.getBody().front();
  int32_t location = p.locations.add(op);
  unsigned n = op->getNumResults();
  if (cond.getNumArguments() != n || body.getNumArguments() != n ||
      body.getTerminator()->getNumOperands() != n ||
      cond.getTerminator()->getNumOperands() != 1)
    return op.emitError("the regions do not match the operands");
  for (auto [i, value] : llvm::enumerate(opaque.captured))
    p.slotOfValue[value] = slot(opaque.inputs[n + i]);
  llvm::SmallVector<Wish, 4> wishes(n);
  for (unsigned i = 0; i < n; ++i) {
    int32_t result = opaque.results[i];
    if (result < 0)
      continue;
    SlotId init = slot(opaque.inputs[i]);
    if (isInvariant(op, i))
      slots[result] = init;
    SlotId carried = target(result);
    p.copy(init, carried, location);
    wishes[i] = {carried, body.getArgument(i)};
    p.slotOfValue[cond.getArgument(i)] = carried;
    p.slotOfValue[body.getArgument(i)] = carried;
  }
  int32_t start = p.here();
  auto predicate = BlockLowering(p, cond, false).run({Wish()});
  if (failed(predicate))
    return failure();
  int32_t exit = p.here();
  p.addStep(StepKind::JumpIfFalse, {(*predicate)[0]}, {}, location);
  auto next = BlockLowering(p, body, true).run(wishes);
  if (failed(next))
    return failure();
  // All at once: what another copy overwrites is saved first.
  llvm::SmallVector<std::pair<SlotId, SlotId>> moves;
  for (unsigned i = 0; i < n; ++i)
    if (wishes[i].slot >= 0 && !p.sameBytes((*next)[i], wishes[i].slot))
      moves.push_back({(*next)[i], wishes[i].slot});
  for (auto &[from, to] : moves) {
    SlotId source = p.base(from);
    if (llvm::none_of(moves,
                      [&](auto &m) { return p.base(m.second) == source; }))
      continue;
    SlotId saved =
        p.makeSlot(program.slots[from].type, program.slots[from].shape);
    p.copy(from, saved, location);
    from = saved;
  }
  for (auto [from, to] : moves)
    p.copy(from, to, location);
  p.addStep(StepKind::Jump, {}, {}, location).target = start;
  program.steps[exit].target = p.here();
  return success();
}

LogicalResult BlockLowering::lowerBranches(const BlockGraph::Opaque &opaque) {
  Operation *op = opaque.op;
  int32_t location = p.locations.add(op);
  for (auto [i, value] : llvm::enumerate(opaque.captured))
    p.slotOfValue[value] = slot(opaque.inputs[1 + i]);
  llvm::SmallVector<Wish, 4> wishes;
  for (int32_t r : opaque.results)
    wishes.push_back({r < 0 ? -1 : target(r), nullptr});
  int32_t decision = p.here();
  bool isIf = isa<hlo::IfOp>(op);
  SlotId selector = slot(opaque.inputs[0]);
  if (program.slots[selector].elements() != 1)
    return op->emitError("the predicate should be a scalar");
  Step &step = p.addStep(isIf ? StepKind::JumpIfFalse : StepKind::Switch,
                         {selector}, {}, location);
  auto list = static_cast<int32_t>(program.switchTargets.size());
  if (!isIf) {
    step.payload = list;
    program.switchTargets.emplace_back();
  }
  llvm::SmallVector<int32_t> jumps;
  for (auto [number, region] : llvm::enumerate(op->getRegions())) {
    if (!isIf)
      program.switchTargets[list].push_back(p.here());
    else if (number == 1)
      program.steps[decision].target = p.here();
    if (region.front().getTerminator()->getNumOperands() != wishes.size())
      return op->emitError("a branch does not yield what the op returns");
    auto yielded = BlockLowering(p, region.front(), false).run(wishes);
    if (failed(yielded))
      return failure();
    for (auto [from, wish] : llvm::zip_equal(*yielded, wishes))
      if (wish.slot >= 0)
        p.copy(from, wish.slot, location);
    if (number + 1 < op->getNumRegions()) {
      jumps.push_back(p.here());
      p.addStep(StepKind::Jump, {}, {}, location);
    }
  }
  for (int32_t jump : jumps)
    program.steps[jump].target = p.here();
  return success();
}

LogicalResult BlockLowering::lowerOpaque(const BlockGraph::Opaque &opaque) {
  Operation *op = opaque.op;
  if (isa<hlo::DotGeneralOp>(op))
    return lowerDot(opaque);
  if (isa<hlo::WhileOp>(op))
    return lowerWhile(opaque);
  if (isa<hlo::IfOp, hlo::CaseOp>(op))
    return lowerBranches(opaque);
  if (isa<hlo::PartitionIdOp, hlo::ReplicaIdOp>(op)) {
    p.addStep(isa<hlo::PartitionIdOp>(op) ? StepKind::DeviceId
                                          : StepKind::ReplicaId,
              {}, {target(opaque.results[0])}, p.locations.add(op));
    return success();
  }
  if (isa<hlo::OptimizationBarrierOp>(op)) {
    for (auto [in, out] : llvm::zip_equal(opaque.inputs, opaque.results))
      if (out >= 0)
        slots[out] = slot(in);
    return success();
  }
  return lowerCollective(opaque);
}

LogicalResult BlockLowering::lower(int32_t number) {
  Unit &unit = units[number];
  switch (unit.kind) {
  case Unit::Kind::View:
    lowerView(unit);
    return success();
  case Unit::Kind::Kernel:
    lowerKernel(number, unit);
    return success();
  case Unit::Kind::Opaque:
    return lowerOpaque(graph.opaque[unit.opaque]);
  }
  return failure();
}

FailureOr<llvm::SmallVector<SlotId, 4>>
BlockLowering::run(llvm::ArrayRef<Wish> wishes) {
  FailureOr<BlockGraph> read = readBlock(block, p.locations);
  if (failed(read))
    return failure();
  graph = std::move(*read);
  units = fuse(graph);
  slots.assign(graph.graph.nodes.size(), -1);
  granted.assign(graph.graph.nodes.size(), -1);
  guarded.assign(graph.graph.nodes.size(), false);
  findUses();
  if (failed(bindExternals()))
    return failure();
  for (auto [node, wish] : llvm::zip_equal(graph.terminator, wishes))
    if (node >= 0 && wish.slot >= 0)
      grant(node, wish);
  planLoops();
  for (int32_t u = 0; u < static_cast<int32_t>(units.size()); ++u)
    if (failed(lower(u)))
      return failure();
  llvm::SmallVector<SlotId, 4> results;
  for (int32_t node : graph.terminator)
    results.push_back(node < 0 ? -1 : slot(node));
  return results;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static int64_t moduleCount(ModuleOp module, StringRef name) {
  auto attr = module->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 1;
}

FailureOr<Program> Lowering::run() {
  if (failed(inlineCalls(module)))
    return failure();
  FailureOr<func::FuncOp> entry = entryFunction(module);
  if (failed(entry))
    return failure();
  program.numReplicas = moduleCount(module, "mhlo.num_replicas");
  program.numPartitions = moduleCount(module, "mhlo.num_partitions");
  if (program.numReplicas < 1 || program.numPartitions < 1 ||
      program.numReplicas > (1 << 20) || program.numPartitions > (1 << 20))
    return module.emitError(
        "mhlo.num_replicas and mhlo.num_partitions should be "
        "positive and at most a million");
  Block &block = entry->getBody().front();
  for (auto [i, arg] : llvm::enumerate(block.getArguments())) {
    ElementType type;
    Shape shape;
    if (failed(readType(*entry, arg.getType(), type, shape)))
      return failure();
    SlotId slot = makeSlot(type, shape, Slot::Home::Argument, i);
    program.arguments.push_back(slot);
    slotOfValue[arg] = slot;
  }
  llvm::SmallVector<Wish, 4> wishes;
  for (auto [i, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    ElementType type;
    Shape shape;
    if (failed(readType(block.getTerminator(), value.getType(), type, shape)))
      return failure();
    program.results.push_back(makeSlot(type, shape, Slot::Home::Result, i));
    wishes.push_back({program.results.back(), nullptr});
  }
  auto results = BlockLowering(*this, block, false).run(wishes);
  if (failed(results))
    return failure();
  int32_t location = locations.add(block.getTerminator());
  for (auto [from, to] : llvm::zip_equal(*results, program.results))
    copy(from, to, location);
  addStep(StepKind::Return, {}, {}, location);

  llvm::SmallVector<const Cluster *> list;
  for (auto &cluster : clusters)
    list.push_back(cluster.get());
  llvm::Expected<CompiledKernels> compiled =
      compileKernels(list, {options.cacheDir, options.compileThreads});
  if (!compiled)
    return module.emitError() << "kernels could not be compiled: "
                              << llvm::toString(compiled.takeError());
  program.kernels = std::move(compiled->kernels);
  program.code = std::move(compiled->code);
  return std::move(program);
}

FailureOr<Program> lowerToProgram(ModuleOp module,
                                  const LoweringOptions &options) {
  return Lowering(module, options).run();
}

} // namespace shardwright::cpu
