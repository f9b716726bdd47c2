//===- config.h - settings of the process and of a thread -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_CONFIG_H
#define SHARDWRIGHT_FRONTEND_BASE_CONFIG_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace shardwright::frontend {

/// The caches whose keys contain a setting. Changing a setting drops no cache:
/// the key changes.
enum ConfigKeys : uint8_t {
  NoKey = 0,
  JitKey = 1,       ///< finished programs of a jitted function
  TraceContext = 2, ///< traced programs
};

namespace detail {
/// Registers a setting; returns its slot. Settings are objects of static
/// storage, registered before `main`.
size_t registerConfig(const char *name, int64_t initial, uint8_t keys);
int64_t configValue(size_t slot);
int64_t globalConfig(size_t slot);
void setGlobalConfig(size_t slot, int64_t value);
/// The value of this thread; none: the global value is used.
std::optional<int64_t> swapLocalConfig(size_t slot,
                                       std::optional<int64_t> value);
} // namespace detail

/// A setting: a global value, and optionally one of the current thread, which
/// wins. `T`: a type that converts to and from int64_t. JAX: jax.config.
template <typename T> class Config {
public:
  Config(const char *name, T initial, uint8_t keys)
      : slot(detail::registerConfig(name, static_cast<int64_t>(initial),
                                    keys)) {}
  Config(const Config &) = delete;
  Config &operator=(const Config &) = delete;

  T get() const { return static_cast<T>(detail::configValue(slot)); }
  T global() const { return static_cast<T>(detail::globalConfig(slot)); }
  void setGlobal(T value) {
    detail::setGlobalConfig(slot, static_cast<int64_t>(value));
  }
  /// Sets or clears the value of this thread; returns the old one.
  std::optional<T> swapLocal(std::optional<T> value) {
    std::optional<int64_t> encoded;
    if (value)
      encoded = static_cast<int64_t>(*value);
    std::optional<int64_t> old = detail::swapLocalConfig(slot, encoded);
    if (!old)
      return {};
    return static_cast<T>(*old);
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

/// How products of matrices round their operands; `Unset`: as the backend does.
enum class MatmulPrecision : uint8_t { Unset, Default, High, Highest };

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
} // namespace config

/// True if results are checked after each execution.
inline bool checksResults() {
  return config::debugNans.get() || config::debugInfs.get();
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_BASE_CONFIG_H
