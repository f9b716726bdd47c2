//===- main.cc - shardwright-opt: run passes on textual or bytecode IR ----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's driver, except that bytecode is first read in a child process, because
// the driver itself would crash on malformed files.
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/in_place.h"
#include "shardwright/compile/registration.h"
#include "shardwright/interop/input/bool_hex.h"
#include "shardwright/interop/input/guarded_read.h"
#include "shardwright/interop/input/input_limits.h"
#include "shardwright/support/bytecode_producer.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

#include <optional>

using namespace shardwright;

namespace {

constexpr int exitBadInput = 2;

/// MlirOptMain for a buffer instead of files: standard input can be read only
/// once, and booleans in text may have JAX's form.
int runOnBuffer(std::unique_ptr<llvm::MemoryBuffer> input,
                llvm::StringRef outputPath, bool forOldReaders,
                mlir::DialectRegistry &registry) {
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> output =
      mlir::openOutputFile(outputPath, &error);
  if (!output) {
    llvm::errs() << error << "\n";
    return 1;
  }
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  ReadsBytecodeOf producer(input->getBuffer());
  bool isText = !isBytecode(input->getBuffer());
  if (isText)
    input = boolBytesToBits(std::move(input));
  std::optional<WritesBytecodeForOldReaders> old;
  if (forOldReaders)
    old.emplace();
  std::string text;
  llvm::raw_string_ostream printed(text);
  mlir::LogicalResult result =
      mlir::MlirOptMain(printed, std::move(input), registry, config);
  if (old && old->hasRefused())
    return 1;
  llvm::raw_fd_ostream &os = output->os();
  os << (isBytecode(text) ? text : boolBitsToBytes(std::move(text)));
  os.flush();
  if (os.has_error()) {
    llvm::errs() << "error: cannot write '" << outputPath
                 << "': " << os.error().message() << "\n";
    os.clear_error();
    return exitBadInput;
  }
  if (mlir::succeeded(result))
    output->keep();
  return mlir::asMainReturnCode(result);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM y(argc, argv);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  registerAutoPasses();
  mlir::registerAllPasses();
  llvm::cl::opt<bool> trusted(
      "trusted", llvm::cl::desc("Read bytecode at once, not in a limited child "
                                "process first"));
  llvm::cl::opt<bool> oldBytecode(
      "old-bytecode",
      llvm::cl::desc("Write bytecode of ops that have got properties since as "
                     "jaxlib 0.10 reads it"));
  auto [inputPath, outputPath] = mlir::registerAndParseCLIOptions(
      argc, argv, "Shardwright optimizer driver\n", registry);

  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, inputPath, outputPath, registry));
  if (inputPath == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input =
      mlir::openInputFile(inputPath, &error);
  if (!input) {
    llvm::errs() << error << "\n";
    return 1;
  }
  if (!trusted && isBytecode(input->getBuffer())) {
    GuardedRead first = readBytecodeInChild(input->getBuffer(), registry);
    if (first != GuardedRead::Survived) {
      llvm::errs() << inputPath << ": error: " << describe(first) << "\n";
      return exitBadInput;
    }
  }
  if (!isBytecode(input->getBuffer()))
    if (auto problem = checkText(input->getBuffer())) {
      llvm::errs() << inputPath << ":" << problem->line << ":"
                   << problem->column << ": error: " << problem->message
                   << "\n";
      return exitBadInput;
    }
  return runOnBuffer(std::move(input), outputPath, oldBytecode, registry);
}
