//===- lower_block.cc - lowering of a block to steps ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/lower/lower_block.h"

#include "shardwright/cpu/plan/kernel_plan.h"
#include "shardwright/cpu/read/constant_data.h"
#include "shardwright/support/host_memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstring>

using namespace mlir;

namespace shardwright::cpu {

static constexpr int32_t forever = INT32_MAX;

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
    FailureOr<ConstantData> data =
        readConstant(constant.getValue(), node.type, node.elements());
    if (failed(data))
      return constant.emitError("the elements of this constant cannot be read");
    slots[id] = p.makeConstant(node.type, node.shape, std::move(*data));
  }
  return success();
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

// True if the unit reads each element of `old` only for the same element of
// `node`.
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

/// True if the kernel also reads a parameter that it updates in place, like a
/// scatter whose updates, or other operand, are its operand.
static bool readsElsewhere(const Cluster &cluster, int32_t param) {
  int reads = 0;
  for (const Node &node : cluster.graph.nodes) {
    size_t updated = node.op == Op::UpdateSlice ? 1
                     : node.op == Op::Scatter   ? (node.operands.size() - 1) / 2
                                                : 0;
    for (auto [i, operand] : llvm::enumerate(node.operands)) {
      const Node &read = cluster.graph[operand];
      if (read.op != Op::Param || int32_t(read.bits) != param)
        continue;
      if (i >= updated || ++reads > 1)
        return true;
    }
  }
  return false;
}

// Assigns the hinted buffer to `node` if its unit may write into it.
bool BlockLowering::assignDestination(int32_t node,
                                      const DestinationHint &hint) {
  if (assigned[node] >= 0 || slots[node] >= 0)
    return false;
  if (graph.graph[node].op == Op::Undef)
    slots[node] = hint.slot;
  if (maker[node] < 0)
    return false;
  const Unit &unit = units[maker[node]];
  if (viewOf[node] >= 0) {
    const Node &from = graph.graph[viewOf[node]];
    if (unit.kind != Unit::Kind::View || unit.offset != 0 ||
        from.elements() != graph.graph[node].elements())
      return false;
    DestinationHint inner = hint;
    inner.slot = p.makeView(hint.slot, from.type, from.shape, 0);
    if (!assignDestination(viewOf[node], inner))
      return false;
    assigned[node] = hint.slot;
    isLiveAtStart[node] = hint.liveIn != nullptr;
    return true;
  }
  if (hint.liveIn)
    for (auto &[id, value] : graph.external) {
      if (value != hint.liveIn || lastUse[id] < maker[node])
        continue;
      if (lastUse[id] > maker[node] || !replaces(unit, node, id))
        return false;
    }
  assigned[node] = hint.slot;
  isLiveAtStart[node] = hint.liveIn != nullptr;
  // The operand that the unit updates in place should be in that buffer
  // already.
  for (auto [i, output] : llvm::enumerate(unit.outputs)) {
    int32_t param = unit.cluster.inPlace.empty() ? -1 : unit.cluster.inPlace[i];
    if (output != node || param < 0)
      continue;
    int32_t old = unit.inputs[param];
    if (useCount[old] == 1 && viewOf[old] < 0 &&
        !readsElsewhere(unit.cluster, param))
      assignDestination(old, hint);
  }
  return true;
}

SlotId BlockLowering::slot(int32_t node) {
  if (slots[node] >= 0)
    return slots[node];
  const Node &n = graph.graph[node];
  if (n.op == Op::Undef)
    return slots[node] = p.makeSlot(n.type, n.shape);
  // Only small splats have no unit.
  int64_t width = byteWidth(n.type);
  std::shared_ptr<void> bytes = allocateHost(n.elements() * width);
  if (!bytes)
    llvm::report_bad_alloc_error("constants of a program");
  uint64_t bits[2] = {n.bits, n.highBits};
  for (int64_t i = 0; i < n.elements(); ++i)
    std::memcpy(static_cast<char *>(bytes.get()) + i * width, bits, width);
  return slots[node] = p.makeConstant(n.type, n.shape,
                                      {std::move(bytes), n.elements() * width});
}

