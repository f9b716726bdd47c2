//===- explain.cc - why a value is sharded as it is ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/shardy/pipelines.h"
#include "shardwright/propagate/passes.h"
#include "shardwright/report/location_text.h"
#include "shardwright/rules/rule_interface.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shardwright {
namespace {

/// A module taken through propagation, whose ops are all still there.
struct Run {
  OwningOpRef<ModuleOp> module;
  Reasons reasons;
  /// Values that had a sharding before constraints were applied.
  llvm::DenseSet<Value> annotated;
  /// The sharding that each place had at the start.
  llvm::DenseMap<Value, sdy::TensorShardingAttr> initial;
  std::vector<sdy::TensorShardingAttr> initialResults;
  std::vector<SmallVector<Value, 1>> values;
};

/// The value that holds the sharding.
Value holderOf(Value value) {
  sdy::ShardableDataFlowOpInterface op = sdy::getDataFlowOp(value);
  if (!op)
    return value;
  Value owner = op.getEdgeOwnerFromTarget(value);
  if (!owner)
    return value;
  if (sdy::DataFlowEdgeOp edge = sdy::DataFlowEdgeOp::lookup(owner))
    return edge.getResult();
  return owner;
}

void forEachValue(ModuleOp module, llvm::function_ref<void(Value)> visit) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      visit(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          visit(argument);
  });
}

FailureOr<std::unique_ptr<Run>> runOn(OwningOpRef<ModuleOp> module,
                                      const UserValues &user) {
  auto run = std::make_unique<Run>();
  run->module = std::move(module);
  ModuleOp m = *run->module;
  PropagateOptions options;
  options.extraRules = true;
  auto apply = [&](llvm::function_ref<void(OpPassManager &)> add) {
    PassManager pm = PassManager::on<ModuleOp>(m.getContext());
    pm.enableVerifier(false);
    add(pm);
    return pm.run(m);
  };
  int64_t dumpIndex = 1;
  if (failed(apply([&](OpPassManager &pm) {
        addImportPipeline(pm, options, dumpIndex);
        addCallImport(pm);
      })))
    return failure();
  forEachValue(m, [&](Value value) {
    if (sdy::getSharding(value))
      run->annotated.insert(value);
  });
  if (failed(apply([&](OpPassManager &pm) {
        addConstraintImport(pm, options);
        pm.addPass(createPreOrderFuncs());
      })))
    return failure();
  forEachValue(m, [&](Value value) {
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(value))
      run->initial[value] = sharding;
  });
  if (func::FuncOp main = sdy::getMainFunc(m))
    for (unsigned i = 0, e = main.getNumResults(); i < e; ++i)
      run->initialResults.push_back(sdy::getFuncResultSharding(main, i));

  EngineOptions engine;
  engine.extraRules = true;
  engine.keepDeadOps = true;
  engine.observer = &run->reasons;
  if (failed(propagateShardings(m, engine)))
    return failure();
  run->values = user.findIn(m);
  return run;
}

std::string text(sdy::TensorShardingAttr sharding, Operation *at) {
  sdy::MeshAttr mesh = sdy::getMeshAttr(at, sharding);
  if (!mesh)
    return "";
  Mesh m = sdy::meshFromAttr(mesh);
  return str(sdy::shardingFromAttr(sharding, m), m);
}

std::string withoutDialect(StringRef name) {
  for (StringRef dialect : {"stablehlo.", "chlo.", "sdy."})
    name.consume_front(dialect);
  return name.str();
}

std::string opText(Operation *op) {
  if (auto edge = dyn_cast<sdy::DataFlowEdgeOp>(op))
    if (sdy::ShardableDataFlowOpInterface owner =
            sdy::getDataFlowOp(edge.getInput())) {
      if (auto named = dyn_cast<sdy::NamedComputationOp>(owner.getOperation()))
        return "call @" + named.getName().str();
      return opText(owner);
    }
  if (isa<func::FuncOp>(op))
    return "return";
  return withoutDialect(op->getName().getStringRef());
}

std::string kindText(FactorKind kind) {
  switch (kind) {
  case FactorKind::PassThrough:
    return "pass-through";
  case FactorKind::Reduction:
    return "reduction";
  case FactorKind::NeedReplication:
    return "need-replication";
  case FactorKind::Permutation:
    return "permutation";
  }
  return "";
}

std::string typeText(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::string result;
  llvm::raw_string_ostream os(result);
  if (!tensor) {
    os << type;
    return result;
  }
  for (int64_t size : tensor.getShape())
    os << size << "x";
  os << tensor.getElementType();
  return result;
}

} // namespace

