//===- config.h - settings of the process and of a thread -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_CONFIG_H
#define SHARDWRIGHT_FRONTEND_BASE_CONFIG_H

#include "shardwright/frontend/base/error.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace shardwright::frontend {

/// The caches whose keys contain a setting. Changing a setting drops no cache:
/// the key changes.
enum ConfigKeys : uint8_t {
  NoKey = 0,
  JitKey = 1,       ///< finished programs of a jitted function
  TraceContext = 2, ///< traced programs
};

/// What the values of a setting are.
enum class ConfigKind : uint8_t { Bool, Integer, Number, Text, Choice };

/// A setting as others see it.
struct ConfigDescription {
  std::string name;
  ConfigKind kind = ConfigKind::Bool;
  /// As text: `true`, `16`, `0.5`, the word of a choice.
  std::string initial, value;
  uint8_t keys = NoKey; ///< ConfigKeys
  /// The words of a choice, in the order of its enumerators.
  std::vector<std::string> choices;
};

namespace detail {
/// Registers a setting; returns its slot. Settings are objects of static
/// storage, registered before `main`. The environment variable
/// `SHARDWRIGHT_NAME` gives the first value, if it is set.
size_t registerConfig(const char *name, int64_t initial, uint8_t keys,
                      ConfigKind kind,
                      const std::vector<const char *> &choices);
int64_t configValue(size_t slot);
int64_t globalConfig(size_t slot);
void setGlobalConfig(size_t slot, int64_t value);
/// The value of this thread; none: the global value is used.
std::optional<int64_t> swapLocalConfig(size_t slot,
                                       std::optional<int64_t> value);
/// The number of a text, the same for equal texts; the text of a number.
int64_t numberOfText(std::string_view text);
const std::string &textOfNumber(int64_t number);

template <typename T> constexpr ConfigKind configKind() {
  if constexpr (std::is_same_v<T, bool>)
    return ConfigKind::Bool;
  else if constexpr (std::is_same_v<T, double>)
    return ConfigKind::Number;
  else if constexpr (std::is_same_v<T, std::string>)
    return ConfigKind::Text;
  else if constexpr (std::is_enum_v<T>)
    return ConfigKind::Choice;
  else
    return ConfigKind::Integer;
}
template <typename T> int64_t encodeConfig(const T &value) {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<int64_t>(value);
  else if constexpr (std::is_same_v<T, std::string>)
    return numberOfText(value);
  else
    return static_cast<int64_t>(value);
}
template <typename T> T decodeConfig(int64_t value) {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(value);
  else if constexpr (std::is_same_v<T, std::string>)
    return textOfNumber(value);
  else
    return static_cast<T>(value);
}
} // namespace detail

/// A setting: a global value, and optionally one of the current thread, which
/// wins. `T`: bool, int64_t, double, std::string, or an enumeration, whose
/// words are `choices`. JAX: jax.config.
template <typename T> class Config {
public:
  Config(const char *name, T initial, uint8_t keys,
         const std::vector<const char *> &choices = {})
      : slot(detail::registerConfig(name, detail::encodeConfig(initial), keys,
                                    detail::configKind<T>(), choices)) {}
  Config(const Config &) = delete;
  Config &operator=(const Config &) = delete;

  T get() const { return detail::decodeConfig<T>(detail::configValue(slot)); }
  T global() const {
    return detail::decodeConfig<T>(detail::globalConfig(slot));
  }
  void setGlobal(const T &value) {
    detail::setGlobalConfig(slot, detail::encodeConfig(value));
  }
  /// Sets or clears the value of this thread; returns the old one.
  std::optional<T> swapLocal(const std::optional<T> &value) {
    std::optional<int64_t> encoded;
    if (value)
      encoded = detail::encodeConfig(*value);
    std::optional<int64_t> old = detail::swapLocalConfig(slot, encoded);
    if (!old)
      return {};
    return detail::decodeConfig<T>(*old);
  }

private:
  size_t slot;
};

