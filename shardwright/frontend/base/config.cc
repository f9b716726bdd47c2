//===- config.cc - settings of the process and of a thread ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/config.h"

#include "shardwright/frontend/base/error.h"

#include <array>
#include <atomic>
#include <mutex>
#include <unordered_set>

namespace shardwright::frontend {
namespace {

constexpr size_t maxConfigs = 32;

struct Slot {
  const char *name = nullptr;
  uint8_t keys = NoKey;
  std::atomic<int64_t> value = 0;
};
struct Registry {
  std::array<Slot, maxConfigs> slots;
  size_t count = 0;
  /// Grows whenever a global value changes.
  std::atomic<uint64_t> generation = 1;
  std::mutex mutex;
  std::unordered_set<std::string> keys; ///< addresses of elements stay
};
// Constructed on first use, before any setting, and never destroyed.
Registry &registry() {
  static auto *shared = new Registry;
  return *shared;
}

struct CachedKey {
  uint64_t global = 0, local = 0;
  const std::string *key = nullptr;
};
struct ThreadState {
  std::array<std::optional<int64_t>, maxConfigs> values;
  uint64_t generation = 1;
  CachedKey keys[2];
};
thread_local ThreadState state;

} // namespace

size_t detail::registerConfig(const char *name, int64_t initial, uint8_t keys) {
  Registry &r = registry();
  // More settings than slots is a mistake of this library, found at its start.
  size_t slot = r.count < maxConfigs ? r.count++ : maxConfigs - 1;
  r.slots[slot].name = name;
  r.slots[slot].keys = keys;
  r.slots[slot].value = initial;
  return slot;
}

int64_t detail::configValue(size_t slot) {
  const std::optional<int64_t> &own = state.values[slot];
  return own ? *own : globalConfig(slot);
}
int64_t detail::globalConfig(size_t slot) {
  return registry().slots[slot].value.load(std::memory_order_relaxed);
}
void detail::setGlobalConfig(size_t slot, int64_t value) {
  registry().slots[slot].value = value;
  ++registry().generation;
}
std::optional<int64_t> detail::swapLocalConfig(size_t slot,
                                               std::optional<int64_t> value) {
  std::swap(state.values[slot], value);
  ++state.generation;
  return value;
}

const std::string *configKey(ConfigKeys key) {
  Registry &r = registry();
  CachedKey &cached = state.keys[key == JitKey ? 0 : 1];
  uint64_t global = r.generation.load(std::memory_order_acquire);
  if (cached.global == global && cached.local == state.generation)
    return cached.key;
  std::string text;
  for (size_t i = 0; i < r.count; ++i)
    if (r.slots[i].keys & key)
      text += cat(detail::configValue(i), ",");
  std::lock_guard lock(r.mutex);
  cached = {global, state.generation, &*r.keys.insert(std::move(text)).first};
  return cached.key;
}

namespace config {
Config<bool> enableX64("enable_x64", false, JitKey | TraceContext);
Config<int64_t> defaultDevice("default_device", -1, JitKey | TraceContext);
Config<MatmulPrecision> defaultMatmulPrecision("default_matmul_precision",
                                               MatmulPrecision::Unset,
                                               JitKey | TraceContext);
Config<bool> debugNans("debug_nans", false, NoKey);
Config<bool> debugInfs("debug_infs", false, NoKey);
Config<bool> noExecution("no_execution", false, JitKey | TraceContext);
Config<bool> noTracing("no_tracing", false, NoKey);
Config<bool> disableJit("disable_jit", false, TraceContext);
Config<bool> logCompiles("log_compiles", false, NoKey);
} // namespace config

} // namespace shardwright::frontend
