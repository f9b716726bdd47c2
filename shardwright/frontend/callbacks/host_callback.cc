//===- host_callback.cc - functions that programs call --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/host_callback.h"

#include "shardwright/frontend/base/config.h"

#include "shardwright/compile/host_callbacks.h"
#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/callbacks/call_watch.h"
#include "shardwright/frontend/callbacks/host_guard.h"
#include "shardwright/runtime/custom_call.h"

#include <cstring>
#include <map>
#include <mutex>

namespace shardwright::frontend {
namespace {

struct Numbers {
  std::mutex mutex;
  int64_t next = 0;
  std::map<int64_t, CallbackPtr> callbacks;
};
Numbers &numbers() {
  static auto *made = new Numbers;
  return *made;
}

Error failure(const HostCallback &callback, const std::string &why) {
  return makeError(ErrorKind::Runtime,
                   "INTERNAL: CpuCallback error calling callback: Error in ",
                   "callback '", callback.name, "': ", why);
}

/// Calls the user's function, which may fail, throw, or run programs.
Expected<Tensors> guardedCall(const HostCallback &callback,
                              const Tensors &args) {
  ScopedTopLevel topLevel;
  ScopedConfig wide(config::enableX64, callback.x64);
  Expected<Tensors> results = Tensors();
  if (auto why = exceptionOf([&] { results = callback.function(args); }))
    return failure(callback, *why);
  if (!results)
    return results.error().text.rfind("INTERNAL: CpuCallback", 0) == 0
               ? results.error()
               : failure(callback, results.error().str());
  return results;
}

/// The error of a callback that does not return.
Error lateFailure(const HostCallback &callback, double timeout) {
  return failure(callback, cat("it has not returned after ", floatText(timeout),
                               " s (callback_timeout_secs); the program has "
                               "failed, and the callback goes on"));
}

/// Calls the function; `isProgram`: for a running program.
Expected<Tensors> callNow(const HostCallback &callback, const Tensors &args,
                          bool isProgram) {
  std::string what = "callback '" + callback.name + "'";
  if (!isProgram) {
    WatchedCall watched(what);
    return guardedCall(callback, args);
  }
  Expected<Tensors> results = Tensors();
  llvm::Error done = callForProgram(
      what,
      [&] {
        results = guardedCall(callback, args);
        return results ? llvm::Error::success()
                       : llvm::createStringError(results.error().text);
      },
      [&](const std::string &why) {
        return llvm::createStringError(failure(callback, why).text);
      });
  if (done)
    return makeError(ErrorKind::Runtime, llvm::toString(std::move(done)));
  return results;
}

/// Calls the function within the time that the settings give it. `position`: of
/// the device of a running program that calls, or -1.
Expected<Tensors> limitedCall(const HostCallback &callback, const Tensors &args,
                              int32_t position) {
  double timeout = CallLimits::current().timeout;
  if (!(timeout > 0))
    return callNow(callback, args, position >= 0);
  // The call outlives this one if it is given up.
  auto own = std::make_shared<const HostCallback>(callback);
  auto results = std::make_shared<Expected<Tensors>>(Tensors());
  bool isDone = callWithin(timeout, [own, args, results, position,
                                     context = cpu::RunContext::current()] {
    cpu::RunContext::Scope scope(context, position);
    *results = callNow(*own, args, position >= 0);
  });
  return isDone ? *results : lateFailure(callback, timeout);
}

/// The elements of the results, of the types that the program expects.
Expected<std::vector<std::shared_ptr<const void>>>
checkedResults(const HostCallback &callback, const Tensors &results,
               const std::vector<Aval> &types) {
  if (results.size() != types.size())
    return failure(callback,
                   cat("Mismatched number of outputs from callback. Expected: ",
                       types.size(), ", Actual: ", results.size()));
  std::vector<std::shared_ptr<const void>> out;
  for (size_t i = 0; i < types.size(); ++i) {
    const Tensor &result = results[i];
    if (!result.ok())
      return failure(callback, result.error().str());
    const ArrayValue *array = asArray(result);
    if (!array)
      return failure(callback, cat("return value #", i,
                                   " is not an array but a traced value"));
    if (result.shape() != types[i].shape)
      return failure(callback, cat("Incorrect output shape for return value #",
                                   i, ": Expected: ", tupleText(types[i].shape),
                                   ", Actual: ", tupleText(result.shape())));
    if (result.dtype() != types[i].dtype)
      return failure(callback,
                     cat("Incorrect output dtype for return value #", i,
                         ": Expected: ", frontend::name(types[i].dtype),
                         ", Actual: ", frontend::name(result.dtype())));
    Expected<std::shared_ptr<const void>> data = array->host();
    if (!data)
      return failure(callback, data.error().str());
    out.push_back(*data);
  }
  return out;
}

Aval avalOf(const CustomCallBuffer &buffer) {
  return Aval{static_cast<DType>(buffer.type),
              Shape(Ints(buffer.shape.begin(), buffer.shape.end()))};
}

/// A call by a running program, with copies of its operands.
llvm::Error callFromProgram(const HostCallback &callback,
                            const CustomCall &call) {
  // Only one device calls; the others receive its results.
  if (const auto *device = call.attribute(callbackDevice);
      device && device->integers.size() == 1 &&
      device->integers[0] != call.partition) {
    for (const CustomCallBuffer &result : call.results)
      std::memset(result.data, 0, bytesOf(avalOf(result)));
    return llvm::Error::success();
  }
  if (callback.onBuffers)
    return callForProgram(
        "kernel '" + callback.name + "'",
        [&] {
          Status done = callback.onBuffers(call);
          return done ? llvm::Error::success()
                      : llvm::createStringError(done.error().text);
        },
        [&](const std::string &why) {
          return llvm::createStringError(failure(callback, why).text);
        });
  Tensors args;
  std::vector<Aval> types;
  for (const CustomCallBuffer &operand : call.operands) {
    Aval aval = avalOf(operand);
    std::shared_ptr<void> copy = allocateHost(bytesOf(aval));
    if (!copy)
      return llvm::createStringError(noMemory(aval).text);
    std::memcpy(copy.get(), operand.data, bytesOf(aval));
    args.push_back(arrayOfHost(aval, std::move(copy)));
  }
  for (const CustomCallBuffer &result : call.results)
    types.push_back(avalOf(result));
  Expected<Tensors> results = limitedCall(callback, args, call.partition);
  if (!results)
    return llvm::createStringError(results.error().text);
  auto data = checkedResults(callback, *results, types);
  if (!data)
    return llvm::createStringError(data.error().text);
  for (size_t i = 0; i < types.size(); ++i)
    std::memcpy(call.results[i].data, (*data)[i].get(), bytesOf(types[i]));
  return llvm::Error::success();
}

llvm::Expected<CustomCallFunction> makeCall(const cpu::LibraryCall &call) {
  for (const cpu::LibraryAttribute &attribute : call.attributes) {
    if (attribute.name != "index" || attribute.integers.size() != 1)
      continue;
    std::lock_guard lock(numbers().mutex);
    auto found = numbers().callbacks.find(attribute.integers[0]);
    if (found != numbers().callbacks.end())
      return CustomCallFunction(
          [callback = found->second](const CustomCall &call) {
            return callFromProgram(*callback, call);
          });
  }
  return llvm::createStringError(
      "the program calls a function of the process that made it");
}

} // namespace

std::string HostCallback::str() const {
  return cat("_FlatCallback(callback_func=<function ", name,
             ">, in_tree=PyTreeDef(", tree, "))");
}
std::string HostCallback::key() const {
  return cat(name, "@", reinterpret_cast<uintptr_t>(owner.get()), tree,
             x64 ? "x" : "");
}

void registerCallbackTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const char *target : {kOneDeviceTarget, kEachDeviceTarget})
      llvm::consumeError(registerCustomCallFactory(target, makeCall));
  });
}

