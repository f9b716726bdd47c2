//===- one_diagnostic.cc - one clear error per failure --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "one_diagnostic.h"
#include "command_line.h"
#include "terminal.h"

#include "shardwright/mesh/printable.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir;

namespace shardwright {
namespace {

/// The position that a user can open: the innermost file location.
FileLineColLoc filePosition(Location location) {
  return llvm::TypeSwitch<LocationAttr, FileLineColLoc>(location)
      .Case([](FileLineColLoc loc) { return loc; })
      .Case([](NameLoc loc) { return filePosition(loc.getChildLoc()); })
      .Case([](CallSiteLoc loc) { return filePosition(loc.getCallee()); })
      .Case([](FusedLoc loc) -> FileLineColLoc {
        for (Location part : loc.getLocations())
          if (FileLineColLoc found = filePosition(part))
            return found;
        return nullptr;
      })
      .Default([](LocationAttr) -> FileLineColLoc { return nullptr; });
}

/// `otherwise`: the file name to print if the location is unknown, as in some
/// exported modules.
void printPosition(Location location, StringRef otherwise,
                   llvm::raw_ostream &os) {
  FileLineColLoc position = filePosition(location);
  if (!position) {
    if (!otherwise.empty())
      os << otherwise << ": ";
    return;
  }
  os << printable(position.getFilename().getValue());
  if (position.getLine() > 0) {
    os << ":" << position.getLine();
    if (position.getColumn() > 0)
      os << ":" << position.getColumn();
  }
  os << ": ";
}

} // namespace

OneDiagnostic::OneDiagnostic(MLIRContext *context,
                             std::shared_ptr<llvm::SourceMgr> sources)
    : context(context), sources(std::move(sources)) {
  handler = context->getDiagEngine().registerHandler([this](Diagnostic &d) {
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    switch (d.getSeverity()) {
    case DiagnosticSeverity::Error:
      if (!error)
        error = std::make_unique<Diagnostic>(std::move(d));
      break;
    case DiagnosticSeverity::Warning:
      print(d, "warning");
      break;
    default:
      break;
    }
    return success();
  });
}

OneDiagnostic::~OneDiagnostic() {
  context->getDiagEngine().eraseHandler(handler);
}

void OneDiagnostic::printSourceLine(FileLineColLoc location) {
  if (location.getLine() == 0)
    return;
  for (unsigned id = 1; id <= sources->getNumBuffers(); ++id) {
    const llvm::MemoryBuffer *buffer = sources->getMemoryBuffer(id);
    if (buffer->getBufferIdentifier() != location.getFilename().getValue() ||
        buffer->getBuffer().starts_with("ML\xefR"))
      continue;
    llvm::SMLoc loc = sources->FindLocForLineAndColumn(
        id, location.getLine(), std::max(1u, location.getColumn()));
    if (!loc.isValid())
      return;
    const char *at = loc.getPointer(), *begin = at, *end = at;
    while (begin > buffer->getBufferStart() && begin[-1] != '\n')
      --begin;
    while (end < buffer->getBufferEnd() && *end != '\n' && *end != '\r')
      ++end;
    // Print a window around the column: lines of exported programs can be very
    // long.
    constexpr ptrdiff_t before = 80, after = 80;
    bool cutFront = at - begin > before, cutBack = end - at > after;
    if (cutFront)
      begin = at - before;
    if (cutBack)
      end = at + after;
    std::string upTo = printable(StringRef(begin, at - begin));
    err() << "  " << (cutFront ? "..." : "") << upTo
          << printable(StringRef(at, end - at)) << (cutBack ? "..." : "")
          << "\n";
    err().indent(2 + (cutFront ? 3 : 0) + upTo.size()) << "^\n";
    return;
  }
}

void OneDiagnostic::print(Diagnostic &d, StringRef kind) {
  StringRef file = sources->getNumBuffers() > 0
                       ? sources->getMemoryBuffer(1)->getBufferIdentifier()
                       : StringRef();
  printPosition(d.getLocation(), file, err());
  printKind(kind);
  // MLIR appends entire ops to some messages; their first lines suffice.
  std::string text = d.str();
  StringRef rest = text;
  for (int line = 0; line < 4 && !rest.empty(); ++line) {
    auto [head, tail] = rest.split('\n');
    err() << head.take_front(400) << "\n";
    rest = tail;
  }
  if (FileLineColLoc position = filePosition(d.getLocation()))
    printSourceLine(position);
}

bool OneDiagnostic::finish(StringRef kind) {
  if (!error)
    return false;
  print(*error, kind);
  int notes = 0;
  for (Diagnostic &note : error->getNotes()) {
    // The location shows the same as `see current operation`.
    if (StringRef(note.str()).starts_with("see current operation") ||
        ++notes > 3)
      continue;
    printPosition(note.getLocation(), /*otherwise=*/"", err());
    std::string text = note.str();
    printKind("note");
    err() << StringRef(text).split('\n').first.take_front(400) << "\n";
  }
  if (StringRef remedy = remedyFor(error->str()); !remedy.empty()) {
    printKind("remedy");
    err() << remedy << "\n";
  }
  error.reset();
  return true;
}

} // namespace shardwright