class Explainer::Impl {
public:
  // Ops have no const access.
  mutable ModuleOp imported;
  const UserValues &user;
  std::unique_ptr<Run> run;
  mutable func::FuncOp main;

  Impl(ModuleOp imported, const UserValues &user)
      : imported(imported), user(user) {}

  const Mesh &mesh() const {
    static const Mesh none;
    return run->reasons.mesh() ? *run->reasons.mesh() : none;
  }

  //===--- names ----------------------------------------------------------===//

  const UserValue *userValue(PlaceId place) const {
    const ShardedPlace &p = run->reasons.places()[place];
    int32_t id = p.value ? user.idOf(p.value) : -1;
    return id < 0 ? nullptr : &user.all()[id];
  }
  std::string nameOf(PlaceId place) const {
    const ShardedPlace &p = run->reasons.places()[place];
    if (!p.value)
      return user.resultName(p.funcResult);
    const UserValue *value = userValue(place);
    return value ? value->shortName() : "?";
  }
  /// An op as the user wrote it, if this one is of its expansion.
  std::string opTextOfUser(Operation *op) const {
    if (op->getNumResults() > 0 && !isa<sdy::DataFlowEdgeOp>(op))
      if (int32_t id = user.idOf(op->getResult(0));
          id >= 0 && !user.all()[id].op.empty() &&
          user.all()[id].op != "func.call")
        return withoutDialect(user.all()[id].op);
    return opText(op);
  }
  /// Where an op is, by the user's own location.
  static std::string whereOf(Operation *op) {
    return isa<func::FuncOp>(op) ? "" : filePosition(op->getLoc());
  }

  //===--- the way back ---------------------------------------------------===//

  /// Says how the axis came to be there at the start.
  void setOrigin(PlaceId place, int32_t dim, ExplainedAxis &axis) const {
    const ShardedPlace &p = run->reasons.places()[place];
    axis.originValue = nameOf(place);
    axis.originDim = dim;
    if (!p.value) {
      axis.origin =
          "annotated " + text(run->initialResults[p.funcResult], *run->module);
      return;
    }
    axis.originWhere = filePosition(p.value.getLoc());
    sdy::TensorShardingAttr sharding = run->initial.lookup(p.value);
    if (!sharding) {
      axis.origin = "given";
      return;
    }
    std::string how = text(sharding, *run->module);
    if (auto edge = p.value.getDefiningOp<sdy::DataFlowEdgeOp>()) {
      if (sdy::ShardableDataFlowOpInterface op =
              sdy::getDataFlowOp(edge.getInput())) {
        bool in = isa<BlockArgument>(edge.getInput());
        axis.origin = isa<sdy::ManualComputationOp>(op.getOperation())
                          ? (in ? "in_shardings of manual_computation "
                                : "out_shardings of manual_computation ") +
                                how
                          : "annotated " + how;
        return;
      }
    }
    if (p.value.getDefiningOp<sdy::ShardingConstraintOp>()) {
      axis.origin = "constrained to " + how;
      return;
    }
    if (!run->annotated.contains(p.value)) {
      for (Operation *use : p.value.getUsers()) {
        auto constraint = dyn_cast<sdy::ShardingConstraintOp>(use);
        if (constraint && constraint.getShardingAttr() == sharding) {
          axis.origin = "constrained to " + how;
          axis.originWhere = whereOf(constraint);
          int32_t id = user.idOf(constraint.getResult());
          if (id >= 0)
            axis.originValue = user.all()[id].shortName();
          return;
        }
        if (isa<sdy::ManualComputationOp>(use)) {
          axis.origin = "in_shardings of manual_computation " + how;
          axis.originWhere = whereOf(use);
          return;
        }
      }
      axis.origin = "in a sharding group with " + how;
      return;
    }
    axis.origin = "annotated " + how;
  }