/// The buffer to which a unit writes `node`.
SlotId BlockLowering::target(int32_t node) {
  const Node &n = graph.graph[node];
  if (slots[node] < 0)
    slots[node] =
        assigned[node] >= 0 ? assigned[node] : p.makeSlot(n.type, n.shape);
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

SlotId BlockLowering::updateInPlace(int32_t node, int32_t number,
                                    const Unit &unit, size_t param, SlotId old,
                                    int32_t location) {
  // Do not reuse a buffer that is assigned to another value, which may be
  // written before the last use of this one.
  bool fits = assigned[node] >= 0 ? p.sameBytes(assigned[node], old)
                                  : llvm::none_of(assigned, [&](SlotId s) {
                                      return s >= 0 && p.base(s) == p.base(old);
                                    });
  if (fits && mayOverwrite(unit.inputs[param], number, unit, param))
    slots[node] = old;
  else
    p.copy(old, target(node), location);
  return slots[node];
}

/// The locations of the ops of a kernel, ascending, without that of the step.
static std::vector<int32_t> fusedLocations(const Cluster &cluster,
                                           int32_t ofStep) {
  std::vector<int32_t> locations;
  for (const Node &node :
       llvm::drop_begin(cluster.graph.nodes, size_t(cluster.numParams)))
    if (node.location >= 0 && node.location != ofStep)
      locations.push_back(node.location);
  llvm::sort(locations);
  locations.erase(llvm::unique(locations), locations.end());
  return locations;
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
    if (readsElsewhere(unit.cluster, param)) {
      // Update a copy; the kernel continues to read the original.
      p.copy(inputs[param], target(node), location);
      outputs.push_back(slots[node]);
      continue;
    }
    inputs[param] =
        updateInPlace(node, number, unit, param, inputs[param], location);
    outputs.push_back(slots[node]);
  }
  // The first update of a buffer that is filled in parts must not keep it alive
  // before, in a loop for all of an iteration. The kernel does not read it.
  for (int32_t param : unit.cluster.inPlace)
    if (param >= 0 && inputs.size() > 1 &&
        graph.graph[unit.inputs[param]].op == Op::Undef)
      inputs[param] = inputs[param == 0 ? 1 : 0];
  if (llvm::all_of(outputs,
                   [&](SlotId s) { return program.slots[s].elements() == 0; }))
    return;
  std::vector<int32_t> others = fusedLocations(unit.cluster, location);
  int32_t kernel = p.kernel(unit.cluster);
  Step &step = p.addStep(StepKind::Kernel, inputs, outputs, location);
  step.payload = kernel;
  step.fusedLocations = std::move(others);
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
    if (graph.opaque[unit.opaque].library)
      return lowerLibrary(graph.opaque[unit.opaque], number, unit);
    return lowerOpaque(graph.opaque[unit.opaque]);
  }
  return failure();
}

FailureOr<llvm::SmallVector<SlotId, 4>>
BlockLowering::run(llvm::ArrayRef<DestinationHint> hints) {
  FailureOr<BlockGraph> read = readBlock(block, p.locations);
  if (failed(read))
    return failure();
  graph = std::move(*read);
  units = fuse(graph);
  slots.assign(graph.graph.nodes.size(), -1);
  assigned.assign(graph.graph.nodes.size(), -1);
  isLiveAtStart.assign(graph.graph.nodes.size(), false);
  findUses();
  if (failed(bindExternals()))
    return failure();
  for (auto [node, hint] : llvm::zip_equal(graph.terminator, hints))
    if (node >= 0 && hint.slot >= 0)
      assignDestination(node, hint);
  planLoops();
  for (int32_t u = 0; u < static_cast<int32_t>(units.size()); ++u)
    if (failed(lower(u)))
      return failure();
  llvm::SmallVector<SlotId, 4> results;
  for (int32_t node : graph.terminator)
    results.push_back(node < 0 ? -1 : slot(node));
  return results;
}

} // namespace shardwright::cpu
