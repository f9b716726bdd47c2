//===- export_shared_bodies.cc - a function per distinct sharding ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/calls/share_call_bodies.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/calls/part_info.h"
#include "shardwright/propagate/graph/part_builder.h"
#include "shardwright/propagate/graph/write_module.h"
#include "shardwright/propagate/import/import_steps.h"
#include "shardwright/propagate/index/call_order.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shardwright {

namespace {

/// The shardings of a call and of the copy of its callee. Modules have many
/// sites; most have few arguments.
struct SiteInfo {
  SmallVector<ShardingId, 4> in;
  SmallVector<ShardingId, 2> out, results;
  StringAttr name;
  /// The symbol reference to `name`; created by the first call of the copy.
  FlatSymbolRefAttr symbol;
  /// Its number among the live calls of its part.
  int32_t ordinal = -1;
  Attribute executionThread;
  /// Sites of the calls in the callee.
  SmallVector<int32_t, 2> calls;
  /// The site whose copy this call will call.
  int32_t target = -1;
};

class Exporter {
public:
  Exporter(ModuleOp module, PropagationGraph &graph, ShardyVersion shardy)
      : module(module), graph(graph), shardy(shardy),
        writer(graph, module.getContext()),
        executionThreadName(
            StringAttr::get(module.getContext(), kExecutionThread)) {}

