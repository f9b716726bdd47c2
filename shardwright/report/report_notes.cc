//===- report_notes.cc - the report stored with an executable -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/location_text.h"
#include "shardwright/report/program_report.h"
#include "shardwright/support/byte_stream.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardwright {

/// The location whose locationText is `text`.
static Location locationOf(StringRef text, MLIRContext *context) {
  if (text.empty())
    return UnknownLoc::get(context);
  auto position = [&](StringRef file) -> std::optional<Location> {
    auto [name, digits] = file.rsplit(':');
    unsigned line;
    if (name.empty() || digits.getAsInteger(10, line) ||
        std::to_string(line) != digits)
      return std::nullopt;
    return FileLineColLoc::get(context, name, line, 0);
  };
  if (std::optional<Location> file = position(text))
    return *file;
  size_t open = text.ends_with(")") ? text.rfind(" (") : StringRef::npos;
  if (open != StringRef::npos && open > 0)
    if (auto file = position(text.drop_front(open + 2).drop_back()))
      return NameLoc::get(StringAttr::get(context, text.take_front(open)),
                          *file);
  return NameLoc::get(StringAttr::get(context, text));
}

std::string reportNotes(const ProgramReport &report) {
  cpu::ByteWriter b;
  b.integer(report.ops);
  for (const auto *values : {&report.arguments, &report.results})
    b.list(*values, [&](const ValueReport &value) {
      for (const std::string *text :
           {&value.name, &value.type, &value.local, &value.sharding})
        b.string(*text);
    });
  b.integer(report.collectives.unknownTripCount);
  b.list(report.collectives.uses, [&](const CollectiveUse &use) {
    b.string(use.kind);
    b.string(use.axes);
    b.integer(use.groupSize);
    b.real(use.executions);
    b.real(use.bytes);
    b.integer(use.operandBytes);
    b.string(locationText(use.location));
  });
  return b.take();
}

bool readReportNotes(StringRef notes, const Mesh &mesh, MLIRContext *context,
                     ProgramReport &report) {
  cpu::ByteReader b(notes);
  ProgramReport read;
  read.ops = b.integer();
  for (auto *values : {&read.arguments, &read.results})
    b.list(*values, [&] {
      ValueReport value;
      for (std::string *text :
           {&value.name, &value.type, &value.local, &value.sharding})
        *text = b.string().str();
      return value;
    });
  read.collectives.unknownTripCount = b.boolean();
  b.list(read.collectives.uses, [&] {
    CollectiveUse use{b.string().str(),        "", 1, 1, 0, 0,
                      UnknownLoc::get(context)};
    use.axes = b.string().str();
    use.groupSize = b.integer();
    use.executions = b.real();
    use.bytes = b.real();
    use.operandBytes = b.integer();
    use.location = locationOf(b.string(), context);
    return use;
  });
  if (b.failed() || !b.atEnd())
    return false;
  report.ops = read.ops;
  report.mesh = mesh;
  report.arguments = std::move(read.arguments);
  report.results = std::move(read.results);
  report.collectives = std::move(read.collectives);
  return true;
}

} // namespace shardwright