  ExplainedAxis explainAxis(PlaceId place, int32_t dim, AxisRef axis) const {
    ExplainedAxis result;
    result.axis = mesh().str(axis);
    int64_t before = run->reasons.arrivals().size();
    while (true) {
      int64_t i = run->reasons.arrivalOf(place, dim, axis, before);
      if (i < 0) {
        setOrigin(place, dim, result);
        return result;
      }
      const AxisArrival &a = run->reasons.arrivals()[i];
      ExplainStep step;
      step.value = nameOf(place);
      step.dim = dim;
      if (a.op) {
        step.op = opTextOfUser(a.op);
        step.factor = sdy::OpShardingRuleAttr::getFactorName(a.factor);
        step.factorKind = kindText(a.kind);
        step.where = whereOf(a.op);
      } else {
        step.op = "sharding group";
      }
      step.opPriority = a.opPriority;
      step.userPriority = a.userPriority;
      // Inside the expansion of one op of the user's, the last step says it.
      if (result.steps.empty() || result.steps.back().value != step.value ||
          result.steps.back().dim != dim)
        result.steps.push_back(step);
      if (a.source == kNoPlace) {
        result.origin = "several tensors of the op together";
        result.originValue = step.value;
        result.originDim = dim;
        return result;
      }
      place = a.source;
      dim = a.sourceDim;
      before = i;
    }
  }

  //===--- what stopped ---------------------------------------------------===//

  std::string dimText(PlaceId place, int32_t dim) const {
    return "dim " + std::to_string(dim) + " of " + nameOf(place);
  }

  std::string whyOf(const AxisStop &stop) const {
    std::string axis = mesh().str(stop.axis);
    switch (stop.obstacle) {
    case Obstacle::Closed:
      return dimText(stop.target, stop.dim) + " is closed";
    case Obstacle::Replicated:
      return nameOf(stop.target) + " is annotated replicated along " + axis;
    case Obstacle::Taken:
      return dimText(stop.target, stop.otherDim) + " has " + axis + " already";
    case Obstacle::Conflict: {
      const TensorSharding *s = run->reasons.sharding(stop.other);
      std::string has;
      int32_t dim = stop.other == stop.target ? stop.dim : -1;
      if (s && dim >= 0 && dim < s->rank())
        for (AxisRef x : s->dims[dim].axes)
          has += (has.empty() ? "" : ", ") + mesh().str(x);
      return (dim >= 0 ? dimText(stop.other, dim) : nameOf(stop.other)) +
             " has " + (has.empty() ? "other axes" : has) + " there";
    }
    case Obstacle::NeedReplication:
      return opText(stop.op) + " needs the whole dimension";
    case Obstacle::Barrier:
      return isa<sdy::PropagationBarrierOp>(stop.op)
                 ? "the barrier lets nothing through this way"
                 : opText(stop.op) + " carries nothing this way";
    case Obstacle::Indivisible:
      return axis + " does not divide that part of " +
             dimText(stop.target, stop.dim);
    case Obstacle::ResultCannot:
      return nameOf(stop.other) + " cannot take it";
    }
    return "";
  }

  ExplainedStop explainStop(const AxisStop &stop) const {
    ExplainedStop result;
    result.axis = mesh().str(stop.axis);
    result.target = nameOf(stop.target);
    result.source = nameOf(stop.source);
    result.dim = stop.dim;
    result.sourceDim = stop.sourceDim;
    result.op = opTextOfUser(stop.op);
    result.where = whereOf(stop.op);
    result.obstacle = str(stop.obstacle);
    result.why = whyOf(stop);
    return result;
  }

  //===--- annotations that would help ------------------------------------===//

  static std::string partitionSpec(const TensorSharding &s, const Mesh &mesh) {
    std::string spec = "P(";
    for (auto [i, dim] : llvm::enumerate(s.dims)) {
      spec += i ? ", " : "";
      if (dim.axes.empty()) {
        spec += "None";
        continue;
      }
      std::string list;
      for (AxisRef axis : dim.axes) {
        if (!mesh.isFull(axis))
          return "";
        list += (list.empty() ? "" : ", ") +
                ("\"" + mesh.axisName(axis.axis).str() + "\"");
      }
      spec += dim.axes.size() > 1 ? "(" + list + ")" : list;
    }
    return spec + ")";
  }

  /// The sharding of the place with the axis on the dimension.
  TensorSharding wanted(PlaceId place, int64_t rank, int32_t dim,
                        AxisRef axis) const {
    const TensorSharding *now = run->reasons.sharding(place);
    TensorSharding s =
        now && now->rank() == rank ? *now : TensorSharding::open(rank);
    s.replicated.clear();
    for (DimSharding &d : s.dims) {
      d.isClosed = true;
      d.priority.reset();
      llvm::erase_if(d.axes, [&](AxisRef x) { return overlaps(x, axis); });
    }
    // Parts of one axis that follow each other are one.
    AxisList &axes = s.dims[dim].axes;
    if (!axes.empty() && axes.back().axis == axis.axis &&
        axes.back().nextPreSize() == axis.preSize)
      axes.back().size *= axis.size;
    else
      axes.push_back(axis);
    return s;
  }

