//===- read_module.cc - from a module to dense arrays ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/graph.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/propagate/op_classes.h"
#include "shardwright/rules/rule_interface.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardwright {

using sdy::DataFlowEdgeOp;
using sdy::FuncDataFlowEdgeOp;
using sdy::ShardableDataFlowOpInterface;

ValueId PropagationGraph::idOf(Value value) const {
  if (auto result = dyn_cast<OpResult>(value))
    return nodes[nodeOf.lookup(result.getOwner())].firstResult +
           result.getResultNumber();
  auto argument = cast<BlockArgument>(value);
  return firstArgument.lookup(argument.getOwner()) + argument.getArgNumber();
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

/// Ops whose rules are the same, being made from types and properties alone.
struct SameRule : llvm::DenseMapInfo<Operation *> {
  /// Of other ops, rules may look at what makes their operands, at users and at
  /// regions.
  static bool mayShare(Operation *op) {
    return (op->hasTrait<OpTrait::Elementwise>() ||
            isa<stablehlo::BroadcastInDimOp, stablehlo::DotGeneralOp,
                stablehlo::ReshapeOp, stablehlo::SliceOp,
                stablehlo::TransposeOp>(op)) &&
           op->getNumRegions() == 0 &&
           !op->getDiscardableAttr(sdy::kShardingRuleAttr);
  }
  static unsigned getHashValue(const Operation *op) {
    auto *o = const_cast<Operation *>(op);
    return llvm::hash_combine(
        o->getName(), o->hashProperties(),
        llvm::hash_combine_range(o->operand_type_begin(),
                                 o->operand_type_end()),
        llvm::hash_combine_range(o->result_type_begin(), o->result_type_end()));
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    auto isKey = [](const Operation *op) {
      return op != getEmptyKey() && op != getTombstoneKey();
    };
    if (!isKey(a) || !isKey(b))
      return false;
    auto *x = const_cast<Operation *>(a), *y = const_cast<Operation *>(b);
    return x->getName() == y->getName() &&
           x->getOperandTypes() == y->getOperandTypes() &&
           x->getResultTypes() == y->getResultTypes() &&
           x->getName().compareOpProperties(x->getPropertiesStorage(),
                                            y->getPropertiesStorage());
  }
};

class GraphBuilder {
public:
  GraphBuilder(ModuleOp module, const GraphOptions &options,
               PropagationGraph &graph)
      : module(module), options(options), graph(graph) {}

  LogicalResult run() {
    if (failed(number()))
      return failure();
    collectCalls();
    addSlots();
    for (Node &node : graph.nodes)
      addRule(node);
    warnAboutUnknownOps();
    addFuncResults();
    addGroups();
    addWakes();
    return success();
  }

private:
  LogicalResult number();
  void collectCalls();
  void addSlots();
  void addSlotsOfDataFlowOp(Node &node, ShardableDataFlowOpInterface op);
  void addSlotsOfResults(Node &node);
  SlotId addSlot(Value value, ShardingId sharding, ArrayRef<int64_t> shape);
  void addRule(Node &node);
  RuleId ruleOf(Operation *op);
  void addEdgeRule(Node &node, ArrayRef<OpOperand *> sources);
  RuleId intern(ShardingRule rule);
  RuleId identity(ArrayRef<int64_t> shape, int64_t numOperands);
  SmallVector<OpOperand *> sourcesOf(FuncDataFlowEdgeOp edge);
  void warnAboutUnknownOps();
  void addFuncResults();
  void addGroups();
  void addWakes();
  void wakeUse(OpOperand &use, SmallVectorImpl<NodeId> &out);
  void wakeUsers(Value value, SmallVectorImpl<NodeId> &out);

  ValueId addValues(int64_t count) {
    ValueId first = numValues;
    numValues += count;
    return first;
  }

  ModuleOp module;
  const GraphOptions &options;
  PropagationGraph &graph;
  ValueId numValues = 0;
  /// By callee symbol, calls in program order.
  llvm::DenseMap<StringAttr, SmallVector<func::CallOp, 2>> callsOf;
  llvm::DenseMap<StringAttr, func::FuncOp> funcOf;
  llvm::DenseMap<uint64_t, SmallVector<RuleId, 1>> rulesOfHash;
  llvm::DenseMap<std::pair<ArrayRef<int64_t>, int64_t>, RuleId> identities;
  /// By the first op of its kind.
  llvm::DenseMap<Operation *, RuleId, SameRule> ruleOfOp;
  UnknownOps unknownOps;
};

/// Numbers ops and values and checks the types.
LogicalResult GraphBuilder::number() {
  bool ok = true;
  auto visit = [&](auto &self, Operation *op) -> void {
    NodeId id = graph.nodes.size();
    graph.nodeOf[op] = id;
    Node &node = graph.nodes.emplace_back();
    node.op = op;
    node.firstResult = addValues(op->getNumResults());
    for (Value result : op->getResults()) {
      graph.numUses.push_back(
          std::distance(result.use_begin(), result.use_end()));
      ok = ok && succeeded(checkShardable(result.getType(), op));
    }
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        graph.firstArgument[&block] = addValues(block.getNumArguments());
        for (Value argument : block.getArguments())
          graph.numUses.push_back(
              std::distance(argument.use_begin(), argument.use_end()));
        for (Operation &nested : block)
          self(self, &nested);
      }
    graph.nodes[id].subtreeEnd = graph.nodes.size();
  };
  for (Operation &op : *module.getBody())
    visit(visit, &op);
  graph.slotOfValue.assign(numValues, -1);
  graph.notifies.resize(numValues);
  for (ValueId v = 0; v < numValues; ++v)
    graph.notifies[v] = v;
  return success(ok);
}

