//===- callbacks.h - functions of the host in programs -------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_CALLBACKS_H
#define SHARDWRIGHT_FRONTEND_API_CALLBACKS_H

#include "shardwright/frontend/api/function.h"

#include <optional>

namespace shardwright::frontend {

namespace detail {
/// A function of the host before it is bound: on leaves.
struct FlatCallback {
  std::string name;
  std::function<Expected<Tensors>(const Tensors &)> function;
  std::shared_ptr<const void> identity;
  /// Structure of the positional arguments and of the named ones.
  std::string arguments, named;
};
Tensors pureCallback(const FlatCallback &callback, const Tensors &results,
                     const std::string &method, std::optional<Device> device,
                     const Tensors &args);
Tensors ioCallback(const FlatCallback &callback, const Tensors &results,
                   bool ordered, std::optional<Device> device,
                   const Tensors &args);
void debugCallback(const FlatCallback &callback, bool ordered, bool partitioned,
                   const Tensors &args);
void debugPrint(const std::string &format,
                const std::vector<std::string> &names, bool ordered,
                bool partitioned, const Tensors &args);

/// What makes two callbacks the same, so that programs that call them are
/// compiled once: the type of a function without state, the address of a plain
/// function. Other functions are different each time they are passed.
template <typename F>
std::shared_ptr<const void> callbackIdentity(const F &function) {
  if constexpr (std::is_empty_v<F>) {
    static const auto tag = std::make_shared<char>();
    return tag;
  } else if constexpr (std::is_pointer_v<F>) {
    return {std::shared_ptr<const void>(),
            reinterpret_cast<const void *>(function)};
  } else {
    return std::make_shared<char>();
  }
}
} // namespace detail

/// A function of the host with a name for messages. Programs that call copies
/// of one HostFunction call the same function, and are compiled once.
template <typename F> struct HostFunction {
  HostFunction(std::string n, F f)
      : name(std::move(n)), function(std::move(f)),
        identity(detail::callbackIdentity(function)) {}
  std::string name;
  F function;
  std::shared_ptr<const void> identity;
};
template <typename F> HostFunction<F> hostFunction(std::string name, F f) {
  return {std::move(name), std::move(f)};
}

namespace detail {
template <typename F> struct IsHostFunction : std::false_type {};
template <typename F>
struct IsHostFunction<HostFunction<F>> : std::true_type {};
template <typename F>
concept PlainFunction = !IsHostFunction<std::decay_t<F>>::value;
template <typename T>
concept IsTree = TreeTraits<T>::isTree;

template <typename F, typename... Args>
FlatCallback flatCallback(const HostFunction<F> &host, const Args &...args) {
  std::tuple<Args...> tuple(args...);
  Flattener f;
  TreeTraits<std::tuple<Args...>>::flatten(tuple, f);
  // Without the values, which may be traced ones.
  tuple = treeWith(tuple, Tensors(f.leaves.size()));
  FlatCallback out{host.name, {}, host.identity, f.def.text, "{}"};
  out.function = [function = host.function,
                  tuple](const Tensors &leaves) -> Expected<Tensors> {
    auto args = treeWith(tuple, leaves);
    using Raw = decltype(std::apply(function, args));
    if constexpr (std::is_void_v<Raw>) {
      std::apply(function, args);
      return Tensors();
    } else if constexpr (std::is_same_v<Raw, Status>) {
      Status status = std::apply(function, args);
      return status ? Expected<Tensors>(Tensors())
                    : Expected<Tensors>(status.error());
    } else {
      auto raw = std::apply(function, args);
      if constexpr (StripExpected<decltype(raw)>::isExpected)
        if (!raw)
          return raw.error();
      using Result = typename StripExpected<decltype(raw)>::Type;
      const Result &result = raw;
      return treeLeaves(result);
    }
  };
  return out;
}
template <PlainFunction F, typename... Args>
FlatCallback flatCallback(const F &function, const Args &...args) {
  return flatCallback(HostFunction<std::decay_t<F>>("<lambda>", function),
                      args...);
}
template <typename... Args> Tensors leavesOf(const Args &...args) {
  Flattener f;
  (f.child(args, ""), ...);
  return std::move(f.leaves);
}
} // namespace detail

struct PureCallbackOptions {
  /// How vmap calls it: "sequential", "sequential_unrolled", "expand_dims",
  /// "broadcast_all" or "legacy_vectorized"; empty: vmap is an error.
  std::string vmapMethod;
  /// The device of the program that calls; none: the first one.
  std::optional<Device> device;
};
/// Results of a function of the host without side effects, inside and outside
/// of jit: `results` is the tree of their types (shapeDtypeStruct). The
/// function gets the full values of the arguments as arrays of the host, in a
/// shardMap those of each device. It may be called several times or never. If
/// it returns an error, other types, or throws, the program fails with its
/// name. JAX: jax.pure_callback.
template <typename F, typename Results, typename... Args>
Expected<Results> pureCallback(const F &function, const Results &results,
                               const PureCallbackOptions &options,
                               const Args &...args) {
  Tensors outs = detail::pureCallback(
      detail::flatCallback(function, args...), treeLeaves(results),
      options.vmapMethod, options.device, detail::leavesOf(args...));
  if (const Error *error = errorIn(outs))
    return *error;
  return treeWith(results, outs);
}
template <typename F, typename Results, detail::IsTree... Args>
Expected<Results> pureCallback(const F &function, const Results &results,
                               const Args &...args) {
  return pureCallback(function, results, PureCallbackOptions(), args...);
}

struct IoCallbackOptions {
  /// Calls happen in the order of the program, and of the programs that the
  /// thread starts.
  bool ordered = false;
  std::optional<Device> device;
};
/// As pureCallback, for a function with side effects: it is called once each
/// time the program is at this place. JAX: jax.experimental.io_callback.
template <typename F, typename Results, typename... Args>
Expected<Results> ioCallback(const F &function, const Results &results,
                             const IoCallbackOptions &options,
                             const Args &...args) {
  Tensors outs = detail::ioCallback(detail::flatCallback(function, args...),
                                    treeLeaves(results), options.ordered,
                                    options.device, detail::leavesOf(args...));
  if (const Error *error = errorIn(outs))
    return *error;
  return treeWith(results, outs);
}
template <typename F, typename Results, detail::IsTree... Args>
Expected<Results> ioCallback(const F &function, const Results &results,
                             const Args &...args) {
  return ioCallback(function, results, IoCallbackOptions(), args...);
}

struct DebugOptions {
  bool ordered = false;
  /// Each device calls with its own shard of the arguments.
  bool partitioned = false;
};
namespace detail {
template <typename F>
concept NotOptions = !std::is_same_v<F, DebugOptions>;
} // namespace detail
/// Calls a function without results to look at values. Transformations keep
/// the call: vmap calls once for each example, grad in the forward pass. An
/// error of the call is an error of the traced function, or outside of jit of
/// the next effectsBarrier. JAX: jax.debug.callback.
template <typename F, typename... Args>
void debugCallback(const DebugOptions &options, const F &function,
                   const Args &...args) {
  detail::debugCallback(detail::flatCallback(function, args...),
                        options.ordered, options.partitioned,
                        detail::leavesOf(args...));
}
template <detail::NotOptions F, typename... Args>
void debugCallback(const F &function, const Args &...args) {
  debugCallback(DebugOptions(), function, args...);
}

/// An argument of debugPrint with a name: `{name}` in the format.
struct NamedArgument {
  std::string name;
  Tensor value;
};
inline NamedArgument named(std::string name, Tensor value) {
  return {std::move(name), std::move(value)};
}
namespace detail {
inline NamedArgument printArgument(NamedArgument argument) { return argument; }
inline NamedArgument printArgument(Tensor value) {
  return {"", std::move(value)};
}
} // namespace detail

/// Prints values to standard output when the program is at this place. Format:
/// as Python's str.format. Errors: as debugCallback. JAX: jax.debug.print.
template <typename... Args>
void debugPrint(const DebugOptions &options, const std::string &format,
                const Args &...args) {
  std::vector<std::string> names;
  Tensors values;
  auto add = [&](NamedArgument argument) {
    names.push_back(std::move(argument.name));
    values.push_back(std::move(argument.value));
  };
  (add(detail::printArgument(args)), ...);
  detail::debugPrint(format, names, options.ordered, options.partitioned,
                     values);
}
template <typename... Args>
void debugPrint(const std::string &format, const Args &...args) {
  debugPrint(DebugOptions(), format, args...);
}

/// Waits for all effects of programs that this thread started; returns the
/// first error since the last call. JAX: jax.effects_barrier.
Status effectsBarrier();

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_CALLBACKS_H