  /// Does what the suggestion says to a module after import. False: it cannot
  /// be done.
  bool annotate(ModuleOp module, int32_t id, int32_t result,
                const TensorSharding &sharding) const {
    Attribute meshRef;
    for (sdy::MeshOp op : module.getOps<sdy::MeshOp>())
      if (sdy::meshFromAttr(op.getMesh()) == mesh())
        meshRef = FlatSymbolRefAttr::get(op.getSymNameAttr());
    if (!meshRef)
      return false;
    sdy::TensorShardingAttr attr =
        sdy::shardingToAttr(module.getContext(), sharding, mesh(), meshRef);
    if (result >= 0) {
      sdy::setFuncResultSharding(sdy::getMainFunc(module), result, attr);
      return true;
    }
    SmallVector<Value, 1> values = user.findIn(module)[id];
    if (values.empty())
      return false;
    for (Value value : values) {
      if (user.all()[id].argument >= 0) {
        sdy::setSharding(value, attr);
        continue;
      }
      if (auto constraint = value.getDefiningOp<sdy::ShardingConstraintOp>()) {
        constraint.setShardingAttr(attr);
        continue;
      }
      OpBuilder builder(module.getContext());
      builder.setInsertionPointAfterValue(value);
      auto constraint = sdy::ShardingConstraintOp::create(
          builder, value.getLoc(), value.getType(), value, attr);
      value.replaceAllUsesExcept(constraint.getResult(), constraint);
    }
    return true;
  }

  /// An annotation of the target that brings the axis there, if one does: it is
  /// tried.
  std::optional<Suggestion> suggest(const AxisStop &stop) const {
    const ShardedPlace &place = run->reasons.places()[stop.target];
    int32_t id = place.value ? user.idOf(place.value) : -1;
    if (place.value && id < 0)
      return std::nullopt;
    Type type = place.value ? user.all()[id].type
                            : main.getResultTypes()[place.funcResult];
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || stop.dim >= tensor.getRank())
      return std::nullopt;
    TensorSharding sharding =
        wanted(stop.target, tensor.getRank(), stop.dim, stop.axis);
    if (!dividesEvenly(tensor.getShape(), sharding))
      return std::nullopt;

