//===- trace_json.cc - write a Chrome trace -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/trace_json.h"
#include "shardwright/report/json_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace shardwright {

static StringRef category(Trace::What what) {
  switch (what) {
  case Trace::What::Work:
    return "work";
  case Trace::What::Collective:
    return "collective";
  case Trace::What::Waiting:
    return "waiting";
  }
  return "";
}

static void writeProcess(json::OStream &out, int32_t pid, StringRef name) {
  out.object([&] {
    out.attribute("name", "process_name");
    out.attribute("ph", "M");
    out.attribute("pid", pid);
    out.attributeObject("args", [&] { out.attribute("name", name); });
  });
}

/// The work of one execution of a step, where the backend knows it. Waiting is
/// none.
static void writeWork(json::OStream &out, const LoadedProgram &program,
                      const Trace::Span &span) {
  if (span.what == Trace::What::Waiting)
    return;
  StepCost cost = program.stepCost(span.step);
  auto write = [&](StringRef name, double amount) {
    if (amount > 0)
      out.attribute(name, amount);
  };
  write("bytes_read", cost.bytesRead);
  write("bytes_written", cost.bytesWritten);
  write("flops", cost.flops + cost.transcendentals);
}

namespace {

/// Writes the events of one device.
class DeviceEvents {
public:
  DeviceEvents(json::OStream &out, int32_t pid, int64_t device)
      : out(out), pid(pid), device(device) {}

  void name() {
    out.object([&] {
      out.attribute("name", "thread_name");
      out.attribute("ph", "M");
      out.attribute("pid", pid);
      out.attribute("tid", device);
      out.attributeObject("args", [&] {
        out.attribute("name", ("device " + Twine(device)).str());
      });
    });
  }
  /// Times in nanoseconds.
  void event(StringRef name, StringRef category, int64_t begin, int64_t end,
             llvm::function_ref<void()> writeArgs) {
    out.object([&] {
      out.attribute("name", jsonText(name));
      out.attribute("cat", category);
      out.attribute("ph", "X");
      out.attribute("pid", pid);
      out.attribute("tid", device);
      out.attribute("ts", double(begin) / 1000.0);
      out.attribute("dur", double(end - begin) / 1000.0);
      out.attributeObject("args", writeArgs);
    });
  }

private:
  json::OStream &out;
  const int32_t pid;
  const int64_t device;
};

} // namespace

static void writeLoop(json::OStream &out, DeviceEvents &events,
                      const ProgramLoop &loop, const LoopSpan &span) {
  auto [op, where] = StringRef(loop.name).split(" at ");
  events.event(op.empty() ? "loop" : op, "loop", span.begin, span.end, [&] {
    out.attribute("iterations", int64_t(span.iterationEnds.size()));
    if (!where.empty())
      out.attribute("at", jsonText(where));
  });
  for (auto [number, end] : llvm::enumerate(span.iterationEnds))
    events.event(("iteration " + Twine(number)).str(), "iteration",
                 span.iterationBegin(number), end, [] {});
}

static void writeStep(json::OStream &out, DeviceEvents &events,
                      const LoadedProgram &program, const Trace::Span &span) {
  std::string name = program.stepName(span.step);
  auto [op, where] = StringRef(name).split(" at ");
  events.event(op.empty() ? category(span.what) : op, category(span.what),
               span.begin, span.end, [&] {
                 out.attribute("step", span.step);
                 if (!where.empty())
                   out.attribute("at", jsonText(where));
                 writeWork(out, program, span);
               });
}

void writeTrace(const LoadedProgram &program, const Trace &trace,
                raw_ostream &os, ArrayRef<int32_t> processOf) {
  auto pidOf = [&](int64_t device) {
    return processOf.empty() ? 0 : processOf[device];
  };
  const std::vector<ProgramLoop> loops = program.loops();
  json::OStream out(os);
  out.object([&] {
    out.attribute("displayTimeUnit", "ns");
    out.attributeArray("traceEvents", [&] {
      if (trace.numDevices() == 0)
        writeProcess(out, 0, "devices");
      for (int64_t device = 0; device < trace.numDevices(); ++device) {
        int32_t pid = pidOf(device);
        if (device == 0 || pid != pidOf(device - 1))
          writeProcess(out, pid,
                       processOf.empty()
                           ? "devices"
                           : ("devices of process " + Twine(pid)).str());
        DeviceEvents events(out, pid, device);
        events.name();
        // Viewers nest events of equal time in the order of the file.
        for (const LoopSpan &span : loopSpans(loops, trace, device))
          writeLoop(out, events, loops[size_t(span.loop)], span);
        for (const Trace::Span &span : trace.of(device))
          writeStep(out, events, program, span);
      }
    });
  });
  os << "\n";
}

} // namespace shardwright
