//===- params.h - parameters of primitives ----------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRACE_PARAMS_H
#define SHARDWRIGHT_FRONTEND_TRACE_PARAMS_H

#include "shardwright/frontend/array/tensor.h"

#include <initializer_list>
#include <string_view>
#include <variant>

namespace shardwright::frontend {

struct Jaxpr;
using JaxprPtr = std::shared_ptr<const Jaxpr>;

/// A parameter of another type than those below.
struct ParamObject {
  virtual ~ParamObject();
  /// As a jaxpr prints it.
  virtual std::string str() const = 0;
  /// Part of cache keys; by default the text.
  virtual std::string key() const { return str(); }
};

/// A value that prints as this text.
struct TextParam : ParamObject {
  explicit TextParam(std::string t) : text(std::move(t)) {}
  std::string str() const override { return text; }
  std::string text;
};

using IntsList = std::vector<Ints>;
using Param =
    std::variant<std::monostate, bool, int64_t, double, std::string, Ints,
                 IntsList, AxisNames, DType, JaxprPtr, std::vector<JaxprPtr>,
                 std::shared_ptr<const ParamObject>>;

/// An object as a parameter.
template <typename T> Param objectParam(T object) {
  return std::shared_ptr<const ParamObject>(
      std::make_shared<const T>(std::move(object)));
}

/// Parameters of an equation, sorted by name. Copies share them until one is
/// changed: equations are copied by every transformation, mostly unchanged.
class Params {
public:
  using Entry = std::pair<std::string, Param>;

  Params() = default;
  Params(std::initializer_list<Entry> list);

  bool has(std::string_view name) const { return find(name); }
  const Param *find(std::string_view name) const;
  Params &set(std::string_view name, Param value);
  // The value, or a default one if the parameter is missing or of another type.
  template <typename T> const T &get(std::string_view name) const {
    static const auto &none = *new T{};
    const Param *param = find(name);
    const T *value = param ? std::get_if<T>(param) : nullptr;
    return value ? *value : none;
  }
  int64_t integer(std::string_view n) const { return get<int64_t>(n); }
  bool flag(std::string_view n) const { return get<bool>(n); }
  const Ints &ints(std::string_view n) const { return get<Ints>(n); }
  const IntsList &lists(std::string_view n) const { return get<IntsList>(n); }
  const AxisNames &names(std::string_view n) const { return get<AxisNames>(n); }
  const std::string &text(std::string_view n) const {
    return get<std::string>(n);
  }
  DType dtype(std::string_view n) const { return get<DType>(n); }
  const JaxprPtr &jaxpr(std::string_view n) const { return get<JaxprPtr>(n); }
  bool isNone(std::string_view n) const {
    const Param *p = find(n);
    return !p || std::holds_alternative<std::monostate>(*p);
  }
  template <typename T> const T *object(std::string_view n) const {
    return dynamic_cast<const T *>(
        get<std::shared_ptr<const ParamObject>>(n).get());
  }
  const Entry *begin() const { return entries ? entries->data() : nullptr; }
  const Entry *end() const {
    return entries ? entries->data() + entries->size() : nullptr;
  }
  /// Equal texts: equal parameters. Jaxprs are compared by identity.
  std::string key() const;

private:
  std::shared_ptr<std::vector<Entry>> entries;
};

/// As a jaxpr prints it; jaxprs are printed elsewhere.
std::string paramText(const Param &param);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRACE_PARAMS_H
