//===- host_callback.cc - Python callbacks of programs --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt/calls/host_callback.h"
#include "shardwright/compile/host_callbacks.h"
#include "shardwright/pjrt_abi/bridge.h"
#include "shardwright/pjrt_abi/element_types.h"
#include "shardwright/runtime/custom_call.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <cstring>
#include <mutex>

using namespace shardwright;

static std::atomic<Shardwright_HostCallback> hostCallback = nullptr;
static std::atomic<Shardwright_HoldCallback> holdCallback = nullptr;

namespace {
/// Keeps a Python function alive as long as an executable may call it.
class Held {
public:
  explicit Held(uint64_t number) : number(number) { tell(true); }
  ~Held() { tell(false); }
  Held(const Held &) = delete;
  Held &operator=(const Held &) = delete;

private:
  void tell(bool isHeld) {
    if (Shardwright_HoldCallback hold = holdCallback.load())
      hold(number, isHeld);
  }
  uint64_t number;
};
} // namespace

static Shardwright_HostArray describe(const CustomCallBuffer &buffer) {
  return {pjrt::toPjrt(buffer.type), int32_t(buffer.shape.size()),
          buffer.shape.data(), buffer.data};
}

static llvm::Error fail(const llvm::Twine &why) {
  return llvm::createStringError("INTERNAL: " + why);
}

static llvm::Error callHost(const CustomCall &call, uint64_t number) {
  // Only one device calls; the others receive its results.
  if (auto *device = call.attribute(callbackDevice);
      device && device->integers.size() == 1 &&
      device->integers[0] != call.partition) {
    for (const CustomCallBuffer &result : call.results)
      std::memset(result.data, 0, result.elements() * byteWidth(result.type));
    return llvm::Error::success();
  }
  Shardwright_HostCallback callback = hostCallback.load();
  if (!callback)
    return fail("the program calls back into Python, but Python has registered "
                "no callbacks, or has ended");
  llvm::SmallVector<Shardwright_HostArray, 8> operands, results;
  for (const CustomCallBuffer &operand : call.operands)
    operands.push_back(describe(operand));
  for (const CustomCallBuffer &result : call.results)
    results.push_back(describe(result));
  std::string error(1 << 16, '\0');
  int failed =
      callback(number, operands.size(), operands.data(), results.size(),
               results.data(), error.data(), error.size());
  if (failed)
    return fail((failed == 2 ? "Error when calling buffer callback: "
                             : "CpuCallback error calling callback: ") +
                llvm::Twine(error.c_str()));
  return llvm::Error::success();
}

static llvm::Expected<CustomCallFunction>
makeCall(const cpu::LibraryCall &call) {
  for (const cpu::LibraryAttribute &attribute : call.attributes)
    if (attribute.name == "index" && attribute.integers.size() == 1) {
      uint64_t number = attribute.integers[0];
      return CustomCallFunction(
          [number, held = std::make_shared<Held>(number)](
              const CustomCall &call) { return callHost(call, number); });
    }
  return fail("the custom call of a callback has no index of the callback");
}

void pjrt::setHostCallback(Shardwright_HostCallback callback,
                           Shardwright_HoldCallback hold) {
  static std::once_flag once;
  std::call_once(once, [] {
    for (llvm::StringRef target : {callbackTarget, partitionedCallbackTarget})
      llvm::consumeError(registerCustomCallFactory(target, makeCall));
  });
  hostCallback = callback;
  holdCallback = hold;
}

void pjrt::pinCallbacks(mlir::ModuleOp module) {
  shardwright::pinCallbacks(module, callbackTarget, partitionedCallbackTarget);
}

void pjrt::shareCallbackResults(mlir::ModuleOp module, int64_t numPartitions) {
  shardwright::shareCallbackResults(module, numPartitions, callbackTarget);
}
