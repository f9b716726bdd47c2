//===- explain_collectives.h - what each collective is for ------*- C++ -*-===//
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

/// An axis of the conflict, and the annotation that it comes from.
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
  /// As propagation left it, and as the op computes with it.
  std::string propagated, computed;
};

struct ExplainedWay {
  std::string how;
  /// Bytes, local work counted as such; or, of a route of one value, sent.
  double cost = 0;
  bool isTaken = false;
};

/// Something that a collective is for; a combined one is for several.
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
  /// Of all executions, while nothing else goes on; on a machine's links.
  double seconds = 0;
  std::vector<ExplainedNeed> needs;
};

/// Those that send most first. The module that `cost` is of still lives.
std::vector<ExplainedCollective>
explainCollectives(const CollectiveCost &cost, const PlannedMoves &moves,
                   const UserValues &user, Explainer &explainer,
                   const MachineModel &machine, const Mesh &mesh);

struct CollectivesTextOptions {
  /// All needs of a combined collective.
  bool full = false;
};
void writeText(llvm::ArrayRef<ExplainedCollective> collectives,
               bool unknownTripCount, llvm::raw_ostream &os,
               const CollectivesTextOptions &options = {});
llvm::json::Value toJson(const ExplainedCollective &collective);

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_EXPLAIN_EXPLAIN_COLLECTIVES_H
