//===- explain_json.cc - explanations as JSON ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/explain.h"
#include "shardwright/report/json_text.h"

namespace shardwright {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static Object toJson(const ExplainedAxis &axis) {
  Array steps;
  for (const ExplainStep &step : axis.steps)
    steps.push_back(Object{{"value", jsonText(step.value)},
                           {"dim", step.dim},
                           {"through", jsonText(step.op)},
                           {"factor", jsonText(step.factor)},
                           {"factor_kind", jsonText(step.factorKind)},
                           {"op_priority", step.opPriority},
                           {"user_priority", step.userPriority},
                           {"where", jsonText(step.where)}});
  return Object{{"axis", jsonText(axis.axis)},
                {"steps", std::move(steps)},
                {"origin", Object{{"value", jsonText(axis.originValue)},
                                  {"dim", axis.originDim},
                                  {"how", jsonText(axis.origin)},
                                  {"where", jsonText(axis.originWhere)}}}};
}

Value toJson(const ExplainedStop &stop) {
  Object object{{"axis", jsonText(stop.axis)},
                {"target", jsonText(stop.target)},
                {"dim", stop.dim},
                {"source", jsonText(stop.source)},
                {"source_dim", stop.sourceDim},
                {"through", jsonText(stop.op)},
                {"where", jsonText(stop.where)},
                {"obstacle", jsonText(stop.obstacle)},
                {"why", jsonText(stop.why)}};
  if (stop.suggestion)
    object["suggestion"] =
        Object{{"kind", jsonText(stop.suggestion->kind)},
               {"value", jsonText(stop.suggestion->value)},
               {"sharding", jsonText(stop.suggestion->sharding)},
               {"partition_spec", jsonText(stop.suggestion->partitionSpec)},
               {"gives", Object{{"axis", jsonText(stop.suggestion->axis)},
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
  Array notes;
  for (const std::string &note : value.notes)
    notes.push_back(jsonText(note));
  Object object{{"name", jsonText(value.name)},
                {"source_name", jsonText(value.sourceName)},
                {"function", jsonText(value.function)},
                {"op", jsonText(value.op)},
                {"type", jsonText(value.type)},
                {"where", jsonText(value.where)},
                {"sharding", jsonText(value.sharding)},
                {"dims", std::move(dims)},
                {"stops_ahead", std::move(ahead)},
                {"notes", std::move(notes)}};
  if (value.copy)
    object["copy"] = value.copy;
  return object;
}

} // namespace shardwright
