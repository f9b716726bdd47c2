//===- config.cc - settings of the process and of a thread ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/base/config.h"

#include "shardwright/frontend/base/partitioner_config.h"

#include "shardwright/frontend/base/error.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace shardwright::frontend {
namespace {

constexpr size_t maxConfigs = 64;

struct Slot {
  const char *name = nullptr;
  uint8_t keys = NoKey;
  ConfigKind kind = ConfigKind::Bool;
  int64_t initial = 0;
  std::vector<const char *> choices;
  std::atomic<int64_t> value = 0;
};
struct Registry {
  std::array<Slot, maxConfigs> slots;
  size_t count = 0;
  /// Grows whenever a global value changes.
  std::atomic<uint64_t> generation = 1;
  std::atomic<uint64_t> renewals = 0;
  std::mutex mutex;
  std::unordered_set<std::string> keys; ///< addresses of elements stay
  Status environment;
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

namespace {

/// Texts that are values of settings, by number; they are never dropped.
struct Texts {
  std::mutex mutex;
  std::deque<std::string> byNumber;
  std::unordered_map<std::string_view, int64_t> numbers;
};
Texts &texts() {
  static auto *shared = new Texts;
  return *shared;
}

/// The value that a text means, or none.
std::optional<int64_t> parseValue(const Slot &slot, std::string_view text) {
  auto number = [&]<typename T>(T value) -> std::optional<int64_t> {
    const char *end = text.data() + text.size();
    auto [at, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || at != end)
      return {};
    return detail::encodeConfig(value);
  };
  switch (slot.kind) {
  case ConfigKind::Bool: {
    std::string word = llvm::StringRef(text).lower();
    for (const char *yes : {"y", "yes", "t", "true", "on", "1"})
      if (word == yes)
        return 1;
    for (const char *no : {"n", "no", "f", "false", "off", "0"})
      if (word == no)
        return 0;
    return {};
  }
  case ConfigKind::Integer:
    return number(int64_t(0));
  case ConfigKind::Number:
    return number(0.0);
  case ConfigKind::Text:
    return detail::numberOfText(text);
  case ConfigKind::Choice:
    for (size_t i = 0; i < slot.choices.size(); ++i)
      if (text == slot.choices[i])
        return static_cast<int64_t>(i);
    return {};
  }
  return {};
}

std::string textOfValue(const Slot &slot, int64_t value) {
  switch (slot.kind) {
  case ConfigKind::Bool:
    return value ? "true" : "false";
  case ConfigKind::Integer:
    return cat(value);
  case ConfigKind::Number: {
    char buffer[32];
    auto [end, problem] = std::to_chars(buffer, buffer + sizeof buffer,
                                        detail::decodeConfig<double>(value));
    return std::string(buffer, end);
  }
  case ConfigKind::Text:
    return detail::textOfNumber(value);
  case ConfigKind::Choice:
    return slot.choices[static_cast<size_t>(value)];
  }
  return {};
}

/// Why a text is no value: JAX's words where it has some.
Error noValue(const Slot &slot, std::string_view text) {
  switch (slot.kind) {
  case ConfigKind::Bool:
    return valueError("invalid truth value '", llvm::StringRef(text).lower(),
                      "' for '", slot.name, "'");
  case ConfigKind::Choice: {
    std::string words;
    for (const char *word : slot.choices)
      words += cat(words.empty() ? "'" : ", '", word, "'");
    return valueError("new enum value must be in [", words, "], got ", text,
                      " for '", slot.name, "'");
  }
  default:
    return valueError("could not convert string to ",
                      slot.kind == ConfigKind::Number ? "float" : "int", ": '",
                      text, "' for '", slot.name, "'");
  }
}

Slot *findSlot(std::string_view name) {
  Registry &r = registry();
  if (name.starts_with("jax_"))
    name.remove_prefix(4);
  for (size_t i = 0; i < r.count; ++i)
    if (name == r.slots[i].name)
      return &r.slots[i];
  return nullptr;
}

Error unknownConfig(std::string_view name) {
  return makeError(ErrorKind::Attribute, "Unrecognized config option: ", name);
}

} // namespace

size_t detail::registerConfig(const char *name, int64_t initial, uint8_t keys,
                              ConfigKind kind,
                              const std::vector<const char *> &choices) {
  Registry &r = registry();
  // More settings than slots is a mistake of this library, found at its start.
  size_t slot = r.count < maxConfigs ? r.count++ : maxConfigs - 1;
  Slot &s = r.slots[slot];
  s.name = name;
  s.keys = keys;
  s.kind = kind;
  s.initial = initial;
  s.choices = choices;
  s.value = initial;
  std::string variable = "SHARDWRIGHT_" + llvm::StringRef(name).upper();
  if (const char *text = std::getenv(variable.c_str())) {
    if (std::optional<int64_t> value = parseValue(s, text))
      s.value = *value;
    else if (r.environment)
      r.environment = valueError(noValue(s, text).text,
                                 " (environment variable ", variable, ")");
  }
  return slot;
}

int64_t detail::numberOfText(std::string_view text) {
  Texts &t = texts();
  std::lock_guard lock(t.mutex);
  auto found = t.numbers.find(text);
  if (found != t.numbers.end())
    return found->second;
  t.byNumber.emplace_back(text);
  return t.numbers[t.byNumber.back()] =
             static_cast<int64_t>(t.byNumber.size()) - 1;
}
const std::string &detail::textOfNumber(int64_t number) {
  Texts &t = texts();
  std::lock_guard lock(t.mutex);
  return t.byNumber[static_cast<size_t>(number)];
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
  std::string text = cat(r.renewals.load(), ";");
  for (size_t i = 0; i < r.count; ++i)
    if (r.slots[i].keys & key)
      text += cat(detail::configValue(i), ",");
  std::lock_guard lock(r.mutex);
  cached = {global, state.generation, &*r.keys.insert(std::move(text)).first};
  return cached.key;
}

void detail::renewConfigKeys() {
  ++registry().renewals;
  ++registry().generation;
}

std::vector<ConfigDescription> configList() {
  Registry &r = registry();
  std::vector<ConfigDescription> out;
  for (size_t i = 0; i < r.count; ++i) {
    const Slot &s = r.slots[i];
    out.push_back({s.name,
                   s.kind,
                   textOfValue(s, s.initial),
                   textOfValue(s, detail::configValue(i)),
                   s.keys,
                   {s.choices.begin(), s.choices.end()}});
  }
  std::sort(out.begin(), out.end(),
            [](const ConfigDescription &a, const ConfigDescription &b) {
              return a.name < b.name;
            });
  return out;
}

Status updateConfig(std::string_view name, std::string_view value) {
  Slot *slot = findSlot(name);
  if (!slot)
    return unknownConfig(name);
  std::optional<int64_t> parsed = parseValue(*slot, value);
  if (!parsed)
    return noValue(*slot, value);
  detail::setGlobalConfig(static_cast<size_t>(slot - registry().slots.data()),
                          *parsed);
  return {};
}

Expected<std::string> readConfig(std::string_view name) {
  Slot *slot = findSlot(name);
  if (!slot)
    return unknownConfig(name);
  return textOfValue(*slot, detail::configValue(static_cast<size_t>(
                                slot - registry().slots.data())));
}

const Status &configEnvironment() { return registry().environment; }

namespace config {
Config<bool> enableX64("enable_x64", false, JitKey | TraceContext);
Config<int64_t> defaultDevice("default_device", -1, JitKey | TraceContext);
Config<MatmulPrecision>
    defaultMatmulPrecision("default_matmul_precision", MatmulPrecision::Unset,
                           JitKey | TraceContext,
                           {"unset", "default", "high", "highest"});
Config<bool> debugNans("debug_nans", false, NoKey);
Config<bool> debugInfs("debug_infs", false, NoKey);
Config<bool> noExecution("no_execution", false, JitKey | TraceContext);
Config<bool> noTracing("no_tracing", false, NoKey);
Config<bool> disableJit("disable_jit", false, TraceContext);
Config<bool> logCompiles("log_compiles", false, NoKey);
Config<bool> checkTracerLeaks("check_tracer_leaks", false, NoKey);
Config<DtypePromotion> numpyDtypePromotion("numpy_dtype_promotion",
                                           DtypePromotion::Standard,
                                           JitKey | TraceContext,
                                           {"standard", "strict"});
Config<RankPromotion> numpyRankPromotion("numpy_rank_promotion",
                                         RankPromotion::Allow,
                                         JitKey | TraceContext,
                                         {"allow", "warn", "raise"});
Config<bool> threefryPartitionable("threefry_partitionable", true,
                                   JitKey | TraceContext);
Config<int64_t> randomSeedOffset("random_seed_offset", 0,
                                 JitKey | TraceContext);
Config<std::string>
    hloSourceFileCanonicalizationRegex("hlo_source_file_canonicalization_regex",
                                       "", TraceContext);
Config<std::string> compilationCacheDir("compilation_cache_dir", "", NoKey);
Config<bool> enableCompilationCache("enable_compilation_cache", true, NoKey);
Config<int64_t> compilationCacheMaxSize("compilation_cache_max_size", -1,
                                        NoKey);
Config<double>
    persistentCacheMinCompileTimeSecs("persistent_cache_min_compile_time_secs",
                                      1.0, NoKey);
Config<int64_t>
    persistentCacheMinEntrySizeBytes("persistent_cache_min_entry_size_bytes", 0,
                                     NoKey);
Config<bool> useShardyPartitioner("use_shardy_partitioner", true,
                                  JitKey | TraceContext);
Config<bool> raisePersistentCacheErrors("raise_persistent_cache_errors", false,
                                        NoKey);
} // namespace config

} // namespace shardwright::frontend
