//===- peak_report.cc - the predicted peak memory in words ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/peak_report.h"

#include "shardwright/report/json_text.h"
#include "shardwright/report/location_text.h"
#include "shardwright/report/program_report.h"
#include "shardwright/report/type_text.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {

/// The op's source position, or its name.
static std::string opText(Operation *op) {
  std::string text = locationText(op->getLoc());
  return text.empty() ? op->getName().getStringRef().str() : text;
}

static std::string valueText(const HeldValue &held, BoundaryNames names,
                             InnerNames innerNames) {
  std::string name = innerNames(held.value);
  switch (held.kind) {
  case MemoryClass::Argument:
  case MemoryClass::State:
    return name.empty() ? names(true, held.index) : name;
  case MemoryClass::Result:
    return names(false, held.index);
  default:
    break;
  }
  if (!name.empty())
    name += " = ";
  if (Operation *op = held.value.getDefiningOp())
    return name + opText(op);
  return name + "a value of " +
         opText(cast<BlockArgument>(held.value).getOwner()->getParentOp());
}

PeakReport describePeak(const PredictedPeak &peak, BoundaryNames names,
                        InnerNames innerNames) {
  PeakReport report;
  report.bytes = peak.bytes;
  if (peak.op)
    report.place = opText(peak.op);
  report.bytesByClass = peak.bytesByClass();
  report.numValues = int64_t(peak.values.size());
  for (const HeldValue &held :
       ArrayRef(peak.values).take_front(size_t(PeakReport::kMostNamed)))
    report.largest.push_back({held.kind, held.bytes,
                              valueText(held, names, innerNames),
                              typeText(held.value.getType())});
  return report;
}

void writeText(const PeakReport &peak, llvm::raw_ostream &os) {
  os << "predicted peak memory per device: " << formatBytes(double(peak.bytes))
     << "\n";
  if (!peak.place.empty())
    os << "  in " << peak.place << "\n";
  const char *separator = "  alive there: ";
  for (int i = 0; i < kMemoryClasses; ++i)
    if (int64_t bytes = peak.bytesByClass[i]) {
      os << separator << str(MemoryClass(i)) << " "
         << formatBytes(double(bytes));
      separator = ", ";
    }
  os << "\n";
  for (const PeakReport::Value &value : peak.largest)
    os << llvm::formatv("  {0,10}  {1,-10} {2}, {3}\n",
                        formatBytes(double(value.bytes)), str(value.kind),
                        value.what, value.type);
  if (int64_t more = peak.numValues - int64_t(peak.largest.size()); more > 0)
    os << "    and " << more << " more\n";
}

llvm::json::Object toJson(const PeakReport &peak) {
  namespace json = llvm::json;
  json::Object classes;
  for (int i = 0; i < kMemoryClasses; ++i)
    classes[str(MemoryClass(i))] = peak.bytesByClass[i];
  json::Array values;
  for (const PeakReport::Value &value : peak.largest)
    values.push_back(json::Object{{"bytes", value.bytes},
                                  {"class", str(value.kind)},
                                  {"value", jsonText(value.what)},
                                  {"type", jsonText(value.type)}});
  json::Object object{{"bytes", peak.bytes},
                      {"classes", std::move(classes)},
                      {"values", peak.numValues},
                      {"largest", std::move(values)}};
  if (!peak.place.empty())
    object["place"] = jsonText(peak.place);
  return object;
}

} // namespace shardwright
