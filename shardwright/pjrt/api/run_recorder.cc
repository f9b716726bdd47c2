//===- run_recorder.cc - records the runs on devices ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/api/run_recorder.h"
#include "shardwright/mesh/hlo/proto_wire.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>

using namespace shardwright;
using namespace shardwright::pjrt;

namespace {
/// The recorders that are started.
struct Active {
  std::mutex mutex;
  std::vector<RunRecorder *> recorders;
  /// Read without the mutex, so that runs without a profiler cost nothing.
  std::atomic<size_t> count = 0;
};
} // namespace

static Active &active() {
  static auto *active = new Active();
  return *active;
}

int64_t pjrt::nowInNanoseconds() {
  return std::chrono::system_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

void RunRecorder::start() {
  std::lock_guard lock(active().mutex);
  if (!llvm::is_contained(active().recorders, this))
    active().recorders.push_back(this);
  active().count = active().recorders.size();
}

void RunRecorder::stop() {
  std::lock_guard lock(active().mutex);
  llvm::erase(active().recorders, this);
  active().count = active().recorders.size();
}

std::vector<RecordedRun> RunRecorder::runs() const {
  std::lock_guard lock(mutex);
  return recorded;
}

bool RunRecorder::isAny() { return active().count != 0; }

void RunRecorder::note(std::shared_ptr<const ClientProgram> program,
                       llvm::SmallVector<DeviceId, 8> localDevices,
                       std::shared_ptr<const Trace> trace, int64_t submitted,
                       const Event &done) {
  RecordedRun run{std::move(program),
                  std::move(localDevices),
                  std::move(trace),
                  submitted,
                  0,
                  false};
  done.onReady([run = std::move(run)](llvm::StringRef failure) mutable {
    run.done = nowInNanoseconds();
    run.hasFailed = !failure.empty();
    std::lock_guard lock(active().mutex);
    for (RunRecorder *recorder : active().recorders) {
      std::lock_guard lock(recorder->mutex);
      recorder->recorded.push_back(run);
    }
  });
}

namespace {
/// XPlane of one device: name 2, lines 3, event_metadata 4 {key 1, value 2 {id
/// 1, name 2}}.
struct Plane {
  int64_t busyUntil = 0;
  int64_t origin = 0;
  ProtoWriter programs, loops, operations;
  std::map<std::string, int64_t> names;

  /// XLine: id 1, name 2, timestamp_ns 3, events 4.
  void begin(ProtoWriter &line, int64_t id, llvm::StringRef name) {
    line.varint(1, id);
    line.string(2, name);
    line.varint(3, origin);
  }
  /// XEvent: metadata_id 1, offset_ps 2, duration_ps 3.
  void add(ProtoWriter &line, const std::string &name, int64_t begin,
           int64_t end) {
    ProtoWriter event;
    event.varint(1, names.try_emplace(name, names.size() + 1).first->second);
    event.varint(2, (begin - origin) * 1000);
    event.varint(3, (end - begin) * 1000);
    line.message(4, event.take());
  }
  /// What device run.devices[index] did.
  void add(const RecordedRun &run, size_t index) {
    bool isTraced = run.trace && int64_t(index) < run.trace->numDevices();
    int64_t began = isTraced ? sinceEpoch(run.trace->began()) : run.submitted;
    int64_t begin = std::max(began, busyUntil);
    busyUntil = std::max(begin, run.done);
    add(programs, run.program->name + (run.hasFailed ? " (failed)" : ""), begin,
        busyUntil);
    if (!isTraced)
      return;
    const LoadedProgram &program = run.program->executable->program();
    for (const Trace::Span &span : run.trace->of(index))
      add(operations, nameOf(program, span), began + span.begin,
          began + span.end);
    addLoops(program, *run.trace, int64_t(index), began);
  }
  /// Loops and their iterations, which are in them.
  void addLoops(const LoadedProgram &program, const Trace &trace,
                int64_t device, int64_t began) {
    const std::vector<ProgramLoop> known = program.loops();
    for (const LoopSpan &span : loopSpans(known, trace, device)) {
      llvm::StringRef name = known[size_t(span.loop)].name;
      name = name.split(" at ").first;
      add(loops, (name.empty() ? "loop" : name).str(), began + span.begin,
          began + span.end);
      for (auto [number, end] : llvm::enumerate(span.iterationEnds))
        add(loops, "iteration " + std::to_string(number),
            began + span.iterationBegin(number), began + end);
    }
  }

private:
  static int64_t sinceEpoch(Trace::Clock::time_point time) {
    return nowInNanoseconds() -
           (Trace::Clock::now() - time) / std::chrono::nanoseconds(1);
  }
  /// The name of the op, or a note that the device waits for others.
  static std::string nameOf(const LoadedProgram &program,
                            const Trace::Span &span) {
    std::string place = program.stepName(span.step);
    llvm::StringRef op = llvm::StringRef(place).split(" at ").first;
    bool waits = span.what == Trace::What::Waiting;
    return ((waits ? "waiting: " : "") + (op.empty() ? "copy" : op)).str();
  }
};
} // namespace

void pjrt::writeEventNames(ProtoWriter &plane,
                           const std::map<std::string, int64_t> &names) {
  for (const auto &[name, id] : names) {
    ProtoWriter metadata, entry;
    metadata.varint(1, id);
    metadata.string(2, name);
    entry.varint(1, id);
    entry.message(2, metadata.take());
    plane.message(4, entry.take());
  }
}

std::string pjrt::toXSpace(llvm::ArrayRef<RecordedRun> runs) {
  // Runs may be recorded in another order than they ended.
  std::vector<RecordedRun> ordered(runs);
  llvm::sort(ordered, [](const RecordedRun &a, const RecordedRun &b) {
    return std::tie(a.done, a.submitted) < std::tie(b.done, b.submitted);
  });
  int64_t origin = INT64_MAX;
  for (const RecordedRun &run : ordered)
    origin = std::min(origin, run.submitted);
  std::map<int32_t, Plane> planes;
  for (const RecordedRun &run : ordered)
    for (auto [index, device] : llvm::enumerate(run.devices)) {
      Plane &plane = planes[device.number()];
      if (plane.names.empty()) {
        plane.origin = origin;
        plane.begin(plane.programs, 1, "programs");
        plane.begin(plane.operations, 2, "operations");
        plane.begin(plane.loops, 3, "loops");
      }
      plane.add(run, index);
    }
  ProtoWriter space;
  for (auto &[device, plane] : planes) {
    ProtoWriter out;
    out.varint(1, device + 1);
    out.string(2, "/device:CUSTOM:shardwright:" + std::to_string(device));
    out.message(3, plane.programs.take());
    out.message(3, plane.operations.take());
    out.message(3, plane.loops.take());
    writeEventNames(out, plane.names);
    space.message(1, out.take());
  }
  return space.take();
}
