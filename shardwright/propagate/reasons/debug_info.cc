//===- debug_info.cc - origins and edges as attributes --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/propagate/reasons/debug_info.h"

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/propagate/reasons/new_axes.h"

using namespace mlir;

namespace shardwright {

using sdy::AxisRefAttr;

static std::string text(AxisRefAttr axis) {
  std::string name = axis.getName().str();
  if (sdy::SubAxisInfoAttr sub = axis.getSubAxisInfo())
    name += ":(" + std::to_string(sub.getPreSize()) + ")" +
            std::to_string(sub.getSize());
  return name;
}

static bool touches(AxisRefAttr a, AxisRefAttr b) {
  if (a.getName() != b.getName())
    return false;
  sdy::SubAxisInfoAttr x = a.getSubAxisInfo(), y = b.getSubAxisInfo();
  if (!x || !y)
    return true;
  AxisRef p{0, x.getPreSize(), x.getSize()}, q{0, y.getPreSize(), y.getSize()};
  return contains(p, q) || contains(q, p);
}

DebugInfo::DebugInfo(ModuleOp module, DebugInfoOptions options)
    : module(module), context(module.getContext()), options(options) {
  if (options.origins)
    readOrigins();
  if (options.edges)
    readSteps();
}

//===----------------------------------------------------------------------===//
// Initial state
//===----------------------------------------------------------------------===//

/// The first holder that names an axis of a value is its origin.
void DebugInfo::begin(Holder holder, sdy::TensorShardingAttr sharding,
                      const std::string &name) {
  if (!sharding)
    return;
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
    for (AxisRefAttr axis : dim.getAxes())
      origins[holder].try_emplace(text(axis), axis, name);
}

void DebugInfo::readOrigins() {
  int64_t constraints = 0, manuals = 0;
  module.walk([&](Operation *op) {
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op)) {
      std::string name = "constraint_" + std::to_string(constraints++);
      begin(holderOf(constraint.getResult()), constraint.getSharding(), name);
      begin(holderOf(constraint.getInput()),
            sdy::getSharding(constraint.getInput()), name);
      op->setAttr(sdy::kShardingOriginNameAttr, StringAttr::get(context, name));
    } else if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
      std::string name = "mc_" + std::to_string(manuals++);
      // As in Shardy, only values with an edge have the computation as origin.
      for (auto [i, operand] : llvm::enumerate(manual.getOperands())) {
        sdy::DataFlowEdgeOp edge =
            sdy::DataFlowEdgeOp::lookup(manual.getBody().getArgument(i));
        if (!edge)
          continue;
        std::string input = name + "_input: " + std::to_string(i);
        begin(holderOf(edge.getResult()), manual.getInSharding(i), input);
        begin(holderOf(operand), sdy::getSharding(operand), input);
      }
      for (auto [i, result] : llvm::enumerate(manual.getResults()))
        if (sdy::DataFlowEdgeOp edge = sdy::DataFlowEdgeOp::lookup(result))
          begin(holderOf(edge.getResult()), manual.getOutSharding(i),
                name + "_output: " + std::to_string(i));
      op->setAttr(sdy::kShardingOriginNameAttr, StringAttr::get(context, name));
    }
  });
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    for (BlockArgument arg : func.getArguments())
      begin(holderOf(arg), sdy::getSharding(arg),
            "input: " + std::to_string(arg.getArgNumber()));
    Operation *ret = func.getBody().back().getTerminator();
    for (auto [i, returned] : llvm::enumerate(ret->getOperands()))
      begin(holderOf(returned), sdy::getFuncResultSharding(func, i),
            "output: " + std::to_string(i));
  }
}

