//===- value.h - what a Tensor points to ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_ARRAY_VALUE_H
#define SHARDWRIGHT_FRONTEND_ARRAY_VALUE_H

#include "shardwright/frontend/array/tensor.h"
#include "shardwright/runtime/buffer.h"

#include <mutex>
#include <optional>

namespace shardwright::frontend {

/// Base of everything that a Tensor can be.
struct Value {
  enum class Kind : uint8_t { Error, Array, Tracer };
  Value(Kind k, Aval a) : kind(k), aval(std::move(a)) {}
  virtual ~Value();
  const Kind kind;
  const Aval aval;
};

struct ErrorValue final : Value {
  explicit ErrorValue(Error e)
      : Value(Kind::Error, Aval()), error(std::move(e)) {}
  const Error error;
};

/// Elements in host memory, in buffers on devices, or both. Thread-safe.
struct ArrayValue final : Value {
  ArrayValue(Aval a, Sharding s, bool isCommitted)
      : Value(Kind::Array, std::move(a)), sharding(std::move(s)),
        committed(isCommitted) {}
  /// Not specified: only host elements, placed where they are needed.
  const Sharding sharding;
  const bool committed;
  /// Made from a C++ scalar: programs contain it as a literal.
  bool isLiteral = false;
  /// Null: row-major.
  std::shared_ptr<const Layout> layout;
  /// A type and a placement without elements (shapeDtypeStruct); `state` is
  /// that of a deleted array.
  bool isAbstract = false;

  struct State {
    std::shared_ptr<const void> host;
    std::vector<Buffer> buffers; ///< in the order of the sharding's devices
    bool deleted = false;
  };
  mutable std::mutex mutex;
  mutable State state;

  /// Why there are no elements.
  Error deletedError() const;
  /// The elements in row-major order; waits for the buffers.
  Expected<std::shared_ptr<const void>> host() const;
  /// Buffers on these devices; those of the sharding if there is one.
  Expected<std::vector<Buffer>> buffersOn(const Sharding &target) const;
  /// Appends the buffers on these devices.
  Status appendBuffers(const Sharding &target,
                       llvm::SmallVectorImpl<Buffer> &to) const;
};

/// Null unless the tensor is an array.
inline const ArrayValue *asArray(const Tensor &x) {
  const Value *v = x.handle().get();
  return v && v->kind == Value::Kind::Array ? static_cast<const ArrayValue *>(v)
                                            : nullptr;
}

/// An array over buffers, in the order of the sharding's devices.
Tensor arrayOfBuffers(Aval aval, const Sharding &sharding, bool committed,
                      std::vector<Buffer> buffers,
                      std::shared_ptr<const Layout> layout = nullptr);
/// The type that an array with this type has on these devices: Explicit axes
/// are part of it.
Expected<Aval> typeOn(Aval aval, const Sharding &sharding);
/// devicePut of a traced value, to a sharding, else to a device, else to the
/// default device (primitives/device_put.cc).
Tensor putTraced(const Tensor &x, const Sharding &sharding,
                 std::optional<Device> device, const DevicePutOptions &options);
/// The same with a Format: an equation that changes nothing, as in JAX.
Tensor putTraced(const Tensor &x, const Format &format);
/// An error if a value of this type cannot be placed so.
Status checkPut(const Tensor &x, const Sharding &sharding);
/// An array of host elements that are not on a device yet.
Tensor arrayOfHost(Aval aval, std::shared_ptr<const void> data,
                   bool isLiteral = false);
/// Allocates elements in host memory, aligned to 64 bytes; null if there is not
/// enough.
std::shared_ptr<void> allocateHost(int64_t bytes);
/// The error for an array that does not fit into memory.
Error noMemory(const Aval &aval);
int64_t bytesOf(const Aval &aval);
Error fromLlvm(llvm::Error error);
ElementType elementTypeOf(DType type);

/// Element `i` of host data as a number.
double readDouble(const void *data, DType type, int64_t i);
int64_t readInt(const void *data, DType type, int64_t i);
/// Imaginary part of a complex element, else 0.
double readImag(const void *data, DType type, int64_t i);
void writeNumber(void *data, DType type, int64_t i, double value,
                 double imag = 0);
void writeInt(void *data, DType type, int64_t i, int64_t value);

/// The shortest text that reads back as this number, as Python prints it.
std::string floatText(double value);
/// The shortest digits of a number of this type, as Python prints it.
std::string floatTextOf(double value, DType type);
/// Text of element `i` in a jaxpr.
std::string elementText(const void *data, DType type, int64_t i);
/// As numpy prints an array; `separator` is "" or ",".
std::string numpyText(const void *data, const Aval &aval,
                      const std::string &separator, int64_t indent);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_ARRAY_VALUE_H
