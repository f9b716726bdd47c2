//===- ffi_function.h - typed functions that programs call ------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions with typed parameters, which need no headers of XLA:
//
//   ffi::registerTarget("scale",
//       ffi::bind().arg<float>().result<float>().attribute<float>("factor")
//           .to([](ffi::Elements<const float> x, ffi::Elements<float> y,
//                  float factor) {
//             for (size_t i = 0; i < x.size(); ++i)
//               y[i] = factor * x[i];
//           }));
//
// The parameters of the function are the bound ones, in their order. A call
// whose operands, results or attributes differ from them in number or type is
// an error when its program is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_FFI_FUNCTION_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_FFI_FUNCTION_H

#include "shardwright/frontend/callbacks/ffi.h"

#include <complex>
#include <span>
#include <tuple>

namespace shardwright::frontend::ffi {

/// A function, and the test of what a program passes to it: `check` gets calls
/// without memory.
struct Function {
  Handler check, run;
};
/// As registerTarget of a Handler.
Status registerTarget(const std::string &name, Function function);

/// The elements of an operand (of constant T) or of a result, in the order of
/// the call's layouts.
template <typename T> class Elements : public std::span<T> {
public:
  Elements() = default;
  explicit Elements(const Buffer &buffer)
      : std::span<T>(buffer.as<T>(), static_cast<size_t>(buffer.elements())),
        dims(buffer.shape) {}
  const Ints &shape() const { return dims; }

private:
  Ints dims;
};

namespace detail {

/// Positions of the operands and results that have been read.
struct Reader {
  const Call &call;
  size_t arg = 0, result = 0;
};

/// The element type of operands and results of T.
template <typename T> constexpr DType elementOf() {
  if constexpr (std::is_same_v<T, std::complex<float>>)
    return DType::C64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return DType::C128;
  else
    return dtypeOf<T>();
}

/// What a binding needs of a call: numbers of operands and results, and the
/// names of attributes.
struct Expectation {
  size_t args = 0, results = 0;
  bool moreArgs = false, moreResults = false, allAttributes = false;
  std::vector<std::string> attributes;
};
Status checkCounts(const Expectation &expected, const Call &call);
/// `rank`: -1: any.
Status checkBuffer(const char *what, size_t position, const Buffer &buffer,
                   DType type, int64_t rank);
Status checkNumber(const Call &call, const std::string &name, DType type);
Status checkList(const Call &call, const std::string &name, DType type);
Status checkText(const Call &call, const std::string &name);
Status checkFields(const Call &call, const std::string &name);

template <typename T> struct Arg {
  using Type = Elements<const T>;
  int64_t rank = -1;
  void expect(Expectation &e) const { ++e.args; }
  Status check(Reader &r) const {
    size_t i = r.arg++;
    return checkBuffer("argument ", i, r.call.operands[i], elementOf<T>(),
                       rank);
  }
  Type read(Reader &r) const { return Type(r.call.operands[r.arg++]); }
};
template <typename T> struct Result {
  using Type = Elements<T>;
  int64_t rank = -1;
  void expect(Expectation &e) const { ++e.results; }
  Status check(Reader &r) const {
    size_t i = r.result++;
    return checkBuffer("result ", i, r.call.results[i], elementOf<T>(), rank);
  }
  Type read(Reader &r) const { return Type(r.call.results[r.result++]); }
};
struct AnyArg {
  using Type = Buffer;
  void expect(Expectation &e) const { ++e.args; }
  Status check(Reader &r) const { return ++r.arg, Status(); }
  Type read(Reader &r) const { return r.call.operands[r.arg++]; }
};
struct AnyResult {
  using Type = Buffer;
  void expect(Expectation &e) const { ++e.results; }
  Status check(Reader &r) const { return ++r.result, Status(); }
  Type read(Reader &r) const { return r.call.results[r.result++]; }
};
struct RemainingArgs {
  using Type = std::vector<Buffer>;
  void expect(Expectation &e) const { e.moreArgs = true; }
  Status check(Reader &) const { return {}; }
  Type read(Reader &r) const {
    const std::vector<Buffer> &all = r.call.operands;
    return {all.begin() + static_cast<ptrdiff_t>(r.arg), all.end()};
  }
};
struct RemainingResults {
  using Type = std::vector<Buffer>;
  void expect(Expectation &e) const { e.moreResults = true; }
  Status check(Reader &) const { return {}; }
  Type read(Reader &r) const {
    const std::vector<Buffer> &all = r.call.results;
    return {all.begin() + static_cast<ptrdiff_t>(r.result), all.end()};
  }
};
template <typename T> struct IsVector : std::false_type {};
template <typename T> struct IsVector<std::vector<T>> : std::true_type {};
template <typename T> struct Attribute {
  using Type = T;
  std::string name;
  void expect(Expectation &e) const { e.attributes.push_back(name); }
  Status check(Reader &r) const {
    if constexpr (std::is_arithmetic_v<T>)
      return checkNumber(r.call, name, dtypeOf<T>());
    else if constexpr (std::is_same_v<T, std::string>)
      return checkText(r.call, name);
    else if constexpr (std::is_same_v<T, Attributes>)
      return checkFields(r.call, name);
    else
      return checkList(r.call, name, dtypeOf<typename T::value_type>());
  }
  Type read(Reader &r) const {
    const Value &value = r.call.attributes.at(name);
    if constexpr (std::is_arithmetic_v<T>)
      return *value.template number<T>();
    else if constexpr (std::is_same_v<T, std::string>)
      return *value.text();
    else if constexpr (std::is_same_v<T, Attributes>)
      return *value.fields();
    else
      return *value.array()->template toVector<typename T::value_type>();
  }
};
struct AllAttributes {
  using Type = Attributes;
  void expect(Expectation &e) const { e.allAttributes = true; }
  Status check(Reader &) const { return {}; }
  Type read(Reader &r) const { return r.call.attributes; }
};
struct Device {
  using Type = int32_t;
  void expect(Expectation &) const {}
  Status check(Reader &) const { return {}; }
  Type read(Reader &r) const { return r.call.device; }
};

} // namespace detail

/// The parameters of a function, each bound to a part of a call.
template <typename... Parts> class Binding {
public:
  explicit Binding(std::tuple<Parts...> list = {}) : parts(std::move(list)) {}

  /// The next operand, of type T and, unless it is -1, of this rank: a
  /// parameter `Elements<const T>`.
  template <typename T> auto arg(int64_t rank = -1) const {
    return with(detail::Arg<T>{rank});
  }
  /// The next operand, of any type: a parameter `Buffer`.
  auto anyArg() const { return with(detail::AnyArg()); }
  /// The operands that follow: a parameter `std::vector<Buffer>`.
  auto remainingArgs() const { return with(detail::RemainingArgs()); }
  /// The next result: a parameter `Elements<T>`.
  template <typename T> auto result(int64_t rank = -1) const {
    return with(detail::Result<T>{rank});
  }
  auto anyResult() const { return with(detail::AnyResult()); }
  auto remainingResults() const { return with(detail::RemainingResults()); }
  /// The attribute of this name: a number of exactly type T, a std::string, a
  /// std::vector of numbers (not of bool), or Attributes (a dictionary). All
  /// attributes of a call must be bound.
  template <typename T> auto attribute(std::string name) const {
    static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                      std::is_same_v<T, Attributes> ||
                      detail::IsVector<T>::value,
                  "an attribute is a number, a text, a list of numbers, or a "
                  "dictionary");
    static_assert(!std::is_same_v<T, std::vector<bool>>);
    return with(detail::Attribute<T>{std::move(name)});
  }
  /// All attributes: a parameter `Attributes`.
  auto attributes() const { return with(detail::AllAttributes()); }
  /// The number of the device that calls: a parameter `int32_t`.
  auto device() const { return with(detail::Device()); }