/// Steps of an earlier pass are kept, and ours are appended.
void DebugInfo::readSteps() {
  auto read = [&](Holder holder, Attribute attr) {
    auto list = dyn_cast_if_present<sdy::PropagationEdgesAttr>(attr);
    if (!list)
      return;
    for (sdy::PropagationOneStepAttr step : list.getValue())
      nextStep = std::max(nextStep, step.getStepIndex() + 1);
  };
  module.walk([&](Operation *op) {
    read(holderOf(op, -1), op->getAttr(sdy::kPropagationEdgesAttr));
    if (auto func = dyn_cast<func::FuncOp>(op))
      for (int32_t i = 0, e = func.getNumResults(); i < e; ++i)
        read(holderOf(op, i),
             func.getResultAttr(i, sdy::kPropagationEdgesAttr));
  });
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

void DebugInfo::addEdge(Holder holder, int32_t numOperands, Edge edge) {
  Edges &list = edges[holder];
  list.numOperands = numOperands;
  bool known = llvm::any_of(list.edges, [&](const Edge &e) {
    return e.axis == edge.axis && e.source == edge.source &&
           e.target == edge.target;
  });
  if (!known)
    list.edges.push_back(edge);
}

void DebugInfo::onChange(const PropagationEvent &event) {
  if (event.tensor < 0)
    return;
  int64_t step = nextStep - 1;
  if (event.visit != visit) {
    visit = event.visit;
    step = nextStep++;
  }
  bool isFunc = isa<func::FuncOp>(event.op);
  auto holderOfTensor = [&](int32_t tensor) {
    // A function's result has the origins of the value that it returns.
    return holderOf(event.values[isFunc ? 0 : tensor]);
  };
  for (const NewAxis &axis : newAxesOf(event, /*asShardy=*/true)) {
    if (axis.source < 0)
      continue;
    AxisRefAttr attr = sdy::axisToAttr(context, axis.axis, *event.mesh);
    if (options.edges)
      // Shardy stores the steps of all results of a function at the first
      // result.
      addEdge(holderOf(event.op, isFunc ? 0 : -1), event.numOperands,
              {step, axis.axis, attr, axis.source, event.tensor});
    if (options.origins)
      passOn(holderOfTensor(axis.source), holderOfTensor(event.tensor), attr);
  }
}

/// Copies the axis's origin from its source; Shardy has a text for axes without
/// an origin.
void DebugInfo::passOn(Holder source, Holder target, AxisRefAttr axis) {
  std::string begun = ": 0";
  auto from = origins.find(source);
  bool known = false;
  if (from != origins.end())
    for (auto &[name, origin] : from->second)
      if (touches(origin.first, axis)) {
        begun = origin.second;
        known = true;
        break;
      }
  if (!known)
    origins[source].try_emplace(text(axis), axis, begun);
  origins[target].try_emplace(text(axis), axis, begun);
}

void DebugInfo::onApplied(sdy::ShardingConstraintOp op) {
  int64_t step = nextStep++;
  sdy::TensorShardingAttr sharding = op.getSharding();
  sdy::MeshAttr meshAttr = sdy::getMeshAttr(op, sharding);
  if (!meshAttr)
    return;
  Mesh mesh = sdy::meshFromAttr(meshAttr);
  for (AxisRef axis : sdy::shardingFromAttr(sharding, mesh).allAxes()) {
    AxisRefAttr attr = sdy::axisToAttr(context, axis, mesh);
    if (options.edges)
      addEdge(holderOf(op, -1), 1, {step, axis, attr, 1, 0});
    if (options.origins)
      passOn(holderOf(op.getResult()), holderOf(op.getInput()), attr);
  }
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// Null if the holder has no origins.
DictionaryAttr DebugInfo::dictionary(Holder holder, StringRef self) {
  auto it = origins.find(holder);
  if (it == origins.end())
    return nullptr;
  SmallVector<NamedAttribute> entries;
  for (auto &[axis, origin] : it->second)
    entries.emplace_back(
        StringAttr::get(context, axis),
        StringAttr::get(context, origin.second == self
                                     ? "self"
                                     : StringRef(origin.second)));
  return DictionaryAttr::get(context, entries);
}

void DebugInfo::saveOrigins() {
  module.walk([&](Operation *op) {
    if (auto func = dyn_cast<func::FuncOp>(op)) {
      if (func.isExternal())
        return;
      sdy::BorderAttributes border(func);
      for (BlockArgument arg : func.getArguments())
        if (auto dict = dictionary(
                holderOf(arg), "input: " + std::to_string(arg.getArgNumber())))
          border.setArgument(arg.getArgNumber(), sdy::kShardingOriginsAttr,
                             dict);
      Operation *ret = func.getBody().back().getTerminator();
      // A value that is returned twice counts as its last result.
      llvm::SmallDenseSet<Value, 8> seen;
      for (size_t i = ret->getNumOperands(); i-- > 0;)
        if (Value returned = ret->getOperand(i); seen.insert(returned).second)
          if (auto dict = dictionary(holderOf(returned),
                                     "output: " + std::to_string(i)))
            border.setResult(i, sdy::kShardingOriginsAttr, dict);
      border.write();
      return;
    }
    if (op->getNumResults() == 0)
      return;
    if (auto edge = dyn_cast<sdy::DataFlowEdgeOp>(op)) {
      std::string self;
      if (sdy::ShardableDataFlowOpInterface owner =
              sdy::getDataFlowOp(edge.getInput()))
        if (auto name = owner->getAttrOfType<StringAttr>(
                sdy::kShardingOriginNameAttr)) {
          auto arg = dyn_cast<BlockArgument>(edge.getInput());
          self = name.str() + (arg ? "_input: " : "_output: ") +
                 std::to_string(
                     arg ? arg.getArgNumber()
                         : cast<OpResult>(edge.getInput()).getResultNumber());
        }
      if (auto dict = dictionary(holderOf(edge.getResult()), self))
        op->setAttr(sdy::kShardingOriginsAttr, dict);
      return;
    }
    if (isa<sdy::ShardingConstraintOp>(op)) {
      auto name = op->getAttrOfType<StringAttr>(sdy::kShardingOriginNameAttr);
      if (auto dict = dictionary(holderOf(op->getResult(0)),
                                 name ? name.getValue() : StringRef()))
        op->setAttr(sdy::kShardingOriginsAttr, dict);
      return;
    }
    SmallVector<Attribute> list;
    bool any = false;
    for (Value result : op->getResults()) {
      DictionaryAttr dict = dictionary(holderOf(result), "");
      any |= bool(dict);
      list.push_back(dict ? dict : DictionaryAttr::get(context));
    }
    if (any)
      op->setAttr(sdy::kShardingOriginsAttr, ArrayAttr::get(context, list));
  });
}

void DebugInfo::saveEdges() {
  for (auto &[holder, list] : edges) {
    llvm::sort(list.edges, [](const Edge &a, const Edge &b) {
      return std::tie(a.step, a.order, a.source, a.target) <
             std::tie(b.step, b.order, b.source, b.target);
    });
    int32_t numOperands = list.numOperands;
    auto ref = [&](int32_t tensor) {
      bool isOperand = tensor < numOperands;
      return sdy::EdgeValueRefAttr::get(
          context,
          isOperand ? sdy::EdgeNodeType::OPERAND : sdy::EdgeNodeType::RESULT,
          isOperand ? tensor : tensor - numOperands);
    };
    SmallVector<sdy::PropagationOneStepAttr> steps;
    auto *op = static_cast<Operation *>(holder.first);
    auto func = dyn_cast<func::FuncOp>(op);
    Attribute old =
        func ? func.getResultAttr(holder.second, sdy::kPropagationEdgesAttr)
             : op->getAttr(sdy::kPropagationEdgesAttr);
    if (auto before = dyn_cast_if_present<sdy::PropagationEdgesAttr>(old))
      llvm::append_range(steps, before.getValue());
    for (size_t i = 0; i < list.edges.size();) {
      int64_t step = list.edges[i].step;
      SmallVector<sdy::AxisToPropagationDetailsAttr> axes;
      while (i < list.edges.size() && list.edges[i].step == step) {
        const Edge &first = list.edges[i];
        SmallVector<sdy::EdgeValueRefAttr> targets;
        for (; i < list.edges.size() && list.edges[i].step == step &&
               list.edges[i].axis == first.axis &&
               list.edges[i].source == first.source;
             ++i)
          targets.push_back(ref(list.edges[i].target));
        axes.push_back(sdy::AxisToPropagationDetailsAttr::get(
            context, first.axis, ref(first.source), targets));
      }
      steps.push_back(sdy::PropagationOneStepAttr::get(context, step, axes));
    }
    auto attr = sdy::PropagationEdgesAttr::get(context, steps);
    if (func)
      func.setResultAttr(holder.second, sdy::kPropagationEdgesAttr, attr);
    else
      op->setAttr(sdy::kPropagationEdgesAttr, attr);
  }
}

void DebugInfo::save() {
  if (options.origins)
    saveOrigins();
  if (options.edges)
    saveEdges();
}

} // namespace shardwright
