//===- explain_json.cc - explanations as JSON ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain.h"

namespace shardwright {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static Object toJson(const ExplainedAxis &axis) {
  Array steps;
  for (const ExplainStep &step : axis.steps)
    steps.push_back(Object{{"value", step.value},
                           {"dim", step.dim},
                           {"through", step.op},
                           {"factor", step.factor},
                           {"factor_kind", step.factorKind},
                           {"op_priority", step.opPriority},
                           {"user_priority", step.userPriority},
                           {"where", step.where}});
  return Object{{"axis", axis.axis},
                {"steps", std::move(steps)},
                {"origin", Object{{"value", axis.originValue},
                                  {"dim", axis.originDim},
                                  {"how", axis.origin},
                                  {"where", axis.originWhere}}}};
}

Value toJson(const ExplainedStop &stop) {
  Object object{{"axis", stop.axis},
                {"target", stop.target},
                {"dim", stop.dim},
                {"source", stop.source},
                {"source_dim", stop.sourceDim},
                {"through", stop.op},
                {"where", stop.where},
                {"obstacle", stop.obstacle},
                {"why", stop.why}};
  if (stop.suggestion)
    object["suggestion"] =
        Object{{"kind", stop.suggestion->kind},
               {"value", stop.suggestion->value},
               {"sharding", stop.suggestion->sharding},
               {"partition_spec", stop.suggestion->partitionSpec},
               {"gives", Object{{"axis", stop.suggestion->axis},
                                {"dim", stop.suggestion->dim}}}};
  return object;
}

Value toJson(const ExplainedValue &value) {
  Array dims;
  for (const ExplainedDim &dim : value.dims) {
    Array axes, stops;
    for (const ExplainedAxis &axis : dim.axes)
      axes.push_back(toJson(axis));
    for (const ExplainedStop &stop : dim.stops)
      stops.push_back(toJson(stop));
    dims.push_back(Object{{"size", dim.size},
                          {"axes", std::move(axes)},
                          {"stops", std::move(stops)}});
  }
  Array ahead;
  for (const ExplainedStop &stop : value.ahead)
    ahead.push_back(toJson(stop));
  Object object{{"name", value.name},
                {"source_name", value.sourceName},
                {"function", value.function},
                {"op", value.op},
                {"type", value.type},
                {"where", value.where},
                {"sharding", value.sharding},
                {"dims", std::move(dims)},
                {"stops_ahead", std::move(ahead)},
                {"notes", Array(value.notes)}};
  if (value.copy)
    object["copy"] = value.copy;
  return object;
}

} // namespace shardwright