    OwningOpRef<ModuleOp> trial(imported.clone());
    if (!annotate(*trial, id, place.value ? -1 : place.funcResult, sharding))
      return std::nullopt;
    DiagnosticEngine &engine = imported.getContext()->getDiagEngine();
    auto quiet = engine.registerHandler([](Diagnostic &) { return success(); });
    // No axis that is manual there, for one.
    FailureOr<std::unique_ptr<Run>> tried = failure();
    if (succeeded(verify(*trial)))
      tried = runOn(std::move(trial), user);
    engine.eraseHandler(quiet);
    if (failed(tried))
      return std::nullopt;
    auto comesTrue = [&](const ShardedPlace &p) {
      PlaceId there = (*tried)->reasons.find(p);
      const TensorSharding *s =
          there == kNoPlace ? nullptr : (*tried)->reasons.sharding(there);
      return s && stop.dim < s->rank() &&
             llvm::any_of(
                 s->dims[stop.dim].axes,
                 [&](AxisRef x) { return contains(x, stop.axis); });
    };
    bool ok = true;
    if (place.value) {
      ok = !(*tried)->values[id].empty();
      for (Value value : (*tried)->values[id])
        ok &= comesTrue({holderOf(value)});
    } else {
      ok = comesTrue(
          {Value(), sdy::getMainFunc(*(*tried)->module), place.funcResult});
    }
    if (!ok)
      return std::nullopt;
    Suggestion s;
    s.kind = !place.value                   ? "result"
             : user.all()[id].argument >= 0 ? "argument"
                                            : "value";
    s.value = place.value ? user.all()[id].name : nameOf(stop.target);
    if (place.value && user.all()[id].function != main.getSymName())
      s.value = "@" + user.all()[id].function + ":" + s.value;
    s.sharding = str(sharding, mesh());
    s.partitionSpec = partitionSpec(sharding, mesh());
    s.axis = mesh().str(stop.axis);
    s.dim = stop.dim;
    return s;
  }

  //===--- values ---------------------------------------------------------===//

  /// What the program has in the end: where it begins and ends, axes that do
  /// not divide are cut.
  TensorSharding finalSharding(PlaceId place, RankedTensorType type,
                               bool isBoundary, ExplainedValue &out) const {
    const TensorSharding *found = run->reasons.sharding(place);
    TensorSharding s = found && found->rank() == type.getRank()
                           ? found->closedLike()
                           : TensorSharding::closed(type.getRank());
    if (!isBoundary || !found)
      return s;
    for (auto [d, dim] : llvm::enumerate(s.dims)) {
      AxisList kept = divisiblePrefix(type.getDimSize(d), dim.axes);
      // An open dimension keeps whole axes only.
      if (!found->dims[d].isClosed)
        for (size_t i = 0; i < kept.size(); ++i)
          if (!mesh().isFull(kept[i])) {
            kept.truncate(i);
            break;
          }
      if (kept == dim.axes)
        continue;
      std::string had;
      for (AxisRef x : dim.axes)
        had += (had.empty() ? "" : ", ") + mesh().str(x);
      out.notes.push_back("dim " + std::to_string(d) + " had " + had +
                          ", cut at the border of the program: it does not "
                          "divide " +
                          std::to_string(type.getDimSize(d)));
      dim.axes = kept;
    }
    return s;
  }

  void fill(PlaceId place, Type type, bool isBoundary, bool withStops,
            ExplainedValue &out) const {
    out.type = typeText(type);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    if (place == kNoPlace) {
      out.sharding = str(TensorSharding::closed(tensor.getRank()), mesh());
      for (int64_t size : tensor.getShape())
        out.dims.emplace_back().size = size;
      return;
    }
    TensorSharding s = finalSharding(place, tensor, isBoundary, out);
    out.sharding = str(s, mesh());
    for (auto [d, size] : llvm::enumerate(tensor.getShape())) {
      ExplainedDim &dim = out.dims.emplace_back();
      dim.size = size;
      for (AxisRef axis : s.dims[d].axes)
        dim.axes.push_back(explainAxis(place, d, axis));
    }
    if (!withStops)
      return;
    llvm::DenseSet<std::pair<int64_t, int64_t>> told, ahead;
    for (const AxisStop &stop : run->reasons.stops()) {
      auto key = std::pair(int64_t(stop.dim) << 32 | stop.axis.axis,
                           stop.axis.preSize << 32 | stop.axis.size);
      if (stop.target == place && stop.dim < int32_t(out.dims.size())) {
        // What the value has on that dimension did come, another way.
        if (overlaps(stop.axis, s.dims[stop.dim].axes) ||
            !told.insert(key).second)
          continue;
        ExplainedStop e = explainStop(stop);
        e.suggestion = suggest(stop);
        out.dims[stop.dim].stops.push_back(std::move(e));
      } else if (stop.source == place && out.ahead.size() < 8) {
        auto to = std::pair(int64_t(stop.target) << 8 | stop.dim,
                            int64_t(stop.axis.axis));
        if (!ahead.insert(to).second || nameOf(stop.target) == nameOf(place))
          continue;
        const TensorSharding *t = run->reasons.sharding(stop.target);
        if (t && stop.dim < t->rank() &&
            overlaps(stop.axis, t->dims[stop.dim].axes))
          continue;
        ExplainedStop e = explainStop(stop);
        e.suggestion = suggest(stop);
        out.ahead.push_back(std::move(e));
      }
    }
  }

  /// Ops around the value that carry nothing at all.
  void noteOpaqueOps(Value value, ExplainedValue &out) const {
    auto isOpaque = [](Operation *op) {
      return op && op->getNumOperands() > 0 && op->getNumResults() > 0 &&
             !op->hasTrait<OpTrait::IsTerminator>() &&
             !isa<sdy::DataFlowEdgeOp, sdy::ReshardOp, func::CallOp,
                  sdy::PropagationBarrierOp, sdy::ShardableDataFlowOpInterface>(
                 op) &&
             !getShardingRule(op, {.extraRules = true});
    };
    auto note = [&](Operation *op) {
      std::string name = opText(op);
      if (auto target = op->getAttrOfType<StringAttr>("call_target_name"))
        name += " @" + target.str();
      std::string where = whereOf(op);
      std::string line = name + (where.empty() ? "" : " (" + where + ")") +
                         " has no sharding rule: no axis passes it";
      if (!llvm::is_contained(out.notes, line))
        out.notes.push_back(line);
    };
    if (isOpaque(value.getDefiningOp()))
      note(value.getDefiningOp());
    for (Operation *use : value.getUsers())
      if (isOpaque(use))
        note(use);
  }
};

