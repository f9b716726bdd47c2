//===- params.cc - parameters of primitives -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/trace/params.h"

#include "shardwright/frontend/array/value.h"

#include <algorithm>

namespace shardwright::frontend {

ParamObject::~ParamObject() = default;

namespace {
auto lowerBound(std::vector<Params::Entry> &entries, std::string_view name) {
  return std::lower_bound(
      entries.begin(), entries.end(), name,
      [](const Params::Entry &e, std::string_view n) { return e.first < n; });
}
} // namespace

Params::Params(std::initializer_list<Entry> list)
    : entries(std::make_shared<std::vector<Entry>>()) {
  entries->reserve(list.size());
  for (const auto &[name, value] : list)
    set(name, value);
}

const Param *Params::find(std::string_view name) const {
  for (const auto &[key, value] : *this)
    if (key == name)
      return &value;
  return nullptr;
}

Params &Params::set(std::string_view name, Param value) {
  if (!entries)
    entries = std::make_shared<std::vector<Entry>>();
  else if (entries.use_count() > 1)
    entries = std::make_shared<std::vector<Entry>>(*entries);
  auto at = lowerBound(*entries, name);
  if (at != entries->end() && at->first == name)
    at->second = std::move(value);
  else
    entries->emplace(at, name, std::move(value));
  return *this;
}

namespace {
struct Printer {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool v) const { return v ? "True" : "False"; }
  std::string operator()(int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return floatText(v); }
  std::string operator()(const std::string &v) const { return v; }
  std::string operator()(const Ints &v) const { return tupleText(v); }
  std::string operator()(const IntsList &v) const {
    std::string out = "(";
    for (size_t i = 0; i < v.size(); ++i)
      out += (i ? ", " : "") + tupleText(v[i]);
    return out + (v.size() == 1 ? ",)" : ")");
  }
  std::string operator()(const AxisNames &v) const { return namesText(v); }
  std::string operator()(DType v) const { return std::string(name(v)); }
  std::string operator()(const JaxprPtr &v) const {
    return cat("jaxpr@", reinterpret_cast<uintptr_t>(v.get()));
  }
  std::string operator()(const std::vector<JaxprPtr> &v) const {
    std::string out;
    for (const JaxprPtr &j : v)
      out += (*this)(j);
    return out;
  }
  std::string operator()(const std::shared_ptr<const ParamObject> &v) const {
    return v ? v->str() : "None";
  }
};
} // namespace

std::string paramText(const Param &param) {
  return std::visit(Printer{}, param);
}

std::string Params::key() const {
  std::string out;
  for (const auto &[name, value] : *this) {
    const auto *object =
        std::get_if<std::shared_ptr<const ParamObject>>(&value);
    out +=
        cat(name, "=", object && *object ? (*object)->key() : paramText(value),
            ";", value.index(), "|");
  }
  return out;
}

} // namespace shardwright::frontend
