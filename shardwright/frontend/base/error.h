//===- error.h - errors as values -------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_BASE_ERROR_H
#define SHARDWRIGHT_FRONTEND_BASE_ERROR_H

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace shardwright::frontend {

/// The kinds of errors, named after the exception classes of JAX.
enum class ErrorKind {
  Value,
  Type,
  Runtime,
  Name,
  Assertion,
  NotImplemented,
  Key,
  ShardingType,
  DuplicateSpec,
  Indivisible,    ///< a ValueError
  Concretization, ///< a TypeError, as are the four below
  TracerBoolConversion,
  TracerIntegerConversion,
  TracerArrayConversion,
  UnexpectedTracer,
  FloatingPoint,
  Index,
  NonConcreteBooleanIndex, ///< an IndexError
  Attribute,
  TypePromotion, ///< a ValueError
  LeakedTracer,  ///< an Exception in JAX
};
/// `ValueError`, `TypeError`, ...
std::string_view str(ErrorKind kind);

/// A failure: its kind and JAX's text.
struct Error {
  ErrorKind kind = ErrorKind::Runtime;
  std::string text;
  /// `ValueError: text`.
  std::string str() const;
};

/// Text of one part of a message.
inline std::string toText(std::string_view s) { return std::string(s); }
inline std::string toText(char c) { return std::string(1, c); }
template <typename T>
  requires std::is_integral_v<T>
std::string toText(T n) {
  return std::to_string(n);
}
/// Concatenates strings and integers.
template <typename... Parts> std::string cat(const Parts &...parts) {
  std::string out;
  (out.append(toText(parts)), ...);
  return out;
}
template <typename... Parts>
Error makeError(ErrorKind kind, const Parts &...parts) {
  return Error{kind, cat(parts...)};
}
template <typename... Parts> Error valueError(const Parts &...parts) {
  return makeError(ErrorKind::Value, parts...);
}
template <typename... Parts> Error typeError(const Parts &...parts) {
  return makeError(ErrorKind::Type, parts...);
}
template <typename... Parts> Error notImplemented(const Parts &...parts) {
  return makeError(ErrorKind::NotImplemented, parts...);
}

/// The error that a value carries, or null. Overloaded for values that can hold
/// errors (Tensor, containers of Tensors).
template <typename T> const Error *errorIn(const T &) { return nullptr; }
/// The value of a failed Expected: one that carries the error where the type
/// can, else a default value.
template <typename T> T failedValue(const Error &error) {
  if constexpr (std::is_constructible_v<T, Error>)
    return T(error);
  else
    return T();
}

/// A value or an error. The value of a failed Expected is safe to use: a Tensor
/// that carries the error, a null handle.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T v) : val(std::move(v)) {
    if (const Error *error = errorIn(val))
      err = *error;
  }
  Expected(Error error) : val(failedValue<T>(error)), err(std::move(error)) {}

  bool ok() const { return !err; }
  explicit operator bool() const { return ok(); }
  /// The error; an empty one if there is none.
  const Error &error() const {
    static const auto &none = *new Error;
    return err ? *err : none;
  }
  T &operator*() & { return val; }
  const T &operator*() const & { return val; }
  T &&operator*() && { return std::move(val); }
  T *operator->() { return &val; }
  const T *operator->() const { return &val; }
  /// Implicit, so that results can be operands: the error goes along.
  operator const T &() const & { return val; }
  operator T() && { return std::move(val); }

private:
  T val;
  std::optional<Error> err;
};

/// Success or an error.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : err(std::move(error)) {}
  bool ok() const { return !err; }
  explicit operator bool() const { return ok(); }
  const Error &error() const {
    static const auto &none = *new Error;
    return err ? *err : none;
  }

private:
  std::optional<Error> err;
};

} // namespace shardwright::frontend

/// Returns the error of an Expected or Status from the enclosing function.
#define SW_TRY(expr)                                                           \
  do {                                                                         \
    if (auto &&swTried = (expr); !swTried.ok())                                \
      return swTried.error();                                                  \
  } while (false)

#endif // SHARDWRIGHT_FRONTEND_BASE_ERROR_H
