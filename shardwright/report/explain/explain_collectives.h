//===- explain_collectives.h - explain collectives --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explains each collective of the program of one device: the op that needs it,
// the conflict (the layouts of the value and of the op, and the annotations
// that cause them), the cost, and the rejected alternatives.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_COLLECTIVES_H
#define SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_COLLECTIVES_H

#include "shardwright/partition/cost/machine_model.h"
#include "shardwright/report/collective_cost.h"
#include "shardwright/report/explain/explain.h"
#include "shardwright/report/explain/planned_moves.h"

namespace shardwright {

/// An axis of the conflict, and its annotation.
struct ExplainedOrigin {
  std::string axis, value;
  int32_t dim = 0;
  /// `x, annotated [{"x"}, {}]`, and where.
  std::string from, where;
};

/// A tensor of the op that needs the collective.
struct ExplainedTensor {
  std::string role; ///< `operand 0`, `result`
  std::string name, type;
  /// As propagation left it, and as the op computes it.
  std::string propagated, computed;
};

struct ExplainedWay {
  std::string how;
  /// Bytes sent plus local work in the same unit; for a route of one value,
  /// bytes sent.
  double cost = 0;
  bool isTaken = false;
  /// With a machine: the cost is the predicted time of both.
  bool isSeconds = false;
};

/// A need of a collective; a combined one has several.
struct ExplainedNeed {
  std::string op, where;
  /// A sentence.
  std::string why;
  std::string value, from, to;
  std::vector<ExplainedTensor> tensors;
  std::vector<ExplainedOrigin> origins;
  std::vector<ExplainedWay> ways, routes;
  size_t moreWays = 0;
};

struct ExplainedCollective {
  CollectiveUse use;
  /// Time of all executions on a machine's links, without overlap.
  double seconds = 0;
  std::vector<ExplainedNeed> needs;
};

/// In descending order of bytes sent. The module of `cost` must still exist.
std::vector<ExplainedCollective>
explainCollectives(const CollectiveCost &cost, const PlannedMoves &moves,
                   const UserValues &user, Explainer &explainer,
                   const MachineModel &machine, const Mesh &mesh);

struct CollectivesTextOptions {
  /// Explain each collective, not one of each kind (group_rows.h), and list all
  /// needs of a combined one.
  bool full = false;
};
void writeText(llvm::ArrayRef<ExplainedCollective> collectives,
               bool unknownTripCount, llvm::raw_ostream &os,
               const CollectivesTextOptions &options = {});
llvm::json::Value toJson(const ExplainedCollective &collective);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_COLLECTIVES_H
