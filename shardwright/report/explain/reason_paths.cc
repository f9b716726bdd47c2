//===- reason_paths.cc - the paths of all axes in one table ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/reason_paths.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/report/explain/explain_impl.h"

using namespace mlir;

namespace shardwright {

static std::string kindText(FactorKind kind) {
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

int32_t ReasonPaths::addOrigin(PlaceId place, int32_t dim) {
  auto [it, isNew] = originAt.try_emplace({place, dim}, allOrigins.size());
  if (isNew)
    allOrigins.push_back(impl.originOf(place, dim));
  return it->second;
}

PathRow ReasonPaths::makeRow(PlaceId place, int32_t dim, AxisRef axis,
                             int64_t arrival) const {
  PathRow row;
  row.axis = impl.mesh().str(axis);
  row.place = place;
  row.arrival = arrival;
  row.step.value = impl.nameOf(place);
  row.step.dim = dim;
  if (arrival < 0)
    return row;
  const AxisArrival &a = impl.run->reasons.arrivals()[arrival];
  if (a.op) {
    row.step.op = impl.opTextOfUser(a.op);
    row.step.factor = sdy::OpShardingRuleAttr::getFactorName(a.factor);
    row.step.factorKind = kindText(a.kind);
    row.step.where = whereOf(a.op);
  } else {
    row.step.op = "sharding group";
  }
  row.step.opPriority = a.opPriority;
  row.step.userPriority = a.userPriority;
  return row;
}

int32_t ReasonPaths::find(PlaceId place, int32_t dim, AxisRef axis) {
  const Reasons &reasons = impl.run->reasons;
  int64_t before = int64_t(reasons.arrivals().size());
  // Follow the path to a known row or to its end.
  size_t firstNew = allRows.size();
  int32_t end = -1, origin = -1;
  while (end < 0) {
    int64_t arrival = reasons.arrivalOf(place, dim, axis, before);
    if (arrival < 0) {
      origin = addOrigin(place, dim);
      if (allRows.size() > firstNew)
        break;
      auto [it, isNew] =
          rowOfOrigin.try_emplace({place, dim, axis}, int32_t(allRows.size()));
      if (isNew) {
        allRows.push_back(makeRow(place, dim, axis, -1));
        allRows.back().origin = origin;
      }
      return it->second;
    }
    auto [it, isNew] =
        rowOfArrival.try_emplace({arrival, axis}, int32_t(allRows.size()));
    if (!isNew) {
      end = it->second;
      break;
    }
    allRows.push_back(makeRow(place, dim, axis, arrival));
    const AxisArrival &a = reasons.arrivals()[arrival];
    if (a.source == kNoPlace) {
      origin = int32_t(allOrigins.size());
      allOrigins.push_back({"several tensors of the op together",
                            allRows.back().step.value, "", dim});
      break;
    }
    place = a.source;
    dim = a.sourceDim;
    before = arrival;
  }
  if (allRows.size() == firstNew)
    return end;
  // Link the new rows backwards: equal neighbours are one step.
  for (size_t i = allRows.size(); i-- > firstNew;) {
    PathRow &row = allRows[i];
    int32_t after = i + 1 < allRows.size() ? int32_t(i) + 1 : end;
    if (after < 0) {
      row.origin = origin;
      continue;
    }
    const PathRow &then = allRows[after];
    bool isSame =
        then.step.value == row.step.value && then.step.dim == row.step.dim;
    row.next = isSame ? then.next : after;
    row.origin = isSame ? then.origin : -1;
  }
  return int32_t(firstNew);
}

} // namespace shardwright
