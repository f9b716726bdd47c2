//===- job_server.cc - runs many programs on the processes of a job -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// For test/end_to_end/processes.py. Process 0 answers the requests of
// run_server.cc on global arrays (devices 0); it sends them to the others, and
// all compile and run them together. The devices of each program are dealt to
// the processes: with the number of the request modulo 3 equal to 0, in equal
// runs, to 1, unequal runs, to 2, one device to each but the last.

#include "server_io.h"

#include "shardwright/compile/compile.h"
#include "shardwright/compile/registration.h"
#include "shardwright/runtime/job/gather.h"
#include "shardwright/runtime/job/join_job.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstring>

using namespace mlir;
using namespace shardwright;

namespace {

enum Status : uint64_t { ok, doesNotCompile, doesNotRun };

JobOptions optionsFor(int64_t devices) {
  JobOptions options;
  options.numDevices = int32_t(devices);
  return options;
}

int64_t shareOf(int64_t devices, int64_t process, int64_t count,
                int64_t request) {
  if (request % 3 == 2)
    return process + 1 < count
               ? std::min<int64_t>(1, std::max<int64_t>(0, devices - process))
               : std::max<int64_t>(0, devices - (count - 1));
  if (request % 3 == 1 && devices > count)
    return devices / count + (process == 0) - (process + 1 == count) +
           (process < devices % count);
  return devices / count + (process < devices % count);
}

class Server {
public:
  explicit Server(std::shared_ptr<Job> job) : job(std::move(job)) {
    registerDialects(registry);
  }

  /// False: there are no more requests.
  bool serve() {
    uint64_t devices;
    std::string text, data;
    bool isRoot = job->process() == 0;
    bool isThere = isRoot && read(devices) && read(text) && read(data);
    if (llvm::cantFail(job->broadcast(0, isThere ? "more" : "")).empty())
      return false;
    text = llvm::cantFail(job->broadcast(0, text));
    data = llvm::cantFail(job->broadcast(0, data));
    ++requests;
    Status status = ok;
    llvm::Expected<std::string> answer = run(text, data, status);
    std::string payload = answer ? *answer : llvm::toString(answer.takeError());
    if (isRoot)
      writeReply(status, payload);
    return true;
  }

private:
  llvm::Expected<std::string> run(llvm::StringRef text, llvm::StringRef data,
                                  Status &status) {
    std::string errors;
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream os(errors);
      os << diagnostic << '\n';
    });
    status = doesNotCompile;
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module)
      return llvm::createStringError(errors);
    FailureOr<Compiled> compiled = compile(*module, CompileOptions());
    if (failed(compiled))
      return llvm::createStringError(errors);
    const Executable &executable = *compiled->executable;
    status = doesNotRun;
    std::vector<Array> arguments;
    for (const ValueSpec &spec : executable.arguments()) {
      llvm::Expected<Array> array = Array::allocate(spec.type, spec.shape);
      if (!array)
        return array.takeError();
      if (data.size() < size_t(array->bytes()))
        return llvm::createStringError("too few bytes of arguments");
      memcpy(array->data(), data.data(), array->bytes());
      data = data.drop_front(array->bytes());
      arguments.push_back(std::move(*array));
    }
    auto opened =
        joinJob(optionsFor(shareOf(executable.numDevices(), job->process(),
                                   job->numProcesses(), requests)));
    if (!opened)
      return opened.takeError();
    Client client(*opened, 1);
    auto execution = executable.runLocal(arguments, client);
    std::string error;
    if (!execution)
      error = llvm::toString(execution.takeError());
    else if (llvm::Error e = execution->done.await())
      error = llvm::toString(std::move(e));
    for (const std::string &other : llvm::cantFail(job->allGather(error)))
      if (!other.empty())
        return llvm::createStringError(other);
    std::string bytes;
    auto results = gatherResults(executable, *execution, **opened, client);
    if (!results)
      return results.takeError();
    for (const Array &result : *results)
      bytes.append(static_cast<const char *>(result.data()), result.bytes());
    status = ok;
    return bytes;
  }

  DialectRegistry registry;
  std::shared_ptr<Job> job;
  int64_t requests = 0;
};

} // namespace

int main() {
  auto job = joinJob(optionsFor(1));
  if (!job) {
    llvm::errs() << "error: " << llvm::toString(job.takeError()) << "\n";
    return 2;
  }
  {
    Server server(*job);
    while (server.serve())
      ;
  }
  (*job)->leave();
  return 0;
}
