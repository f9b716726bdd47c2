//===- suggest.cc - suggest annotations -----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/explain_impl.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/report/explain/annotation.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace shardwright {

TensorSharding Explainer::Impl::wanted(PlaceId place, int64_t rank, int32_t dim,
                                       AxisRef axis) const {
  const TensorSharding *now = run->reasons.sharding(place);
  return withAxis(now && now->rank() == rank ? *now
                                             : TensorSharding::open(rank),
                  dim, axis);
}

std::optional<Suggestion> Explainer::Impl::suggest(const AxisStop &stop) const {
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
  if (!annotate(*trial, user, mesh(),
                {id, place.value ? -1 : place.funcResult, sharding}))
    return std::nullopt;
  DiagnosticEngine &engine = imported.getContext()->getDiagEngine();
  auto quiet = engine.registerHandler([](Diagnostic &) { return success(); });
  // Rejects axes that are manual there.
  FailureOr<std::unique_ptr<ExplainRun>> tried = failure();
  if (succeeded(verify(*trial)))
    tried = propagateForExplain(std::move(trial), user, shardy);
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
      ok &= comesTrue({shardingHolder(value)});
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
  s.value = place.value ? user.all()[id].uniqueName() : nameOf(stop.target);
  s.sharding = str(sharding, mesh());
  s.partitionSpec = partitionSpec(sharding, mesh());
  s.axis = mesh().str(stop.axis);
  s.dim = stop.dim;
  return s;
}

} // namespace shardwright
