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

/// The ops of a document by their kind and position, as steps are named.
class OpNames {
public:
  explicit OpNames(const Object &document);
  /// The only op of this name; -1 if there are none or several.
  int64_t find(StringRef step) const {
    auto it = ops.find(step);
    return it == ops.end() ? -1 : it->second;
  }

private:
  llvm::StringMap<int64_t> ops;
};

int64_t at(const Array *list, int64_t i) {
  return list && i >= 0 && i < int64_t(list->size())
             ? (*list)[size_t(i)].getAsInteger().value_or(-1)
             : -1;
}

OpNames::OpNames(const Object &document) {
  const Object *table = document.getObject("ops");
  const Array *strings = document.getArray("strings"),
              *frames = document.getArray("frames"),
              *stacks = document.getArray("stacks");
  if (!table || !strings || !frames || !stacks)
    return;
  const Array *kinds = table->getArray("op"), *stack = table->getArray("stack");
  for (int64_t op = 0; kinds && op < int64_t(kinds->size()); ++op) {
    int64_t number = at(stack, op);
    if (number < 0)
      continue;
    const Array *frame =
        (*frames)[size_t(at((*stacks)[size_t(number)].getAsArray(), 0))]
            .getAsArray();
    StringRef kind = *(*strings)[size_t(at(kinds, op))].getAsString();
    std::string name =
        (kind + " at " + *(*strings)[size_t(at(frame, 0))].getAsString() + ":" +
         llvm::Twine(at(frame, 1)) + ":" + llvm::Twine(at(frame, 2)))
            .str();
    auto [it, isNew] = ops.try_emplace(name, op);
    if (!isNew)
      it->second = -1;
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
  OpNames names(document);
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
    list.push_back(Array{event.device, double(event.span.begin) * 1e-9,
                         double(event.span.end - event.span.begin) * 1e-9,
                         it->second, names.find(step), nullptr, 1});
  }
  document["timeline"] = Object{{"source", "measured"},
                                {"lanes", std::move(lanes)},
                                {"events", std::move(list)},
                                {"total", seconds},
                                {"left_out", leftOut}};
}

} // namespace shardwright