Explainer::Explainer(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Explainer::~Explainer() = default;

FailureOr<std::unique_ptr<Explainer>>
Explainer::create(ModuleOp imported, const UserValues &user) {
  auto impl = std::make_unique<Impl>(imported, user);
  FailureOr<std::unique_ptr<Run>> run =
      runOn(OwningOpRef<ModuleOp>(imported.clone()), user);
  if (failed(run))
    return failure();
  impl->run = std::move(*run);
  impl->main = sdy::getMainFunc(*impl->run->module);
  return std::unique_ptr<Explainer>(new Explainer(std::move(impl)));
}

std::vector<ExplainedValue> Explainer::explainValue(int32_t id) {
  std::vector<ExplainedValue> answers;
  const UserValue &value = impl->user.all()[id];
  const auto &copies = impl->run->values[id];
  for (auto [i, copy] : llvm::enumerate(copies)) {
    ExplainedValue out;
    out.name = value.name;
    out.sourceName = value.sourceName;
    out.function = value.function;
    out.op = value.op;
    out.where = filePosition(value.location);
    out.copy = copies.size() > 1 ? int32_t(i) + 1 : 0;
    Value holder = holderOf(copy);
    impl->fill(impl->run->reasons.find({holder}), value.type,
               value.argument >= 0, /*withStops=*/true, out);
    impl->noteOpaqueOps(copy, out);
    if (holder != copy)
      impl->noteOpaqueOps(holder, out);
    answers.push_back(std::move(out));
  }
  return answers;
}

ExplainedValue Explainer::explainResult(unsigned result) {
  ExplainedValue out;
  out.name = impl->user.resultName(result);
  out.function = impl->main.getSymName().str();
  impl->fill(impl->run->reasons.find(
                 {Value(), impl->main, static_cast<int32_t>(result)}),
             impl->main.getResultTypes()[result], /*isBoundary=*/true,
             /*withStops=*/true, out);
  return out;
}

std::vector<ExplainedValue> Explainer::overview() {
  std::vector<ExplainedValue> all;
  for (auto [id, value] : llvm::enumerate(impl->user.all())) {
    if (value.argument < 0 || impl->run->values[id].empty())
      continue;
    ExplainedValue &out = all.emplace_back();
    out.name = value.name;
    out.sourceName = value.sourceName;
    impl->fill(
        impl->run->reasons.find({holderOf(impl->run->values[id].front())}),
        value.type, /*isBoundary=*/true, /*withStops=*/false, out);
  }
  for (unsigned i = 0; i < numResults(); ++i) {
    ExplainedValue &out = all.emplace_back();
    out.name = impl->user.resultName(i);
    impl->fill(
        impl->run->reasons.find({Value(), impl->main, static_cast<int32_t>(i)}),
        impl->main.getResultTypes()[i], /*isBoundary=*/true,
        /*withStops=*/false, out);
  }
  return all;
}

std::vector<ExplainedStop> Explainer::largestStops(size_t limit) {
  const Reasons &reasons = impl->run->reasons;
  struct Ranked {
    int64_t bytes;
    const AxisStop *stop;
  };
  std::vector<Ranked> ranked;
  llvm::DenseSet<std::pair<PlaceId, int64_t>> seen;
  for (const AxisStop &stop : reasons.stops()) {
    const ShardedPlace &place = reasons.places()[stop.target];
    Type type = place.value ? place.value.getType()
                            : impl->main.getResultTypes()[place.funcResult];
    // Axes that the value has anywhere are put to use.
    const TensorSharding *s = reasons.sharding(stop.target);
    if (s && overlaps(stop.axis, s->allAxes()))
      continue;
    if (seen.insert({stop.target, stop.axis.axis}).second)
      ranked.push_back({tensorBytes(type), &stop});
  }
  // Of equal size, in the order of the list.
  llvm::sort(ranked, [](const Ranked &a, const Ranked &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.stop < b.stop;
  });
  std::vector<ExplainedStop> result;
  llvm::StringSet<> named;
  for (const Ranked &r : ranked) {
    if (result.size() == limit)
      break;
    ExplainedStop stop = impl->explainStop(*r.stop);
    if (!named.insert(stop.target + " " + stop.axis).second)
      continue;
    result.push_back(std::move(stop));
  }
  return result;
}

unsigned Explainer::numResults() const { return impl->main.getNumResults(); }
const Reasons &Explainer::reasons() const { return impl->run->reasons; }

} // namespace shardwright
