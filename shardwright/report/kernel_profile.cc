//===- kernel_profile.cc - kernels beside the machine's roofline ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/kernel_profile.h"

#include "shardwright/report/json_text.h"
#include "shardwright/report/short_texts.h"
#include "shardwright/report/text_table.h"
#include "shardwright/support/sort_by.h"

#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace shardwright {
namespace {

using Interval = std::pair<int64_t, int64_t>;

/// The length of the union.
double lengthOf(std::vector<Interval> &intervals) {
  llvm::sort(intervals);
  int64_t length = 0, end = INT64_MIN;
  for (auto [from, to] : intervals) {
    length += std::max<int64_t>(0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return double(length);
}

/// `add (file.py:12)` of `stablehlo.add at file.py:12:3`: the kernels of a line
/// are one row.
std::string kernelName(StringRef step) {
  auto [op, where] = step.split(" at ");
  std::string name = op.rsplit('.').second.str();
  if (name.empty())
    name = op.empty() ? "a step without a name" : op.str();
  auto [line, column] = where.rsplit(':');
  return name + (where.empty() ? "" : (" (" + line + ")").str());
}

/// `12.3 GB/s`: decimal units, as in machine files.
std::string rateText(double perSecond, StringRef unit) {
  if (perSecond <= 0)
    return "";
  const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  int prefix = 0;
  while (perSecond >= 1000 && prefix < 5) {
    perSecond /= 1000;
    ++prefix;
  }
  return formatv("{0:f1} {1}{2}", perSecond, prefixes[prefix], unit).str();
}

} // namespace

void KernelProfile::add(const Trace &trace) {
  ++runs;
  devices = trace.numDevices();
  std::map<int32_t, std::vector<Interval>> spans;
  std::vector<Interval> collective;
  for (int64_t device = 0; device < devices; ++device)
    for (const Trace::Span &span : trace.of(device)) {
      if (span.what == Trace::What::Work) {
        spans[span.step].push_back({span.begin, span.end});
        work[span.step].executions += 1;
      } else if (span.what == Trace::What::Collective) {
        collective.push_back({span.begin, span.end});
      }
    }
  for (auto &[step, intervals] : spans)
    work[step].nanoseconds += lengthOf(intervals);
  collectiveNanoseconds += lengthOf(collective);
}

ProfileReport KernelProfile::report() const {
  ProfileReport report;
  report.machine = machine.name;
  report.runs = runs;
  if (runs == 0)
    return report;
  report.collectiveSeconds = collectiveNanoseconds * 1e-9 / double(runs);
  struct Kernel {
    KernelTime time;
    double computeSeconds = 0, memorySeconds = 0;
  };
  MapVector<std::string, Kernel, std::map<std::string, unsigned>> kernels;
  for (const auto &[step, time] : work) {
    Kernel &limits = kernels[kernelName(program.stepName(step))];
    KernelTime &kernel = limits.time;
    StepCost cost = program.stepCost(step);
    double executions = time.executions / double(devices) / double(runs);
    double flops = cost.flops + cost.transcendentals;
    double bytes = cost.bytesRead + cost.bytesWritten;
    kernel.steps += 1;
    kernel.runs += executions;
    kernel.seconds += time.nanoseconds * 1e-9 / double(runs);
    kernel.flops += executions * flops;
    kernel.bytes += executions * bytes;
    double rate = cost.isContraction || machine.elementwiseFlopsPerSecond == 0
                      ? machine.flopsOf(str(cost.type))
                      : machine.elementwiseFlopsPerSecond;
    double compute = flops / rate, memory = machine.memorySeconds(bytes);
    kernel.rooflineSeconds += executions * std::max(compute, memory);
    limits.computeSeconds += executions * compute;
    limits.memorySeconds += executions * memory;
  }
  for (auto &[name, kernel] : kernels) {
    kernel.time.name = name;
    kernel.time.isMemoryBound = kernel.memorySeconds >= kernel.computeSeconds;
    report.kernels.push_back(std::move(kernel.time));
  }
  sortBy(report.kernels,
         [](const KernelTime &kernel) { return -kernel.seconds; });
  return report;
}

void writeProfileText(const ProfileReport &profile, raw_ostream &os,
                      const TextReportOptions &options) {
  os << "\nkernels: mean of " << profile.runs
     << (profile.runs == 1 ? " run" : " runs")
     << "; rates of one device while all compute, beside the roofline of "
     << profile.machine << "\n";
  double all = profile.collectiveSeconds;
  for (const KernelTime &kernel : profile.kernels)
    all += kernel.seconds;
  TextTable table({"time", "", "runs", "flop/s", "bytes/s", "of roofline",
                   "limit", "kernel"});
  for (size_t column = 0; column < 6; ++column)
    table.alignRight(column);
  auto percent = [](double part, double whole) {
    return whole > 0 ? formatv("{0:f0} %", part / whole * 100).str() : "";
  };
  constexpr size_t kMostRows = 20;
  size_t hidden = 0;
  double hiddenSeconds = 0;
  for (auto [i, kernel] : enumerate(profile.kernels)) {
    if (!options.full && i >= kMostRows) {
      ++hidden;
      hiddenSeconds += kernel.seconds;
      continue;
    }
    table.add({durationText(kernel.seconds), percent(kernel.seconds, all),
               formatv("{0:f0}", kernel.runs).str(),
               rateText(kernel.flops / kernel.seconds, "flop/s"),
               rateText(kernel.bytes / kernel.seconds, "B/s"),
               percent(kernel.rooflineSeconds, kernel.seconds),
               kernel.isMemoryBound ? "memory" : "compute", kernel.name});
  }
  table.add({durationText(profile.collectiveSeconds),
             percent(profile.collectiveSeconds, all), "", "", "", "", "",
             "collectives"});
  if (!options.full)
    table.fit(7, options.width);
  table.print(os, "  ");
  if (hidden > 0)
    os << "  ... and " << hidden << " more, " << durationText(hiddenSeconds)
       << moreHint(options) << "\n";
}

json::Object toJson(const ProfileReport &profile) {
  json::Array kernels;
  for (const KernelTime &kernel : profile.kernels)
    kernels.push_back(
        json::Object{{"name", jsonText(kernel.name)},
                     {"steps", kernel.steps},
                     {"runs", kernel.runs},
                     {"seconds", kernel.seconds},
                     {"flops", kernel.flops},
                     {"bytes", kernel.bytes},
                     {"roofline_seconds", kernel.rooflineSeconds},
                     {"limit", kernel.isMemoryBound ? "memory" : "compute"}});
  return json::Object{{"machine", jsonText(profile.machine)},
                      {"runs", profile.runs},
                      {"collective_seconds", profile.collectiveSeconds},
                      {"kernels", std::move(kernels)}};
}

} // namespace shardwright
