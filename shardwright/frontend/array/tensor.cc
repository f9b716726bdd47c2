//===- tensor.cc - arrays and traced values -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/traced_text.h"
#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/mesh/run_waits.h"

#include <atomic>
#include <cstring>

namespace shardwright::frontend {

/// Never destroyed: functions of programs that run at exit may use it.
static const Error &nullError() {
  static const auto &made =
      *new Error{ErrorKind::Type, "a null Tensor was used as a value"};
  return made;
}

Tensor::Tensor(Error error)
    : value(std::make_shared<const ErrorValue>(std::move(error))) {}

bool Tensor::ok() const { return value && value->kind != Value::Kind::Error; }
const Error &Tensor::error() const {
  static const auto &none = *new Error;
  if (!value)
    return nullError();
  return ok() ? none : static_cast<const ErrorValue &>(*value).error;
}
const Aval &Tensor::aval() const {
  static const auto &none = *new Aval;
  return value ? value->aval : none;
}
bool Tensor::isTraced() const {
  return value && value->kind == Value::Kind::Tracer;
}

const Error *errorIn(const Tensor &tensor) {
  return tensor.ok() ? nullptr : &tensor.error();
}
const Error *errorIn(const Tensors &tensors) {
  for (const Tensor &tensor : tensors)
    if (!tensor.ok())
      return &tensor.error();
  return nullptr;
}

/// The array, or the error for what is none.
static Expected<const ArrayValue *> needArray(const Tensor &x) {
  if (!x.ok())
    return x.error();
  if (const ArrayValue *array = asArray(x))
    return array;
  return makeError(ErrorKind::TracerArrayConversion,
                   "The numpy.ndarray conversion method __array__() was called "
                   "on traced array with shape ",
                   x.aval().longStr(),
                   "\nThe value is not known while the function is traced.");
}

const Sharding &Tensor::sharding() const {
  static const auto &none = *new Sharding;
  const ArrayValue *array = asArray(*this);
  if (!array)
    return none;
  if (array->sharding.isSpecified())
    return array->sharding;
  static const auto &first = *new Sharding(Sharding::single(Device{0}));
  return first;
}
Format Tensor::format() const {
  const ArrayValue *array = asArray(*this);
  return Format::ofArray(array && array->layout ? *array->layout
                                                : Layout::rowMajor(rank()),
                         sharding());
}
bool Tensor::committed() const {
  const ArrayValue *array = asArray(*this);
  return array && array->committed;
}
bool Tensor::isDeleted() const {
  const ArrayValue *array = asArray(*this);
  if (!array)
    return false;
  std::lock_guard lock(array->mutex);
  return array->state.deleted && !array->isAbstract;
}

int64_t Tensor::nbytes() const { return ok() ? bytesOf(aval()) : 0; }

/// The buffers, which may still be promises.
static Expected<std::vector<Buffer>> buffersOf(const Tensor &x) {
  Expected<const ArrayValue *> array = needArray(x);
  if (!array)
    return array.error();
  return (*array)->buffersOn(x.sharding());
}

Expected<int64_t> Tensor::onDeviceSizeInBytes() const {
  Expected<std::vector<Buffer>> buffers = buffersOf(*this);
  if (!buffers)
    return buffers.error();
  int64_t bytes = 0;
  for (const Buffer &buffer : *buffers)
    bytes += buffer.bytes();
  return bytes;
}

Expected<const void *> Tensor::unsafeBufferPointer() const {
  if (devices().size() > 1)
    return makeError(ErrorKind::Runtime,
                     "INVALID_ARGUMENT: UnsafeBufferPointer() is supported "
                     "only for unsharded arrays.");
  Expected<std::vector<Buffer>> buffers = buffersOf(*this);
  if (!buffers)
    return buffers.error();
  SW_TRY(detail::checkWait((*buffers)[0].ready()));
  auto data = (*buffers)[0].await();
  if (!data)
    return fromLlvm(data.takeError());
  return data->get();
}

Status Tensor::copyToHostAsync() const {
  // Memory of these devices is the host's: there is nothing to copy.
  Expected<const ArrayValue *> array = needArray(*this);
  if (!array)
    return array.error();
  return isDeleted() ? Status((*array)->deletedError()) : Status();
}

Status Tensor::remove() const {
  Expected<const ArrayValue *> array = needArray(*this);
  if (!array)
    return array.error();
  // Programs contain literals; they have no buffers.
  if ((*array)->isLiteral)
    return typeError("a scalar that was made from a number cannot be deleted");
  std::lock_guard lock((*array)->mutex);
  for (Buffer &buffer : (*array)->state.buffers)
    buffer.remove();
  (*array)->state = ArrayValue::State{nullptr, {}, true};
  return {};
}

Status Tensor::blockUntilReady() const {
  Expected<const ArrayValue *> array = needArray(*this);
  if (!array)
    return array.error();
  std::vector<Buffer> buffers;
  {
    std::lock_guard lock((*array)->mutex);
    if ((*array)->state.deleted)
      return (*array)->deletedError();
    buffers = (*array)->state.buffers;
  }
  for (const Buffer &buffer : buffers) {
    SW_TRY(detail::checkWait(buffer.ready()));
    if (llvm::Error error = buffer.ready().await())
      return fromLlvm(std::move(error));
  }
  return {};
}

Expected<std::shared_ptr<const void>> Tensor::hostData(DType expected) const {
  Expected<const ArrayValue *> array = needArray(*this);
  if (!array)
    return array.error();
  if (dtype() != expected && byteWidth(dtype()) != byteWidth(expected))
    return typeError("the elements of ", aval().longStr(),
                     " cannot be read as ", name(expected),
                     "; convert the array with astype first");
  if (dtype() != expected && !(dtype() == DType::Bool))
    return typeError("the elements of ", aval().longStr(),
                     " cannot be read as ", name(expected),
                     "; convert the array with astype first");
  return (*array)->host();
}

void Tensor::copyElements(const void *from, size_t bytes, void *to) {
  if (bytes)
    std::memcpy(to, from, bytes);
}

Expected<std::vector<std::byte>> Tensor::toBytes() const {
  Expected<const ArrayValue *> array = needArray(*this);
  if (!array)
    return array.error();
  Expected<std::shared_ptr<const void>> data = (*array)->host();
  if (!data.ok())
    return data.error();
  std::vector<std::byte> out(bytesOf(aval()));
  copyElements(data->get(), out.size(), out.data());
  return out;
}

Expected<double> Tensor::item() const {
  if (isTraced())
    return makeError(ErrorKind::Concretization,
                     "Abstract tracer value encountered where concrete value "
                     "is expected: traced array with shape ",
                     aval().longStr(),
                     "\nThis occurred in the item() method of jax.Array");
  Expected<const ArrayValue *> array = needArray(*this);
  if (!array)
    return array.error();
  if (size() != 1)
    return valueError("can only convert an array of size 1 to a Python scalar");
  if (dtype() == DType::Key || isWithoutElements(dtype()))
    return typeError("an element of type ", name(dtype()), " is not a number");
  Expected<std::shared_ptr<const void>> data = (*array)->host();
  if (!data.ok())
    return data.error();
  return readDouble(data->get(), dtype(), 0);
}

/// The type as which elements are printed: keys as pairs of words.
static Aval printedType(const Aval &aval) {
  if (aval.dtype != DType::Key)
    return aval;
  Shape shape = aval.shape;
  shape.push_back(2);
  return Aval{DType::U32, shape};
}

/// For arrays whose elements are sums that nobody has added yet.
static std::string describe(const Tensor &x) {
  return cat("Array(shape=", tupleText(x.shape()), ", dtype=", name(x.dtype()),
             ", sharding=", x.sharding().str(), ")");
}

static std::atomic<detail::TracedText> tracedText = nullptr;
void detail::setTracedText(TracedText text) { tracedText = text; }

std::string Tensor::str() const {
  if (!ok())
    return cat("<", error().str(), ">");
  if (detail::TracedText text = isTraced() ? tracedText.load() : nullptr)
    if (std::optional<std::string> known = text(*this))
      return *known;
  if (isTraced())
    return cat("Traced<", aval().longStr(), ">");
  if (!sharding().spec().unreduced().empty())
    return describe(*this);
  Expected<std::shared_ptr<const void>> data = asArray(*this)->host();
  if (!data.ok())
    return cat("<", data.error().str(), ">");
  return numpyText(data->get(), printedType(aval()), "", 1);
}

std::string Tensor::repr() const {
  if (!ok() || isTraced())
    return str();
  if (!sharding().spec().unreduced().empty())
    return describe(*this);
  Expected<std::shared_ptr<const void>> data = asArray(*this)->host();
  if (!data.ok())
    return cat("<", data.error().str(), ">");
  if (dtype() == DType::Key)
    return cat("Array(", tupleText(shape()), ", dtype=key<fry>) overlaying:\n",
               numpyText(data->get(), printedType(aval()), "", 1));
  std::string text =
      "Array(" + numpyText(data->get(), printedType(aval()), ",", 7);
  std::string type =
      cat("dtype=", name(dtype()), aval().weak ? ", weak_type=True" : "", ")");
  // What does not fit into the last line goes further to the right.
  size_t end = text.rfind('\n') + 1;
  size_t limit = end ? 72 : 75;
  return cat(text, ",",
             text.size() - end + type.size() > limit ? "      " : " ", type);
}

Tensor Tensor::makeScalar(bool v) {
  return scalarOf(static_cast<int64_t>(v), DType::Bool);
}
Tensor Tensor::makeScalar(double v) {
  return scalarOf(v, canonicalType(DType::F64), /*weak=*/true);
}
Tensor Tensor::makeScalar(int64_t v) {
  DType type = canonicalType(DType::I64);
  if (type == DType::I32 && (v > INT32_MAX || v < INT32_MIN))
    return Tensor(makeError(ErrorKind::Value, "Python integer ", v,
                            " out of bounds for int32"));
  return scalarOf(v, type, /*weak=*/true);
}

Tensor scalarOf(double v, DType type, bool weak) {
  std::shared_ptr<void> data = allocateHost(byteWidth(type));
  writeNumber(data.get(), type, 0, v);
  return arrayOfHost(Aval{type, {}, weak}, data, /*isLiteral=*/true);
}
Tensor scalarOf(int64_t v, DType type, bool weak) {
  std::shared_ptr<void> data = allocateHost(byteWidth(type));
  writeInt(data.get(), type, 0, v);
  return arrayOfHost(Aval{type, {}, weak}, data, /*isLiteral=*/true);
}

Tensor arrayFromBytes(const void *data, DType type, const Shape &shape) {
  Aval aval{canonicalType(type), shape};
  SW_TRY(checkShape(shape));
  std::shared_ptr<void> copy = allocateHost(bytesOf(aval));
  if (!copy)
    return noMemory(aval);
  if (!data && bytesOf(aval))
    return valueError("arrayFromBytes got a null pointer for the elements of ",
                      aval.longStr());
  if (isInteger(type) && bitWidth(type) < 8) {
    // Only the low bits count, as in numpy.
    int shift = 64 - bitWidth(type);
    for (int64_t i = 0; i < shape.elements(); ++i) {
      auto bits = static_cast<uint64_t>(readInt(data, type, i)) << shift;
      writeInt(copy.get(), type, i,
               isSigned(type) ? static_cast<int64_t>(bits) >> shift
                              : static_cast<int64_t>(bits >> shift));
    }
  } else if (aval.dtype == type) {
    if (bytesOf(aval))
      std::memcpy(copy.get(), data, bytesOf(aval));
  } else {
    for (int64_t i = 0; i < shape.elements(); ++i)
      if (isInteger(type))
        writeInt(copy.get(), aval.dtype, i, readInt(data, type, i));
      else
        writeNumber(copy.get(), aval.dtype, i, readDouble(data, type, i),
                    readImag(data, type, i));
  }
  return arrayOfHost(std::move(aval), std::move(copy));
}

} // namespace shardwright::frontend