CallbackNumber::CallbackNumber(CallbackPtr callback) {
  registerCallbackTargets();
  std::lock_guard lock(numbers().mutex);
  number = numbers().next++;
  numbers().callbacks.emplace(number, std::move(callback));
}
CallbackNumber::CallbackNumber(CallbackNumber &&other) noexcept
    : number(std::exchange(other.number, -1)) {}
CallbackNumber::~CallbackNumber() {
  std::lock_guard lock(numbers().mutex);
  numbers().callbacks.erase(number);
}

/// Where the results of a callback on these arrays go: replicated over the mesh
/// of the first that is sharded, else beside the first.
static Sharding resultSharding(const Tensors &args) {
  Sharding found;
  for (const Tensor &arg : args) {
    if (!arg.committed())
      continue;
    Sharding s = arg.sharding();
    if (s.isNamed() && s.devices().size() > 1)
      return *Sharding::named(s.mesh(), P());
    if (!found.isSpecified())
      found = s;
  }
  return found;
}

Expected<Tensors> callOnArrays(const HostCallback &callback,
                               const Tensors &args,
                               const std::vector<Aval> &results) {
  Tensors copies;
  for (const Tensor &arg : args) {
    const ArrayValue *array = asArray(arg);
    if (!array)
      return typeError("a traced value was passed to callback '", callback.name,
                       "'");
    Expected<std::shared_ptr<const void>> data = array->host();
    if (!data)
      return data.error();
    Aval aval{arg.dtype(), arg.shape()};
    copies.push_back(arrayOfHost(aval, *data));
  }
  Expected<Tensors> made = limitedCall(callback, copies, -1);
  if (!made)
    return made;
  auto data = checkedResults(callback, *made, results);
  if (!data)
    return data.error();
  Sharding sharding = resultSharding(args);
  Tensors out;
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor x =
        arrayOfHost(Aval{results[i].dtype, results[i].shape}, (*data)[i]);
    out.push_back(sharding.isSpecified() ? devicePut(x, sharding) : x);
  }
  return out;
}

} // namespace shardwright::frontend
