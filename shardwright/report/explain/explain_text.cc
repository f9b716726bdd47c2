//===- explain_text.cc - explanations as text ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/explain/explain.h"
#include "shardwright/report/group_rows.h"
#include "shardwright/report/text_table.h"

#include "llvm/Support/raw_ostream.h"

namespace shardwright {
namespace {

std::string join(const std::vector<ExplainedAxis> &axes) {
  std::string list;
  for (const ExplainedAxis &axis : axes)
    list += (list.empty() ? "" : ", ") + axis.axis;
  return list;
}

std::string opAt(const ExplainedStop &stop) {
  return stop.op + (stop.where.empty() ? "" : " (" + stop.where + ")");
}

/// The annotation as advice to the user.
std::string advice(const Suggestion &s) {
  std::string what = s.kind == "value" ? "constrain " : "annotate ";
  return what + s.value + " as " + s.sharding;
}

void writeWay(const ExplainedAxis &axis, bool full, llvm::raw_ostream &os) {
  TextTable table({"value", "dim", "through", "factor", "priority", "where"});
  size_t n = axis.steps.size();
  constexpr size_t kHead = 6, kTail = 4;
  for (size_t i = 0; i < n; ++i) {
    if (!full && n > kHead + kTail + 1 && i == kHead) {
      table.add({"... " + std::to_string(n - kHead - kTail) +
                 " more steps (--full shows them)"});
      i = n - kTail;
    }
    const ExplainStep &step = axis.steps[i];
    std::string priority = std::to_string(step.opPriority);
    if (step.userPriority > 0)
      priority = "p" + std::to_string(step.userPriority) + "." + priority;
    std::string factor = step.factor;
    if (!factor.empty() && step.factorKind != "pass-through")
      factor += " " + step.factorKind;
    table.add({step.value, std::to_string(step.dim), step.op, factor, priority,
               step.where});
  }
  std::string where =
      axis.originWhere == axis.originValue || axis.originWhere.empty()
          ? ""
          : " at " + axis.originWhere;
  table.add(
      {axis.originValue, std::to_string(axis.originDim), axis.origin + where});
  table.print(os, "      ");
}

void writeStop(const ExplainedStop &stop, bool nameTarget,
               llvm::raw_ostream &os) {
  os << "    " << stop.axis << " of ";
  os << "dim " << stop.sourceDim << " of " << stop.source;
  if (nameTarget)
    os << " did not reach dim " << stop.dim << " of " << stop.target;
  else
    os << " did not come";
  os << " through " << opAt(stop) << ": " << stop.why << "\n";
  if (stop.suggestion)
    os << "      to have it: " << advice(*stop.suggestion) << "\n";
}

} // namespace

void writeText(const ExplainedValue &value, llvm::raw_ostream &os,
               const ExplainTextOptions &options) {
  os << value.name;
  if (!value.sourceName.empty() && value.sourceName != value.name)
    os << " (" << value.sourceName << ")";
  if (!value.op.empty())
    os << " = " << value.op;
  os << " : " << value.type;
  if (!value.where.empty() && value.where != value.sourceName)
    os << "   " << value.where;
  os << "\n";
  if (value.copy)
    os << "  copy " << value.copy << " of @" << value.function << "\n";
  os << "  sharding " << (value.sharding.empty() ? "none" : value.sharding)
     << "\n";

  for (auto [d, dim] : llvm::enumerate(value.dims)) {
    if (dim.axes.empty() && dim.stops.empty())
      continue;
    os << "\n  dim " << d << " of size " << dim.size << ": "
       << (dim.axes.empty() ? "not sharded" : join(dim.axes)) << "\n";
    // Axes with the same path are explained once.
    for (auto [i, axis] : llvm::enumerate(dim.axes)) {
      if (dim.axes.size() > 1)
        os << "    " << axis.axis << "\n";
      writeWay(axis, options.full, os);
    }
    for (const ExplainedStop &stop : dim.stops)
      writeStop(stop, /*nameTarget=*/false, os);
  }
  if (!value.ahead.empty())
    os << "\n  where its axes stop\n";
  for (const ExplainedStop &stop : value.ahead)
    writeStop(stop, /*nameTarget=*/true, os);
  if (!value.notes.empty())
    os << "\n";
  for (const std::string &note : value.notes)
    os << "  note: " << note << "\n";
}

/// `annotated`, `"x" from w`: where the axes of a value come from.
static std::string becauseOf(const ExplainedValue &value) {
  std::string because;
  for (const ExplainedDim &dim : value.dims)
    for (const ExplainedAxis &axis : dim.axes) {
      std::string from = axis.steps.empty()
                             ? "annotated"
                             : axis.axis + " from " + axis.originValue;
      if (because.find(from) == std::string::npos)
        because += (because.empty() ? "" : ", ") + from;
    }
  return because;
}

void writeOverview(llvm::ArrayRef<ExplainedValue> values,
                   llvm::ArrayRef<ExplainedStop> stops, llvm::raw_ostream &os,
                   const ExplainTextOptions &options) {
  // Numbers in the name and in the reason are of the same layer.
  std::vector<std::string> names, kinds;
  for (const ExplainedValue &value : values) {
    const std::string &name =
        value.sourceName.empty() ? value.name : value.sourceName;
    names.push_back(name + "\n" + becauseOf(value));
    kinds.push_back(value.op + "\n" + value.type + "\n" + value.sharding);
  }
  std::vector<RowGroup> groups;
  if (options.full)
    for (auto [i, name] : llvm::enumerate(names))
      groups.push_back({name, {i}});
  else
    groups = groupByNumbers(names, kinds);
  constexpr size_t kMostRows = 40;
  size_t hidden = 0;
  TextTable table({"value", "op", "type", "sharding", "because"});
  for (auto [i, group] : llvm::enumerate(groups)) {
    size_t members = group.members.size();
    if (!options.full && i >= kMostRows) {
      hidden += members;
      continue;
    }
    auto [name, because] = llvm::StringRef(group.name).split('\n');
    const ExplainedValue &first = values[group.members.front()];
    table.add({(members > 1 ? name + " x" + llvm::Twine(members) : name).str(),
               first.op, first.type, first.sharding, because.str()});
  }
  table.print(os, "  ");
  if (hidden > 0)
    os << "  ... and " << hidden << " more (--full shows them)\n";
  if (stops.empty())
    return;
  os << "\nlargest values that an axis did not reach\n";
  names.clear();
  kinds.clear();
  for (const ExplainedStop &stop : stops) {
    names.push_back(stop.target + "\n" + stop.why);
    kinds.push_back(stop.axis + " -> dim " + std::to_string(stop.dim) +
                    " of \n" + opAt(stop));
  }
  constexpr size_t kMostStops = 10;
  std::vector<RowGroup> similar = groupByNumbers(names, kinds);
  for (const RowGroup &group : llvm::ArrayRef(similar).take_front(
           options.full ? similar.size() : kMostStops)) {
    auto [target, why] = llvm::StringRef(group.name).split('\n');
    auto [axis, op] = llvm::StringRef(kinds[group.members.front()]).split('\n');
    os << "  " << axis << target;
    if (group.members.size() > 1)
      os << " x" << group.members.size();
    os << ", at " << op << ": " << why << "\n";
  }
}

} // namespace shardwright
