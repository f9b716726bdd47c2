//===- run_program.cc - times of one program, in turns --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// run_program STEM: compiles STEM.mlir, after a warm-up program, runs it on
// STEM.inputs.npz, and writes STEM.ours.npz and a line of JSON: wall and CPU
// seconds of compilation, and the planned bytes of one device. Then, for each
// line of standard input, a number of seconds, it runs steps for that time, on
// device buffers, and writes the wall time of the best step, the mean CPU time
// of a step, and the maximum growth of the process in bytes since compilation
// began.
//
//===----------------------------------------------------------------------===//

#include "benchmarks/clock.h"
#include "shardwright/compile/compile.h"
#include "shardwright/compile/registration.h"
#include "shardwright/runtime/npz/npz.h"
#include "shardwright/runtime/sharding_transfer.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

using namespace shardwright;

/// Returns a field of /proc/self/status, in bytes.
static int64_t memory(llvm::StringRef field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (llvm::StringRef(line).starts_with(field))
      return 1024 * std::atoll(line.c_str() + field.size() + 1);
  return 0;
}

static void die(const llvm::Twine &why) {
  llvm::errs() << why << "\n";
  std::exit(1);
}

template <typename T> static T check(llvm::Expected<T> value) {
  if (!value)
    die(llvm::toString(value.takeError()));
  return std::move(*value);
}

static Compiled compileText(const mlir::DialectRegistry &registry,
                            llvm::StringRef text) {
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    std::exit(1);
  mlir::FailureOr<Compiled> compiled = compile(*module);
  if (failed(compiled))
    std::exit(1);
  return std::move(*compiled);
}

static const char *warmUp = R"(
  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    %y = stablehlo.add %x, %x : tensor<64xf32>
    return %y : tensor<64xf32>
  })";

/// Returns the arguments, [device][argument].
static std::vector<std::vector<Buffer>> place(const Executable &executable,
                                              llvm::ArrayRef<Array> arrays) {
  int64_t devices = executable.numDevices();
  std::vector<std::vector<Buffer>> buffers(devices);
  for (auto [array, spec] : llvm::zip_equal(arrays, executable.arguments())) {
    const Mesh *mesh =
        spec.mesh < 0 ? nullptr : &executable.meshes()[spec.mesh];
    DeviceShards shards = check(shardArray(array, spec.sharding, mesh, devices,
                                           Client::shared().pool()));
    llvm::ArrayRef<int64_t> local =
        executable.program().arguments()[buffers[0].size()].shape;
    for (int64_t d = 0; d < devices; ++d)
      buffers[d].push_back(check(Client::shared().adoptHost(
          shards.data[d], spec.type, local, int32_t(d))));
  }
  return buffers;
}

static void step(const Executable &executable,
                 llvm::ArrayRef<std::vector<Buffer>> arguments) {
  ExecuteOptions options;
  options.synchronous = true;
  Execution run =
      check(executable.execute(arguments, Client::shared(), options));
  if (llvm::Error e = run.done.await())
    die(llvm::toString(std::move(e)));
}

int main(int argc, char **argv) {
  if (argc != 2)
    die("usage: run_program STEM");
  std::string stem = argv[1];
  auto file = llvm::MemoryBuffer::getFile(stem + ".mlir");
  if (!file)
    die("cannot read " + stem + ".mlir");
  mlir::DialectRegistry registry;
  registerDialects(registry);
  {
    Compiled small = compileText(registry, warmUp);
    check(
        small.executable->run(check(Array::allocate(ElementType::F32, {64}))));
  }

  std::ofstream("/proc/self/clear_refs") << 5; // resets VmHWM
  int64_t before = memory("VmRSS:");
  double begin = wallSeconds(), cpuBegin = cpuSeconds();
  Compiled compiled = compileText(registry, (*file)->getBuffer());
  double wall = wallSeconds() - begin, cpu = cpuSeconds() - cpuBegin;

  const Executable &executable = *compiled.executable;
  std::vector<Array> inputs = check(readNumberedNpz(
      stem + ".inputs.npz", "arg", executable.arguments().size()));
  for (auto [array, spec] : llvm::zip_equal(inputs, executable.arguments()))
    array = check(fromNumpyBits(array, spec.type));
  auto arguments = place(executable, inputs);
  {
    std::vector<NamedArray> results;
    for (Array &array : check(executable.run(inputs)))
      results.push_back({"out" + std::to_string(results.size()), array});
    if (llvm::Error e = writeNpz(stem + ".ours.npz", results))
      die(llvm::toString(std::move(e)));
  }
  inputs.clear();
  MemoryStatistics planned = executable.memory();
  llvm::outs() << llvm::format(
      "{\"compile\": %.6f, \"cpu\": %.6f, \"arguments\": %lld, "
      "\"results\": %lld, \"temporaries\": %lld}\n",
      wall, cpu, (long long)planned.arguments, (long long)planned.results,
      (long long)planned.temporaries);
  llvm::outs().flush();

  for (std::string line; std::getline(std::cin, line);) {
    double best = 1e9, start = wallSeconds(), cpuStart = cpuSeconds();
    double end = start + std::atof(line.c_str());
    int64_t steps = 0;
    do {
      double stepBegin = wallSeconds();
      step(executable, arguments);
      best = std::min(best, wallSeconds() - stepBegin);
      ++steps;
    } while (steps < 3 || wallSeconds() < end);
    llvm::outs() << llvm::format(
        "{\"step\": %.8f, \"cpu\": %.8f, \"grown\": %lld}\n", best,
        (cpuSeconds() - cpuStart) / steps,
        (long long)(memory("VmHWM:") - before));
    llvm::outs().flush();
  }
}
