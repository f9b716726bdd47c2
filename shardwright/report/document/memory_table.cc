//===- memory_table.cc - memory of a report document ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/peak_memory.h"
#include "shardwright/report/document/schedule_table.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/type_text.h"

using namespace mlir;

namespace shardwright {

using llvm::json::Array;
using llvm::json::Object;

/// At most this many points of the curve, and values at the peak.
static constexpr size_t kMostPoints = 2000, kMostValues = 100;

static std::vector<MemoryPoint> thinned(std::vector<MemoryPoint> points) {
  if (points.size() <= kMostPoints)
    return points;
  // The largest of each run of neighbours, so that all peaks remain.
  std::vector<MemoryPoint> kept;
  for (size_t i = 0; i < kMostPoints; ++i) {
    size_t begin = i * points.size() / kMostPoints,
           end = (i + 1) * points.size() / kMostPoints;
    kept.push_back(
        *std::max_element(points.begin() + begin, points.begin() + end,
                          [](const MemoryPoint &a, const MemoryPoint &b) {
                            return a.bytes() < b.bytes();
                          }));
  }
  return kept;
}

static Object heldJson(const HeldValue &held, const DocumentParts &parts,
                       const ValueTable &values) {
  bool isArgument =
      held.kind == MemoryClass::Argument || held.kind == MemoryClass::State;
  int64_t row = -1;
  std::string text;
  if (isArgument || held.kind == MemoryClass::Result) {
    text =
        (isArgument ? parts.report.arguments : parts.report.results)[held.index]
            .name;
    row = isArgument ? values.rowOfArgument(held.index)
                     : values.rowOfResult(held.index);
  } else {
    int32_t id = parts.user.idOf(held.value);
    row = values.rowOfValue(id);
    Location location = held.value.getLoc();
    if (id >= 0) {
      text = parts.user.all()[id].shortName();
      location = parts.user.all()[id].location;
    }
    std::string where = locationText(location);
    if (Operation *op = held.value.getDefiningOp(); op && where.empty())
      where = op->getName().getStringRef().str();
    text += (text.empty() || where.empty() ? "" : ", ") + where;
  }
  return Object{{"value", jsonText(text)},
                {"row", row},
                {"type", typeText(held.value.getType())},
                {"class", str(held.kind)},
                {"bytes", held.bytes}};
}

void writeMemory(const DocumentParts &parts, const ValueTable &values,
                 Object &document) {
  PredictedPeak peak = predictPeak(parts.local);
  Array points, byClass, classes, atPeak;
  for (const MemoryPoint &point :
       thinned(predictMemoryCurve(parts.local, peak))) {
    int32_t op = -1;
    if (point.op && point.op->getNumResults() > 0)
      op = parts.ops.opOfValue(parts.user.idOf(point.op->getResult(0)));
    points.push_back(Array{op, point.bytes()});
    byClass.push_back(Array(point.bytesByClass));
  }
  for (int i = 0; i < kMemoryClasses; ++i)
    classes.push_back(str(MemoryClass(i)));
  for (const HeldValue &held : ArrayRef(peak.values).take_front(kMostValues))
    atPeak.push_back(heldJson(held, parts, values));
  document["memory"] = Object{{"peak", peak.bytes},
                              {"points", std::move(points)},
                              {"classes", std::move(classes)},
                              {"by_class", std::move(byClass)},
                              {"at_peak", std::move(atPeak)},
                              {"values_at_peak", int64_t(peak.values.size())}};
}

} // namespace shardwright
