//===- exceptions.h - errors of the front end as C++ exceptions -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that prefer exceptions: `orThrow(jit(f)(x))` is the value, or
// throws. The library itself never throws. Not part of the umbrella header.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_EXCEPTIONS_H
#define SHARDWRIGHT_FRONTEND_BASE_EXCEPTIONS_H

#include "shardwright/frontend/base/error.h"

#include <concepts>
#include <stdexcept>

namespace shardwright::frontend {

/// What `orThrow` throws. `what()` is the text without the kind.
class Exception : public std::runtime_error {
public:
  explicit Exception(Error e)
      : std::runtime_error(e.text), held(std::move(e)) {}
  const Error &error() const { return held; }
  ErrorKind kind() const { return held.kind; }

private:
  Error held;
};
/// The kinds that derive from Python's ValueError, IndexError, TypeError and
/// RuntimeError.
struct ValueException : Exception {
  using Exception::Exception;
};
struct IndexException : Exception {
  using Exception::Exception;
};
struct TypeException : Exception {
  using Exception::Exception;
};
struct RuntimeException : Exception {
  using Exception::Exception;
};
struct NotImplementedException : RuntimeException {
  using RuntimeException::RuntimeException;
};

[[noreturn]] inline void throwError(const Error &error) {
  switch (error.kind) {
  case ErrorKind::Value:
  case ErrorKind::Indivisible:
  case ErrorKind::TypePromotion:
    throw ValueException(error);
  case ErrorKind::Index:
  case ErrorKind::NonConcreteBooleanIndex:
    throw IndexException(error);
  case ErrorKind::Type:
  case ErrorKind::Concretization:
  case ErrorKind::TracerBoolConversion:
  case ErrorKind::TracerIntegerConversion:
  case ErrorKind::TracerArrayConversion:
    throw TypeException(error);
  case ErrorKind::Runtime:
    throw RuntimeException(error);
  case ErrorKind::NotImplemented:
    throw NotImplementedException(error);
  default:
    throw Exception(error);
  }
}

/// The value; throws its error.
template <typename T> T orThrow(Expected<T> value) {
  if (!value)
    throwError(value.error());
  return *std::move(value);
}
inline void orThrow(const Status &status) {
  if (!status)
    throwError(status.error());
}
/// The same for values that carry their own error, such as Tensor.
template <typename T>
  requires requires(const T &v) {
    { errorIn(v) } -> std::convertible_to<const Error *>;
    v.ok();
  }
T orThrow(T value) {
  if (const Error *error = errorIn(value))
    throwError(*error);
  return value;
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_BASE_EXCEPTIONS_H
