//===- diff_output.cc - differences as text and JSON ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/diff/diff.h"

#include "shardwright/report/json_text.h"
#include "shardwright/report/program_report.h"
#include "shardwright/report/text_table.h"

#include "llvm/Support/FormatVariadic.h"

namespace shardwright {

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;

/// Numbers that the summary shows, with their names.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    kSummary[] = {
        {"bytes_sent_per_device", "bytes sent per device"},
        {"predicted_step.step_seconds", "predicted step"},
        {"predicted_step.compute_seconds", "of it computing"},
        {"predicted_step.exposed_communication_seconds",
         "of it waiting for data"},
        {"predicted_peak.bytes", "predicted peak memory"},
        {"peak_bytes_per_device", "peak memory"},
        {"collectives.all_gather.count", "all_gather"},
        {"collectives.all_reduce.count", "all_reduce"},
        {"collectives.reduce_scatter.count", "reduce_scatter"},
        {"collectives.all_to_all.count", "all_to_all"},
        {"collectives.collective_permute.count", "collective_permute"},
        {"devices", "devices"},
        {"ops", "ops"}};

static std::string numberText(StringRef name, double value) {
  if (name.contains("seconds"))
    return llvm::formatv("{0:f1} us", value * 1e6);
  if (name.contains("bytes"))
    return formatBytes(value);
  return llvm::formatv("{0}", int64_t(value));
}

static std::string ratioText(double a, double b) {
  if (a == b)
    return "=";
  return a == 0 ? "" : llvm::formatv("{0:f2} x", b / a).str();
}

static void writeThings(StringRef title, llvm::ArrayRef<ThingDifference> things,
                        size_t most, llvm::raw_ostream &os) {
  if (things.empty())
    return;
  os << "\n" << title << "\n";
  for (const ThingDifference &one : things.take_front(most)) {
    os << "  " << one.what;
    if (!one.where.empty() && !StringRef(one.what).contains(one.where))
      os << " (" << one.where << ")";
    os << "\n    A " << one.a << "\n    B " << one.b << "\n";
  }
  if (things.size() > most)
    os << "  and " << things.size() - most << " more (--json lists all)\n";
}

void writeText(const Difference &difference, llvm::raw_ostream &os,
               size_t most) {
  os << "A " << difference.titleA << "\nB " << difference.titleB << "\n";
  if (difference.isEqual()) {
    os << "\nthe partitionings are equal\n";
    return;
  }
  const FirstDifference &first = difference.first;
  os << "\nfirst difference: " << first.kind << ", " << first.what;
  if (!first.where.empty() && !StringRef(first.what).contains(first.where))
    os << " (" << first.where << ")";
  os << "\n  A " << first.a << "\n  B " << first.b << "\n  " << first.cause
     << "\n\n";
  TextTable table({"", "A", "B", "B / A"});
  for (const auto &[key, name] : kSummary)
    for (const NumberDifference &number : difference.numbers)
      if (number.name == key && (number.a != 0 || number.b != 0))
        table.add({name.str(), numberText(key, number.a),
                   numberText(key, number.b), ratioText(number.a, number.b)});
  table.print(os, "");
  writeThings("annotations", difference.annotations, most, os);
  writeThings("mesh, machine and options", difference.options, most, os);
  writeThings("in one program only", difference.program, most, os);
  writeThings("shardings", difference.shardings, most, os);
  llvm::ArrayRef<CollectiveDifference> collectives(difference.collectives);
  if (collectives.empty())
    return;
  os << "\ncollectives\n";
  for (const CollectiveDifference &one : collectives.take_front(most)) {
    os << "  " << one.change << "  " << one.kind;
    if (!one.op.empty())
      os << " for " << one.op;
    if (one.change != "came")
      os << "\n    A " << one.axesA << ", " << formatBytes(one.bytesA);
    if (one.change != "went")
      os << "\n    B " << one.axesB << ", " << formatBytes(one.bytesB);
    os << "\n";
    if (!one.why.empty())
      os << "    " << one.why << "\n";
  }
  if (collectives.size() > most)
    os << "  and " << collectives.size() - most << " more (--json lists all)\n";
}

static Array thingsJson(llvm::ArrayRef<ThingDifference> things) {
  Array list;
  for (const ThingDifference &one : things)
    list.push_back(Object{{"what", jsonText(one.what)},
                          {"a", jsonText(one.a)},
                          {"b", jsonText(one.b)},
                          {"where", jsonText(one.where)}});
  return list;
}

Object toJson(const Difference &difference) {
  const FirstDifference &first = difference.first;
  Array numbers, collectives;
  for (const NumberDifference &one : difference.numbers) {
    Object row{{"name", jsonText(one.name)},
               {"a", one.a},
               {"b", one.b},
               {"difference", one.b - one.a},
               {"ratio", nullptr}};
    if (one.a != 0)
      row["ratio"] = one.b / one.a;
    numbers.push_back(std::move(row));
  }
  for (const CollectiveDifference &one : difference.collectives)
    collectives.push_back(Object{{"change", one.change},
                                 {"kind", jsonText(one.kind)},
                                 {"op", jsonText(one.op)},
                                 {"axes_a", jsonText(one.axesA)},
                                 {"axes_b", jsonText(one.axesB)},
                                 {"bytes_a", one.bytesA},
                                 {"bytes_b", one.bytesB},
                                 {"executions_a", one.executionsA},
                                 {"executions_b", one.executionsB},
                                 {"why", jsonText(one.why)}});
  return Object{{"a", jsonText(difference.titleA)},
                {"b", jsonText(difference.titleB)},
                {"equal", difference.isEqual()},
                {"first", Object{{"kind", first.kind},
                                 {"what", jsonText(first.what)},
                                 {"a", jsonText(first.a)},
                                 {"b", jsonText(first.b)},
                                 {"cause", jsonText(first.cause)},
                                 {"where", jsonText(first.where)}}},
                {"numbers", std::move(numbers)},
                {"annotations", thingsJson(difference.annotations)},
                {"options", thingsJson(difference.options)},
                {"program", thingsJson(difference.program)},
                {"shardings", thingsJson(difference.shardings)},
                {"collectives", std::move(collectives)}};
}

} // namespace shardwright
