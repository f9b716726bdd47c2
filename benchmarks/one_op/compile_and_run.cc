//===- compile_and_run.cc - latency of small programs ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// compile_and_run FOLDER COUNT TIMES: for each program FOLDER/I.mlir, I from 0
// to COUNT-1, compiles it in a new context, runs it on FOLDER/I.inputs.npz, and
// writes the results to FOLDER/I.ours.npz. Prints one line of JSON for each:
// the seconds of each stage, of all of them from text to executable, and of one
// call (the median of TIMES). A call is on host arrays, or, if there are
// several devices, on their buffers.
//
//===----------------------------------------------------------------------===//

#include "benchmarks/clock.h"
#include "shardwright/compile/compile.h"
#include "shardwright/compile/registration.h"
#include "shardwright/runtime/npz/npz.h"
#include "shardwright/runtime/sharded_array.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

using namespace shardwright;

template <typename T> static T check(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  llvm::errs() << llvm::toString(value.takeError()) << "\n";
  std::exit(1);
}

/// Returns buffers [device][argument] with the shards of the arrays.
static std::vector<std::vector<Buffer>>
shards(const Executable &executable, const std::vector<Array> &arrays) {
  std::vector<std::vector<Buffer>> buffers(executable.numDevices());
  if (buffers.size() == 1)
    return buffers;
  for (auto [array, spec] : llvm::zip_equal(arrays, executable.arguments())) {
    ShardedArray sharded =
        check(ShardedArray::fromHost(array, executable.meshes()[spec.mesh],
                                     spec.sharding, Client::shared()));
    for (auto [device, buffer] : llvm::zip_equal(buffers, sharded.buffers()))
      device.push_back(buffer);
  }
  return buffers;
}

static void measure(const mlir::DialectRegistry &registry,
                    const std::string &stem, int times) {
  auto file = llvm::MemoryBuffer::getFile(stem + ".mlir");
  if (!file) {
    llvm::errs() << "cannot read " << stem << ".mlir\n";
    std::exit(1);
  }
  double begin = wallSeconds(), cpuBegin = cpuSeconds();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>((*file)->getBuffer(), &context);
  if (!module)
    std::exit(1);
  double parsed = wallSeconds();
  mlir::FailureOr<Compiled> compiled = compile(*module);
  if (failed(compiled))
    std::exit(1);
  double done = wallSeconds(), cpuDone = cpuSeconds();

  const Executable &executable = *compiled->executable;
  std::vector<Array> inputs = check(readNumberedNpz(
      stem + ".inputs.npz", "arg", executable.arguments().size()));
  for (auto [array, spec] : llvm::zip_equal(inputs, executable.arguments()))
    array = check(fromNumpyBits(array, spec.type));
  std::vector<NamedArray> results;
  for (Array &array : check(executable.run(inputs)))
    results.push_back({"out" + std::to_string(results.size()), array});
  if (llvm::Error e = writeNpz(stem + ".ours.npz", results))
    check<int>(std::move(e));

  std::vector<std::vector<Buffer>> buffers = shards(executable, inputs);
  std::vector<double> calls;
  for (int i = 0; i < times; ++i) {
    double start = wallSeconds();
    if (executable.numDevices() == 1)
      check(executable.run(inputs));
    else if (llvm::Error e = check(executable.execute(buffers)).done.await())
      check<int>(std::move(e));
    calls.push_back(wallSeconds() - start);
  }
  std::nth_element(calls.begin(), calls.begin() + times / 2, calls.end());
  const StageSeconds &s = compiled->report.seconds;
  llvm::outs() << llvm::format(
      "{\"parse\": %.7f, \"import\": %.7f, \"propagate\": %.7f, "
      "\"partition\": %.7f, \"compile\": %.7f, \"all\": %.7f, \"cpu\": %.7f, "
      "\"call\": %.8f}\n",
      parsed - begin, s.import, s.propagate, s.partition, s.compile,
      done - begin, cpuDone - cpuBegin, calls[times / 2]);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    llvm::errs() << "usage: compile_and_run FOLDER COUNT TIMES\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registerDialects(registry);
  for (int i = 0; i < std::atoi(argv[2]); ++i)
    measure(registry, std::string(argv[1]) + "/" + std::to_string(i),
            std::max(1, std::atoi(argv[3])));
}
