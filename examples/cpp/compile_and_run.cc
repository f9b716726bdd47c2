//===- compile_and_run.cc - a module from C++ ----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a StableHLO module, runs it on arrays, and prints the results and
// what the program costs. With a path, it reads the module from the file and
// fills its arguments with 0, 1, 2, ...
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/compile.h"
#include "shardwright/compile/registration.h"
#include "shardwright/interop/load_module.h"
#include "shardwright/report/program_report.h"
#include "shardwright/runtime/array.h"
#include "shardwright/runtime/executable.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace shardwright;

namespace {

// A layer on 2 x 2 devices: rows of x over "data", columns of w over "model".
constexpr llvm::StringLiteral layer = R"(
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(
    %x: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>})
    -> tensor<4x2xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
})";

int fail(llvm::Error error) {
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return 1;
}

/// Prints a row of a matrix, or all elements of another array, on each line.
void print(const Array &array, llvm::StringRef name) {
  llvm::outs() << name << ": " << array.str() << "\n";
  const auto *elements = static_cast<const float *>(array.data());
  int64_t columns = array.shape().size() == 2 ? array.shape()[1] : 8;
  for (int64_t i = 0; i < array.elements(); ++i)
    llvm::outs() << (i % columns == 0 ? "  " : " ")
                 << llvm::format("%g", elements[i])
                 << ((i + 1) % columns == 0 || i + 1 == array.elements() ? "\n"
                                                                         : "");
}

} // namespace

int main(int argc, char **argv) {
  // A context with the dialects of programs.
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);

  // Text, bytecode and portable artifacts are read in the same way. Errors of
  // the module are diagnostics, which MLIR prints unless a handler takes them.
  auto sources = std::make_shared<llvm::SourceMgr>();
  auto module =
      argc > 1 ? loadModule(argv[1], &context, sources, Trust::Full)
               : readModule(llvm::MemoryBuffer::getMemBuffer(layer, "layer"),
                            &context, sources, Trust::Full);
  if (!module)
    return 1;

  // All stages: import, propagation, partitioning, machine code.
  mlir::FailureOr<Compiled> compiled = compile(*module);
  if (mlir::failed(compiled))
    return 1;

  // Arguments are global arrays; `run` gives each device its part.
  std::vector<Array> arguments;
  for (const ValueSpec &spec : compiled->arguments) {
    llvm::Expected<Array> array = Array::allocate(spec.type, spec.shape);
    if (!array)
      return fail(array.takeError());
    if (spec.type != ElementType::F32) {
      llvm::errs() << "error: argument " << spec.name << " is " << array->str()
                   << ", this example fills arrays of f32 only\n";
      return 1;
    }
    auto *elements = static_cast<float *>(array->data());
    for (int64_t i = 0; i < array->elements(); ++i)
      elements[i] = float(i);
    arguments.push_back(std::move(*array));
  }

  // The results are global arrays, too.
  const Executable &executable = *compiled->executable;
  llvm::Expected<std::vector<Array>> results = executable.run(arguments);
  if (!results)
    return fail(results.takeError());
  for (auto [spec, result] : llvm::zip(executable.results(), *results))
    print(result, spec.name);

  // What the compilation found out (report/program_report.h).
  const ProgramReport &report = compiled->report;
  llvm::outs() << executable.numDevices() << " devices, each sends "
               << formatBytes(report.collectives.totalBytes()) << " a run\n";
  for (const ValueReport &value : report.results)
    llvm::outs() << value.name << ": " << value.local << " on a device, "
                 << value.sharding << "\n";
  return 0;
}
