//===- schedule_table.cc - the schedule of a report document --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/schedule_table.h"

#include "shardwright/partition/ops/op_work.h"
#include "shardwright/partition/overlap/step_time.h"
#include "shardwright/report/document/step_operations.h"
#include "shardwright/support/sort_by.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shardwright {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using Kind = ScheduledOp::Kind;

/// Whole numbers without a fraction.
llvm::json::Value number(double v) {
  if (std::abs(v) < 9e15 && v == double(int64_t(v)))
    return int64_t(v);
  return v;
}

/// The lane of loops, branches and calls, in place of Transfer::lanes.
constexpr int64_t kControlLane = -1;

struct Event {
  int64_t lane = 0;
  double start = 0, seconds = 0, times = 1;
  Operation *op = nullptr;
  double bytes = 0;
};

class ScheduleWriter {
public:
  ScheduleWriter(const DocumentParts &parts, StringTable &strings)
      : parts(parts), strings(strings),
        schedule(
            predictSchedule(parts.local, parts.report.mesh, parts.machine)) {}

  void write(Object &document);

private:
  int32_t userOp(Operation *op) const {
    return op->getNumResults() == 0
               ? -1
               : parts.ops.opOfValue(parts.user.idOf(op->getResult(0)));
  }
  int64_t laneOf(const ScheduledOp &op);
  void addOps(Object &ops);
  void addEvents(int32_t block, double start, double times);
  Object timeline();

  /// Events that are listed, and those that are collected before the longest
  /// are taken: a function that is called often adds its events each time.
  static constexpr size_t kMostEvents = 20000, kMostCollected = 500000;

  const DocumentParts &parts;
  StringTable &strings;
  const StepSchedule schedule;
  double localFlops = 0;
  llvm::MapVector<int64_t, int64_t> lanes; ///< by Transfer::lanes; 0: compute
  std::vector<Event> events;
  int64_t leftOut = 0;
  /// Of one execution of a collective.
  llvm::DenseMap<Operation *, double> bytesOfUse;
};

int64_t ScheduleWriter::laneOf(const ScheduledOp &op) {
  int64_t key = op.lanes; // 0 of ops that compute
  if (op.kind == Kind::Control)
    key = kControlLane;
  return lanes.insert({key, int64_t(lanes.size())}).first->second;
}

void ScheduleWriter::addOps(Object &ops) {
  size_t n = parts.ops.all().size();
  std::vector<double> flops(n, 0), seconds(n, 0), communication(n, 0);
  std::vector<double> runs = schedule.runs();
  for (auto [block, times] : llvm::zip(schedule.blocks, runs)) {
    if (times == 0)
      continue;
    for (const ScheduledOp &scheduled : block.ops) {
      if (scheduled.kind == Kind::Control)
        continue;
      int32_t op = userOp(scheduled.op);
      bool isTransfer = scheduled.kind == Kind::Transfer;
      double work = isTransfer ? 0 : times * countOperations(scheduled.op);
      localFlops += work;
      if (op < 0)
        continue;
      flops[op] += work;
      (isTransfer ? communication : seconds)[op] += times * scheduled.seconds;
    }
  }
  auto column = [](const std::vector<double> &values) {
    Array list;
    for (double v : values)
      list.push_back(number(v));
    return list;
  };
  ops["flops"] = column(flops);
  ops["seconds"] = column(seconds);
  ops["communication_seconds"] = column(communication);
}

void ScheduleWriter::addEvents(int32_t block, double start, double times) {
  for (const ScheduledOp &op : schedule.blocks[block].ops) {
    if (op.seconds > 0) {
      if (events.size() < kMostCollected) {
        Event event{laneOf(op), start + op.start, op.seconds, times, op.op};
        if (op.kind == Kind::Transfer)
          event.bytes = times * bytesOfUse.lookup(op.op);
        events.push_back(event);
      } else {
        ++leftOut;
      }
    }
    if (events.size() < kMostCollected)
      for (const InnerSchedule &inner : op.inner)
        addEvents(inner.block, start + op.start + inner.start,
                  times * inner.times);
  }
}

Object ScheduleWriter::timeline() {
  for (const CollectiveUse &use : parts.report.collectives.uses)
    if (use.op && use.executions > 0)
      bytesOfUse[use.op] = use.bytes / use.executions;
  lanes.insert({0, 0});
  if (schedule.main >= 0)
    addEvents(schedule.main, 0, 1);
  // Loops first, then the device, then the links in the order of the axes.
  SmallVector<std::pair<int64_t, int64_t>> ordered(lanes.begin(), lanes.end());
  llvm::sort(ordered);
  std::vector<int64_t> numberOf(ordered.size());
  for (auto [number, lane] : llvm::enumerate(ordered))
    numberOf[size_t(lane.second)] = int64_t(number);
  for (Event &event : events)
    event.lane = numberOf[size_t(event.lane)];
  // The longest, in the order in which they start.
  sortBy(events,
         [](const Event &event) { return -event.seconds * event.times; });
  if (events.size() > kMostEvents) {
    leftOut += int64_t(events.size() - kMostEvents);
    events.resize(kMostEvents);
  }
  sortBy(events,
         [](const Event &event) { return std::pair(event.start, event.lane); });
  Array names, list;
  for (const auto &[key, lane] : ordered) {
    std::string name = key == 0 ? "compute" : "loops, branches and calls";
    if (key != 0 && key != kControlLane) {
      name = "link";
      for (int32_t axis = 0; axis < parts.report.mesh.numAxes(); ++axis)
        if (key & (3u << (2 * std::min(axis, Transfer::maxAxes - 1))))
          name += " " + parts.report.mesh.axisName(axis).str();
      if (key & Transfer::processLane)
        name += " between processes";
    }
    names.push_back(jsonText(name));
  }
  for (const Event &event : events) {
    StringRef name = event.op->getName().getStringRef();
    name.consume_front("stablehlo.");
    list.push_back(Array{event.lane, event.start, event.seconds,
                         strings.add(name), userOp(event.op),
                         number(event.bytes), number(event.times)});
  }
  return Object{{"source", "predicted"},
                {"lanes", std::move(names)},
                {"events", std::move(list)},
                {"overhead", parts.machine.stepSeconds},
                {"total", parts.report.predicted.time.total()},
                {"left_out", leftOut}};
}

} // namespace

void ScheduleWriter::write(Object &document) {
  addOps(*document.getObject("ops"));
  document["flops"] =
      Object{{"global", number(countStepOperations(parts.imported))},
             {"local", number(localFlops)}};
  document["timeline"] = timeline();
}

void writeSchedule(const DocumentParts &parts, StringTable &strings,
                   Object &document) {
  ScheduleWriter(parts, strings).write(document);
}

} // namespace shardwright