void GraphBuilder::collectCalls() {
  for (auto func : module.getOps<func::FuncOp>())
    funcOf[func.getSymNameAttr()] = func;
  for (Node &node : graph.nodes)
    if (auto call = dyn_cast<func::CallOp>(node.op))
      callsOf[call.getCalleeAttr().getAttr()].push_back(call);
}

SlotId GraphBuilder::addSlot(Value value, ShardingId sharding,
                             ArrayRef<int64_t> shape) {
  SlotId id = graph.slots.size();
  Slot &slot = graph.slots.emplace_back();
  slot.value = value;
  slot.initial = slot.current = sharding;
  slot.rank = shape.size();
  return id;
}

void GraphBuilder::addSlots() {
  // Edges first have their slots made when their op is met, so walk in order.
  for (Node &node : graph.nodes) {
    if (auto func = dyn_cast<func::FuncOp>(node.op)) {
      if (func.isExternal())
        continue;
      ValueId first = graph.firstArgument.lookup(&func.front());
      for (BlockArgument arg : func.getArguments())
        if (auto shape = staticShape(arg.getType()))
          graph.slotOfValue[first + arg.getArgNumber()] =
              addSlot(arg,
                      graph.shardings.read(
                          func.getArgAttrOfType<sdy::TensorShardingAttr>(
                              arg.getArgNumber(), sdy::kShardingAttr)),
                      *shape);
      continue;
    }
    if (auto op = dyn_cast<ShardableDataFlowOpInterface>(node.op))
      addSlotsOfDataFlowOp(node, op);
    else
      addSlotsOfResults(node);
  }
}

void GraphBuilder::addSlotsOfDataFlowOp(Node &node,
                                        ShardableDataFlowOpInterface op) {
  auto addOwners = [&](auto owners) {
    SlotId first = graph.slots.size();
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
      if (edge) {
        slot = addSlot(edge.getResult(),
                       graph.shardings.read(edge.getShardingAttr()), *shape);
        ValueId result = graph.idOf(edge.getResult());
        graph.slotOfValue[result] = slot;
        for (Value target : targets)
          graph.notifies[graph.idOf(target)] = result;
      } else {
        slot =
            addSlot(owner, graph.shardings.read(op.getEdgeOwnerSharding(owner)),
                    *shape);
        for (Value target : targets)
          graph.notifies[graph.idOf(target)] = graph.idOf(owner);
        ofOp.push_back(slot);
        ++withoutEdge;
      }
      for (Value target : targets)
        graph.slotOfValue[graph.idOf(target)] = slot;
    }
    // Either all owners of an op have edges or none has.
    if (withoutEdge == int32_t(graph.slots.size()) - first)
      for (SlotId slot : ofOp) {
        graph.slots[slot].firstSibling = first;
        graph.slots[slot].numSiblings = withoutEdge;
      }
  };
  addOwners(op.getBlockArgumentEdgeOwners());
  addOwners(op.getOpResultEdgeOwners());
}

