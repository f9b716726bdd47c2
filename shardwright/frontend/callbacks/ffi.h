//===- ffi.h - calls of registered functions by name ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ffi::registerTarget("scale", [](const ffi::Call &call) -> Status {
//     float factor = *call.attributes.at("factor").number<float>();
//     for (int64_t i = 0; i < call.operands[0].elements(); ++i)
//       call.results[0].as<float>()[i] = factor *
//       call.operands[0].as<float>()[i];
//     return {};
//   });
//   Tensor y = ffi::call("scale", {x}, {x}, {{"factor", 2.0f}})[0];
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_FFI_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_FFI_H

#include "shardwright/frontend/array/tensor.h"
#include "shardwright/frontend/mesh/layout.h"

#include <functional>
#include <map>
#include <optional>
#include <variant>

namespace shardwright::frontend::ffi {

class Value;
using Attributes = std::map<std::string, Value>;

/// An attribute of a call: a boolean, a number of the type of its C++ type, a
/// text, an array with elements, or a dictionary.
class Value {
public:
  Value() : Value(false) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  Value(T value) : Value(dtypeOf<T>(), value) {}
  Value(const char *text) : data(std::string(text)) {}
  Value(std::string text) : data(std::move(text)) {}
  Value(const Tensor &array) : data(array) {}
  Value(Attributes fields);
  /// A number of another element type.
  template <typename T>
    requires std::is_arithmetic_v<T>
  Value(DType type, T value) {
    if (isFloat(type))
      data = Real{type, static_cast<double>(value)};
    else
      data = Integer{type, static_cast<int64_t>(value)};
  }

  /// Nothing if the value is no number.
  template <typename T> std::optional<T> number() const {
    if (const auto *real = std::get_if<Real>(&data))
      return static_cast<T>(real->value);
    if (const auto *integer = std::get_if<Integer>(&data))
      return static_cast<T>(integer->value);
    return {};
  }
  /// The type of the number; nothing if the value is no number.
  std::optional<DType> numberType() const;
  /// Null if the value is of another kind.
  const std::string *text() const { return std::get_if<std::string>(&data); }
  const Tensor *array() const { return std::get_if<Tensor>(&data); }
  const Attributes *fields() const;

  /// As Python prints it in a jaxpr.
  std::string str() const;
  /// As an MLIR attribute, or an error if an array has no elements here.
  Expected<std::string> attribute() const;

private:
  struct Integer {
    DType type;
    int64_t value;
  };
  struct Real {
    DType type;
    double value;
  };
  std::variant<Integer, Real, std::string, Tensor,
               std::shared_ptr<const Attributes>>
      data;
};

/// An operand or result: dense, in the layout that the call specifies.
struct Buffer {
  DType type;
  Ints shape;
  /// Operands are only read; every result must be written completely.
  void *data;
  int64_t elements() const;
  /// The elements, of whose type T must be.
  template <typename T> T *as() const { return static_cast<T *>(data); }
};
struct Call {
  std::vector<Buffer> operands, results;
  Attributes attributes;
  /// The device that calls.
  int32_t device;
};
/// Called on threads of the runtime, by several devices at the same time. An
/// error or an exception fails the run with the target's name. It may run
/// programs itself.
using Handler = std::function<Status(const Call &)>;

/// Makes the function known to all programs that are compiled from now on. An
/// error if the name is empty or taken. JAX: jax.ffi.register_ffi_target.
Status registerTarget(const std::string &name, Handler handler);
/// False if there is no such function. Compiled programs keep theirs.
bool unregisterTarget(const std::string &name);

struct CallOptions {
  /// The call stays in the program though nothing uses its results.
  bool hasSideEffect = false;
  /// `sequential`, `sequential_unrolled`, `expand_dims`, `broadcast_all`,
  /// `legacy_vectorized`; empty: it cannot be batched.
  std::string vmapMethod;
  /// One for each operand, or result; empty: all are row-major.
  std::vector<Layout> inputLayouts, outputLayouts;
  /// Operands whose memory results may take over, by number.
  std::map<int64_t, int64_t> inputOutputAliases;
  /// Below 4: an untyped call, which has `legacyBackendConfig` instead of
  /// attributes.
  int64_t customCallApiVersion = 4;
  std::optional<std::string> legacyBackendConfig;
  /// So many first dimensions of all operands and results are one batch of
  /// independent problems: a call of a target that is registered as batch
  /// partitionable (xla_handlers.h) stays divided along them.
  int64_t numBatchDims = 0;
};

/// Calls the function of this name when the program runs. `results`: values or
/// shapeDtypeStructs of the types of the results. The name is looked up when
/// the program is compiled. JAX: jax.ffi.ffi_call.
Tensors call(const std::string &target, const Tensors &results,
             const Tensors &args, const Attributes &attributes = {},
             const CallOptions &options = {});

} // namespace shardwright::frontend::ffi

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_FFI_H
