//===- run_server.cc - compiles and runs many programs in one process -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// For test/oracle/op_tests.py, which runs thousands of small programs. Until
// standard input ends, a request is
//   u64 devices. 0: arguments and results are global arrays. Otherwise this
//     number of each, those of the first device first. 2^63 + effort: global
//     arrays; the program is partitioned with that effort and checked: the text
//     of each stage survives a round trip, and devices with the same part of a
//     result agree
//   u64 length, a module in any format that commands read. If the first line
//     of a text is
//     // --overlap=force --mesh=x=4,y=2
//     these two options are applied
//   u64 length, the bytes of its arguments, one after the other
// The reply is
//   u64 0, u64 length, the bytes of its results, or
//   u64 1 (did not compile), 2 (did not run) or 3 (a check failed), u64 length,
//     the error.
// Arrays are row-major in the host's byte order; narrow integers take a byte
// each. Programs may call the functions of `registerFunctions`.

#include "server_io.h"

#include "shardwright/auto/plan_inside.h"
#include "shardwright/compile/compile.h"
#include "shardwright/compile/registration.h"
#include "shardwright/interop/load_module.h"
#include "shardwright/runtime/buffer.h"
#include "shardwright/runtime/custom_call.h"
#include "shardwright/runtime/sharding_transfer.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

using namespace mlir;
using namespace shardwright;

