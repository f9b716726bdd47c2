//===- export_shared_bodies.cc - the functions that shardings make --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/share_call_bodies.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/call_order.h"
#include "shardwright/propagate/import_steps.h"
#include "shardwright/propagate/write_module.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shardwright {

namespace {

constexpr llvm::StringLiteral kExecutionThread = "execution_thread";

/// One call of a part.
struct OwnCall {
  func::CallOp call;
  /// Slots of the edges of its results, in the part; -1: none.
  SmallVector<SlotId> resultSlots;
};

/// Where a function's result comes from.
struct Returned {
  /// Argument of the function, or result of `call`, or else slot `index` (-1:
  /// none).
  int32_t argument = -1, call = -1;
  int32_t index = -1;
};

/// A part of the graph, as its call sites see it.
struct PartInfo {
  const GraphPart *part = nullptr;
  /// Live ones, in program order.
  SmallVector<OwnCall> calls;
  /// Of bodies only: slots of arguments' edges (-1: none), sources of results.
  SmallVector<SlotId> argumentSlots;
  SmallVector<Returned> returned;
  StringAttr originalName;
  Attribute executionThread;
  SmallVector<ShardingId> storedIn;
};

/// What a call and the copy of its callee are sharded like.
struct SiteInfo {
  SmallVector<ShardingId> in, out, results;
  std::string name;
  /// Which of the live calls of its part this is.
  int32_t ordinal = -1;
  Attribute executionThread;
  /// Sites of the calls in the callee.
  SmallVector<int32_t> calls;
  /// The site whose copy this call will call.
  int32_t target = -1;
};

class Exporter {
public:
  Exporter(ModuleOp module, PropagationGraph &graph)
      : module(module), graph(graph), writer(graph, module.getContext()) {}

  void run() {
    removeUserlessRules();
    eraseDeadOps();
    parts.resize(graph.bodies.size() + 1);
    for (auto [info, body] : llvm::zip(parts, graph.bodies))
      describe(info, body, body.func);
    describe(parts.back(), graph, nullptr);
    removeEdges();
    assignSites();
    for (int32_t site : rootCalls)
      visit(site);
    chooseTargets();
    writeRoots();
    materialize();
  }

private:
  void removeUserlessRules();
  void eraseDeadOps();
  void describe(PartInfo &info, const GraphPart &part, func::FuncOp func);
  void removeEdges();
  void assignSites();
  void visit(int32_t site);
  void chooseTargets();
  void writeRoots();
  void materialize();
  void fillOpen(SmallVectorImpl<ShardingId> &ids, TypeRange types);
  void setCall(func::CallOp call, const SiteInfo &site);
  sdy::TensorShardingPerValueAttr listOf(ArrayRef<ShardingId> ids);
  PartInfo &partOf(int32_t site) { return parts[graph.sites[site].body]; }