  void run() {
    removeUserlessRules();
    eraseDeadOps();
    parts.resize(graph.bodies.size() + 1);
    for (auto [info, body] : llvm::zip(parts, graph.bodies))
      info = describePart(body, &body);
    parts.back() = describePart(viewOf(graph), nullptr);
    removeEdges(viewOf(graph));
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
  void forgetSlots(NodeId n);
  void removeEdges(const GraphView &part);
  void assignSites();
  void visit(int32_t site);
  void chooseTargets();
  void writeRoots();
  void materialize();
  void fillOpen(SmallVectorImpl<ShardingId> &ids,
                llvm::function_ref<TypeRange()> types);
  void setCall(func::CallOp call, const SiteInfo &site);
  sdy::TensorShardingPerValueAttr listOf(ArrayRef<ShardingId> ids);
  PartInfo &partOf(int32_t site) { return parts[graph.sites[site].body]; }

  ModuleOp module;
  PropagationGraph &graph;
  ShardyVersion shardy;
  ShardingWriter writer;
  StringAttr executionThreadName;
  std::vector<PartInfo> parts;
  std::vector<SiteInfo> sites;
  SmallVector<int32_t, 2> rootCalls;
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

/// Clears the slots of the values in a dead op. Finds them by number: finding
/// them through the op would load every nested op into the caches.
void Exporter::forgetSlots(NodeId n) {
  GraphView part = viewOf(graph);
  if (int32_t site = graph.siteOf(n); site >= 0) {
    part = graph.bodies[graph.sites[site].body];
    n -= graph.sites[site].node + 1;
  }
  NodeId next = part.nodes[n].subtreeEnd;
  ValueId end = next < NodeId(part.nodes.size()) ? part.nodes[next].firstResult
                                                 : part.numValues();
  for (ValueId v = part.nodes[n].firstResult; v < end; ++v)
    if (SlotId slot = part.values[v].slot; slot >= part.firstOwnSlot)
      part.slots[slot].value = nullptr;
}

/// Erases the dead ops. The copies of a body have the same dead ops.
void Exporter::eraseDeadOps() {
  llvm::SmallPtrSet<Operation *, 16> dead;
  SmallVector<Operation *> toErase;
  bool anyCalls = false;
  for (NodeId n : graph.deadNodes) {
    Operation *op = graph.nodes[n].op;
    if (dead.contains(op))
      continue;
    forgetSlots(n);
    toErase.push_back(op);
    op->walk([&](Operation *nested) {
      dead.insert(nested);
      anyCalls |= isa<func::CallOp>(nested);
    });
  }
  auto forgetCalls = [&](const GraphView &part) {
    for (CallSite &site : part.sites)
      if (dead.contains(site.call))
        site.call = nullptr;
  };
  if (anyCalls) {
    forgetCalls(viewOf(graph));
    llvm::for_each(graph.bodies, forgetCalls);
  }
  for (Operation *op : toErase)
    if (op->getBlock())
      op->erase();
}

/// Removes the data flow edges of a shared function's arguments and of calls'
/// results.
void Exporter::removeEdges(const GraphView &part) {
  for (SlotId s = part.firstOwnSlot, e = part.slots.size(); s < e; ++s) {
    const Slot &slot = part.slots[s];
    if (!slot.isCallEdge || !slot.value)
      continue;
    auto edge = cast<sdy::DataFlowEdgeOp>(slot.value.getDefiningOp());
    edge.getResult().replaceAllUsesWith(edge.getInput());
    edge.erase();
  }
}

void Exporter::assignSites() {
  sites.resize(graph.sites.size());
  for (int32_t i = 0, e = sites.size(); i < e; ++i) {
    const CallSite &site = graph.sites[i];
    // A dead call is null in all copies of its part.
    if (!site.call)
      continue;
    SmallVector<int32_t, 2> &siblings =
        site.parent < 0 ? rootCalls : sites[site.parent].calls;
    sites[i].ordinal = siblings.size();
    siblings.push_back(i);
  }
  for (Operation *op : graph.rootOps)
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      names.insert(symbol.getNameAttr());
}

/// Makes entries without a sharding fully open on the mesh of the others.
/// Clears the list if no entry has a sharding.
void Exporter::fillOpen(SmallVectorImpl<ShardingId> &ids,
                        llvm::function_ref<TypeRange()> types) {
  auto *first =
      llvm::find_if(ids, [](ShardingId id) { return id != kNoSharding; });
  if (first == ids.end()) {
    ids.clear();
    return;
  }
  MeshId mesh = graph.shardings.meshOf(*first);
  for (auto [i, id] : llvm::enumerate(ids))
    if (id == kNoSharding)
      id =
          graph.shardings.addOpen(mesh, cast<ShapedType>(types()[i]).getRank());
}

void Exporter::visit(int32_t index) {
  SiteInfo &site = sites[index];
  for (int32_t nested : site.calls)
    visit(nested);
  order.push_back(index);
  const CallSite &place = graph.sites[index];
  const PartInfo &callee = partOf(index);
  FunctionBody &body = graph.bodies[place.body];

  for (SlotId slot : callee.argumentSlots)
    site.in.push_back(slot < 0 ? kNoSharding
                               : graph.current[place.firstSlot + slot]);
  fillOpen(site.in, [&] { return TypeRange(body.func.getArgumentTypes()); });
  if (site.in.empty())
    site.in = body.argumentShardings;

  const PartInfo &caller =
      place.parent < 0 ? parts.back() : partOf(place.parent);
  SlotId firstSlot = place.parent < 0 ? 0 : graph.sites[place.parent].firstSlot;
  func::CallOp call = place.call;
  for (SlotId slot : caller.calls[site.ordinal].resultSlots)
    site.out.push_back(slot < 0 ? kNoSharding
                                : graph.current[firstSlot + slot]);
  fillOpen(site.out, [&] { return TypeRange(call.getResultTypes()); });
  if (site.out.empty())
    for (sdy::TensorShardingAttr s : sdy::getShardings(call))
      site.out.push_back(graph.shardings.read(s));

  site.executionThread =
      body.executionThread ? body.executionThread : place.executionThread;

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

  site.name = body.originalName;
  if (names.insert(site.name).second)
    return;
  SymbolTable::generateSymbolName<128>(
      body.originalName.getValue(),
      [&](StringRef candidate) {
        site.name = StringAttr::get(module.getContext(), candidate);
        return !names.insert(site.name).second;
      },
      counter);
}

/// Makes all calls of copies with one original name and equal shardings call
/// the first of these copies.
void Exporter::chooseTargets() {
  llvm::BumpPtrAllocator allocator;
  llvm::DenseMap<StringAttr, int32_t> nameIds;
  for (auto [info, body] : llvm::zip(parts, graph.bodies))
    info.nameId =
        nameIds.try_emplace(body.originalName, nameIds.size()).first->second;
  llvm::DenseMap<ArrayRef<int32_t>, int32_t> firstOf;
  auto choose = [&](int32_t index) {
    SiteInfo &site = sites[index];
    SmallVector<int32_t> key{partOf(index).nameId};
    // Either all arguments have a sharding or none.
    key.push_back(site.in.size());
    llvm::append_range(key, site.in);
    llvm::append_range(key, site.results);
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
  if (ids.size() == 1 && ids.front() != kNoSharding)
    return graph.shardings.perValueAttr(ids.front());
  SmallVector<sdy::TensorShardingAttr> list;
  for (ShardingId id : ids)
    list.push_back(graph.shardings.attr(id));
  return sdy::TensorShardingPerValueAttr::get(module.getContext(), list);
}

void Exporter::setCall(func::CallOp call, const SiteInfo &site) {
  SiteInfo &target = sites[site.target];
  if (!target.symbol)
    target.symbol = FlatSymbolRefAttr::get(target.name);
  call.setCalleeAttr(target.symbol);
  call.setNoInline(false);
  call.removeArgAttrsAttr();
  call.removeResAttrsAttr();
  if (call->getRawDictionaryAttrs().contains(executionThreadName))
    call->removeDiscardableAttr(executionThreadName);
  if (!site.out.empty())
    writer.setOnOp(call, listOf(site.out));
}

void Exporter::writeRoots() {
  for (int32_t index : rootCalls)
    setCall(graph.sites[index].call, sites[index]);
  writeShardings(graph);
  for (Operation *op : graph.rootOps)
    if (isa<func::FuncOp>(op)) {
      op->removeDiscardableAttr(sdy::kOriginalFuncNameAttr);
      op->removeDiscardableAttr(sdy::kFuncManualAxesAttr);
    }
}

void Exporter::materialize() {
  // Mark the copies that are called.
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

  // The last copy of a body takes the body itself; the others clone it.
  std::vector<int32_t> copies(graph.bodies.size());
  llvm::erase_if(order, [&](int32_t index) { return !needed[index]; });
  for (int32_t index : order)
    ++copies[graph.sites[index].body];
  std::vector<char> hasEdges(graph.bodies.size(), true);
  MLIRContext *context = module.getContext();
  for (int32_t index : order) {
    const SiteInfo &site = sites[index];
    CallSite place = graph.sites[index];
    FunctionBody &body = graph.bodies[place.body];
    const PartInfo &info = parts[place.body];
    auto func = func::FuncOp::create(
        place.call.getLoc(), site.name.getValue(),
        FunctionType::get(context, body.func.getArgumentTypes(),
                          place.call.getResultTypes()));
    func.setPrivate();
    if (site.executionThread)
      func->setAttr(kExecutionThread, site.executionThread);
    module.push_back(func);

    if (std::exchange(hasEdges[place.body], false))
      removeEdges(body);
    IRMapping mapping;
    bool isLast = --copies[place.body] == 0;
    if (isLast) {
      func.getBody().takeBody(body.func.getBody());
      std::exchange(body.func, nullptr)->erase();
    } else {
      body.func.getBody().cloneInto(&func.getBody(), mapping);
    }
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
      writer.write(body.slots, s,
                   isLast ? slot.value : mapping.lookup(slot.value), current);
    }
    // No later step writes shardings of values that this function returns.
    propagateToFuncResults(func, /*isMain=*/false, shardy);
  }
  writer.finish();
  // Erase the functions that are no longer called.
  for (FunctionBody &body : graph.bodies)
    if (body.func)
      body.func->erase();
  for (Operation *op : graph.rootOps)
    if (auto func = dyn_cast<func::FuncOp>(op))
      propagateToFuncResults(func, func == sdy::getMainFunc(module), shardy);
}

} // namespace

void exportSharedBodies(ModuleOp module, PropagationGraph &graph,
                        ShardyVersion shardy) {
  Exporter(module, graph, shardy).run();
}

} // namespace shardwright
