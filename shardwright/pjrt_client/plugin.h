//===- plugin.h - a loaded PJRT plugin --------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PLUGIN_H
#define SHARDWRIGHT_PJRT_CLIENT_PLUGIN_H

#include "shardwright/pjrt_client/arguments.h"

#include "shardwright/dialect/vhlo/version.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>

namespace shardwright::pjrt_client {

class Plugin;

/// Watches a call of the plugin while this object lives, so that one that does
/// not return is reported (plugin_wait.h).
class CallWatch {
public:
  CallWatch(const Plugin &plugin, const char *function);
  ~CallWatch();
  CallWatch(const CallWatch &) = delete;
  CallWatch &operator=(const CallWatch &) = delete;

private:
  uint64_t number;
};

/// The function table of another vendor's plugin. Nothing that the plugin
/// returns is taken for granted: a missing function, a null pointer, a count
/// out of bounds is an error that names the plugin and the function. What
/// cannot be checked: addresses that are not null, and memory that the plugin
/// writes. Immutable; lives until the process ends, as the library does.
class Plugin {
public:
  /// Loads a library and initializes it, once per process.
  static llvm::Expected<std::shared_ptr<const Plugin>>
  load(llvm::StringRef path);
  /// A plugin whose table is `given`; `name` is its name in messages.
  static llvm::Expected<std::shared_ptr<const Plugin>>
  fromTable(const PJRT_Api *given, llvm::StringRef name);

  llvm::StringRef name() const { return ownName; }
  /// The minor version of the interface; the major version is 0.
  int minorVersion() const { return table.pjrt_api_version.minor_version; }
  /// The table as far as the plugin has it; all later functions are null.
  const PJRT_Api &functions() const { return table; }
  /// The plugin's own table, of which only as much as its version has exists.
  const PJRT_Api *original() const { return given; }
  /// The newest StableHLO that the plugin says it reads, if it says so.
  std::optional<vhlo::Version> stablehloVersion() const { return stablehlo; }

  /// The extension of this type if the plugin has it and it is at least
  /// `leastSize` bytes long.
  const PJRT_Extension_Base *extension(PJRT_Extension_Type type,
                                       size_t leastSize) const;

  /// Calls a function of the table; use SHARDWRIGHT_PJRT_CALL.
  template <typename Args>
  llvm::Error call(const char *function, PJRT_Error *(*pointer)(Args *),
                   Args &args) const {
    if (!pointer)
      return missing(function);
    return take(function, callWatched(function, pointer, args));
  }
  /// Turns the plugin's error into one of ours, `NOT_FOUND: no such thing`,
  /// and destroys it. Null is success.
  llvm::Error take(const char *function, PJRT_Error *error) const;
  /// An error about an answer: `plugin: PJRT_X returned ...`.
  llvm::Error wrong(const char *function, const llvm::Twine &what) const;
  /// Checks a string that the plugin returned, and copies it.
  llvm::Expected<std::string> text(const char *function, const char *data,
                                   size_t size) const;

private:
  template <typename Args>
  PJRT_Error *callWatched(const char *function, PJRT_Error *(*pointer)(Args *),
                          Args &args) const {
    CallWatch watch(*this, function);
    return pointer(&args);
  }
  Plugin(llvm::StringRef name) : ownName(name) {}
  llvm::Error readTable(const PJRT_Api *theirs);
  llvm::Error initialize();
  void readAttributes();
  llvm::Error missing(const char *function) const;

  std::string ownName;
  const PJRT_Api *given = nullptr;
  PJRT_Api table = {};
  std::optional<vhlo::Version> stablehlo;
};

/// Calls `function` (without `PJRT_`) of a plugin; returns an llvm::Error.
#define SHARDWRIGHT_PJRT_CALL(plugin, function, args)                          \
  (plugin).call("PJRT_" #function, (plugin).functions().PJRT_##function, args)

/// True if a named value of a plugin has this name.
bool isNamed(const PJRT_NamedValue &value, llvm::StringRef name);

/// The length that the table of a plugin of this minor version has at most.
size_t tableSizeOf(int minorVersion);

/// Longest string that is read from a plugin.
inline constexpr size_t kMaxText = 1 << 20;

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_PLUGIN_H
