//===- annotation_search.cc - try annotations that help -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/annotation_search.h"

#include "shardwright/dialect/sdy/sharding_access.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>

using namespace mlir;

namespace shardwright {
namespace {

/// Limit of the ops partitioned per answer, so that large programs get fewer
/// trials.
constexpr int64_t kMostOps = 200000;
constexpr size_t kFewestTrials = 4, kMostTrials = 32;

bool isSame(const NamedValue &a, const NamedValue &b) {
  return a.id == b.id && a.mainResult == b.mainResult;
}

} // namespace

std::string TriedAnnotation::text() const {
  return "annotate " + what + " as " + sharding +
         (partitionSpec.empty() ? "" : ", " + partitionSpec);
}

FailureOr<std::unique_ptr<AnnotationSearch>>
AnnotationSearch::create(ModuleOp imported, const UserValues &user,
                         const PlannedMoves &moves, TrialPartitioner partition,
                         double bytesSent, ShardyVersion shardy) {
  std::unique_ptr<AnnotationSearch> search(new AnnotationSearch(
      imported, user, moves, std::move(partition), bytesSent));
  FailureOr<std::unique_ptr<ExplainRun>> run = propagateForExplain(
      OwningOpRef<ModuleOp>(imported.clone()), user, shardy);
  if (failed(run))
    return failure();
  search->run = std::move(*run);
  int64_t ops = 1;
  imported.walk([&](Operation *) { ++ops; });
  search->mostTrials =
      std::clamp(size_t(kMostOps / ops), kFewestTrials, kMostTrials);
  return search;
}

const TensorSharding *
AnnotationSearch::propagated(const NamedValue &value) const {
  PlaceId place = kNoPlace;
  if (value.mainResult >= 0)
    place = run->reasons.find(
        {Value(), sdy::getMainFunc(*run->module), value.mainResult});
  else if (!run->values[value.id].empty())
    place = run->reasons.find({shardingHolder(run->values[value.id].front())});
  return place == kNoPlace ? nullptr : run->reasons.sharding(place);
}

RankedTensorType AnnotationSearch::typeOf(const NamedValue &value) const {
  Type type =
      value.mainResult >= 0
          ? sdy::getMainFunc(imported).getResultTypes()[value.mainResult]
          : user.all()[value.id].type;
  return dyn_cast<RankedTensorType>(type);
}

std::vector<Annotation>
AnnotationSearch::candidates(const NamedValue &value,
                             const RecordedReason *reason) const {
  if (!run->reasons.mesh())
    return {};
  const Mesh &mesh = *run->reasons.mesh();
  SmallVector<NamedValue> places{value};
  auto addPlace = [&](const NamedValue &place) {
    if ((place.id >= 0 || place.mainResult >= 0) &&
        llvm::none_of(places, [&](const NamedValue &other) {
          return isSame(place, other);
        }))
      places.push_back(place);
  };
  // The axes that the value loses, or all axes if it has none.
  AxisList lost;
  if (reason) {
    addPlace(reason->opValue);
    if (const RecordedPlan *plan = moves.planOf(*reason)) {
      llvm::for_each(plan->results, addPlace);
      llvm::for_each(plan->operands, addPlace);
    }
    if (reason->had.mesh >= 0 && moves.mesh(reason->had.mesh) == mesh)
      lost = reason->had.sharding.allAxes();
  }
  std::vector<Annotation> list;
  auto add = [&](const NamedValue &place, TensorSharding sharding) {
    auto type = typeOf(place);
    if (!type || !dividesEvenly(type.getShape(), sharding))
      return;
    int32_t id = place.mainResult >= 0 ? -1 : place.id;
    bool isKnown = llvm::any_of(list, [&](const Annotation &other) {
      return other.value == id && other.mainResult == place.mainResult &&
             other.sharding == sharding;
    });
    if (!isKnown)
      list.push_back({id, place.mainResult, std::move(sharding)});
  };
  for (const NamedValue &place : places) {
    if (place.id < 0 && place.mainResult < 0)
      continue;
    auto type = typeOf(place);
    if (!type)
      continue;
    const TensorSharding *now = propagated(place);
    TensorSharding base = now && now->rank() == type.getRank()
                              ? now->closedLike()
                              : TensorSharding::closed(type.getRank());
    if (!lost.empty() && reason->had.sharding.rank() == type.getRank())
      add(place, reason->had.sharding.closedLike());
    // Largest dimensions first: sharding them saves most.
    auto dims = llvm::to_vector(llvm::seq<int32_t>(0, type.getRank()));
    llvm::sort(dims, [&](int32_t a, int32_t b) {
      return std::pair(-type.getDimSize(a), a) <
             std::pair(-type.getDimSize(b), b);
    });
    for (int32_t dim : dims) {
      if (!lost.empty()) {
        TensorSharding sharding = base;
        for (AxisRef axis : lost)
          sharding = withAxis(std::move(sharding), dim, axis);
        add(place, std::move(sharding));
        continue;
      }
      for (int32_t axis = 0; axis < mesh.numAxes(); ++axis)
        if (mesh.axes()[axis].size > 1)
          add(place, withAxis(base, dim, mesh.fullAxis(axis)));
    }
  }
  return list;
}

AnnotationAdvice AnnotationSearch::tryAll(
    ArrayRef<Annotation> annotations, int64_t wholeBytes,
    llvm::function_ref<bool(const PartitionTrial &)> helps) {
  AnnotationAdvice advice;
  // Some annotations make the module invalid, such as one with an axis that is
  // manual there.
  ScopedDiagnosticHandler quiet(imported.getContext(),
                                [](Diagnostic &) { return success(); });
  const Mesh &mesh = *run->reasons.mesh();
  for (const Annotation &annotation : annotations) {
    if (advice.numTried == mostTrials)
      break;
    OwningOpRef<ModuleOp> copy(imported.clone());
    if (!annotate(*copy, user, mesh, annotation) || failed(verify(*copy)))
      continue;
    ++advice.numTried;
    std::optional<PartitionTrial> trial = partition(*copy, wholeBytes);
    if (!trial || !helps(*trial) ||
        (advice.best && trial->bytesSent >= advice.best->bytesSent))
      continue;
    advice.best = TriedAnnotation{
        .what = annotatedText(annotation, user,
                              sdy::getMainFunc(*run->module).getSymName()),
        .sharding = str(annotation.sharding, mesh),
        .partitionSpec = partitionSpec(annotation.sharding, mesh),
        .annotation = annotation,
        .bytesSent = trial->bytesSent,
        .stepSeconds = trial->stepSeconds,
        .peakBytes = trial->peakBytes};
  }
  return advice;
}

AnnotationAdvice AnnotationSearch::keepSharded(const WholeValue &whole) {
  if (whole.value.id < 0)
    return {};
  return tryAll(candidates(whole.value, whole.reason), whole.bytes,
                [&](const PartitionTrial &trial) {
                  return llvm::none_of(
                      trial.whole, [&](const WholeValue &other) {
                        return other.value.id == whole.value.id;
                      });
                });
}

AnnotationAdvice AnnotationSearch::sendLess(const RecordedReason &reason) {
  return tryAll(
      candidates(reason.value, &reason), INT64_MAX,
      [&](const PartitionTrial &trial) { return trial.bytesSent < bytesSent; });
}

} // namespace shardwright
