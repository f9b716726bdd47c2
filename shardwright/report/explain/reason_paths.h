//===- reason_paths.h - the paths of all axes in one table ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The paths of axes back to their annotations share most of their steps. The
// table holds each step once, so that the paths of all values of a program take
// time and memory linear in the number of steps of propagation.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_REASON_PATHS_H
#define SHARDWRIGHT_REPORT_EXPLAIN_REASON_PATHS_H

#include "shardwright/report/explain/explain.h"

#include <map>
#include <tuple>

namespace shardwright {

/// One step of a path: an axis reached a place. A row whose step has no op is
/// no step: the axis was at the place from the start.
struct PathRow {
  PlaceId place = kNoPlace;
  /// Index in Reasons::arrivals(), so ascending in the order of propagation; -1
  /// if it is no step.
  int64_t arrival = -1;
  ExplainStep step;
  std::string axis;
  /// The row of the next step of the path; -1 at its end. Steps within the
  /// expansion of one op of the user are skipped.
  int32_t next = -1;
  /// At the end of a path: index in ReasonPaths::origins(); otherwise -1.
  int32_t origin = -1;
};

/// Why an axis was at a place from the start.
struct PathOrigin {
  std::string how, value, where;
  int32_t dim = 0;
};

class ReasonPaths {
public:
  explicit ReasonPaths(const Explainer::Impl &impl) : impl(impl) {}

  /// The row where the path of the axis starts. Adds the rows that are missing.
  int32_t find(PlaceId place, int32_t dim, AxisRef axis);
  const std::vector<PathRow> &rows() const { return allRows; }
  const std::vector<PathOrigin> &origins() const { return allOrigins; }

private:
  int32_t addOrigin(PlaceId place, int32_t dim);
  PathRow makeRow(PlaceId place, int32_t dim, AxisRef axis,
                  int64_t arrival) const;

  const Explainer::Impl &impl;
  std::vector<PathRow> allRows;
  std::vector<PathOrigin> allOrigins;
  /// By arrival and the axis that is traced, which may be a part of what
  /// arrived.
  std::map<std::pair<int64_t, AxisRef>, int32_t> rowOfArrival;
  /// By place and dimension.
  std::map<std::pair<PlaceId, int32_t>, int32_t> originAt;
  std::map<std::tuple<PlaceId, int32_t, AxisRef>, int32_t> rowOfOrigin;
};

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_REASON_PATHS_H
