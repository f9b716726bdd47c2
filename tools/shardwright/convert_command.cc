//===- convert_command.cc - shardwright convert -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "session.h"

#include "shardwright/interop/portable/portable.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {

int convertCommand(const ConvertOptions &options) {
  bool toPortable = options.to == "portable";
  if (options.to == "sdy" || options.to == "gspmd" || options.to == "gspmd-v1")
    return badInput("--to: converting shardings to '" + options.to +
                        "' is not supported yet",
                    "use text, bytecode or portable");
  if (!toPortable && options.to != "text" && options.to != "bytecode")
    return badInput("--to: expected portable, text or bytecode, found '" +
                        options.to + "'",
                    "");
  if (!toPortable && !options.version.empty())
    return badInput("--version is for --to=portable",
                    "text and bytecode have no version");

  Session session;
  if (!session.load(options.module, options.trusted))
    return exitBadInput;
  ModuleOp module = session.module();
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  LogicalResult done = success();
  if (toPortable) {
    std::string version = options.version;
    if (version.empty())
      llvm::raw_string_ostream(version) << vhlo::kCurrentVersion;
    done = writePortableArtifact(module, version, os);
  } else if (options.to == "bytecode") {
    done = writeBytecodeToFile(module, os);
  } else {
    // A file may be read again by tools: it keeps the source positions.
    module.print(os, OpPrintingFlags().enableDebugInfo(options.debugInfo ||
                                                       !options.out.empty()));
    os << '\n';
  }
  if (failed(done)) {
    if (!session.finishDiagnostic())
      badInput("cannot convert '" + options.module + "'", "");
    return exitBadInput;
  }
  return writeFile(options.out.empty() ? "-" : options.out,
                   [&](llvm::raw_ostream &out) { out << bytes; })
             ? exitFine
             : exitBadInput;
}

} // namespace shardwright
