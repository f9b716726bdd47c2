//===- read_module.cc - from a module to dense arrays ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/rule_table.h"
#include "shardwright/propagate/unknown_ops.h"

using namespace mlir;

namespace shardwright {

using sdy::DataFlowEdgeOp;
using sdy::FuncDataFlowEdgeOp;
using sdy::ShardableDataFlowOpInterface;

int32_t PropagationGraph::siteOf(NodeId node) const {
  auto it = llvm::upper_bound(sites, node, [](NodeId n, const CallSite &site) {
    return n <= site.node;
  });
  int32_t site = it - sites.begin() - 1;
  while (site >= 0 && nodes[sites[site].node].subtreeEnd <= node)
    site = sites[site].parent;
  return site;
}

namespace {

/// A value's shape if propagation can shard it.
std::optional<ArrayRef<int64_t>> staticShape(Type type) {
  // Nearly all types, and without a search for the interface.
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!tensor.hasStaticShape())
      return std::nullopt;
    return tensor.getShape();
  }
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return std::nullopt;
  return shaped.getShape();
}

bool isScalar(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getRank() == 0;
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && shaped.getRank() == 0;
}

/// What the builders of all parts share.
struct BuilderState {
  BuilderState(ModuleOp module, const GraphOptions &options,
               PropagationGraph &graph)
      : module(module), graph(graph), rules(options, graph.rules) {}

  ModuleOp module;
  PropagationGraph &graph;
  RuleTable rules;
  /// By callee symbol, calls in program order. Not those in whose place bodies
  /// stand.
  llvm::DenseMap<StringAttr, SmallVector<func::CallOp, 2>> callsOf;
  llvm::DenseMap<StringAttr, func::FuncOp> funcOf;
  llvm::DenseMap<StringAttr, int32_t> bodyOf;
  bool ok = true;
};

/// Reads ops of one place: those of the module, or of one function's body.
class PartBuilder {
public:
  PartBuilder(BuilderState &state, GraphPart &part, FunctionBody *body)
      : state(state), graph(state.graph), part(part), body(body) {}

  /// Numbers an op and what is in it, and checks the types.
  void number(Operation *op);
  void numberArguments(Block &block);
  /// Everything else, when all ops have numbers.
  void finish();
  ValueId idOf(Value value) const;

  /// Members of sharding groups.
  SmallVector<sdy::ShardingGroupOp> members;

private:
  /// A call of this part, and where the callee's arrays begin in ours.
  struct OwnSite {
    int32_t site, firstTensor, firstWake;
  };

  void addValue(Type type);
  void splice(func::CallOp call, NodeId node, int32_t index);
  template <typename Fn> void forOwnNodes(Fn fn);

  SlotId addSlot(Value value, ShardingId sharding, ArrayRef<int64_t> shape);
  void addEdgeSlot(DataFlowEdgeOp edge, ValueId owner);
  void addSlots(Operation *op, NodeId n);
  void addSlotsOfDataFlowOp(ShardableDataFlowOpInterface op);
  void addSlotsOfResults(Operation *op, ValueId firstResult);
  void addSlotsOfBody();

  void addRule(NodeId n);
  void addOperands(Node &node);
  void addEdgeRule(Node &node, ArrayRef<ValueId> sources);
  bool addDataFlowEdge(Node &node, DataFlowEdgeOp edge);
  SmallVector<ValueId> sourcesOf(FuncDataFlowEdgeOp edge);
  void connect(const OwnSite &own);

  void addWakes(Value value, ValueId id, Operation *definer);
  void addWakes();
  void wakeUse(OpOperand &use);
  void wakeUsers(Value value);

  BuilderState &state;
  PropagationGraph &graph;
  GraphPart &part;
  FunctionBody *body;
  SmallVector<OwnSite> ownSites;
  SmallVector<NodeId> woken;
};

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

ValueId PartBuilder::idOf(Value value) const {
  if (auto result = dyn_cast<OpResult>(value))
    return part.nodes[graph.nodeOf.lookup(result.getOwner())].firstResult +
           result.getResultNumber();
  auto argument = cast<BlockArgument>(value);
  return graph.firstArgument.lookup(argument.getOwner()) +
         argument.getArgNumber();
}

