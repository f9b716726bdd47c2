//===- engine.cc - the propagation fixpoint -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/engine.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/graph.h"
#include "shardwright/propagate/sharding_groups.h"
#include "shardwright/propagate/user_priority.h"
#include "shardwright/rules/rule_attr.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Allocator.h"

using namespace mlir;

namespace shardwright {

namespace {

constexpr int32_t kNumOpPriorities = 5;

/// Ops still to visit. All ops wait from the start and come in program order;
/// an op woken while it does not wait comes next. One that already waits keeps
/// its place. (Shardy runs on MLIR's greedy driver, whose order this is.)
class Worklist {
public:
  /// `todo` is zero for nodes that need no visit.
  explicit Worklist(const std::vector<char> &todo) : todo(todo) {}

  void reset() {
    waiting.assign(todo.size(), true);
    cursor = 0;
    woken.clear();
  }
  void push(NodeId n) {
    if (waiting[n])
      return;
    waiting[n] = true;
    woken.push_back(n);
  }
  void remove(NodeId n) { waiting[n] = false; }
  /// -1 when empty.
  NodeId pop() {
    while (!woken.empty()) {
      NodeId n = woken.pop_back_val();
      if (take(n))
        return n;
    }
    for (NodeId e = waiting.size(); cursor < e;) {
      NodeId n = cursor++;
      if (take(n))
        return n;
    }
    return -1;
  }

private:
  bool take(NodeId n) {
    bool taken = waiting[n] && todo[n];
    waiting[n] = false;
    return taken;
  }

  const std::vector<char> &todo;
  std::vector<char> waiting;
  NodeId cursor = 0;
  SmallVector<NodeId> woken;
};

/// Steps depend on ids only, and programs repeat themselves: the same rule
/// meets the same shardings again in every layer. A hash table of our own, for
/// keys of a few numbers.
class StepCache {
public:
  struct Change {
    int32_t tensor;
    ShardingId sharding;
  };

  StepCache() : table(1024, 0) {}

  /// Null if the step was not taken yet.
  const ArrayRef<Change> *find(ArrayRef<int32_t> key) {
    lastHash = hashOf(key);
    for (size_t i = lastHash & (table.size() - 1); table[i] != 0;
         i = (i + 1) & (table.size() - 1)) {
      const Entry &entry = entries[table[i] - 1];
      if (entry.hash == lastHash && entry.key == key)
        return &entry.changes;
    }
    return nullptr;
  }

  /// Of the key that was looked for last.
  ArrayRef<Change> insert(ArrayRef<int32_t> key, ArrayRef<Change> changes) {
    entries.push_back({lastHash, key.copy(allocator), changes.copy(allocator)});
    if (entries.size() * 2 > table.size()) {
      table.assign(table.size() * 2, 0);
      for (size_t e = 0; e < entries.size(); ++e)
        place(e);
    } else {
      place(entries.size() - 1);
    }
    return entries.back().changes;
  }

private:
  struct Entry {
    uint32_t hash;
    ArrayRef<int32_t> key;
    ArrayRef<Change> changes;
  };

  static uint32_t hashOf(ArrayRef<int32_t> key) {
    uint64_t h = key.size();
    for (int32_t k : key)
      h = (h ^ uint32_t(k)) * 0x9E3779B97F4A7C15ull;
    return h >> 32;
  }

  void place(size_t entry) {
    size_t i = entries[entry].hash & (table.size() - 1);
    while (table[i] != 0)
      i = (i + 1) & (table.size() - 1);
    table[i] = entry + 1;
  }

  llvm::BumpPtrAllocator allocator;
  std::vector<Entry> entries;
  std::vector<uint32_t> table;
  uint32_t lastHash = 0;
};

class Engine {
public:
  Engine(const EngineOptions &options, PropagationGraph &graph)
      : options(options), graph(graph), shardings(graph.shardings) {}

