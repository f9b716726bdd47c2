//===- partition_module.cc - time of the partitioner ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// partition_module FILE RUNS [EFFORT [insert]]: parses and propagates the file,
// then partitions it, RUNS times, and prints one line of JSON: the best CPU
// seconds of each stage. Stage `insert` makes the program with collectives over
// named axes; stage `localize` makes the program of one device, with lists of
// devices. The word "insert" skips `localize`; its time is then 0. `ops` and
// `inserted` are the numbers of ops before and after `insert`, which inlines
// calls.
//
//===----------------------------------------------------------------------===//

#include "benchmarks/clock.h"
#include "shardwright/compile/registration.h"
#include "shardwright/interop/load_module.h"
#include "shardwright/partition/partition.h"
#include "shardwright/partition/shardy/pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir;
using shardwright::cpuSeconds;

static size_t countOps(ModuleOp module) {
  size_t ops = 0;
  module->walk([&](Operation *) { ++ops; });
  return ops;
}

int main(int argc, char **argv) {
  bool localizes = argc != 5;
  if (argc < 3 || argc > 5 || (!localizes && StringRef(argv[4]) != "insert")) {
    llvm::errs() << "usage: partition_module FILE RUNS [EFFORT [insert]]\n";
    return 2;
  }
  int runs = std::max(std::atoi(argv[2]), 1);
  shardwright::PartitionOptions options;
  if (argc >= 4)
    options.effort = shardwright::Effort(std::clamp(std::atoi(argv[3]), 0, 2));
  double parse = 1e9, propagation = 1e9, insertion = 1e9, localization = 1e9;
  size_t ops = 0, inserted = 0;
  for (int run = 0; run < runs; ++run) {
    DialectRegistry registry;
    shardwright::registerDialects(registry);
    MLIRContext context(registry);
    context.loadAllAvailableDialects();
    double start = cpuSeconds();
    auto least = [&](double &best) {
      double now = cpuSeconds();
      best = std::min(best, now - start);
      start = now;
    };
    auto sources = std::make_shared<llvm::SourceMgr>();
    OwningOpRef<ModuleOp> module = shardwright::loadModule(
        argv[1], &context, sources, shardwright::Trust::Full);
    if (!module)
      return 1;
    least(parse);
    ops = countOps(*module);
    shardwright::PropagateOptions propagate;
    propagate.extraRules = true;
    propagate.insertReductions = false;
    start = cpuSeconds();
    if (failed(shardwright::propagate(*module, propagate)))
      return 1;
    least(propagation);
    if (failed(shardwright::insertCollectives(*module, options)))
      return 1;
    least(insertion);
    inserted = countOps(*module);
    start = cpuSeconds();
    if (localizes && failed(shardwright::localize(*module)))
      return 1;
    least(localization);
  }
  llvm::outs() << llvm::format(
      "{\"parse\": %.6f, \"propagate\": %.6f, \"insert\": %.6f, \"localize\": "
      "%.6f, \"ops\": %zu, \"inserted\": %zu}\n",
      parse, propagation, insertion, localization, ops, inserted);
}