void GraphBuilder::addSlotsOfResults(Node &node) {
  Operation *op = node.op;
  if (op->getNumResults() == 0)
    return;
  if (auto edge = dyn_cast<DataFlowEdgeOp>(op)) {
    // Normally made with its owner; an edge that belongs nowhere stands alone.
    if (graph.slotOfValue[node.firstResult] < 0)
      if (auto shape = staticShape(edge.getResult().getType()))
        graph.slotOfValue[node.firstResult] =
            addSlot(edge.getResult(),
                    graph.shardings.read(edge.getShardingAttr()), *shape);
    return;
  }
  if (op->getNumResults() == 1) {
    OpResult result = op->getResult(0);
    if (auto shape = staticShape(result.getType()))
      graph.slotOfValue[node.firstResult] = addSlot(
          result, graph.shardings.read(sdy::getSharding(result)), *shape);
    return;
  }
  SlotId first = graph.slots.size();
  SmallVector<sdy::TensorShardingAttr> shardings = sdy::getShardings(op);
  for (OpResult result : op->getResults()) {
    auto shape = staticShape(result.getType());
    if (!shape)
      continue;
    size_t i = result.getResultNumber();
    graph.slotOfValue[node.firstResult + i] = addSlot(
        result,
        graph.shardings.read(i < shardings.size() ? shardings[i] : nullptr),
        *shape);
  }
  for (SlotId s = first, e = graph.slots.size(); s < e; ++s) {
    graph.slots[s].firstSibling = first;
    graph.slots[s].numSiblings = e - first;
  }
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

uint64_t hashOf(const ShardingRule &rule) {
  llvm::hash_code h = llvm::hash_combine(rule.operands.size(), rule.isCustom);
  for (const Factor &f : rule.factors)
    h = llvm::hash_combine(h, f.size, f.kind, f.blocked);
  for (int64_t t = 0; t < rule.numTensors(); ++t) {
    h = llvm::hash_combine(h, t);
    for (const DimMapping &dim : rule.tensor(t))
      h = llvm::hash_combine(h,
                             llvm::hash_combine_range(dim.begin(), dim.end()));
  }
  return h;
}

RuleId GraphBuilder::intern(ShardingRule rule) {
  auto &ids = rulesOfHash[hashOf(rule) >> 1];
  for (RuleId id : ids)
    if (graph.rules[id].rule == rule)
      return id;
  std::optional<FactorLayout> layout = FactorLayout::create(std::move(rule));
  if (!layout)
    return -1;
  ids.push_back(graph.rules.size());
  graph.rules.push_back(std::move(*layout));
  return ids.back();
}

RuleId GraphBuilder::identity(ArrayRef<int64_t> shape, int64_t numOperands) {
  auto [it, isNew] = identities.try_emplace({shape, numOperands}, -1);
  if (isNew)
    it->second = intern(identityRule(shape, numOperands));
  return it->second;
}

void GraphBuilder::addEdgeRule(Node &node, ArrayRef<OpOperand *> sources) {
  if (sources.empty())
    return;
  Value result = node.op->getResult(0);
  auto shape = staticShape(result.getType());
  if (!shape)
    return;
  node.rule = identity(*shape, sources.size());
  node.schedule = Schedule::PassThroughOp;
  node.firstTensor = graph.tensorValues.size();
  node.numTensors = sources.size() + 1;
  for (OpOperand *source : sources)
    graph.tensorValues.push_back(graph.idOf(source->get()));
  graph.tensorValues.push_back(node.firstResult);
}

/// Of an argument: that operand of every caller; of a call's result: what the
/// callee returns.
SmallVector<OpOperand *> GraphBuilder::sourcesOf(FuncDataFlowEdgeOp edge) {
  SmallVector<OpOperand *> sources;
  if (auto arg = dyn_cast<BlockArgument>(edge.getOperand())) {
    auto func = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
    if (!func)
      return sources;
    for (func::CallOp call : callsOf.lookup(func.getSymNameAttr()))
      if (arg.getArgNumber() < call->getNumOperands())
        sources.push_back(&call->getOpOperand(arg.getArgNumber()));
    return sources;
  }
  auto result = cast<OpResult>(edge.getOperand());
  auto call = dyn_cast<func::CallOp>(result.getOwner());
  func::FuncOp callee =
      call ? funcOf.lookup(call.getCalleeAttr().getAttr()) : nullptr;
  if (callee && !callee.isExternal())
    if (auto ret =
            dyn_cast<func::ReturnOp>(callee.getBody().back().getTerminator()))
      if (result.getResultNumber() < ret->getNumOperands())
        sources.push_back(&ret->getOpOperand(result.getResultNumber()));
  return sources;
}

/// Every tensor has the rank that the rule says (an op's own, or a user's, may
/// be wrong for the values at hand).
bool fits(const FactorLayout &layout, Operation *op) {
  if (layout.rule.operands.size() != op->getNumOperands() ||
      layout.rule.results.size() != op->getNumResults())
    return false;
  auto rankOf = [](Value v) -> int64_t {
    auto shaped = dyn_cast<ShapedType>(v.getType());
    return shaped && shaped.hasRank() ? shaped.getRank() : 0;
  };
  for (auto [i, v] : llvm::enumerate(op->getOperands()))
    if (rankOf(v) != layout.tensors[i].rank())
      return false;
  for (auto [i, v] : llvm::enumerate(op->getResults()))
    if (rankOf(v) != layout.tensors[op->getNumOperands() + i].rank())
      return false;
  return true;
}

/// -1: it has none, or one that does not fit.
RuleId GraphBuilder::ruleOf(Operation *op) {
  auto make = [&]() -> RuleId {
    std::optional<ShardingRule> rule =
        getShardingRule(op, RuleOptions{.conservative = options.conservative});
    if (!rule) {
      unknownOps.visit(op);
      return -1;
    }
    RuleId id = intern(std::move(*rule));
    return id >= 0 && fits(graph.rules[id], op) ? id : -1;
  };
  if (!SameRule::mayShare(op))
    return make();
  auto [it, isNew] = ruleOfOp.try_emplace(op, -1);
  if (isNew)
    it->second = make();
  return it->second;
}

void GraphBuilder::addRule(Node &node) {
  Operation *op = node.op;
  if (auto edge = dyn_cast<DataFlowEdgeOp>(op)) {
    ShardableDataFlowOpInterface owner = sdy::getDataFlowOp(edge.getInput());
    if (!owner)
      return;
    addEdgeRule(node, owner.getEdgeSources(edge.getInput()));
    auto manual = dyn_cast<sdy::ManualComputationOp>(owner.getOperation());
    if (!manual || node.rule < 0)
      return;
    ManualEdge &m = graph.manualEdges.emplace_back();
    node.manualEdge = graph.manualEdges.size() - 1;
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
    addEdgeRule(node, &op->getOpOperand(0));
    node.schedule = Schedule::Fixed;
    node.fixedDirection = Direction(uint8_t(barrier.getAllowedDirection()));
    node.isElementwise = isElementwise(op);
    return;
  }

  RuleId id = ruleOf(op);
  if (id < 0)
    return;
  node.rule = id;
  node.ruleIsAttribute = true;
  node.isElementwise = isElementwise(op);
  node.schedule = node.isElementwise ? Schedule::PassThroughOp : scheduleOf(op);
  node.firstTensor = graph.tensorValues.size();
  node.numTensors = op->getNumOperands() + op->getNumResults();
  for (Value operand : op->getOperands())
    graph.tensorValues.push_back(graph.idOf(operand));
  for (int64_t i = 0, e = op->getNumResults(); i < e; ++i)
    graph.tensorValues.push_back(node.firstResult + i);
}

void GraphBuilder::warnAboutUnknownOps() { unknownOps.emitWarnings(); }

//===----------------------------------------------------------------------===//
// Function results and groups
//===----------------------------------------------------------------------===//

void GraphBuilder::addFuncResults() {
  func::FuncOp main = sdy::getMainFunc(module);
  for (auto func : module.getOps<func::FuncOp>()) {
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
      r.slot = addSlot(
          Value(), graph.shardings.read(sdy::getFuncResultSharding(func, i)),
          *shape);
      r.rule = identity(*shape, 1);
      if (ret && i < int32_t(ret->getNumOperands()))
        r.returned = graph.idOf(ret->getOperand(i));
    }
  }
}