void PartBuilder::addValue(Type type) {
  part.notifies.push_back(part.numValues());
  part.slotOfValue.push_back(-1);
  part.numUses.push_back(0);
  part.wakesOf.emplace_back();
  part.isScalar.push_back(isScalar(type));
}

void PartBuilder::numberArguments(Block &block) {
  graph.firstArgument[&block] = part.numValues();
  for (BlockArgument argument : block.getArguments())
    addValue(argument.getType());
}

void PartBuilder::number(Operation *op) {
  NodeId id = part.nodes.size();
  graph.nodeOf[op] = id;
  Node &node = part.nodes.emplace_back();
  node.op = op;
  node.firstResult = part.numValues();
  node.numResults = op->getNumResults();
  for (Type type : op->getResultTypes()) {
    addValue(type);
    state.ok = state.ok && succeeded(checkShardable(type, op));
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto it = state.bodyOf.find(call.getCalleeAttr().getAttr());
    if (it != state.bodyOf.end())
      splice(call, id, it->second);
    else
      state.callsOf[call.getCalleeAttr().getAttr()].push_back(call);
  } else if (auto member = dyn_cast<sdy::ShardingGroupOp>(op)) {
    members.push_back(member);
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      numberArguments(block);
      for (Operation &nested : block)
        number(&nested);
    }
  part.nodes[id].subtreeEnd = part.nodes.size();
}

/// Puts a copy of the callee's arrays at the end of ours.
void PartBuilder::splice(func::CallOp call, NodeId node, int32_t index) {
  const FunctionBody &from = graph.bodies[index];
  auto extend = [](auto &to, const auto &from, auto update) {
    size_t first = to.size();
    to.insert(to.end(), from.begin(), from.end());
    for (auto it = to.begin() + first, e = to.end(); it != e; ++it)
      update(*it);
  };
  auto shift = [](int32_t by) {
    return [by](int32_t &id) { id = id < 0 ? id : id + by; };
  };
  NodeId firstNode = part.nodes.size();
  ValueId firstValue = part.numValues();
  SlotId firstSlot = part.slots.size();
  int32_t firstTensor = part.tensorValues.size();
  int32_t firstWake = part.wakes.size();
  int32_t firstManual = part.manualEdges.size();
  int32_t site = part.sites.size();

  part.sites.push_back({call, index, -1, node, firstValue, firstSlot});
  ownSites.push_back({site, firstTensor, firstWake});
  extend(part.sites, from.sites, [&](CallSite &s) {
    s.parent = s.parent < 0 ? site : s.parent + site + 1;
    s.node += firstNode;
    s.firstValue += firstValue;
    s.firstSlot += firstSlot;
  });
  extend(part.nodes, from.nodes, [&](Node &n) {
    n.firstTensor += firstTensor;
    n.firstOperand += firstTensor;
    n.subtreeEnd += firstNode;
    n.firstResult += firstValue;
    if (n.manualEdge >= 0)
      n.manualEdge += firstManual;
  });
  extend(part.manualEdges, from.manualEdges, [](ManualEdge &) {});
  extend(part.tensorValues, from.tensorValues, shift(firstValue));
  extend(part.slotOfValue, from.slotOfValue, shift(firstSlot));
  extend(part.numUses, from.numUses, [](int32_t) {});
  extend(part.wakesOf, from.wakesOf, [&](Wakes &w) {
    w.begin += firstWake;
    w.end += firstWake;
  });
  extend(part.notifies, from.notifies, shift(firstValue));
  extend(part.isScalar, from.isScalar, [](char) {});
  extend(part.wakes, from.wakes, shift(firstNode));
  extend(part.slots, from.slots, [&](Slot &slot) {
    if (slot.firstSibling >= 0)
      slot.firstSibling += firstSlot;
  });
}

/// Calls fn(node, site or null) for the nodes that are not in a callee's body.
template <typename Fn> void PartBuilder::forOwnNodes(Fn fn) {
  const OwnSite *next = ownSites.begin();
  for (NodeId n = 0, e = part.nodes.size(); n < e;) {
    if (next != ownSites.end() && part.sites[next->site].node == n) {
      fn(n, next++);
      n = part.nodes[n].subtreeEnd;
    } else {
      fn(n, static_cast<const OwnSite *>(nullptr));
      ++n;
    }
  }
}

