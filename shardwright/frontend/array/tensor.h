//===- tensor.h - arrays and traced values ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_ARRAY_TENSOR_H
#define SHARDWRIGHT_FRONTEND_ARRAY_TENSOR_H

#include "shardwright/frontend/array/aval.h"
#include "shardwright/frontend/mesh/layout.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

struct DLManagedTensor;

namespace shardwright::frontend {

struct Value;
struct ArrayValue;

/// What kind of index a Tensor is subscripted with: see numpy/index.h.
struct Index;
class IndexUpdate;

/// An array, a traced value, or an error. A handle to an immutable object;
/// copies are cheap. Operations on an error give that error, so that a function
/// is written without checks and its result is checked once. Semantics:
/// jax.Array and jax.core.Tracer.
class Tensor {
public:
  /// A null handle: using it is an error.
  Tensor() = default;
  Tensor(Error error);
  /// A scalar. Numbers are weakly typed, like those of Python.
  template <typename T>
    requires std::is_arithmetic_v<T>
  Tensor(T scalar) : Tensor(makeScalar(scalar)) {}
  explicit Tensor(std::shared_ptr<const Value> v) : value(std::move(v)) {}
  /// So that `x = f(x)` works for jitted functions: the error goes along.
  Tensor &operator=(const Expected<Tensor> &result);

  bool ok() const;
  const Error &error() const;
  const Aval &aval() const;
  DType dtype() const { return aval().dtype; }
  const Shape &shape() const { return aval().shape; }
  int64_t rank() const { return aval().rank(); }
  int64_t dim(int64_t i) const { return shape()[i]; }
  int64_t size() const { return ok() ? shape().elements() : 0; }
  /// True inside jit, grad, vmap: the value is not known.
  bool isTraced() const;

  // Of arrays; traced values have none of these.
  const Sharding &sharding() const;
  /// The layout and the sharding.
  Format format() const;
  bool committed() const;
  bool isDeleted() const;
  /// Bytes of all elements, as numpy counts them: each once.
  int64_t nbytes() const;
  /// Bytes of the buffers on all devices, replicas included.
  Expected<int64_t> onDeviceSizeInBytes() const;
  bool isFullyAddressable() const { return sharding().isConcrete(); }
  /// In the order of the sharding; empty for traced values.
  std::vector<Device> devices() const { return sharding().devices(); }
  bool isFullyReplicated() const { return sharding().isFullyReplicated(); }
  /// Where the elements are, once they are available, until the array is
  /// deleted. Errors: an array on several devices.
  Expected<const void *> unsafeBufferPointer() const;
  /// Frees the buffers; shape and type stay readable.
  Status remove() const;
  /// Waits for the elements. Errors of the computation arrive here.
  Status blockUntilReady() const;
  /// Begins to copy the elements to the host, where `toVector` finds them.
  Status copyToHostAsync() const;
  /// The elements, row-major. An error for a traced or deleted array, or if T
  /// is not the element type.
  template <typename T> Expected<std::vector<T>> toVector() const {
    Expected<std::shared_ptr<const void>> data = hostData(dtypeOf<T>());
    if (!data.ok())
      return data.error();
    if constexpr (std::is_same_v<T, bool>) {
      // One byte an element; the vector has one bit.
      std::vector<char> bytes(size());
      copyElements(data->get(), bytes.size(), bytes.data());
      return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
      std::vector<T> out(size());
      copyElements(data->get(), sizeof(T) * out.size(), out.data());
      return out;
    }
  }
  /// The only element, converted to double; of complex ones, the real part.
  Expected<double> item() const;
  /// The elements as bytes, row-major.
  Expected<std::vector<std::byte>> toBytes() const;
  /// As numpy prints it: `[1. 2. 3.]`; a traced value by its type.
  std::string str() const;
  /// `Array([1., 2., 3.], dtype=float32)`.
  std::string repr() const;

  /// x[i], x[slice(1, 3)], ...: numpy's indexing, see numpy/index.h.
  template <typename... Indices> Tensor operator[](Indices... indices) const;
  Tensor index(const std::vector<Index> &indices) const;
  /// x.at(i).set(y): a changed copy.
  template <typename... Indices> IndexUpdate at(Indices... indices) const;

