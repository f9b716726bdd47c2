//===- run_program.cc - compiles and runs a program -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module from standard input, compiles it, runs it on arguments 0, 1,
// 2, ... of type f32, and prints the elements of each result. It includes
// public headers only (shardwright/layers.toml).
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/compile.h"
#include "shardwright/compile/registration.h"
#include "shardwright/runtime/array.h"
#include "shardwright/runtime/custom_call.h"
#include "shardwright/runtime/executable.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace shardwright;

static int fail(llvm::Error error) {
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return 1;
}

/// Adds one to each element.
static llvm::Error increment(const CustomCall &call) {
  auto in = call.operands[0].as<float>(), out = call.results[0].as<float>();
  for (size_t i = 0; i < in.size(); ++i)
    out[i] = in[i] + 1;
  return llvm::Error::success();
}

int main() {
  auto input = llvm::MemoryBuffer::getSTDIN();
  if (!input)
    return 2;
  if (llvm::Error error = registerCustomCall("increment", increment))
    return fail(std::move(error));

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>((*input)->getBuffer(), &context);
  if (!module)
    return 2;
  mlir::FailureOr<Compiled> compiled = compile(*module);
  if (failed(compiled))
    return 1;

  std::vector<Array> arguments;
  for (const ValueSpec &spec : compiled->arguments) {
    llvm::Expected<Array> array = Array::allocate(spec.type, spec.shape);
    if (!array)
      return fail(array.takeError());
    auto *elements = static_cast<float *>(array->data());
    for (int64_t i = 0; i < array->elements(); ++i)
      elements[i] = i;
    arguments.push_back(std::move(*array));
  }
  llvm::Expected<std::vector<Array>> results =
      compiled->executable->run(arguments);
  if (!results)
    return fail(results.takeError());

  llvm::outs() << compiled->executable->numDevices() << " devices\n";
  for (const Array &result : *results) {
    llvm::outs() << result.str();
    const auto *elements = static_cast<const float *>(result.data());
    for (int64_t i = 0; i < result.elements(); ++i)
      llvm::outs() << " " << int(elements[i]);
    llvm::outs() << "\n";
  }
  return 0;
}
