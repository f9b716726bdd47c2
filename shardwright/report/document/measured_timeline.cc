//===- measured_timeline.cc - a run in a report document ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/measured_timeline.h"

#include "shardwright/report/json_text.h"
#include "shardwright/support/sort_by.h"

#include "llvm/ADT/StringMap.h"

namespace shardwright {

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;

namespace {

struct DeviceSpan {
  int64_t device;
  Trace::Span span;
};

struct DeviceLoop {
  int64_t device;
  LoopSpan span;
};

/// The ops and collectives of a document by their kind and position, as steps
/// are named.
class StepNames {
public:
  explicit StepNames(const Object &document);

  struct Step {
    /// The only op of this name; -1 if there are several.
    int64_t op = -1;
    /// A stack with the position, which all ops of the name share; -1: none.
    int64_t stack = -1;
  };
  /// Of a step whose name no op has, as one that several ops became, a stack
  /// through its position.
  Step find(StringRef name) const {
    auto known = steps.find(name);
    if (known != steps.end())
      return known->second;
    auto stack = stacksThrough.find(name.split(" at ").second);
    return stack == stacksThrough.end() ? Step() : Step{-1, stack->second};
  }

private:
  void add(const Object &document, StringRef kind, Step step);
  void addStacks(const Object &document);

  llvm::StringMap<Step> steps;
  llvm::StringMap<int64_t> stacksThrough; ///< by position
};

int64_t at(const Array *list, int64_t i) {
  return list && i >= 0 && i < int64_t(list->size())
             ? (*list)[size_t(i)].getAsInteger().value_or(-1)
             : -1;
}

/// `file.py:12:3`
std::string positionOf(const Object &document, int64_t number) {
  const Array *strings = document.getArray("strings");
  const Array *frame =
      (*document.getArray("frames"))[size_t(number)].getAsArray();
  return (*(*strings)[size_t(at(frame, 0))].getAsString() + ":" +
          llvm::Twine(at(frame, 1)) + ":" + llvm::Twine(at(frame, 2)))
      .str();
}

void StepNames::addStacks(const Object &document) {
  std::vector<int64_t> stackOf(document.getArray("frames")->size(), -1);
  for (const auto &[number, stack] :
       llvm::enumerate(*document.getArray("stacks")))
    for (const llvm::json::Value &frame : *stack.getAsArray())
      if (int64_t &first = stackOf[size_t(*frame.getAsInteger())]; first < 0)
        first = int64_t(number);
  for (auto [frame, stack] : llvm::enumerate(stackOf))
    if (stack >= 0)
      stacksThrough.try_emplace(positionOf(document, int64_t(frame)), stack);
}

void StepNames::add(const Object &document, StringRef kind, Step step) {
  const Array *stacks = document.getArray("stacks");
  if (step.stack < 0)
    return;
  // A step is named by the user's frame, if there is one (source_frames.h).
  int64_t shown =
      std::max<int64_t>(at(document.getArray("user_frame"), step.stack), 0);
  int64_t frame = at((*stacks)[size_t(step.stack)].getAsArray(), shown);
  std::string name = (kind + " at " + positionOf(document, frame)).str();
  auto [it, isNew] = steps.try_emplace(name, step);
  if (!isNew && it->second.op != step.op)
    it->second.op = -1;
}

StepNames::StepNames(const Object &document) {
  addStacks(document);
  const Array *strings = document.getArray("strings");
  const Object *table = document.getObject("ops");
  const Array *kinds = table->getArray("op"), *stack = table->getArray("stack");
  for (int64_t op = 0; op < int64_t(kinds->size()); ++op)
    add(document, *(*strings)[size_t(at(kinds, op))].getAsString(),
        {op, at(stack, op)});
  for (const llvm::json::Value &value : *document.getArray("collectives")) {
    const Object &one = *value.getAsObject();
    add(document, ("stablehlo." + one.getString("kind").value_or("")).str(),
        {one.getInteger("op").value_or(-1),
         one.getInteger("stack").value_or(-1)});
  }
}

} // namespace

/// The most events, and the most loops, that a document has.
static constexpr size_t kMostEvents = 20000;

/// Keeps the longest, by device in the order in which they begin. Returns how
/// many it removed.
template <typename T> static int64_t keepLongest(std::vector<T> &all) {
  int64_t leftOut = 0;
  if (all.size() > kMostEvents) {
    sortBy(all, [](const T &one) { return one.span.begin - one.span.end; });
    leftOut = int64_t(all.size() - kMostEvents);
    all.resize(kMostEvents, all.front());
    sortBy(all,
           [](const T &one) { return std::pair(one.device, one.span.begin); });
  }
  return leftOut;
}

namespace {

/// Writes the rows of the timeline.
class TimelineWriter {
public:
  TimelineWriter(const LoadedProgram &program, Object &document)
      : program(program), names(document),
        strings(*document.getArray("strings")), loops(program.loops()) {}

