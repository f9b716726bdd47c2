//===- host_call.cc - custom calls that the host implements ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/host_call.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {
struct Registry {
  std::mutex mutex;
  llvm::StringMap<std::shared_ptr<const CustomCallFactory>> factories;
  std::shared_ptr<const CustomCallFactory> fallback;
};
} // namespace

static Registry &registry() {
  // Never destroyed: programs may run until the process ends.
  static auto *registry = new Registry();
  return *registry;
}

llvm::Error cpu::registerHostFunction(llvm::StringRef name,
                                      CustomCallFunction function) {
  if (!function)
    return registerHostFactory(name, nullptr);
  return registerHostFactory(name, [function](const LibraryCall &) {
    return llvm::Expected<CustomCallFunction>(function);
  });
}

llvm::Error cpu::registerHostFactory(llvm::StringRef name,
                                     CustomCallFactory factory) {
  if (name.empty() || !factory)
    return llvm::createStringError(
        "a custom call target needs a name and a function");
  if (findLibraryEntry(name))
    return llvm::createStringError("custom call target '" + name +
                                   "' is built in");
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  auto shared = std::make_shared<const CustomCallFactory>(std::move(factory));
  if (!r.factories.try_emplace(name, std::move(shared)).second)
    return llvm::createStringError("custom call target '" + name +
                                   "' is registered already");
  return llvm::Error::success();
}

void cpu::setFallbackHostFactory(CustomCallFactory factory) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.fallback =
      factory ? std::make_shared<const CustomCallFactory>(std::move(factory))
              : nullptr;
}

bool cpu::isMadeByFallback(llvm::StringRef name) {
  if (findLibraryEntry(name))
    return false;
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  return r.fallback && !r.factories.contains(name);
}

bool cpu::unregisterHostFunction(llvm::StringRef name) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  return r.factories.erase(name);
}

namespace {
/// A call without the attributes that come from the op itself.
struct CallSite {
  explicit CallSite(const LibraryCall &given) : call(given) {
    for (auto [name, list] : {std::pair(operandTokensName, &operandTokens),
                              std::pair(resultTokensName, &resultTokens)})
      for (int64_t position : getIntegers(call, name))
        list->push_back(position);
    llvm::erase_if(call.attributes, [](const LibraryAttribute &a) {
      return a.name == apiVersionName || a.name == operandTokensName ||
             a.name == resultTokensName;
    });
  }
  LibraryCall call;
  llvm::SmallVector<int64_t, 1> operandTokens, resultTokens;
};
} // namespace

llvm::Expected<LibraryOp> cpu::makeHostCall(const LibraryCall &call) {
  std::shared_ptr<const CustomCallFactory> factory;
  {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    auto it = r.factories.find(call.name);
    factory = it != r.factories.end() ? it->second : r.fallback;
  }
  if (!factory)
    return llvm::createStringError(
        "the cpu has no target of this name; "
        "shardwright::registerCustomCall registers one");
  llvm::Expected<CustomCallFunction> made = (*factory)(call);
  if (!made)
    return made.takeError();
  auto function = std::make_shared<const CustomCallFunction>(std::move(*made));
  LibraryOp op;
  // The program may move, so the function keeps its own copy.
  op.run = [function, site = CallSite(call)](const LibraryBuffers &buffers,
                                             int64_t, int64_t) -> llvm::Error {
    const LibraryCall &call = site.call;
    llvm::SmallVector<CustomCallBuffer, 8> operands, results;
    for (size_t i = 0; i < call.inputs.size(); ++i)
      operands.push_back(
          {call.inputs[i].type, call.inputs[i].shape, buffers.inputs[i]});
    for (size_t i = 0; i < call.outputs.size(); ++i)
      results.push_back(
          {call.outputs[i].type, call.outputs[i].shape, buffers.outputs[i]});
    return (*function)({operands, results, call.attributes, site.operandTokens,
                        site.resultTokens, buffers.replica, buffers.partition,
                        RunContext::currentDevice(), RunContext::current()});
  };
  return op;
}
