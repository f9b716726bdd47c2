//===- host_callback.h - functions that programs call --------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_HOST_CALLBACK_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_HOST_CALLBACK_H

#include "shardwright/frontend/trace/primitive.h"

namespace shardwright {
struct CustomCall;
}
namespace llvm {
class Error;
}

namespace shardwright::frontend {

/// A function of arrays on the host, as a parameter of an equation.
struct HostCallback final : ParamObject {
  using Function = std::function<Expected<Tensors>(const Tensors &)>;
  /// As JAX prints the function of pure_callback and io_callback.
  std::string str() const override;
  /// Equal for the same function applied to the same tree of arguments.
  std::string key() const override;

  std::string name; ///< in errors
  Function function;
  /// Set: programs call this instead of `function`, on the buffers of one
  /// device. It must write all results.
  std::function<Status(const CustomCall &)> onBuffers;
  /// The function's identity; kept alive with the callback.
  std::shared_ptr<const void> owner;
  /// Of the arguments: `((*, *), {'y': *})`, as Python prints it.
  std::string tree;
  /// Whether 64-bit types were available where it was made.
  bool x64 = x64Enabled();
};
using CallbackPtr = std::shared_ptr<const HostCallback>;

/// The targets of calls in modules that are compiled here: of the full value on
/// one device, and of the shard of each device.
constexpr const char *kOneDeviceTarget = "shardwright_host_callback";
constexpr const char *kEachDeviceTarget =
    "shardwright_partitioned_host_callback";

/// Registers the targets with the runtime, once.
void registerCallbackTargets();
/// A number by which a module refers to a callback while it is compiled. The
/// executable keeps the callback alive.
class CallbackNumber {
public:
  explicit CallbackNumber(CallbackPtr callback);
  ~CallbackNumber();
  CallbackNumber(CallbackNumber &&other) noexcept;
  CallbackNumber &operator=(CallbackNumber &&) = delete;
  int64_t value() const { return number; }

private:
  int64_t number;
};

/// Calls the function at once, on arrays, and places its results where the
/// arrays are.
Expected<Tensors> callOnArrays(const HostCallback &callback,
                               const Tensors &args,
                               const std::vector<Aval> &results);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_HOST_CALLBACK_H