  Array event(const DeviceSpan &event);
  Array loop(int64_t device, const LoopSpan &span);
  const std::vector<ProgramLoop> &allLoops() const { return loops; }
  /// The ops that are fused into the steps of the events so far.
  Array takeFused() { return std::move(fused); }

private:
  /// The index in `fused` of the ops of a step; -1 if it has one op only.
  int64_t fusedOps(int32_t step);
  int64_t add(const std::string &name) {
    auto [it, isNew] = added.try_emplace(name, int64_t(strings.size()));
    if (isNew)
      strings.push_back(jsonText(name));
    return it->second;
  }
  /// The op's name without its dialect and its position.
  static std::string kindOf(StringRef step) {
    StringRef kind = step.split(" at ").first;
    kind.consume_front("stablehlo.");
    return kind.str();
  }

  const LoadedProgram &program;
  StepNames names;
  Array &strings;
  const std::vector<ProgramLoop> loops;
  llvm::StringMap<int64_t> added;
  Array fused;
  llvm::DenseMap<int32_t, int64_t> fusedOfStep;
};

} // namespace

int64_t TimelineWriter::fusedOps(int32_t step) {
  auto [it, isNew] = fusedOfStep.try_emplace(step, -1);
  if (!isNew)
    return it->second;
  Array ops;
  for (const std::string &name : program.fusedOps(step)) {
    StepNames::Step known = names.find(name);
    ops.push_back(Array{add(kindOf(name)), known.op, known.stack});
  }
  if (!ops.empty()) {
    it->second = int64_t(fused.size());
    fused.push_back(std::move(ops));
  }
  return it->second;
}

static double seconds(int64_t nanoseconds) {
  return double(nanoseconds) * 1e-9;
}

Array TimelineWriter::event(const DeviceSpan &event) {
  std::string step = program.stepName(event.span.step), name = kindOf(step);
  if (event.span.what == Trace::What::Waiting)
    name = "waiting for " + (name.empty() ? "others" : name);
  else if (name.empty())
    name = "step " + std::to_string(event.span.step);
  StepNames::Step known = names.find(step);
  Array row{event.device,
            seconds(event.span.begin),
            seconds(event.span.end - event.span.begin),
            add(name),
            known.op,
            nullptr,
            1,
            known.stack,
            event.span.what == Trace::What::Work ? fusedOps(event.span.step)
                                                 : -1};
  if (event.span.what == Trace::What::Collective)
    row[5] = program.stepCost(event.span.step).bytesSent;
  return row;
}

Array TimelineWriter::loop(int64_t device, const LoopSpan &span) {
  const std::string &step = loops[size_t(span.loop)].name;
  StepNames::Step known = names.find(step);
  return Array{device,
               seconds(span.begin),
               seconds(span.end - span.begin),
               add(step.empty() ? "loop" : kindOf(step)),
               known.op,
               int64_t(span.iterationEnds.size()),
               span.depth,
               known.stack};
}

void setMeasuredTimeline(const LoadedProgram &program, const Trace &trace,
                         double seconds, Object &document,
                         llvm::ArrayRef<int32_t> processOf) {
  Array lanes, eventRows, loopRows;
  std::vector<DeviceSpan> events;
  std::vector<DeviceLoop> loops;
  TimelineWriter writer(program, document);
  for (int64_t device = 0; device < trace.numDevices(); ++device) {
    std::string lane = "device " + std::to_string(device);
    if (!processOf.empty())
      lane += ", process " + std::to_string(processOf[size_t(device)]);
    lanes.push_back(std::move(lane));
    for (const Trace::Span &span : trace.of(device))
      events.push_back({device, span});
    for (LoopSpan &span : loopSpans(writer.allLoops(), trace, device))
      loops.push_back({device, std::move(span)});
  }
  const int64_t numProcesses = processOf.empty() ? 1 : processOf.back() + 1;
  int64_t leftOut = keepLongest(events), loopsLeftOut = keepLongest(loops);
  for (const DeviceSpan &event : events)
    eventRows.push_back(writer.event(event));
  for (const DeviceLoop &loop : loops)
    loopRows.push_back(writer.loop(loop.device, loop.span));
  document["timeline"] = Object{{"source", "measured"},
                                {"processes", numProcesses},
                                {"lanes", std::move(lanes)},
                                {"events", std::move(eventRows)},
                                {"loops", std::move(loopRows)},
                                {"fused", writer.takeFused()},
                                {"total", seconds},
                                {"left_out", leftOut},
                                {"loops_left_out", loopsLeftOut}};
}

} // namespace shardwright