  void run();
  /// Tells the observer what each rule relates in the end.
  void reportEnd();

private:
  void runPriority();
  void propagate();
  void syncFuncResults();
  void visit(NodeId n);
  FactorDirections directionsOf(const Node &node) const;
  bool operandsHaveOneUse(const Node &node) const;
  ArrayRef<StepCache::Change> step(RuleId rule, ArrayRef<ShardingId> ids,
                                   FactorDirections directions,
                                   bool isElementwise, bool conservative);
  void setSlot(SlotId slot, ShardingId id);
  /// Sets the sharding of a value and of its group, and wakes neighbours.
  void update(ValueId value, ShardingId id, NodeId by);
  void wake(ValueId value, NodeId by);
  Value holderOf(ValueId value) const;
  SmallVector<Value> holdersOf(const Node &node) const;
  SmallVector<const TensorSharding *> resolve(ArrayRef<ShardingId> ids) const;
  SmallVector<ShardingId, 8> shardingsOf(const Node &node);
  PropagationEvent eventOf(ShardingId after) const;
  void report(Operation *op, ArrayRef<Value> values, const FuncResult *result,
              RuleId rule, int32_t tensor, ArrayRef<ShardingId> before,
              ShardingId after);
  void reportGroup(ValueId member, ValueId from, ShardingId before,
                   ShardingId after);
  bool eraseIfDead(NodeId n);
  void erase(NodeId n);
  void pushDefiners(NodeId n);
  bool mayDie(Operation *op);

  const EngineOptions &options;
  PropagationGraph &graph;
  ShardingTable &shardings;

  StepCache cache;
  FactorPropagation factors;

  Strategy strategy = Strategy::Aggressive;
  StepOptions lastStep; ///< for observers; without mesh
  /// -1: no op priorities.
  int32_t level = -1;
  int64_t userPriority = 0;

