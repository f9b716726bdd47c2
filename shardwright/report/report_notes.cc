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
    // A name location that holds the text of the original location.
    if (StringRef text = b.string(); !text.empty())
      use.location = NameLoc::get(StringAttr::get(context, text));
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
