//===- run_server.cc - compiles and runs many programs in one process -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// For test/oracle/op_tests.py, which runs thousands of small programs. Until
// standard input ends, a request is
//   u64 length, the text of a module
//   u64 length, the bytes of its arguments, one after the other
// and its reply
//   u64 0, u64 length, the bytes of its results, or
//   u64 1 (did not compile) or 2 (did not run), u64 length, the error.
// Arrays are row-major in the host's byte order; narrow integers take a byte
// each.

#include "shardwright/compile/compile.h"
#include "shardwright/compile/registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstring>

using namespace mlir;
using namespace shardwright;

namespace {

enum Status : uint64_t { ok, doesNotCompile, doesNotRun };

bool read(std::string &text) {
  uint64_t length;
  if (fread(&length, sizeof length, 1, stdin) != 1)
    return false;
  text.resize(length);
  return fread(text.data(), 1, length, stdin) == length;
}

void reply(Status status, llvm::StringRef payload) {
  uint64_t head[2] = {status, payload.size()};
  fwrite(head, sizeof head, 1, stdout);
  fwrite(payload.data(), 1, payload.size(), stdout);
  fflush(stdout);
}

class Request {
public:
  explicit Request(const DialectRegistry &registry)
      : context(registry, MLIRContext::Threading::DISABLED),
        handler(&context, [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return;
          llvm::raw_string_ostream os(errors);
          os << diagnostic.getLocation() << ": " << diagnostic << '\n';
        }) {}

  void answer(llvm::StringRef text, llvm::StringRef data) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module)
      return reply(doesNotCompile, errors);
    FailureOr<Compiled> compiled = compile(*module);
    if (failed(compiled))
      return reply(doesNotCompile, errors);
    const Executable &executable = *compiled->executable;
    std::vector<Array> arguments;
    for (const ValueSpec &spec : executable.arguments()) {
      llvm::Expected<Array> array = Array::allocate(spec.type, spec.shape);
      if (!array)
        return reply(doesNotRun, toString(array.takeError()));
      if (data.size() < size_t(array->bytes()))
        return reply(doesNotRun, "too few bytes of arguments");
      memcpy(array->data(), data.data(), array->bytes());
      data = data.drop_front(array->bytes());
      arguments.push_back(std::move(*array));
    }
    if (!data.empty())
      return reply(doesNotRun, "too many bytes of arguments");
    llvm::Expected<std::vector<Array>> results =
        executable.run(arguments, Client::shared());
    if (!results)
      return reply(doesNotRun, toString(results.takeError()));
    std::string bytes;
    for (const Array &array : *results)
      bytes.append(static_cast<const char *>(array.data()), array.bytes());
    reply(ok, bytes);
  }

private:
  std::string errors;
  MLIRContext context;
  ScopedDiagnosticHandler handler;
};

} // namespace

int main() {
  DialectRegistry registry;
  registerDialects(registry);
  std::string module, arguments;
  while (read(module) && read(arguments))
    Request(registry).answer(module, arguments);
  return 0;
}