void PartBuilder::finish() {
  part.firstOwnSlot = part.slots.size();
  // All slots come before the rules, which ask for those of operands.
  if (body)
    addSlotsOfBody();
  forOwnNodes([&](NodeId n, const OwnSite *site) {
    Operation *op = part.nodes[n].op;
    if (!site)
      return addSlots(op, n);
    for (OpResult result : op->getResults())
      addEdgeSlot(DataFlowEdgeOp::lookup(result),
                  part.nodes[n].firstResult + result.getResultNumber());
  });
  forOwnNodes([&](NodeId n, const OwnSite *site) {
    if (site)
      addOperands(part.nodes[n]);
    else
      addRule(n);
  });
  for (const OwnSite &own : ownSites)
    connect(own);
  addWakes();
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

SlotId PartBuilder::addSlot(Value value, ShardingId sharding,
                            ArrayRef<int64_t> shape) {
  SlotId id = part.slots.size();
  Slot &slot = part.slots.emplace_back();
  slot.value = value;
  slot.initial = sharding;
  slot.rank = shape.size();
  return id;
}

/// Of an argument or a result of a function whose body is shared.
void PartBuilder::addEdgeSlot(DataFlowEdgeOp edge, ValueId owner) {
  if (!edge)
    return;
  ValueId result = idOf(edge.getResult());
  SlotId slot =
      addSlot(edge.getResult(), graph.shardings.read(edge.getShardingAttr()),
              *staticShape(edge.getResult().getType()));
  part.slots[slot].isCallEdge = true;
  part.slotOfValue[owner] = part.slotOfValue[result] = slot;
  part.notifies[owner] = result;
}

void PartBuilder::addSlotsOfBody() {
  Block &block = body->func.front();
  for (BlockArgument arg : block.getArguments()) {
    DataFlowEdgeOp edge = DataFlowEdgeOp::lookup(arg);
    addEdgeSlot(edge, arg.getArgNumber());
    body->argumentEdge.push_back(edge ? idOf(edge.getResult()) : -1);
    body->argumentSource.push_back(-1);
  }
  for (Value value : block.getTerminator()->getOperands())
    body->returned.push_back(idOf(value));
}

void PartBuilder::addSlots(Operation *op, NodeId n) {
  if (auto func = dyn_cast<func::FuncOp>(op)) {
    if (func.isExternal())
      return;
    ValueId first = graph.firstArgument.lookup(&func.front());
    for (BlockArgument arg : func.getArguments())
      if (auto shape = staticShape(arg.getType()))
        part.slotOfValue[first + arg.getArgNumber()] = addSlot(
            arg,
            graph.shardings.read(func.getArgAttrOfType<sdy::TensorShardingAttr>(
                arg.getArgNumber(), sdy::kShardingAttr)),
            *shape);
    return;
  }
  if (auto flow = dyn_cast<ShardableDataFlowOpInterface>(op)) {
    part.nodes[n].isDataFlow = true;
    return addSlotsOfDataFlowOp(flow);
  }
  addSlotsOfResults(op, part.nodes[n].firstResult);
}

void PartBuilder::addSlotsOfDataFlowOp(ShardableDataFlowOpInterface op) {
  auto addOwners = [&](auto owners) {
    SlotId first = part.slots.size();
    int32_t withoutEdge = 0;
    SmallVector<SlotId> ofOp;
    for (Value owner : owners) {
      auto shape = staticShape(owner.getType());
      if (!shape)
        continue;
      SmallVector<Value> targets = op.getNonEdgeOwnerTargets(owner);
      targets.push_back(owner);
      DataFlowEdgeOp edge = DataFlowEdgeOp::lookup(owner);
      SlotId slot;
      ValueId notified;
      if (edge) {
        slot = addSlot(edge.getResult(),
                       graph.shardings.read(edge.getShardingAttr()), *shape);
        notified = idOf(edge.getResult());
        part.slotOfValue[notified] = slot;
      } else {
        slot =
            addSlot(owner, graph.shardings.read(op.getEdgeOwnerSharding(owner)),
                    *shape);
        notified = idOf(owner);
        ofOp.push_back(slot);
        ++withoutEdge;
      }
      for (Value target : targets) {
        ValueId id = idOf(target);
        part.notifies[id] = notified;
        part.slotOfValue[id] = slot;
      }
    }
    // Either all owners of an op have edges or none has.
    if (withoutEdge == int32_t(part.slots.size()) - first)
      for (SlotId slot : ofOp) {
        part.slots[slot].firstSibling = first;
        part.slots[slot].numSiblings = withoutEdge;
      }
  };
  addOwners(op.getBlockArgumentEdgeOwners());
  addOwners(op.getOpResultEdgeOwners());
}

void PartBuilder::addSlotsOfResults(Operation *op, ValueId firstResult) {
  if (op->getNumResults() == 0)
    return;
  if (auto edge = dyn_cast<DataFlowEdgeOp>(op)) {
    // Normally made with its owner; an edge that belongs nowhere stands alone.
    if (part.slotOfValue[firstResult] < 0)
      if (auto shape = staticShape(edge.getResult().getType()))
        part.slotOfValue[firstResult] =
            addSlot(edge.getResult(),
                    graph.shardings.read(edge.getShardingAttr()), *shape);
    return;
  }
  if (op->getNumResults() == 1) {
    OpResult result = op->getResult(0);
    if (auto shape = staticShape(result.getType()))
      part.slotOfValue[firstResult] = addSlot(
          result, graph.shardings.read(sdy::getSharding(result)), *shape);
    return;
  }
  SlotId first = part.slots.size();
  SmallVector<sdy::TensorShardingAttr> shardings = sdy::getShardings(op);
  for (OpResult result : op->getResults()) {
    auto shape = staticShape(result.getType());
    if (!shape)
      continue;
    size_t i = result.getResultNumber();
    part.slotOfValue[firstResult + i] = addSlot(
        result,
        graph.shardings.read(i < shardings.size() ? shardings[i] : nullptr),
        *shape);
  }
  for (SlotId s = first, e = part.slots.size(); s < e; ++s) {
    part.slots[s].firstSibling = first;
    part.slots[s].numSiblings = e - first;
  }
}

//===----------------------------------------------------------------------===//
// Operands and rules
//===----------------------------------------------------------------------===//

void PartBuilder::addOperands(Node &node) {
  node.firstOperand = part.tensorValues.size();
  node.numOperands = node.op->getNumOperands();
  for (Value operand : node.op->getOperands()) {
    ValueId id = idOf(operand);
    ++part.numUses[id];
    part.tensorValues.push_back(id);
  }
}

void PartBuilder::addEdgeRule(Node &node, ArrayRef<ValueId> sources) {
  if (sources.empty())
    return;
  auto shape = staticShape(node.op->getResult(0).getType());
  if (!shape)
    return;
  node.rule = state.rules.identity(*shape, sources.size());
  node.schedule = Schedule::PassThroughOp;
  node.firstTensor = part.tensorValues.size();
  node.numTensors = sources.size() + 1;
  llvm::append_range(part.tensorValues, sources);
  part.tensorValues.push_back(node.firstResult);
}

/// True if the edge belongs to an argument or a result of a shared function.
bool PartBuilder::addDataFlowEdge(Node &node, DataFlowEdgeOp edge) {
  Value owner = edge.getInput();
  if (auto arg = dyn_cast<BlockArgument>(owner)) {
    if (!body || arg.getOwner() != &body->func.front())
      return false;
    addEdgeRule(node, ValueId(-1));
    body->argumentSource[arg.getArgNumber()] = node.firstTensor;
    return true;
  }
  NodeId definer = graph.nodeOf.lookup(owner.getDefiningOp());
  auto *own =
      llvm::lower_bound(ownSites, definer, [&](const OwnSite &own, NodeId n) {
        return part.sites[own.site].node < n;
      });
  if (own == ownSites.end() || part.sites[own->site].node != definer)
    return false;
  const CallSite &site = part.sites[own->site];
  addEdgeRule(node, site.firstValue +
                        graph.bodies[site.body]
                            .returned[cast<OpResult>(owner).getResultNumber()]);
  return true;
}

/// Of an argument: that operand of every caller; of a call's result: what the
/// callee returns.
SmallVector<ValueId> PartBuilder::sourcesOf(FuncDataFlowEdgeOp edge) {
  SmallVector<ValueId> sources;
  if (auto arg = dyn_cast<BlockArgument>(edge.getOperand())) {
    auto func = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
    if (!func)
      return sources;
    for (func::CallOp call : state.callsOf.lookup(func.getSymNameAttr()))
      if (arg.getArgNumber() < call->getNumOperands())
        sources.push_back(idOf(call->getOperand(arg.getArgNumber())));
    return sources;
  }
  auto result = cast<OpResult>(edge.getOperand());
  auto call = dyn_cast<func::CallOp>(result.getOwner());
  func::FuncOp callee =
      call ? state.funcOf.lookup(call.getCalleeAttr().getAttr()) : nullptr;
  if (callee && !callee.isExternal())
    if (auto ret =
            dyn_cast<func::ReturnOp>(callee.getBody().back().getTerminator()))
      if (result.getResultNumber() < ret->getNumOperands())
        sources.push_back(idOf(ret->getOperand(result.getResultNumber())));
  return sources;
}

void PartBuilder::addRule(NodeId n) {
  Node &node = part.nodes[n];
  Operation *op = node.op;
  addOperands(node);
  if (!op->getRawDictionaryAttrs().empty() &&
      op->getDiscardableAttr(sdy::kShardingRuleAttr))
    graph.opsWithRule.push_back(op);
  if (auto edge = dyn_cast<DataFlowEdgeOp>(op)) {
    if (addDataFlowEdge(node, edge))
      return;
    ShardableDataFlowOpInterface owner = sdy::getDataFlowOp(edge.getInput());
    if (!owner)
      return;
    SmallVector<ValueId> sources;
    for (OpOperand *source : owner.getEdgeSources(edge.getInput()))
      sources.push_back(idOf(source->get()));
    addEdgeRule(node, sources);
    auto manual = dyn_cast<sdy::ManualComputationOp>(owner.getOperation());
    if (!manual || node.rule < 0)
      return;
    ManualEdge &m = part.manualEdges.emplace_back();
    node.manualEdge = part.manualEdges.size() - 1;
    sdy::TensorShardingAttr outer;
    if (auto arg = dyn_cast<BlockArgument>(edge.getInput())) {
      m.isBlockArgument = true;
      outer = manual.getInSharding(arg.getArgNumber());
    } else {
      outer = manual.getOutSharding(
          cast<OpResult>(edge.getInput()).getResultNumber());
    }
    m.outer = graph.shardings.read(outer);
    if (m.outer == kNoSharding) {
      node.rule = -1;
      return;
    }
    const Mesh &mesh = graph.shardings.mesh(graph.shardings.meshOf(m.outer));
    for (StringAttr axis : manual.getManualAxes().getValue())
      if (std::optional<int32_t> i = mesh.find(axis.getValue()))
        m.manualAxes.push_back(*i);
    return;
  }
  if (auto edge = dyn_cast<FuncDataFlowEdgeOp>(op))
    return addEdgeRule(node, sourcesOf(edge));
  if (auto barrier = dyn_cast<sdy::PropagationBarrierOp>(op)) {
    addEdgeRule(node, idOf(op->getOperand(0)));
    node.schedule = Schedule::Fixed;
    node.fixedDirection = Direction(uint8_t(barrier.getAllowedDirection()));
    node.isElementwise = true;
    return;
  }

  RuleTable::OpRule rule = state.rules.of(op);
  if (rule.rule < 0)
    return;
  node.rule = rule.rule;
  node.ruleIsAttribute = true;
  node.isElementwise = rule.isElementwise;
  node.schedule = rule.schedule;
  // Operands are there already.
  node.firstTensor = node.firstOperand;
  node.numTensors = node.numOperands + node.numResults;
  for (int64_t i = 0; i < node.numResults; ++i)
    part.tensorValues.push_back(node.firstResult + i);
}

/// Joins a callee's body to the call.
void PartBuilder::connect(const OwnSite &own) {
  CallSite site = part.sites[own.site];
  const FunctionBody &callee = graph.bodies[site.body];
  for (auto [operand, source] :
       llvm::zip_equal(site.call.getOperands(), callee.argumentSource))
    if (source >= 0)
      part.tensorValues[own.firstTensor + source] = idOf(operand);
  for (auto [wake, result] : callee.resultWakes)
    part.wakes[own.firstWake + wake] = graph.nodeOf.lookup(
        DataFlowEdgeOp::lookup(site.call.getResult(result)));
}

//===----------------------------------------------------------------------===//
// Which nodes a change wakes
//===----------------------------------------------------------------------===//

/// In `woken`, -2 - i is the edge of result i of the calls of this body.
void PartBuilder::wakeUsers(Value value) {
  for (Operation *user : value.getUsers())
    woken.push_back(graph.nodeOf.lookup(user));
}

void PartBuilder::wakeUse(OpOperand &use) {
  Operation *user = use.getOwner();
  Operation *holder =
      user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
  if (body && holder == body->func) {
    woken.push_back(-2 - int32_t(use.getOperandNumber()));
    return;
  }
  NodeId node = graph.nodeOf.lookup(holder);
  if (part.nodes[node].isDataFlow) {
    auto op = cast<ShardableDataFlowOpInterface>(holder);
    // Shardy does not wake the edge of a block argument when an operand
    // changes.
    if (auto owner = dyn_cast_or_null<OpResult>(op.getEdgeOwnerFromSource(use)))
      if (DataFlowEdgeOp edge = DataFlowEdgeOp::lookup(owner)) {
        woken.push_back(graph.nodeOf.lookup(edge));
        return;
      }
    woken.push_back(node);
    return;
  }
  if (holder != user) {
    if (auto func = dyn_cast<func::FuncOp>(holder))
      for (func::CallOp call : state.callsOf.lookup(func.getSymNameAttr()))
        if (use.getOperandNumber() < call->getNumResults())
          wakeUsers(call->getResult(use.getOperandNumber()));
    if (!isa<func::FuncOp>(holder))
      woken.push_back(node);
    return;
  }
  if (auto call = dyn_cast<func::CallOp>(user)) {
    func::FuncOp callee = state.funcOf.lookup(call.getCalleeAttr().getAttr());
    // Bodies that stand in the place of calls have edges for their arguments.
    if (callee && !callee.isExternal() &&
        !state.bodyOf.contains(callee.getSymNameAttr()) &&
        use.getOperandNumber() < callee.getNumArguments())
      wakeUsers(callee.getArgument(use.getOperandNumber()));
    return;
  }
  woken.push_back(node);
}

void PartBuilder::addWakes(Value value, ValueId id, Operation *definer) {
  if (part.notifies[id] != id)
    return;
  woken.clear();
  if (definer)
    woken.push_back(graph.nodeOf.lookup(definer));
  for (OpOperand &use : value.getUses())
    wakeUse(use);
  if (auto edge = dyn_cast_or_null<DataFlowEdgeOp>(definer))
    if (ShardableDataFlowOpInterface op = sdy::getDataFlowOp(edge.getInput()))
      for (Value target : op.getNonEdgeOwnerTargets(edge.getInput()))
        for (OpOperand &use : target.getUses())
          wakeUse(use);
  Wakes &range = part.wakesOf[id];
  range.begin = part.wakes.size();
  // Only nodes with a rule or that may die matter; dead ones are never woken.
  for (NodeId n : woken)
    if (n <= -2) {
      body->resultWakes.push_back({int32_t(part.wakes.size()), -2 - n});
      part.wakes.push_back(-1);
    } else if (part.nodes[n].rule >= 0) {
      part.wakes.push_back(n);
    }
  range.end = part.wakes.size();
}

void PartBuilder::addWakes() {
  if (body)
    for (BlockArgument arg : body->func.getArguments())
      addWakes(arg, arg.getArgNumber(), nullptr);
  forOwnNodes([&](NodeId n, const OwnSite *) {
    Operation *op = part.nodes[n].op;
    ValueId id = part.nodes[n].firstResult;
    for (Value result : op->getResults())
      addWakes(result, id++, op);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        id = graph.firstArgument.lookup(&block);
        for (Value argument : block.getArguments())
          addWakes(argument, id++, nullptr);
      }
  });
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

class GraphBuilder {
public:
  GraphBuilder(ModuleOp module, const GraphOptions &options,
               PropagationGraph &graph)
      : state(module, options, graph), graph(graph),
        all(state, graph, nullptr) {}

  LogicalResult run(SharedFunctions shared) {
    for (auto func : state.module.getOps<func::FuncOp>())
      state.funcOf[func.getSymNameAttr()] = func;
    for (func::FuncOp func : shared)
      addBody(func);
    for (Operation &op : *state.module.getBody()) {
      auto func = dyn_cast<func::FuncOp>(op);
      if (func && state.bodyOf.contains(func.getSymNameAttr()))
        continue;
      if (func)
        roots.push_back(func);
      all.number(&op);
    }
    if (!state.ok)
      return failure();
    all.finish();
    state.rules.unknownOps.emitWarnings();
    addFuncResults();
    addGroups();
    graph.current.reserve(graph.slots.size());
    for (const Slot &slot : graph.slots)
      graph.current.push_back(slot.initial);
    graph.tensorSlots.reserve(graph.tensorValues.size());
    for (ValueId value : graph.tensorValues)
      graph.tensorSlots.push_back(value < 0 ? -1 : graph.slotOfValue[value]);
    return success();
  }

private:
  void addBody(func::FuncOp func);
  void addFuncResults();
  void addGroups();

  BuilderState state;
  PropagationGraph &graph;
  PartBuilder all;
  SmallVector<func::FuncOp> roots;
};

void GraphBuilder::addBody(func::FuncOp func) {
  FunctionBody &body = graph.bodies.emplace_back();
  body.func = func;
  PartBuilder builder(state, body, &body);
  Block &block = func.front();
  builder.numberArguments(block);
  for (Operation &op : block)
    builder.number(&op);
  if (state.ok)
    builder.finish();
  state.bodyOf[func.getSymNameAttr()] = graph.bodies.size() - 1;
}

void GraphBuilder::addFuncResults() {
  func::FuncOp main;
  for (func::FuncOp func : roots)
    if (roots.size() == 1 || func.getSymName() == sdy::kMainFuncName)
      main = func;
  for (func::FuncOp func : roots) {
    Operation *ret = nullptr;
    if (!func.isExternal())
      ret = func.getBody().back().getTerminator();
    for (int32_t i = 0, e = func.getNumResults(); i < e; ++i) {
      auto shape = staticShape(func.getResultTypes()[i]);
      if (!shape)
        continue;
      FuncResult &r = graph.funcResults.emplace_back();
      r.func = func;
      r.index = i;
      r.isMain = func == main;
      r.slot = graph.slots.size();
      Slot &slot = graph.slots.emplace_back();
      slot.initial = graph.shardings.read(sdy::getFuncResultSharding(func, i));
      slot.rank = shape->size();
      r.rule = state.rules.identity(*shape, 1);
      if (ret && i < int32_t(ret->getNumOperands()))
        r.returned = all.idOf(ret->getOperand(i));
    }
  }
}

void GraphBuilder::addGroups() {
  llvm::DenseMap<int64_t, int32_t> groupOfId;
  for (sdy::ShardingGroupOp member : all.members) {
    ValueId value = all.idOf(member.getInput());
    SlotId slot = graph.slotOfValue[value];
    if (slot < 0 || graph.groupOfValue.contains(value))
      continue;
    auto [it, isNew] = groupOfId.try_emplace(int64_t(member.getGroupId()),
                                             graph.groups.size());
    if (isNew)
      graph.groups.emplace_back();
    graph.groups[it->second].push_back(value);
    graph.groupOfValue[value] = it->second;
  }
}

} // namespace

LogicalResult buildGraph(ModuleOp module, const GraphOptions &options,
                         SharedFunctions shared, PropagationGraph &graph) {
  return GraphBuilder(module, options, graph).run(shared);
}

} // namespace shardwright
