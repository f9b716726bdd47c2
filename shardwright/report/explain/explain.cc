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
  // The sharding of a value that is on one device has rank 0.
  if (!found || found->rank() != type.getRank())
    return TensorSharding::closed(type.getRank());
  TensorSharding s = found->closedLike();
  if (!isBoundary)
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

void Explainer::Impl::indexStops(const TensorSharding &sharding,
                                 IndexedValue &out) const {
  PlaceId place = out.place;
  if (place >= PlaceId(stopsAround.size()))
    return;
  llvm::DenseSet<std::pair<int64_t, int64_t>> told, ahead;
  for (int32_t number : stopsAround[place]) {
    const AxisStop &stop = run->reasons.stops()[number];
    auto key = std::pair(int64_t(stop.dim) << 32 | stop.axis.axis,
                         stop.axis.preSize << 32 | stop.axis.size);
    if (stop.target == place && stop.dim < sharding.rank()) {
      // Skip axes that the dimension has from another source.
      if (!overlaps(stop.axis, sharding.dims[stop.dim].axes) &&
          told.insert(key).second)
        out.stops.push_back(number);
    } else if (stop.source == place && out.ahead.size() < 8) {
      auto to = std::pair(int64_t(stop.target) << 8 | stop.dim,
                          int64_t(stop.axis.axis));
      if (!ahead.insert(to).second || nameOf(stop.target) == nameOf(place))
        continue;
      const TensorSharding *t = run->reasons.sharding(stop.target);
      if (t && stop.dim < t->rank() &&
          overlaps(stop.axis, t->dims[stop.dim].axes))
        continue;
      out.ahead.push_back(number);
    }
  }
}

void Explainer::Impl::index(PlaceId place, Type type, bool isBoundary,
                            bool withStops, IndexedValue &out) const {
  out.value.type = typeText(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return;
  out.place = place;
  out.sharding = place == kNoPlace
                     ? TensorSharding::closed(tensor.getRank())
                     : finalSharding(place, tensor, isBoundary, out.value);
  out.value.sharding = str(out.sharding, mesh());
  for (auto [d, size] : llvm::enumerate(tensor.getShape())) {
    out.value.dims.emplace_back().size = size;
    for (AxisRef axis : out.sharding.dims[d].axes)
      out.axes.push_back(
          {int32_t(d), mesh().str(axis), paths.find(place, d, axis)});
  }
  if (withStops && place != kNoPlace)
    indexStops(out.sharding, out);
}

IndexedValue Explainer::Impl::indexCopy(int32_t id, size_t copy,
                                        bool withStops) const {
  IndexedValue out;
  const UserValue &value = user.all()[id];
  out.value.name = value.uniqueName();
  out.value.sourceName = value.sourceName;
  out.value.op = value.op;
  if (copy < run->values[id].size())
    index(run->reasons.find({shardingHolder(run->values[id][copy])}),
          value.type, value.argument >= 0, withStops, out);
  return out;
}

IndexedValue Explainer::Impl::indexResult(unsigned result,
                                          bool withStops) const {
  IndexedValue out;
  out.value.name = user.resultName(result);
  index(run->reasons.find({Value(), main, static_cast<int32_t>(result)}),
        main.getResultTypes()[result], /*isBoundary=*/true, withStops, out);
  return out;
}

ExplainedValue Explainer::Impl::expand(IndexedValue indexed) const {
  ExplainedValue out = std::move(indexed.value);
  for (const IndexedValue::Axis &axis : indexed.axes)
    out.dims[axis.dim].axes.push_back(expand(axis));
  auto explained = [&](int32_t number) {
    const AxisStop &stop = run->reasons.stops()[number];
    ExplainedStop e = explainStop(stop);
    e.suggestion = suggest(stop);
    return e;
  };
  for (int32_t number : indexed.stops)
    out.dims[run->reasons.stops()[number].dim].stops.push_back(
        explained(number));
  for (int32_t number : indexed.ahead)
    out.ahead.push_back(explained(number));
  return out;
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
  const Reasons &reasons = impl->run->reasons;
  impl->stopsAround.resize(reasons.places().size());
  for (auto [i, stop] : llvm::enumerate(reasons.stops()))
    for (PlaceId place : {stop.target, stop.source})
      if (place != kNoPlace)
        impl->stopsAround[place].push_back(int32_t(i));
  return std::unique_ptr<Explainer>(new Explainer(std::move(impl)));
}

std::vector<IndexedValue> Explainer::indexValue(int32_t id) {
  std::vector<IndexedValue> answers;
  const UserValue &value = impl->user.all()[id];
  const auto &copies = impl->run->values[id];
  for (auto [i, copy] : llvm::enumerate(copies)) {
    IndexedValue out = impl->indexCopy(id, i, /*withStops=*/true);
    out.value.function = value.function;
    out.value.where = filePosition(value.location);
    out.value.copy = copies.size() > 1 ? int32_t(i) + 1 : 0;
    impl->noteOpaqueOps(copy, out.value);
    if (Value holder = shardingHolder(copy); holder != copy)
      impl->noteOpaqueOps(holder, out.value);
    answers.push_back(std::move(out));
  }
  return answers;
}

IndexedValue Explainer::indexResult(unsigned result) {
  IndexedValue out = impl->indexResult(result, /*withStops=*/true);
  out.value.function = impl->main.getSymName().str();
  return out;
}

std::vector<ExplainedValue> Explainer::explainValue(int32_t id) {
  std::vector<ExplainedValue> answers;
  for (IndexedValue &indexed : indexValue(id))
    answers.push_back(impl->expand(std::move(indexed)));
  return answers;
}

ExplainedValue Explainer::explainResult(unsigned result) {
  return impl->expand(indexResult(result));
}

ExplainedValue Explainer::briefValue(int32_t id) {
  return impl->expand(impl->indexCopy(id, 0, /*withStops=*/false));
}

ExplainedValue Explainer::briefResult(unsigned result) {
  return impl->expand(impl->indexResult(result, /*withStops=*/false));
}

const ReasonPaths &Explainer::paths() const { return impl->paths; }

ExplainedStop Explainer::explainStop(int32_t index, bool tries) {
  const AxisStop &stop = impl->run->reasons.stops()[index];
  ExplainedStop explained = impl->explainStop(stop);
  if (tries)
    explained.suggestion = impl->suggest(stop);
  return explained;
}

std::string Explainer::nameOf(PlaceId place) const {
  return impl->nameOf(place);
}

int32_t Explainer::valueOf(PlaceId place) const {
  const ShardedPlace &p = impl->run->reasons.places()[place];
  return p.value ? impl->user.idOf(p.value) : -1;
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
