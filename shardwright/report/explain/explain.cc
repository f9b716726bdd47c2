//===- explain.cc - explain the sharding of a value -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/explain_impl.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/type_text.h"
#include "shardwright/rules/rule_interface.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shardwright {

TensorSharding Explainer::Impl::finalSharding(PlaceId place,
                                              RankedTensorType type,
                                              bool isBoundary,
                                              ExplainedValue &out) const {
  const TensorSharding *found = run->reasons.sharding(place);
  TensorSharding s = found && found->rank() == type.getRank()
                         ? found->closedLike()
                         : TensorSharding::closed(type.getRank());
  if (!isBoundary || !found)
    return s;
  for (auto [d, dim] : llvm::enumerate(s.dims)) {
    AxisList kept = divisiblePrefix(type.getDimSize(d), dim.axes);
    // An open dimension keeps full axes only.
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

void Explainer::Impl::fill(PlaceId place, Type type, bool isBoundary,
                           bool withStops, ExplainedValue &out) const {
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
      // Skip axes that the dimension has from another source.
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

void Explainer::Impl::noteOpaqueOps(Value value, ExplainedValue &out) const {
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

Explainer::Explainer(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Explainer::~Explainer() = default;

FailureOr<std::unique_ptr<Explainer>> Explainer::create(ModuleOp imported,
                                                        const UserValues &user,
                                                        ShardyVersion shardy) {
  auto impl = std::make_unique<Impl>(imported, user, shardy);
  FailureOr<std::unique_ptr<ExplainRun>> run = propagateForExplain(
      OwningOpRef<ModuleOp>(imported.clone()), user, shardy);
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
    Value holder = shardingHolder(copy);
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

ExplainedValue Explainer::briefValue(int32_t id) {
  ExplainedValue out;
  const UserValue &value = impl->user.all()[id];
  out.name = value.name;
  out.sourceName = value.sourceName;
  if (!impl->run->values[id].empty())
    impl->fill(impl->run->reasons.find(
                   {shardingHolder(impl->run->values[id].front())}),
               value.type, value.argument >= 0, /*withStops=*/false, out);
  return out;
}

ExplainedValue Explainer::briefResult(unsigned result) {
  ExplainedValue out;
  out.name = impl->user.resultName(result);
  impl->fill(impl->run->reasons.find(
                 {Value(), impl->main, static_cast<int32_t>(result)}),
             impl->main.getResultTypes()[result], /*isBoundary=*/true,
             /*withStops=*/false, out);
  return out;
}

std::vector<ExplainedValue> Explainer::overview() {
  std::vector<ExplainedValue> all;
  for (auto [id, value] : llvm::enumerate(impl->user.all())) {
    if (value.argument < 0 || impl->run->values[id].empty())
      continue;
    all.push_back(briefValue(id));
  }
  for (unsigned i = 0; i < numResults(); ++i)
    all.push_back(briefResult(i));
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
    // Skip axes that the value uses in some dimension.
    const TensorSharding *s = reasons.sharding(stop.target);
    if (s && overlaps(stop.axis, s->allAxes()))
      continue;
    if (seen.insert({stop.target, stop.axis.axis}).second)
      ranked.push_back({tensorBytes(type), &stop});
  }
  // Ties keep the order of the list.
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
