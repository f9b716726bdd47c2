//===- program_reader.cc - parses a client's module -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/request/program_reader.h"

#include "shardwright/compile/registration.h"
#include "shardwright/mesh/printable.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace shardwright::pjrt {

std::optional<ProgramFormat> programFormat(StringRef name) {
  return llvm::StringSwitch<std::optional<ProgramFormat>>(name)
      .Case("mlir", ProgramFormat::Mlir)
      .Case("hlo", ProgramFormat::Hlo)
      .Case("hlo_with_config", ProgramFormat::HloWithConfig)
      .Default(std::nullopt);
}

static const DialectRegistry &dialects() {
  static const auto *registry = [] {
    auto *registry = new DialectRegistry();
    registerDialects(*registry);
    return registry;
  }();
  return *registry;
}

/// Formats a location as `file.py:12:3: `, or as an empty text.
static std::string where(Location location) {
  std::string text;
  location->walk([&](Location part) {
    auto line = dyn_cast<FileLineColLoc>(part);
    if (!line)
      return WalkResult::advance();
    text = (line.getFilename().getValue() + ":" + Twine(line.getLine()) + ":" +
            Twine(line.getColumn()) + ": ")
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

// Compilations run in parallel; one compilation needs no threads of its own.
ProgramReader::ProgramReader()
    : context(dialects(), MLIRContext::Threading::DISABLED),
      sources(std::make_shared<llvm::SourceMgr>()),
      handler(&context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
          errors += errors.empty() ? "" : "\n";
          // Exception texts end up on terminals.
          llvm::raw_string_ostream os(errors);
          writePrintable(where(diagnostic.getLocation()) + diagnostic.str(),
                         os);
        }
        return success();
      }) {}

OwningOpRef<ModuleOp> ProgramReader::read(StringRef code,
                                          AsmParserState *positions) {
  return readModule(llvm::MemoryBuffer::getMemBufferCopy(code, "program"),
                    &context, sources, Trust::Full, positions);
}

OwningOpRef<ModuleOp> ProgramReader::read(StringRef code, ProgramFormat format,
                                          int64_t replicas,
                                          int64_t partitions) {
  if (format == ProgramFormat::Mlir)
    return read(code);
  return readHloModule(llvm::MemoryBuffer::getMemBufferCopy(code, "program"),
                       format == ProgramFormat::HloWithConfig, &context,
                       sources, replicas, partitions);
}

llvm::Error ProgramReader::error() const {
  return llvm::createStringError(
      errors.empty() ? "compilation failed without a diagnostic" : errors);
}

} // namespace shardwright::pjrt
