//===- convert_command.cc - shardwright convert -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check_files.h"
#include "session.h"

#include "shardwright/interop/gspmd/export_gspmd.h"
#include "shardwright/interop/gspmd/import_gspmd.h"
#include "shardwright/interop/import_module.h"
#include "shardwright/interop/load_module.h"
#include "shardwright/interop/portable/portable.h"
#include "shardwright/interop/round_trip/round_trip.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardwright {

namespace {

/// Converts any supported sharding notation to sdy.
LogicalResult toSdy(ModuleOp module, const ConvertOptions &options) {
  ImportOptions import;
  if (options.mesh)
    import.meshSizes = *options.mesh;
  import.devices = options.devices;
  import.keepOpShardings = true;
  return importShardings(module, import);
}

LogicalResult toGspmd(ModuleOp module, const ConvertOptions &options,
                      bool deviceLists) {
  // GSPMD shardings need no mesh.
  if (hasGspmdShardings(module) && !hasRoundTripShardings(module))
    return rewriteGspmdTexts(module, deviceLists);
  if (failed(toSdy(module, options)))
    return failure();
  ExportGspmdOptions how;
  how.deviceLists = deviceLists;
  return exportGspmd(module, how);
}

} // namespace

int convertCommand(const ConvertOptions &options) {
  static constexpr llvm::StringLiteral targets[] = {
      "portable", "text", "bytecode", "sdy", "gspmd", "gspmd-v1", "round-trip"};
  bool toPortable = options.to == "portable",
       bytecode = options.to == "bytecode";
  if (!llvm::is_contained(targets, llvm::StringRef(options.to)))
    return badInput(
        "--to: expected " +
            llvm::join(std::begin(targets), std::end(targets), ", ") +
            ", found '" + options.to + "'",
        "");
  if (!toPortable && !options.version.empty())
    return badInput("--version is for --to=portable",
                    "the other forms have no version");
  bool shardings = !toPortable && !bytecode && options.to != "text";
  if (!shardings && (options.mesh || options.devices))
    return badInput("--mesh and --devices are for --to=sdy, gspmd, gspmd-v1 "
                    "and round-trip",
                    "");
  if (options.out.empty() && (toPortable || bytecode) &&
      llvm::sys::Process::StandardOutIsDisplayed())
    return badInput("--to=" + options.to +
                        " writes binary data, and standard output is a "
                        "terminal",
                    "write a file with -o, or pipe the output");
  if (!checkWritable("-o", options.out))
    return exitBadInput;

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
  } else if (bytecode) {
    done = writeBytecodeToFile(module, os);
  } else {
    if (options.to == "sdy")
      done = toSdy(module, options);
    else if (options.to == "round-trip")
      done = success(succeeded(toSdy(module, options)) &&
                     succeeded(exportRoundTrip(module)));
    else if (shardings)
      done = toGspmd(module, options, options.to == "gspmd-v1");
    if (succeeded(done) && shardings)
      done = verify(module);
    // Other tools may read the file, so keep the source locations.
    printModule(module, os,
                OpPrintingFlags().enableDebugInfo(options.debugInfo ||
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