/// Sets a value of this thread for a scope. The destructor restores the old
/// one, also that there was none.
template <typename T> class ScopedConfig {
public:
  ScopedConfig(Config<T> &c, T value) : config(c), old(c.swapLocal(value)) {}
  ~ScopedConfig() { config.swapLocal(old); }
  ScopedConfig(const ScopedConfig &) = delete;
  ScopedConfig &operator=(const ScopedConfig &) = delete;

private:
  Config<T> &config;
  std::optional<T> old;
};
template <typename T, typename V>
ScopedConfig(Config<T> &, V) -> ScopedConfig<T>;

/// The values on this thread of the settings with one of these key bits, as a
/// text. Equal values give the same address, for the life of the process.
const std::string *configKey(ConfigKeys key);

namespace detail {
/// Makes all keys differ from those before.
void renewConfigKeys();
} // namespace detail

/// All settings, by name.
std::vector<ConfigDescription> configList();
/// Sets the global value of a setting by its name, with or without `jax_`, as
/// `jax.config.update`. Texts as in ConfigDescription; for a bool also `1`,
/// `on`, `yes`, `0`, `off`, `no`.
Status updateConfig(std::string_view name, std::string_view value);
/// The value on this thread as text.
Expected<std::string> readConfig(std::string_view name);
/// The error if an environment variable of a setting has a text that is no
/// value of it. Compilation checks it.
const Status &configEnvironment();

/// How products of matrices round their operands; `Unset`: as the backend does.
enum class MatmulPrecision : uint8_t { Unset, Default, High, Highest };
/// Which types of operands have a common type. `Strict`: equal ones, and
/// scalars of C++ of the same kind.
enum class DtypePromotion : uint8_t { Standard, Strict };
/// What happens if two arrays that are no scalars differ in rank.
enum class RankPromotion : uint8_t { Allow, Warn, Raise };

/// The settings of jax.config that the front end knows, by JAX's names without
/// `jax_`.
namespace config {
/// 64-bit types exist; otherwise they become 32-bit types.
extern Config<bool> enableX64;
/// The number of the device of arrays and programs that have no other; -1: the
/// first. See also ScopedDefaultDevice.
extern Config<int64_t> defaultDevice;
extern Config<MatmulPrecision> defaultMatmulPrecision;
/// After each execution: an error if a result contains NaN (infinity).
extern Config<bool> debugNans, debugInfs;
/// Executing a compiled program is an error.
extern Config<bool> noExecution;
/// Tracing a function again is an error.
extern Config<bool> noTracing;
/// `jit` calls the function itself, and control flow runs primitive by
/// primitive.
extern Config<bool> disableJit;
/// Reports each step of compilation to the handler of warnings.
extern Config<bool> logCompiles;
/// A traced value that outlives its trace is an error; functions are traced in
/// each call.
extern Config<bool> checkTracerLeaks;
extern Config<DtypePromotion> numpyDtypePromotion;
extern Config<RankPromotion> numpyRankPromotion;
/// Random numbers depend on their position alone, so that devices make their
/// parts without communication; otherwise JAX's older numbers.
extern Config<bool> threefryPartitionable;
/// Added to every seed.
extern Config<int64_t> randomSeedOffset;
/// What this regular expression matches is cut from the file names in programs.
extern Config<std::string> hloSourceFileCanonicalizationRegex;
/// Compiled programs are kept in this directory, and found there by other
/// processes; empty: they are not. See jit/persistent_cache.h.
extern Config<std::string> compilationCacheDir;
extern Config<bool> enableCompilationCache;
/// Bytes that the directory may hold; -1: any number.
extern Config<int64_t> compilationCacheMaxSize;
/// Programs that compile faster, or are smaller, are not kept.
extern Config<double> persistentCacheMinCompileTimeSecs;
extern Config<int64_t> persistentCacheMinEntrySizeBytes;
/// A failure to read or write the directory is an error, not a warning.
extern Config<bool> raisePersistentCacheErrors;
} // namespace config

/// True if results are checked after each execution.
inline bool checksResults() {
  return config::debugNans.get() || config::debugInfs.get();
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_BASE_CONFIG_H