  ModuleOp module;
  PropagationGraph &graph;
  ShardingWriter writer;
  std::vector<PartInfo> parts;
  std::vector<SiteInfo> sites;
  SmallVector<int32_t> rootCalls;
  /// Live sites, callees before callers: the order in which copies get names.
  SmallVector<int32_t> order;
  llvm::DenseSet<StringAttr> names;
  unsigned counter = 0;
};

void Exporter::removeUserlessRules() {
  for (Operation *op : graph.opsWithRule)
    if (auto rule = sdy::getShardingRule(op))
      if (!rule.isCustom())
        op->removeDiscardableAttr(sdy::kShardingRuleAttr);
}

/// Copies of a body die in the same places.
void Exporter::eraseDeadOps() {
  llvm::SmallPtrSet<Operation *, 16> dead;
  SmallVector<Operation *> toErase;
  for (NodeId n : graph.deadNodes) {
    Operation *op = graph.nodes[n].op;
    if (dead.contains(op))
      continue;
    toErase.push_back(op);
    op->walk([&](Operation *nested) { dead.insert(nested); });
  }
  if (dead.empty())
    return;
  auto forget = [&](GraphPart &part) {
    for (size_t s = part.firstOwnSlot; s < part.slots.size(); ++s) {
      Value &value = part.slots[s].value;
      if (!value)
        continue;
      Operation *definer = value.getDefiningOp();
      if (!definer)
        definer = value.getParentBlock()->getParentOp();
      if (dead.contains(definer))
        value = nullptr;
    }
  };
  forget(graph);
  for (FunctionBody &body : graph.bodies)
    forget(body);
  for (CallSite &site : graph.sites)
    if (dead.contains(site.call))
      site.call = nullptr;
  for (FunctionBody &body : graph.bodies)
    for (CallSite &site : body.sites)
      if (dead.contains(site.call))
        site.call = nullptr;
  for (Operation *op : toErase)
    if (op->getBlock())
      op->erase();
}

void Exporter::describe(PartInfo &info, const GraphPart &part,
                        func::FuncOp func) {
  info.part = &part;
  auto slotOfEdge = [&](Value owner) -> SlotId {
    sdy::DataFlowEdgeOp edge = sdy::DataFlowEdgeOp::lookup(owner);
    return edge ? part.values[graph.numberOf.lookup(edge).firstResult].slot
                : -1;
  };
  llvm::DenseMap<Operation *, int32_t> indexOf;
  for (CallSite site : part.sites) {
    if (site.parent >= 0 || !site.call)
      continue;
    indexOf[site.call] = info.calls.size();
    OwnCall &own = info.calls.emplace_back();
    own.call = site.call;
    for (Value result : site.call.getResults())
      own.resultSlots.push_back(slotOfEdge(result));
  }
  if (!func)
    return;
  for (BlockArgument arg : func.getArguments())
    info.argumentSlots.push_back(slotOfEdge(arg));
  info.originalName = originalName(func);
  info.executionThread = func->getAttr(kExecutionThread);
  if (sdy::TensorShardingPerValueAttr in = argumentShardings(func))
    for (sdy::TensorShardingAttr s : in.getShardings())
      info.storedIn.push_back(graph.shardings.read(s));
  const auto &body = static_cast<const FunctionBody &>(part);
  for (auto [value, id] : llvm::zip_equal(
           func.front().getTerminator()->getOperands(), body.returned)) {
    Returned &from = info.returned.emplace_back();
    from.index = part.values[id].slot;
    auto edge = value.getDefiningOp<sdy::DataFlowEdgeOp>();
    if (!edge)
      continue;
    if (auto arg = dyn_cast<BlockArgument>(edge.getInput())) {
      if (arg.getOwner() == &func.front())
        from.argument = arg.getArgNumber();
    } else if (auto it = indexOf.find(edge.getInput().getDefiningOp());
               it != indexOf.end()) {
      from.call = it->second;
      from.index = cast<OpResult>(edge.getInput()).getResultNumber();
    }
  }
}

void Exporter::removeEdges() {
  auto remove = [](Value owner) {
    if (sdy::DataFlowEdgeOp edge = sdy::DataFlowEdgeOp::lookup(owner)) {
      edge.getResult().replaceAllUsesWith(owner);
      edge.erase();
    }
  };
  for (PartInfo &info : parts)
    for (OwnCall &own : info.calls)
      for (Value result : own.call.getResults())
        remove(result);
  for (FunctionBody &body : graph.bodies)
    for (Value arg : body.func.getArguments())
      remove(arg);
}

void Exporter::assignSites() {
  sites.resize(graph.sites.size());
  for (int32_t i = 0, e = sites.size(); i < e; ++i) {
    const CallSite &site = graph.sites[i];
    // A dead call is null in all copies of the part that it is in.
    if (!site.call)
      continue;
    SmallVector<int32_t> &siblings =
        site.parent < 0 ? rootCalls : sites[site.parent].calls;
    sites[i].ordinal = siblings.size();
    siblings.push_back(i);
  }
  for (Operation &op : *module.getBody())
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      names.insert(symbol.getNameAttr());
  for (FunctionBody &body : graph.bodies)
    names.erase(body.func.getSymNameAttr());
}

/// Entries without a sharding become fully open on the mesh of the others;
/// nothing if there are no others.
void Exporter::fillOpen(SmallVectorImpl<ShardingId> &ids, TypeRange types) {
  auto *first =
      llvm::find_if(ids, [](ShardingId id) { return id != kNoSharding; });
  if (first == ids.end()) {
    ids.clear();
    return;
  }
  MeshId mesh = graph.shardings.meshOf(*first);
  for (auto [id, type] : llvm::zip_equal(ids, types))
    if (id == kNoSharding)
      id = graph.shardings.addOpen(mesh, cast<ShapedType>(type).getRank());
}

void Exporter::visit(int32_t index) {
  SiteInfo &site = sites[index];
  for (int32_t nested : site.calls)
    visit(nested);
  order.push_back(index);
  const CallSite &place = graph.sites[index];
  const PartInfo &callee = partOf(index);
  func::FuncOp func = graph.bodies[place.body].func;

  for (SlotId slot : callee.argumentSlots)
    site.in.push_back(slot < 0 ? kNoSharding
                               : graph.current[place.firstSlot + slot]);
  fillOpen(site.in, func.getArgumentTypes());
  if (site.in.empty())
    site.in = callee.storedIn;

  const PartInfo &caller =
      place.parent < 0 ? parts.back() : partOf(place.parent);
  SlotId firstSlot = place.parent < 0 ? 0 : graph.sites[place.parent].firstSlot;
  func::CallOp call = place.call;
  for (SlotId slot : caller.calls[site.ordinal].resultSlots)
    site.out.push_back(slot < 0 ? kNoSharding
                                : graph.current[firstSlot + slot]);
  fillOpen(site.out, call.getResultTypes());
  if (site.out.empty())
    for (sdy::TensorShardingAttr s : sdy::getShardings(call))
      site.out.push_back(graph.shardings.read(s));

  site.executionThread = callee.executionThread
                             ? callee.executionThread
                             : call->getDiscardableAttr(kExecutionThread);

  for (const Returned &from : callee.returned) {
    if (from.argument >= 0)
      site.results.push_back(site.in.empty() ? kNoSharding
                                             : site.in[from.argument]);
    else if (from.call >= 0) {
      const SiteInfo &nested = sites[site.calls[from.call]];
      site.results.push_back(nested.out.empty() ? kNoSharding
                                                : nested.out[from.index]);
    } else {
      site.results.push_back(from.index < 0
                                 ? kNoSharding
                                 : graph.current[place.firstSlot + from.index]);
    }
  }

  StringAttr name = callee.originalName;
  auto isTaken = [&](StringRef candidate) {
    return !names.insert(StringAttr::get(name.getContext(), candidate)).second;
  };
  site.name = isTaken(name) ? SymbolTable::generateSymbolName<128>(
                                  name.getValue(), isTaken, counter)
                                  .str()
                                  .str()
                            : name.str();
}

/// All calls of copies with one name and equal shardings call the first of
/// them.
void Exporter::chooseTargets() {
  llvm::BumpPtrAllocator allocator;
  llvm::DenseMap<StringAttr, int32_t> nameIds;
  llvm::DenseMap<ArrayRef<int32_t>, int32_t> firstOf;
  auto choose = [&](int32_t index) {
    SiteInfo &site = sites[index];
    SmallVector<int32_t> key{
        nameIds.try_emplace(partOf(index).originalName, nameIds.size())
            .first->second};
    // All or none of the arguments have one.
    key.push_back(site.in.size());
    key.append(site.in);
    key.append(site.results);
    auto it = firstOf.find(ArrayRef<int32_t>(key));
    if (it == firstOf.end())
      it = firstOf.try_emplace(ArrayRef<int32_t>(key).copy(allocator), index)
               .first;
    site.target = it->second;
  };
  for (int32_t site : rootCalls)
    choose(site);
  for (int32_t site : order)
    for (int32_t nested : sites[site].calls)
      choose(nested);
}

sdy::TensorShardingPerValueAttr Exporter::listOf(ArrayRef<ShardingId> ids) {
  SmallVector<sdy::TensorShardingAttr> list;
  for (ShardingId id : ids)
    list.push_back(graph.shardings.attr(id));
  return sdy::TensorShardingPerValueAttr::get(module.getContext(), list);
}

void Exporter::setCall(func::CallOp call, const SiteInfo &site) {
  call.setCalleeAttr(
      FlatSymbolRefAttr::get(module.getContext(), sites[site.target].name));
  call.setNoInline(false);
  call.removeArgAttrsAttr();
  call.removeResAttrsAttr();
  call->removeDiscardableAttr(kExecutionThread);
  if (!site.out.empty())
    call->setDiscardableAttr(sdy::kShardingAttr, listOf(site.out));
}

void Exporter::writeRoots() {
  for (int32_t index : rootCalls)
    setCall(graph.sites[index].call, sites[index]);
  writeShardings(graph);
  for (auto func : module.getOps<func::FuncOp>()) {
    func->removeDiscardableAttr(sdy::kOriginalFuncNameAttr);
    func->removeDiscardableAttr(sdy::kFuncManualAxesAttr);
  }
}

void Exporter::materialize() {
  // Copies that something calls.
  std::vector<char> needed(sites.size());
  SmallVector<int32_t> stack;
  auto need = [&](int32_t site) {
    int32_t target = sites[site].target;
    if (!needed[target]) {
      needed[target] = true;
      stack.push_back(target);
    }
  };
  llvm::for_each(rootCalls, need);
  while (!stack.empty())
    llvm::for_each(sites[stack.pop_back_val()].calls, need);

  // The last copy of a body takes the body itself.
  std::vector<int32_t> copies(graph.bodies.size());
  for (int32_t index : order)
    copies[graph.sites[index].body] += needed[index];
  for (FunctionBody &body : graph.bodies)
    body.func->remove();
  MLIRContext *context = module.getContext();
  for (int32_t index : order) {
    if (!needed[index])
      continue;
    const SiteInfo &site = sites[index];
    CallSite place = graph.sites[index];
    FunctionBody &body = graph.bodies[place.body];
    const PartInfo &info = parts[place.body];
    auto func = func::FuncOp::create(
        place.call.getLoc(), site.name,
        FunctionType::get(context, body.func.getArgumentTypes(),
                          place.call.getResultTypes()));
    func.setPrivate();
    if (site.executionThread)
      func->setAttr(kExecutionThread, site.executionThread);
    module.push_back(func);

    IRMapping mapping;
    bool isLast = --copies[place.body] == 0;
    if (isLast)
      func.getBody().takeBody(body.func.getBody());
    else
      body.func.getBody().cloneInto(&func.getBody(), mapping);
    for (auto [i, id] : llvm::enumerate(site.in))
      func.setArgAttr(i, sdy::kShardingAttr, graph.shardings.attr(id));
    for (auto [own, nested] : llvm::zip_equal(info.calls, site.calls)) {
      func::CallOp call = own.call;
      setCall(isLast ? call : cast<func::CallOp>(mapping.lookup(call)),
              sites[nested]);
    }
    ArrayRef<ShardingId> current =
        ArrayRef(graph.current).slice(place.firstSlot, body.slots.size());
    for (SlotId s = body.firstOwnSlot, e = body.slots.size(); s < e; ++s) {
      const Slot &slot = body.slots[s];
      if (slot.isCallEdge || !slot.value || current[s] == slot.initial)
        continue;
      writer.write(body, s, isLast ? slot.value : mapping.lookup(slot.value),
                   current);
    }
  }
  writer.finish();
  for (FunctionBody &body : graph.bodies)
    body.func->destroy();
}

} // namespace

void exportSharedBodies(ModuleOp module, PropagationGraph &graph) {
  Exporter(module, graph).run();
}

} // namespace shardwright
