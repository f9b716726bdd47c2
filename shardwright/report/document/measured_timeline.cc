//===- measured_timeline.cc - a run in a report document ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/document/measured_timeline.h"

#include "shardwright/report/json_text.h"
#include "shardwright/report/sort_by.h"

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

/// The ops and collectives of a document by their kind and position, as steps
/// are named.
class StepNames {
public:
  explicit StepNames(const Object &document);

  struct Step {
    int64_t op = -1;
    /// Of one execution of a collective.
    std::optional<double> bytes;
  };
  /// The only op or collective of this name; nothing if there are several.
  Step find(StringRef name) const { return steps.lookup(name); }

private:
  void add(const Object &document, StringRef kind, int64_t stack, Step step);

  llvm::StringMap<Step> steps;
};

int64_t at(const Array *list, int64_t i) {
  return list && i >= 0 && i < int64_t(list->size())
             ? (*list)[size_t(i)].getAsInteger().value_or(-1)
             : -1;
}

void StepNames::add(const Object &document, StringRef kind, int64_t stack,
                    Step step) {
  const Array *strings = document.getArray("strings"),
              *frames = document.getArray("frames"),
              *stacks = document.getArray("stacks");
  if (stack < 0)
    return;
  // A step is named by the user's frame, if there is one (source_frames.h).
  int64_t shown =
      std::max<int64_t>(at(document.getArray("user_frame"), stack), 0);
  const Array *frame =
      (*frames)[size_t(at((*stacks)[size_t(stack)].getAsArray(), shown))]
          .getAsArray();
  std::string name =
      (kind + " at " + *(*strings)[size_t(at(frame, 0))].getAsString() + ":" +
       llvm::Twine(at(frame, 1)) + ":" + llvm::Twine(at(frame, 2)))
          .str();
  auto [it, isNew] = steps.try_emplace(name, step);
  if (!isNew)
    it->second = Step();
}

StepNames::StepNames(const Object &document) {
  const Array *strings = document.getArray("strings");
  const Object *table = document.getObject("ops");
  const Array *kinds = table->getArray("op"), *stack = table->getArray("stack");
  for (int64_t op = 0; op < int64_t(kinds->size()); ++op)
    add(document, *(*strings)[size_t(at(kinds, op))].getAsString(),
        at(stack, op), {op, std::nullopt});
  for (const llvm::json::Value &value : *document.getArray("collectives")) {
    const Object &one = *value.getAsObject();
    double executions = one.getNumber("executions").value_or(0);
    Step step{one.getInteger("op").value_or(-1), std::nullopt};
    if (executions > 0)
      step.bytes =
          one.getNumber("bytes_sent_per_device").value_or(0) / executions;
    add(document, ("stablehlo." + one.getString("kind").value_or("")).str(),
        one.getInteger("stack").value_or(-1), step);
  }
}

} // namespace

void setMeasuredTimeline(const LoadedProgram &program, const Trace &trace,
                         double seconds, Object &document) {
  constexpr size_t kMostEvents = 20000;
  Array lanes, list;
  std::vector<DeviceSpan> events;
  for (int64_t device = 0; device < trace.numDevices(); ++device) {
    lanes.push_back("device " + std::to_string(device));
    for (const Trace::Span &span : trace.of(device))
      events.push_back({device, span});
  }
  // The longest, by device in the order in which they begin.
  int64_t leftOut = 0;
  sortBy(events, [](const DeviceSpan &event) {
    return event.span.begin - event.span.end;
  });
  if (events.size() > kMostEvents) {
    leftOut = int64_t(events.size() - kMostEvents);
    events.resize(kMostEvents, events.front());
  }
  sortBy(events, [](const DeviceSpan &event) {
    return std::pair(event.device, event.span.begin);
  });
  StepNames names(document);
  Array &strings = *document.getArray("strings");
  llvm::StringMap<int64_t> added;
  for (const DeviceSpan &event : events) {
    std::string step = program.stepName(event.span.step);
    StringRef kind = StringRef(step).split(" at ").first;
    kind.consume_front("stablehlo.");
    std::string name = kind.str();
    if (event.span.what == Trace::What::Waiting)
      name = "waiting for " + (name.empty() ? "others" : name);
    else if (name.empty())
      name = "step " + std::to_string(event.span.step);
    auto [it, isNew] = added.try_emplace(name, int64_t(strings.size()));
    if (isNew)
      strings.push_back(jsonText(name));
    StepNames::Step known = names.find(step);
    Array row{event.device,
              double(event.span.begin) * 1e-9,
              double(event.span.end - event.span.begin) * 1e-9,
              it->second,
              known.op,
              nullptr,
              1};
    if (known.bytes && event.span.what == Trace::What::Collective)
      row[5] = *known.bytes;
    list.push_back(std::move(row));
  }
  document["timeline"] = Object{{"source", "measured"},
                                {"lanes", std::move(lanes)},
                                {"events", std::move(list)},
                                {"total", seconds},
                                {"left_out", leftOut}};
}

} // namespace shardwright
