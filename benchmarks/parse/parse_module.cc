//===- parse_module.cc - time to parse and verify a module ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// parse_module FILE RUNS: parses and verifies the file RUNS times, each time in
// a new context, and prints one line of JSON: the best wall and CPU seconds of
// parsing, and of creating the context, and the number of ops. `parse_module
// FILE 0` prints the module instead, in generic form without locations.
//
//===----------------------------------------------------------------------===//

#include "benchmarks/clock.h"
#include "shardwright/compile/registration.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir;
using shardwright::cpuSeconds;
using shardwright::wallSeconds;

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: parse_module FILE RUNS\n";
    return 2;
  }
  int runs = std::atoi(argv[2]);
  double parseWall = 1e9, parseCpu = 1e9, contextWall = 1e9;
  size_t ops = 0;
  for (int run = 0; run < std::max(runs, 1); ++run) {
    double start = wallSeconds();
    DialectRegistry registry;
    shardwright::registerDialects(registry);
    MLIRContext context(registry);
    context.loadAllAvailableDialects();
    double ready = wallSeconds(), readyCpu = cpuSeconds();
    auto sources = std::make_shared<llvm::SourceMgr>();
    auto buffer = llvm::MemoryBuffer::getFile(argv[1]);
    if (!buffer) {
      llvm::errs() << "cannot read " << argv[1] << "\n";
      return 1;
    }
    sources->AddNewSourceBuffer(std::move(*buffer), SMLoc());
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
    if (!module)
      return 1;
    parseWall = std::min(parseWall, wallSeconds() - ready);
    parseCpu = std::min(parseCpu, cpuSeconds() - readyCpu);
    contextWall = std::min(contextWall, ready - start);
    ops = 0;
    module->walk([&](Operation *) { ++ops; });
    if (runs == 0) {
      module->print(llvm::outs(), OpPrintingFlags().printGenericOpForm());
      llvm::outs() << "\n";
      return 0;
    }
  }
  llvm::outs() << llvm::format("{\"wall\": %.6f, \"cpu\": %.6f, "
                               "\"context\": %.6f, \"ops\": %zu}\n",
                               parseWall, parseCpu, contextWall, ops);
}
