//===- run_in_job.cc - a program on several processes ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One of the processes of a job, with two devices each: started by mpirun, or
// with SHARDWRIGHT_PROCESSES, SHARDWRIGHT_PROCESS and SHARDWRIGHT_RENDEZVOUS.
// Sums up the rows of a matrix that is split over the devices of all.
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/compile.h"
#include "shardwright/compile/registration.h"
#include "shardwright/runtime/job/gather.h"
#include "shardwright/runtime/job/join_job.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace shardwright;

static std::string programFor(int32_t devices) {
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) + R"(]>
func.func @main(%rows: tensor<24x2xf32> {sdy.sharding =
                  #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%rows init: %zero) applies stablehlo.add
      across dimensions = [0] : (tensor<24x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %sum : tensor<2xf32>
})";
}

static llvm::Error run() {
  JobOptions options;
  options.numDevices = 2; // of this process
  auto job = joinJob(options);
  if (!job)
    return job.takeError();
  {
    Client client(*job); // the devices of all processes
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        programFor(client.numDevices()), &context);
    mlir::FailureOr<Compiled> compiled = mlir::failure();
    if (module)
      compiled = compile(*module);
    if (failed(compiled))
      return llvm::createStringError("the program does not compile");

    // Equal arrays in all processes, of which each uses its part.
    llvm::Expected<Array> rows = Array::allocate(ElementType::F32, {24, 2});
    if (!rows)
      return rows.takeError();
    auto *elements = static_cast<float *>(rows->data());
    std::iota(elements, elements + rows->elements(), 0.0f);
    const Executable &executable = *compiled->executable;
    auto results = executable.runLocal({*rows}, client);
    if (!results)
      return results.takeError();
    auto gathered = gatherResults(executable, *results, **job, client);
    if (!gathered)
      return gathered.takeError();
    if (!gathered->empty()) { // in process 0
      auto *values = static_cast<const float *>(gathered->front().data());
      llvm::outs() << (*job)->numProcesses() << " processes, "
                   << client.numDevices() << " devices: " << int(values[0])
                   << " " << int(values[1]) << "\n";
    }
  }
  (*job)->leave();
  return llvm::Error::success();
}

int main() {
  if (llvm::Error error = run()) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