void GraphBuilder::addGroups() {
  llvm::DenseMap<int64_t, int32_t> groupOfId;
  for (Node &node : graph.nodes) {
    auto member = dyn_cast<sdy::ShardingGroupOp>(node.op);
    if (!member)
      continue;
    ValueId value = graph.idOf(member.getInput());
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

//===----------------------------------------------------------------------===//
// Which nodes a change wakes
//===----------------------------------------------------------------------===//

void GraphBuilder::wakeUsers(Value value, SmallVectorImpl<NodeId> &out) {
  for (Operation *user : value.getUsers())
    out.push_back(graph.nodeOf.lookup(user));
}

void GraphBuilder::wakeUse(OpOperand &use, SmallVectorImpl<NodeId> &out) {
  Operation *user = use.getOwner();
  Operation *holder =
      user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user;
  if (auto op = dyn_cast<ShardableDataFlowOpInterface>(holder)) {
    // Shardy does not wake the edge of a block argument when an operand
    // changes.
    if (auto owner = dyn_cast_or_null<OpResult>(op.getEdgeOwnerFromSource(use)))
      if (DataFlowEdgeOp edge = DataFlowEdgeOp::lookup(owner)) {
        out.push_back(graph.nodeOf.lookup(edge));
        return;
      }
    out.push_back(graph.nodeOf.lookup(holder));
    return;
  }
  if (holder != user) {
    if (auto func = dyn_cast<func::FuncOp>(holder))
      for (func::CallOp call : callsOf.lookup(func.getSymNameAttr()))
        if (use.getOperandNumber() < call->getNumResults())
          wakeUsers(call->getResult(use.getOperandNumber()), out);
    if (!isa<func::FuncOp>(holder))
      out.push_back(graph.nodeOf.lookup(holder));
    return;
  }
  if (auto call = dyn_cast<func::CallOp>(user)) {
    func::FuncOp callee = funcOf.lookup(call.getCalleeAttr().getAttr());
    if (callee && !callee.isExternal() &&
        use.getOperandNumber() < callee.getNumArguments())
      wakeUsers(callee.getArgument(use.getOperandNumber()), out);
    return;
  }
  out.push_back(graph.nodeOf.lookup(user));
}

void GraphBuilder::addWakes() {
  // Values are numbered in the order in which this walk meets them.
  graph.wakesBegin.reserve(numValues + 1);
  SmallVector<NodeId> list;
  auto add = [&](Value value, Operation *definer) {
    list.clear();
    if (graph.notifies[graph.wakesBegin.size()] !=
        ValueId(graph.wakesBegin.size())) {
      graph.wakesBegin.push_back(graph.wakes.size());
      return;
    }
    if (definer)
      list.push_back(graph.nodeOf.lookup(definer));
    for (OpOperand &use : value.getUses())
      wakeUse(use, list);
    if (auto edge = dyn_cast_or_null<DataFlowEdgeOp>(definer))
      if (ShardableDataFlowOpInterface op = sdy::getDataFlowOp(edge.getInput()))
        for (Value target : op.getNonEdgeOwnerTargets(edge.getInput()))
          for (OpOperand &use : target.getUses())
            wakeUse(use, list);
    graph.wakesBegin.push_back(graph.wakes.size());
    // Only nodes with a rule or that may die matter; dead ones are never woken.
    for (NodeId n : list)
      if (graph.nodes[n].rule >= 0)
        graph.wakes.push_back(n);
  };
  auto visit = [&](auto &self, Operation *op) -> void {
    for (Value result : op->getResults())
      add(result, op);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (Value argument : block.getArguments())
          add(argument, nullptr);
        for (Operation &nested : block)
          self(self, &nested);
      }
  };
  for (Operation &op : *module.getBody())
    visit(visit, &op);
  graph.wakesBegin.push_back(graph.wakes.size());
}

} // namespace

LogicalResult buildGraph(ModuleOp module, const GraphOptions &options,
                         PropagationGraph &graph) {
  return GraphBuilder(module, options, graph).run();
}

} // namespace shardwright
