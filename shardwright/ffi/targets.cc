//===- targets.cc - registry of FFI handlers --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/ffi/call.h"
#include "shardwright/ffi/ffi.h"

#include "llvm/ADT/StringMap.h"

using namespace shardwright;
using namespace shardwright::ffi;

namespace {
struct Targets {
  std::mutex mutex;
  llvm::StringMap<XLA_FFI_Handler_Bundle> typed;
  llvm::StringMap<void *> untyped;
};
} // namespace

static Targets &targets() {
  static auto *targets = new Targets();
  return *targets;
}

static bool equal(const XLA_FFI_Handler_Bundle &a,
                  const XLA_FFI_Handler_Bundle &b) {
  return a.instantiate == b.instantiate && a.prepare == b.prepare &&
         a.initialize == b.initialize && a.execute == b.execute;
}

static llvm::Error invalidTarget(const llvm::Twine &why) {
  return llvm::createStringError("INVALID_ARGUMENT: " + why);
}

llvm::Error ffi::registerFfi(llvm::StringRef name,
                             const XLA_FFI_Handler_Bundle &bundle) {
  if (!bundle.execute)
    return invalidTarget(
        "FFI handler for " + name +
        " on a platform Host must provide an execute implementation");
  for (XLA_FFI_Handler handler : {bundle.execute, bundle.instantiate}) {
    if (!handler)
      continue;
    XLA_FFI_Metadata metadata;
    if (llvm::Error e = queryFfi(handler, metadata))
      return e;
    int major = metadata.api_version.major_version,
        minor = metadata.api_version.minor_version;
    if (major != 0 || minor < 1 || minor > pjrt::kFfiMinorVersion)
      return invalidTarget(
          "XLA FFI handler registration for " + name +
          " on platform Host (canonical host) failed because the handler's API "
          "version (" +
          llvm::Twine(major) + "." + llvm::Twine(minor) +
          ") is incompatible with the framework's API version (0." +
          llvm::Twine(pjrt::kFfiMinorVersion) +
          "). Minimum supported API version is (0.1).");
  }
  Targets &t = targets();
  std::lock_guard lock(t.mutex);
  auto [it, isNew] = t.typed.try_emplace(name, bundle);
  if (isNew || equal(it->second, bundle))
    return llvm::Error::success();
  return invalidTarget("Duplicate FFI handler registration for " + name +
                       " on platform Host (canonical host) with different "
                       "bundle addresses");
}

llvm::Error ffi::registerUntyped(llvm::StringRef name, void *function) {
  if (!function)
    return invalidTarget("custom call target " + name + " is a null pointer");
  Targets &t = targets();
  std::lock_guard lock(t.mutex);
  auto [it, isNew] = t.untyped.try_emplace(name, function);
  if (isNew || it->second == function)
    return llvm::Error::success();
  return invalidTarget("Duplicate custom call registration detected for " +
                       name + " on platform Host");
}

int64_t ffi::apiVersionOf(const cpu::LibraryCall &call) {
  llvm::ArrayRef<int64_t> version = getIntegers(call, cpu::apiVersionName);
  return version.size() == 1 ? version[0] : 0;
}

bool ffi::isTypedTarget(llvm::StringRef name) {
  Targets &t = targets();
  std::lock_guard lock(t.mutex);
  return t.typed.contains(name);
}

bool ffi::isUntypedTarget(llvm::StringRef name) {
  Targets &t = targets();
  std::lock_guard lock(t.mutex);
  return t.untyped.contains(name);
}

llvm::Expected<CustomCallFunction>
ffi::makeTargetCall(const cpu::LibraryCall &call) {
  int64_t version = apiVersionOf(call);
  if (version == 0)
    return makeUntypedCall(nullptr, call);
  Targets &t = targets();
  XLA_FFI_Handler_Bundle bundle = {};
  void *untyped = nullptr;
  {
    std::lock_guard lock(t.mutex);
    bundle = t.typed.lookup(call.name);
    untyped = t.untyped.lookup(call.name);
  }
  if (version == 4) {
    if (bundle.execute)
      return makeTypedCall(bundle, call);
    return llvm::createStringError("NOT_FOUND: No FFI handler registered for " +
                                   call.name +
                                   " on a platform Host (canonical host)");
  }
  if (untyped)
    return makeUntypedCall(untyped, call);
  return llvm::createStringError(
      "NOT_FOUND: No registered implementation for untyped custom call to " +
      call.name + " for Host");
}

void ffi::offerFfiTargets() { setFallbackCustomCallFactory(makeTargetCall); }