namespace {

enum Status : uint64_t { ok, doesNotCompile, doesNotRun, checkFails };

constexpr uint64_t checked = uint64_t(1) << 63;

/// Reads the options in the first line of a module's text. False: one of them
/// is malformed.
bool readOptions(llvm::StringRef text, CompileOptions &options) {
  llvm::StringRef line = text.take_until([](char c) { return c == '\n'; });
  if (!line.consume_front("// "))
    return true;
  llvm::SmallVector<llvm::StringRef> words;
  line.split(words, ' ');
  for (llvm::StringRef word : words) {
    if (word == "--overlap=force")
      options.overlap = Overlap::Force;
    // The content of a machine file.
    if (llvm::StringRef json = word; json.consume_front("--machine=")) {
      llvm::Expected<MachineModel> machine =
          MachineModel::parse(json, "machine");
      if (!machine) {
        llvm::consumeError(machine.takeError());
        return false;
      }
      options.partition.machine = std::move(*machine);
    }
    if (!word.consume_front("--mesh="))
      continue;
    llvm::SmallVector<llvm::StringRef> axes;
    word.split(axes, ',');
    for (llvm::StringRef axis : axes) {
      auto [name, size] = axis.split('=');
      MeshAxis &added = options.import.meshSizes.emplace_back();
      added.name = name.str();
      if (size.getAsInteger(10, added.size))
        return false;
    }
  }
  return true;
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

  void answer(uint64_t devices, llvm::StringRef text, llvm::StringRef data) {
    OwningOpRef<ModuleOp> module =
        readModule(llvm::MemoryBuffer::getMemBufferCopy(text, "program"),
                   &context, std::make_shared<llvm::SourceMgr>(), Trust::Full);
    if (!module)
      return writeReply(doesNotCompile, errors);
    CompileOptions options;
    if (!readOptions(text, options))
      return writeReply(doesNotCompile,
                        "cannot read the options of the program");
    if (devices & checked) {
      int effort = devices & 3;
      options.partition.effort = Effort(std::min(effort, 2));
      if (effort == kPlanInsideEffort && failed(planInside(*module, options)))
        return writeReply(doesNotCompile, errors);
      options.afterStage = [&](Stage stage, ModuleOp module) {
        checkText(stage, module);
      };
    }
    FailureOr<Compiled> compiled = compile(*module, options);
    if (failed(compiled))
      return writeReply(doesNotCompile, errors);
    const Executable &executable = *compiled->executable;
    llvm::Expected<std::string> results =
        devices & checked ? onCopies(executable, options.overlap, data)
        : devices         ? onDevices(executable, devices, data)
                          : onArrays(executable, data);
    if (!results)
      return writeReply(doesNotRun, toString(results.takeError()));
    if (!disagreements.empty())
      return writeReply(checkFails, disagreements);
    writeReply(ok, *results);
  }

private:
  /// The module after a stage must verify, and its text must survive a round
  /// trip.
  void checkText(Stage stage, ModuleOp module) {
    if (failed(verify(module))) {
      disagreements +=
          "stage " + str(stage).str() + " is no valid IR: " + errors + "\n";
      return;
    }
    std::string text = print(module);
    OwningOpRef<ModuleOp> again =
        parseSourceString<ModuleOp>(text, ParserConfig(module->getContext()));
    if (!again)
      disagreements += "stage " + str(stage).str() +
                       " does not read back: " + errors + "\n" + text;
    else if (print(*again) != text)
      disagreements +=
          "stage " + str(stage).str() + " reads back as another:\n" + text;
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

  /// Runs on global arrays through buffers of the devices, so that all copies
  /// of a part can be compared.
  llvm::Expected<std::string> onCopies(const Executable &executable,
                                       Overlap overlap, llvm::StringRef data) {
    int64_t devices = executable.numDevices();
    cpu::ThreadPool &pool = Client::shared().pool();
    auto meshOf = [&](const ValueSpec &spec) {
      return spec.mesh < 0 ? nullptr : &executable.meshes()[spec.mesh];
    };
    std::vector<std::vector<Buffer>> arguments(devices);
    for (const ValueSpec &spec : executable.arguments()) {
      llvm::Expected<Array> array = Array::allocate(spec.type, spec.shape);
      if (!array)
        return array.takeError();
      if (data.size() < size_t(array->bytes()))
        return llvm::createStringError("too few bytes of arguments");
      memcpy(array->data(), data.data(), array->bytes());
      data = data.drop_front(array->bytes());
      llvm::Expected<DeviceShards> shards =
          shardArray(*array, spec.sharding, meshOf(spec), devices, pool);
      if (!shards)
        return shards.takeError();
      SmallVector<int64_t, 4> shape = localShape(spec.shape, spec.sharding);
      for (int64_t d = 0; d < devices; ++d) {
        llvm::Expected<Buffer> buffer = Client::shared().copyFromHost(
            {shards->data[d].get(), spec.type, shape}, int32_t(d));
        if (!buffer)
          return buffer.takeError();
        arguments[d].push_back(std::move(*buffer));
      }
    }
    if (!data.empty())
      return llvm::createStringError("too many bytes of arguments");
    llvm::Expected<Execution> execution = executable.execute(arguments);
    if (!execution)
      return execution.takeError();
    std::string bytes;
    for (auto [i, spec] : llvm::enumerate(executable.results())) {
      llvm::Expected<ResultGather> gather = ResultGather::create(
          spec.type, spec.shape, spec.sharding, meshOf(spec), devices);
      if (!gather)
        return gather.takeError();
      for (int64_t d = 0; d < devices; ++d)
        if (llvm::Error error =
                execution->results[d][i].copyTo(gather->buffers()[d]))
          return error;
      Array whole = gather->gather(pool);
      bytes.append(static_cast<const char *>(whole.data()), whole.bytes());
      // Rows beyond the end are arbitrary. Forced rings add partial sums in
      // another order on each device (ring_dots.cc).
      bool rounds = (isFloat(spec.type) || isComplex(spec.type)) &&
                    overlap == Overlap::Force;
      if (rounds || !dividesEvenly(spec.shape, spec.sharding))
        continue;
      // By part and partial sum: the data of the first device that holds it.
      std::map<SmallVector<int64_t>, std::string> copies;
      for (int64_t d = 0; d < devices; ++d) {
        const Buffer &buffer = execution->results[d][i];
        std::string own(buffer.bytes(), 0);
        if (llvm::Error error = buffer.copyTo(own.data()))
          return error;
        auto [first, isNew] =
            copies.try_emplace(partOf(spec, meshOf(spec), d), own);
        if (!isNew && first->second != own)
          disagreements += "device " + std::to_string(d) +
                           " has another copy of result " + std::to_string(i) +
                           "\n";
      }
    }
    if (llvm::Error error = execution->done.await())
      return error;
    return bytes;
  }

  /// Returns an equal key for devices that hold the same partial sum of the
  /// same part of a value.
  static SmallVector<int64_t> partOf(const ValueSpec &spec, const Mesh *mesh,
                                     int64_t device) {
    if (!mesh || mesh->isEmpty() || mesh->isMaximal())
      return {};
    int64_t linear = mesh->linearIndex(device);
    SmallVector<int64_t> part{
        mesh->shardIndex(linear, spec.sharding.unreduced)};
    for (IndexRange range : shardBox(spec.shape, spec.sharding, *mesh, linear))
      part.push_back(range.begin);
    return part;
  }

  static llvm::Expected<std::string> onArrays(const Executable &executable,
                                              llvm::StringRef data) {
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
    if (!data.empty())
      return llvm::createStringError("too many bytes of arguments");
    llvm::Expected<std::vector<Array>> results =
        executable.run(arguments, Client::shared());
    if (!results)
      return results.takeError();
    std::string bytes;
    for (const Array &array : *results)
      bytes.append(static_cast<const char *>(array.data()), array.bytes());
    return bytes;
  }

  static llvm::Expected<std::string> onDevices(const Executable &executable,
                                               uint64_t devices,
                                               llvm::StringRef data) {
    if (uint64_t(executable.numDevices()) != devices)
      return llvm::createStringError(
          "a program for " + llvm::Twine(executable.numDevices()) + " devices");
    std::vector<std::vector<Buffer>> arguments(devices);
    for (uint64_t device = 0; device < devices; ++device)
      for (const ArrayType &type : executable.program().arguments()) {
        if (data.size() < size_t(type.bytes()))
          return llvm::createStringError("too few bytes of arguments");
        llvm::Expected<Buffer> buffer = Client::shared().copyFromHost(
            {data.data(), type.type, type.shape}, int32_t(device));
        if (!buffer)
          return buffer.takeError();
        data = data.drop_front(type.bytes());
        arguments[device].push_back(std::move(*buffer));
      }
    if (!data.empty())
      return llvm::createStringError("too many bytes of arguments");
    llvm::Expected<Execution> execution = executable.execute(arguments);
    if (!execution)
      return execution.takeError();
    std::string bytes;
    for (const std::vector<Buffer> &results : execution->results)
      for (const Buffer &buffer : results) {
        size_t at = bytes.size();
        bytes.resize(at + buffer.bytes());
        if (llvm::Error error = buffer.copyTo(bytes.data() + at))
          return error;
      }
    if (llvm::Error error = execution->done.await())
      return error;
    return bytes;
  }

  std::string errors, disagreements;
  MLIRContext context;
  ScopedDiagnosticHandler handler;
};

/// Data that programs have sent to the host and not fetched yet: by device and
/// name.
struct Mailbox {
  std::mutex mutex;
  llvm::StringMap<std::deque<std::string>> queues;
};

std::string address(const CustomCall &call, llvm::StringRef name) {
  return (name + " " + llvm::Twine(call.replica) + " " +
          llvm::Twine(call.partition))
      .str();
}

size_t bytesOf(const CustomCallBuffer &buffer) {
  return size_t(buffer.elements() * byteWidth(buffer.type));
}

/// outfeed and infeed, and send and recv of a channel, are the ends of one
/// queue.
CustomCallFunction mail(Mailbox &mailbox, llvm::StringRef name, bool isOut) {
  return [&mailbox, name, isOut](const CustomCall &call) -> llvm::Error {
    std::string queue = address(call, name);
    if (const auto *channel = call.attribute("channel"))
      queue += " " + std::to_string(channel->integers[0]);
    std::lock_guard lock(mailbox.mutex);
    std::deque<std::string> &letters = mailbox.queues[queue];
    for (const CustomCallBuffer &buffer :
         isOut ? call.operands : call.results) {
      if (isOut) {
        letters.emplace_back(static_cast<const char *>(buffer.data),
                             bytesOf(buffer));
        continue;
      }
      if (letters.empty() || letters.front().size() != bytesOf(buffer))
        return llvm::createStringError("nothing of this size was sent");
      memcpy(buffer.data, letters.front().data(), bytesOf(buffer));
      letters.pop_front();
    }
    return llvm::Error::success();
  };
}

void registerFunctions(Mailbox &mailbox) {
  // y = factor * x + device number, of f32.
  llvm::cantFail(registerCustomCall(
      "test_scale", [](const CustomCall &call) -> llvm::Error {
        const auto *factor = call.attribute("factor");
        if (!factor || factor->reals.empty())
          return llvm::createStringError("wants a factor");
        auto x = call.operands[0].as<float>(), y = call.results[0].as<float>();
        for (size_t i = 0; i < x.size(); ++i)
          y[i] = float(factor->reals[0]) * x[i] + float(call.partition);
        return llvm::Error::success();
      }));
  // Copies the bytes in memory order.
  llvm::cantFail(registerCustomCall(
      "test_copy", [](const CustomCall &call) -> llvm::Error {
        for (size_t i = 0; i < call.results.size(); ++i)
          memcpy(call.results[i].data, call.operands[i].data,
                 bytesOf(call.results[i]));
        return llvm::Error::success();
      }));
  llvm::cantFail(
      registerCustomCall("test_fail", [](const CustomCall &) -> llvm::Error {
        return llvm::createStringError("as it was asked to");
      }));
  for (auto [name, queue, isOut] : {std::tuple("outfeed", "feed", true),
                                    std::tuple("infeed", "feed", false),
                                    std::tuple("send", "channel", true),
                                    std::tuple("recv", "channel", false)})
    llvm::cantFail(registerCustomCall(name, mail(mailbox, queue, isOut)));
}

} // namespace

int main() {
  Mailbox mailbox;
  registerFunctions(mailbox);
  DialectRegistry registry;
  registerDialects(registry);
  uint64_t devices;
  std::string module, arguments;
  while (read(devices) && read(module) && read(arguments))
    Request(registry).answer(devices, module, arguments);
  return 0;
}