  const std::shared_ptr<const Value> &handle() const { return value; }

private:
  static Tensor makeScalar(bool v);
  static Tensor makeScalar(double v);
  static Tensor makeScalar(int64_t v);
  template <typename T> static Tensor makeScalar(T v) {
    if constexpr (std::is_floating_point_v<T>)
      return makeScalar(static_cast<double>(v));
    else
      return makeScalar(static_cast<int64_t>(v));
  }
  Expected<std::shared_ptr<const void>> hostData(DType expected) const;
  static void copyElements(const void *from, size_t bytes, void *to);

  std::shared_ptr<const Value> value;
};
inline Tensor &Tensor::operator=(const Expected<Tensor> &result) {
  return *this = *result;
}
using Array = Tensor;
using Tensors = std::vector<Tensor>;

/// The error that a tensor carries, or null.
const Error *errorIn(const Tensor &tensor);
/// The first error of several tensors, or null.
const Error *errorIn(const Tensors &tensors);

/// A strongly typed array of host elements, on the default device.
Tensor arrayFromBytes(const void *data, DType type, const Shape &shape);
template <typename T>
Tensor arrayOf(const std::vector<T> &elements, const Shape &shape) {
  if (static_cast<int64_t>(elements.size()) != shape.elements())
    return valueError("cannot reshape array of size ", elements.size(),
                      " into shape ", tupleText(shape));
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<char> bytes(elements.begin(), elements.end());
    return arrayFromBytes(bytes.data(), DType::Bool, shape);
  } else {
    return arrayFromBytes(elements.data(), dtypeOf<T>(), shape);
  }
}
template <typename T> Tensor arrayOf(const std::vector<T> &elements) {
  return arrayOf(elements, Shape{static_cast<int64_t>(elements.size())});
}
/// A scalar of this type. It is a literal in programs.
Tensor scalarOf(double value, DType type, bool weak = false);
Tensor scalarOf(int64_t value, DType type, bool weak = false);

/// Places an array; a copy is made only where needed. Null sharding: the
/// default device, uncommitted. Inside jit: an equation that says where the
/// value's memory is, and leaves its sharding to propagation, as JAX's does.
Tensor devicePut(const Tensor &x, const Sharding &sharding);
Tensor devicePut(const Tensor &x, Device device);
/// An error if the layout does not fit the array.
Tensor devicePut(const Tensor &x, const Format &format);
/// Under a mesh in context.
Tensor devicePut(const Tensor &x, const PartitionSpec &spec);

struct DevicePutOptions {
  /// Deletes `x`; its memory becomes the result's where the place is the same.
  bool donate = false;
  /// False: the result has memory of its own. Not set: shared where possible.
  std::optional<bool> mayAlias = {};
};
/// An error if the options say both donate and mayAlias.
Tensor devicePut(const Tensor &x, const Sharding &sharding,
                 const DevicePutOptions &options);

/// An array's type and placement without elements: an argument of `trace` and
/// `lower`. Its mesh may be abstract. JAX: jax.ShapeDtypeStruct.
Tensor shapeDtypeStruct(const Shape &shape, DType type,
                        const Sharding &sharding = {});
Tensor shapeDtypeStruct(const Shape &shape, DType type, const Format &format);

/// One addressable part of an array.
struct Shard {
  Device device;
  IndexBox index;
  int64_t replicaId = 0;
  Tensor data;
};
Expected<std::vector<Shard>> addressableShards(const Tensor &x);
/// `make` returns the host elements of a box, and is called once for each
/// distinct box.
Tensor
makeArrayFromCallback(const Shape &shape, const Sharding &sharding,
                      const std::function<Tensor(const IndexBox &)> &make);
/// The arrays are on one device each, in any order.
Tensor makeArrayFromSingleDeviceArrays(const Shape &shape,
                                       const Sharding &sharding,
                                       const Tensors &arrays);

/// The array whose part in this process is `local`. There is one process: its
/// part is the array, and `globalShape`, if given, is that of `local`.
Tensor
makeArrayFromProcessLocalData(const Sharding &sharding, const Tensor &local,
                              const std::optional<Shape> &globalShape = {});

/// Shares memory with other libraries; the caller owns the result.
Expected<DLManagedTensor *> toDLPack(const Tensor &x);
/// Takes ownership of the tensor on success.
Tensor fromDLPack(DLManagedTensor *tensor);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_ARRAY_TENSOR_H