  /// A node whose slots did not change since it was last visited in the same
  /// directions has nothing to do. Time is counted in visits.
  int32_t now = 1;
  std::vector<int32_t> changedAt;
  struct Visit {
    int32_t at = 0;
    FactorDirections directions{Direction::None, Direction::None};
    Strategy strategy = Strategy::Aggressive;
  };
  std::vector<Visit> lastVisit;
  /// By rule: all factors are pass-through.
  std::vector<char> onlyPassThrough;
  /// By node, what a visit may do. kMayBeUnused is off where something uses the
  /// node, or it must stay anyway.
  enum : char { kHasRule = 1, kMayBeUnused = 2 };
  std::vector<char> todo;
  Worklist worklist{todo};
  std::vector<char> erased;
  /// By body, once asked.
  std::vector<std::optional<bool>> bodyMayDie;
};

//===----------------------------------------------------------------------===//
// Directions
//===----------------------------------------------------------------------===//

bool Engine::operandsHaveOneUse(const Node &node) const {
  for (int32_t i = node.firstOperand, e = i + node.numOperands; i < e; ++i) {
    ValueId operand = graph.tensorValues[i];
    if (!graph.values[operand].isScalar && graph.values[operand].numUses != 1)
      return false;
  }
  return true;
}

FactorDirections Engine::directionsOf(const Node &node) const {
  constexpr auto None = Direction::None, Both = Direction::Both;
  if (node.schedule == Schedule::Fixed)
    return {node.fixedDirection, node.fixedDirection};
  if (level < 0)
    return {Both, Both};
  switch (node.schedule) {
  case Schedule::PassThroughOp:
    if (level >= 1 || operandsHaveOneUse(node))
      return {Both, Both};
    return {None, None};
  case Schedule::ForwardFirst: {
    Direction first =
        level >= 1 || operandsHaveOneUse(node) ? Direction::Forward : None;
    return {level >= 2 ? Both : first, level >= 3 ? Both : first};
  }
  case Schedule::BackwardFirst: {
    if (level >= 4)
      return {Both, Both};
    return {level >= 2 ? Direction::Backward : None,
            level >= 3 ? Direction::Backward : None};
  }
  case Schedule::ByFactor:
    return {level >= 2 ? Both : None, level >= 3 ? Both : None};
  case Schedule::Fixed:
    break;
  }
  return {None, None};
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

ArrayRef<StepCache::Change> Engine::step(RuleId rule, ArrayRef<ShardingId> ids,
                                         FactorDirections directions,
                                         bool isElementwise,
                                         bool conservative) {
  bool anyAxes = llvm::any_of(ids, [&](ShardingId id) {
    return id != kNoSharding && shardings.hasAxes(id);
  });
  if (!anyAxes || directions.isNone())
    return {};
  lastStep = {.strategy = strategy,
              .directions = directions,
              .isElementwise = isElementwise,
              .conservative = conservative};

  SmallVector<int32_t, 16> key(ids.begin(), ids.end());
  key.push_back(rule);
  key.push_back(int32_t(directions.passThrough) |
                int32_t(directions.other) << 2 | int32_t(strategy) << 4 |
                int32_t(isElementwise) << 5 | int32_t(conservative) << 6);
  if (const ArrayRef<StepCache::Change> *known = cache.find(key))
    return *known;

  const FactorLayout &layout = graph.rules[rule];
  MeshId mesh = shardings.commonMesh(ids);
  SmallVector<StepCache::Change> changes;
  if (mesh != kNoMesh && !shardings.mesh(mesh).isMaximal()) {
    SmallVector<const TensorSharding *> tensors;
    bool ranksFit = true;
    for (auto [i, id] : llvm::enumerate(ids)) {
      tensors.push_back(id == kNoSharding ? nullptr : &shardings.get(id));
      ranksFit &= id == kNoSharding ||
                  tensors.back()->rank() == layout.tensors[i].rank();
    }
    StepOptions stepOptions = lastStep;
    stepOptions.mesh = &shardings.mesh(mesh);
    if (ranksFit)
      for (const TensorUpdate &u : factors.run(layout, tensors, stepOptions))
        changes.push_back({u.tensor, shardings.add(mesh, u.sharding)});
  }
  return cache.insert(key, changes);
}

/// Of the tensors of the node's rule, as the rule sees them.
SmallVector<ShardingId, 8> Engine::shardingsOf(const Node &node) {
  SmallVector<ShardingId, 8> ids;
  for (int32_t i = 0; i < node.numTensors; ++i) {
    SlotId slot = graph.tensorSlots[node.firstTensor + i];
    ids.push_back(slot < 0 ? kNoSharding : graph.current[slot]);
  }
  if (node.manualEdge >= 0 && ids.back() != kNoSharding)
    ids.back() =
        toSourceView(shardings, graph.manualEdges[node.manualEdge], ids.back());
  return ids;
}

void Engine::visit(NodeId n) {
  const Node &node = graph.nodes[n];
  FactorDirections directions = directionsOf(node);
  const ManualEdge *manual =
      node.manualEdge < 0 ? nullptr : &graph.manualEdges[node.manualEdge];
  // Of a rule without other factors, their direction says nothing.
  if (onlyPassThrough[node.rule])
    directions.other = directions.passThrough;
  if (directions.isNone())
    return;
  SmallVector<ShardingId, 8> ids;
  // The sources of a manual computation's edge may see more than is stored.
  bool anyAxes = manual;
  int32_t changed = 0;
  for (int32_t i = 0; i < node.numTensors; ++i) {
    SlotId slot = graph.tensorSlots[node.firstTensor + i];
    ShardingId id = kNoSharding;
    if (slot >= 0) {
      id = graph.current[slot];
      changed = std::max(changed, changedAt[slot]);
    }
    anyAxes |= id != kNoSharding && shardings.hasAxes(id);
    ids.push_back(id);
  }
  Visit &last = lastVisit[n];
  if (!anyAxes || (last.at > changed && last.directions == directions &&
                   last.strategy == strategy))
    return;
  last = {++now, directions, strategy};

  if (manual && ids.back() != kNoSharding)
    ids.back() = toSourceView(shardings, *manual, ids.back());

  ArrayRef<StepCache::Change> changes =
      step(node.rule, ids, directions, node.isElementwise,
           options.conservative && node.ruleIsAttribute);
  for (const StepCache::Change &change : changes) {
    ValueId value = graph.tensorValues[node.firstTensor + change.tensor];
    if (options.observer)
      report(node.op, holdersOf(node), nullptr, node.rule, change.tensor, ids,
             change.sharding);
    ShardingId id = change.sharding;
    if (manual && change.tensor + 1 == node.numTensors)
      id = toStoredView(shardings, *manual, id);
    update(value, id, n);
  }
}

void Engine::setSlot(SlotId s, ShardingId id) {
  const Slot &slot = graph.slots[s];
  if (graph.current[s] == kNoSharding && slot.numSiblings > 1) {
    // The op's list of shardings comes into being: the others are open.
    MeshId mesh = shardings.meshOf(id);
    for (SlotId i = slot.firstSibling, e = i + slot.numSiblings; i < e; ++i)
      if (graph.current[i] == kNoSharding) {
        graph.current[i] = shardings.addOpen(mesh, graph.slots[i].rank);
        changedAt[i] = now;
      }
  }
  graph.current[s] = id;
  changedAt[s] = now;
}

void Engine::wake(ValueId value, NodeId by) {
  Wakes range = graph.values[graph.values[value].notifies].wakes;
  for (int32_t i = range.begin; i < range.end; ++i) {
    NodeId n = graph.wakes[i];
    if (n != by && !erased[n])
      worklist.push(n);
  }
}

void Engine::update(ValueId value, ShardingId id, NodeId by) {
  SlotId slot = graph.values[value].slot;
  // A value without a place, or two operands that are one value and take the
  // same axes.
  if (slot < 0 || graph.current[slot] == id)
    return;
  setSlot(slot, id);
  wake(value, by);
  auto group = graph.groupOfValue.find(graph.values[value].notifies);
  if (group == graph.groupOfValue.end())
    return;
  for (ValueId member : graph.groups[group->second]) {
    SlotId other = graph.values[member].slot;
    if (other == slot || graph.current[other] == id)
      continue;
    if (options.observer)
      reportGroup(member, value, graph.current[other], id);
    setSlot(other, id);
    wake(member, by);
  }
}

//===----------------------------------------------------------------------===//
// What an observer is told
//===----------------------------------------------------------------------===//

Value Engine::holderOf(ValueId value) const {
  SlotId slot = graph.values[value].slot;
  return slot < 0 ? Value() : graph.slots[slot].value;
}

SmallVector<Value> Engine::holdersOf(const Node &node) const {
  SmallVector<Value> values;
  for (int32_t i = 0; i < node.numTensors; ++i)
    values.push_back(holderOf(graph.tensorValues[node.firstTensor + i]));
  return values;
}

SmallVector<const TensorSharding *>
Engine::resolve(ArrayRef<ShardingId> ids) const {
  SmallVector<const TensorSharding *> tensors;
  for (ShardingId id : ids)
    tensors.push_back(id == kNoSharding ? nullptr : &shardings.get(id));
  return tensors;
}

/// What any change to `after` has in common.
PropagationEvent Engine::eventOf(ShardingId after) const {
  PropagationEvent event;
  event.after = &shardings.get(after);
  event.mesh = &shardings.mesh(shardings.meshOf(after));
  event.opPriority = std::max(level, 0);
  event.userPriority = userPriority;
  event.visit = now;
  event.step = lastStep;
  event.step.mesh = event.mesh;
  return event;
}

void Engine::report(Operation *op, ArrayRef<Value> values,
                    const FuncResult *result, RuleId rule, int32_t tensor,
                    ArrayRef<ShardingId> before, ShardingId after) {
  SmallVector<const TensorSharding *> tensors = resolve(before);
  PropagationEvent event = eventOf(after);
  event.op = op;
  if (result)
    event.funcResultOfRule = result->index;
  if (result && tensor == 1)
    event.funcResult = result->index;
  else
    event.value = values[tensor];
  event.layout = &graph.rules[rule];
  event.numOperands = event.layout->numOperands();
  event.tensor = tensor;
  event.values = values;
  event.before = tensors;
  options.observer->onChange(event);
}

void Engine::reportGroup(ValueId member, ValueId from, ShardingId before,
                         ShardingId after) {
  Value source = holderOf(from);
  const TensorSharding *tensor =
      before == kNoSharding ? nullptr : &shardings.get(before);
  PropagationEvent event = eventOf(after);
  event.value = holderOf(member);
  event.op = event.value.getDefiningOp()
                 ? event.value.getDefiningOp()
                 : event.value.getParentBlock()->getParentOp();
  event.tensor = -1;
  event.values = source;
  event.before = tensor;
  options.observer->onChange(event);
}

void Engine::reportEnd() {
  PropagationOpView view;
  auto tell = [&](ArrayRef<Value> values, ArrayRef<ShardingId> ids,
                  RuleId rule) {
    SmallVector<const TensorSharding *> tensors = resolve(ids);
    view.layout = &graph.rules[rule];
    view.values = values;
    view.shardings = tensors;
    MeshId mesh = shardings.commonMesh(ids);
    view.mesh = mesh == kNoMesh ? nullptr : &shardings.mesh(mesh);
    options.observer->onFinalOp(view);
  };
  if (options.opPriorities)
    level = kNumOpPriorities - 1;
  for (NodeId n = 0, e = graph.nodes.size(); n < e; ++n) {
    const Node &node = graph.nodes[n];
    if (node.rule < 0 || erased[n])
      continue;
    view.op = node.op;
    view.directions = directionsOf(node);
    view.isElementwise = node.isElementwise;
    tell(holdersOf(node), shardingsOf(node), node.rule);
  }
  level = -1;
  view.directions = {};
  view.isElementwise = false;
  for (const FuncResult &r : graph.funcResults) {
    if (!r.isMain || r.returned < 0 || r.rule < 0)
      continue;
    SlotId slot = graph.values[r.returned].slot;
    view.op = r.func;
    view.funcResult = r.index;
    tell({holderOf(r.returned), Value()},
         {slot < 0 ? kNoSharding : graph.current[slot], graph.current[r.slot]},
         r.rule);
  }
}

//===----------------------------------------------------------------------===//
// Dead ops
//===----------------------------------------------------------------------===//

/// After an op is gone, what defined its operands may be dead too. Ops with
/// several other users stay where they wait.
void Engine::pushDefiners(NodeId n) {
  // In a callee's body, ops have their numbers from its first on.
  int32_t site = graph.siteOf(n);
  NodeId base = site < 0 ? 0 : graph.sites[site].node + 1;
  for (Value operand : graph.nodes[n].op->getOperands()) {
    Operation *definer = operand.getDefiningOp();
    if (!definer)
      continue;
    NodeId d = base + graph.nodeOf(definer);
    if (erased[d])
      continue;
    todo[d] |= kMayBeUnused;
    NodeId otherUser = -1;
    bool several = false;
    for (Operation *user : operand.getUsers()) {
      NodeId u = base + graph.nodeOf(user);
      if (u == n || u == otherUser || erased[u])
        continue;
      several |= otherUser >= 0;
      otherUser = u;
    }
    if (!several)
      worklist.push(d);
  }
}

void Engine::erase(NodeId n) {
  for (NodeId i = graph.nodes[n].subtreeEnd; i-- > n;) {
    if (erased[i])
      continue;
    pushDefiners(i);
    erased[i] = true;
    worklist.remove(i);
    const Node &node = graph.nodes[i];
    for (int32_t o = node.firstOperand;
         o < node.firstOperand + node.numOperands; ++o)
      --graph.values[graph.tensorValues[o]].numUses;
  }
  graph.deadNodes.push_back(n);
}

/// Whether nothing would miss the op if nothing used it. A call in whose place
/// a body stands does what the body does.
bool Engine::mayDie(Operation *op) {
  if (graph.bodies.empty())
    return wouldOpBeTriviallyDead(op);
  auto allMayDie = [&](Region &region) {
    return llvm::all_of(region.getOps(), [&](Operation &nested) {
      return nested.hasTrait<OpTrait::IsTerminator>() || mayDie(&nested);
    });
  };
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto body = graph.bodyOf.find(call.getCalleeAttr().getAttr());
    if (body == graph.bodyOf.end())
      return false;
    std::optional<bool> &known = bodyMayDie[body->second];
    if (!known)
      known =
          allMayDie(func::FuncOp(graph.bodies[body->second].func).getBody());
    return *known;
  }
  if (op->getNumRegions() == 0 ||
      !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return wouldOpBeTriviallyDead(op);
  return llvm::all_of(op->getRegions(), allMayDie);
}

bool Engine::eraseIfDead(NodeId n) {
  if (!(todo[n] & kMayBeUnused))
    return false;
  const Node &node = graph.nodes[n];
  for (int32_t i = 0; i < node.numResults; ++i)
    if (graph.values[node.firstResult + i].numUses != 0) {
      todo[n] &= ~kMayBeUnused;
      return false;
    }
  if (!mayDie(node.op)) {
    todo[n] &= ~kMayBeUnused;
    return false;
  }
  erase(n);
  return true;
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

void Engine::syncFuncResults() {
  for (const FuncResult &r : graph.funcResults) {
    if (!r.isMain || r.returned < 0 || r.rule < 0)
      continue;
    SlotId slot = graph.values[r.returned].slot;
    ShardingId ids[] = {slot < 0 ? kNoSharding : graph.current[slot],
                        graph.current[r.slot]};
    ++now;
    for (const StepCache::Change &change :
         step(r.rule, ids, {Direction::Both, Direction::Both},
              /*isElementwise=*/false, /*conservative=*/false)) {
      if (options.observer)
        report(r.func, {holderOf(r.returned), Value()}, &r, r.rule,
               change.tensor, ids, change.sharding);
      if (change.tensor == 1)
        setSlot(r.slot, change.sharding);
      else
        update(r.returned, change.sharding, -1);
    }
  }
}

void Engine::propagate() {
  worklist.reset();
  syncFuncResults();
  for (NodeId n; (n = worklist.pop()) >= 0;)
    if (!erased[n] && !eraseIfDead(n) && (todo[n] & kHasRule))
      visit(n);
  syncFuncResults();
}

void Engine::runPriority() {
  if (options.opPriorities) {
    for (level = 0; level < kNumOpPriorities; ++level)
      propagate();
    level = -1;
    return;
  }
  if (options.strategy != PropagationStrategy::Aggressive) {
    strategy = Strategy::Basic;
    propagate();
  }
  if (options.strategy != PropagationStrategy::Basic) {
    strategy = Strategy::Aggressive;
    propagate();
  }
}

void Engine::run() {
  changedAt.assign(graph.slots.size(), 1);
  bodyMayDie.resize(graph.bodies.size());
  for (const FactorLayout &layout : graph.rules)
    onlyPassThrough.push_back(
        llvm::all_of(layout.rule.factors, [](const Factor &f) {
          return f.kind == FactorKind::PassThrough;
        }));
  lastVisit.resize(graph.nodes.size());
  todo.assign(graph.nodes.size(), 0);
  for (NodeId n = 0, e = graph.nodes.size(); n < e; ++n) {
    const Node &node = graph.nodes[n];
    bool used = false;
    for (int32_t i = 0; i < node.numResults; ++i)
      used |= graph.values[node.firstResult + i].numUses != 0;
    todo[n] = (node.rule >= 0 ? kHasRule : 0) | (used ? 0 : kMayBeUnused);
  }
  erased.assign(graph.nodes.size(), false);
  if (!options.userPriorities)
    return runPriority();

  UserPriorities priorities(graph);
  runPriority();
  for (const UserPriorities::Level &next : priorities.levels()) {
    if (options.afterUserPriority) {
      writeShardings(graph);
      options.afterUserPriority(userPriority);
    }
    userPriority = next.priority;
    ++now;
    priorities.activate(next, [&](SlotId slot, ShardingId id) {
      graph.current[slot] = id;
      changedAt[slot] = now;
    });
    runPriority();
  }
}

/// Attaches the rules that were used, or removes all but the user's.
void finishRules(PropagationGraph &graph, MLIRContext *context, bool keep) {
  auto name = StringAttr::get(context, sdy::kShardingRuleAttr);
  if (!keep) {
    for (Operation *op : graph.opsWithRule)
      if (auto rule = dyn_cast_or_null<sdy::OpShardingRuleAttr>(
              op->getDiscardableAttr(name)))
        if (!rule.isCustom())
          op->removeDiscardableAttr(name);
    return;
  }
  llvm::DenseMap<RuleId, Attribute> attrs;
  for (const Node &node : graph.nodes) {
    if (node.rule < 0 || !node.ruleIsAttribute ||
        node.op->hasAttr(sdy::kShardingRuleAttr))
      continue;
    Attribute &attr = attrs[node.rule];
    if (!attr)
      attr = toAttr(graph.rules[node.rule].rule, context);
    node.op->setDiscardableAttr(name, attr);
  }
}

} // namespace

void propagateInGraph(PropagationGraph &graph, const EngineOptions &options) {
  Engine engine(options, graph);
  engine.run();
  if (options.observer)
    engine.reportEnd();
  // Users come after what they use.
  llvm::sort(graph.deadNodes, std::greater<>());
}

LogicalResult propagateShardings(ModuleOp module,
                                 const EngineOptions &options) {
  if (!sdy::getMainFunc(module))
    return module.emitError("Failed to lookup function: main");
  syncShardingGroups(module);
  PropagationGraph graph(module);
  if (failed(buildGraph(module, {options.conservative, options.extraRules},
                        /*shared=*/{}, graph)))
    return failure();
  propagateInGraph(graph, options);
  writeShardings(graph);
  finishRules(graph, module.getContext(), options.keepShardingRules);
  if (options.observer)
    options.observer->onWritten();
  if (!options.keepDeadOps)
    for (NodeId n : graph.deadNodes)
      graph.nodes[n].op->erase();
  return success();
}

} // namespace shardwright