  /// Binds the function, which returns nothing or a Status.
  template <typename F> Function to(F function) const {
    auto check = [parts = parts](const Call &call) -> Status {
      detail::Expectation expected;
      std::apply([&](const Parts &...p) { (p.expect(expected), ...); }, parts);
      if (Status status = detail::checkCounts(expected, call); !status)
        return status;
      detail::Reader reader{call};
      Status status;
      std::apply(
          [&](const Parts &...p) {
            ((void)(status && (status = p.check(reader), true)), ...);
          },
          parts);
      return status;
    };
    auto run = [parts = parts,
                function = std::move(function)](const Call &call) -> Status {
      detail::Reader reader{call};
      // Braces: read from left to right.
      std::tuple<typename Parts::Type...> values = std::apply(
          [&](const Parts &...p) {
            return std::tuple<typename Parts::Type...>{p.read(reader)...};
          },
          parts);
      if constexpr (std::is_void_v<decltype(std::apply(function, values))>) {
        std::apply(function, std::move(values));
        return {};
      } else {
        return std::apply(function, std::move(values));
      }
    };
    return {std::move(check), std::move(run)};
  }

private:
  template <typename Part> auto with(Part part) const {
    return Binding<Parts..., Part>(
        std::tuple_cat(parts, std::tuple<Part>(std::move(part))));
  }
  std::tuple<Parts...> parts;
};

/// A binding without parameters.
inline Binding<> bind() { return Binding<>(); }

} // namespace shardwright::frontend::ffi

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_FFI_FUNCTION_H
