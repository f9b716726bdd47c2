//===- content_key.cc - keys of programs by content -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/content_key.h"

#include "shardwright/frontend/trace/jaxpr.h"

#include <algorithm>
#include <bit>

namespace shardwright::frontend {
namespace {

/// Adds a parameter to a hash. Of a program, some of its content is enough.
struct ParamHasher {
  Hash &hash;
  void operator()(std::monostate) const {}
  void operator()(bool v) const { hash.add(uint64_t(v)); }
  void operator()(int64_t v) const { hash.add(uint64_t(v)); }
  void operator()(double v) const { hash.add(std::bit_cast<uint64_t>(v)); }
  void operator()(const std::string &v) const { hash.add(v); }
  void operator()(DType v) const { hash.add(uint64_t(v)); }
  void operator()(const JaxprPtr &v) const {
    if (!v)
      return;
    hash.add(v->name);
    for (const Eqn &eqn : v->eqns)
      hash.add(eqn.primitive);
    for (const Aval &type : v->types)
      hash.add(type);
  }
  void operator()(const std::shared_ptr<const ParamObject> &v) const {
    if (v)
      hash.add(v->key());
  }
  template <typename T> void operator()(const std::vector<T> &list) const {
    hash.add(list.size());
    for (const T &v : list)
      (*this)(v);
  }
};

bool sameJaxpr(const JaxprPtr &a, const JaxprPtr &b);

/// Compares parameters of one type.
struct ParamEqual {
  const Param &other;
  bool operator()(double v) const {
    return std::bit_cast<uint64_t>(v) ==
           std::bit_cast<uint64_t>(std::get<double>(other));
  }
  bool operator()(const JaxprPtr &v) const {
    return sameJaxpr(v, std::get<JaxprPtr>(other));
  }
  bool operator()(const std::vector<JaxprPtr> &v) const {
    const auto &w = std::get<std::vector<JaxprPtr>>(other);
    return std::equal(v.begin(), v.end(), w.begin(), w.end(), sameJaxpr);
  }
  bool operator()(const std::shared_ptr<const ParamObject> &v) const {
    const auto &w = std::get<std::shared_ptr<const ParamObject>>(other);
    return v == w || (v && w && v->key() == w->key());
  }
  template <typename T> bool operator()(const T &v) const {
    return v == std::get<T>(other);
  }
};

bool sameLiteral(const Tensor &a, const Tensor &b) {
  if (a.handle() == b.handle())
    return true;
  if (!sameContent(a.aval(), b.aval()))
    return false;
  Expected<std::vector<std::byte>> x = a.toBytes(), y = b.toBytes();
  return x.ok() && y.ok() && *x == *y;
}

bool sameAtom(const Atom &a, const Atom &b) {
  return a.var == b.var && (a.isVar() || sameLiteral(a.literal, b.literal));
}

bool sameAtoms(const std::vector<Atom> &a, const std::vector<Atom> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), sameAtom);
}

bool sameEqn(const Eqn &a, const Eqn &b) {
  return a.primitive == b.primitive && a.outs == b.outs &&
         sameAtoms(a.ins, b.ins) && sameContent(a.params, b.params);
}

bool sameJaxpr(const JaxprPtr &a, const JaxprPtr &b) {
  if (a == b || !a || !b)
    return a == b;
  auto sameTypes = [](const Aval &x, const Aval &y) {
    return sameContent(x, y);
  };
  auto sameObject = [](const Tensor &x, const Tensor &y) {
    return x.handle() == y.handle();
  };
  return a->name == b->name && a->ins == b->ins &&
         a->constVars == b->constVars &&
         std::equal(a->types.begin(), a->types.end(), b->types.begin(),
                    b->types.end(), sameTypes) &&
         std::equal(a->consts.begin(), a->consts.end(), b->consts.begin(),
                    b->consts.end(), sameObject) &&
         std::equal(a->eqns.begin(), a->eqns.end(), b->eqns.begin(),
                    b->eqns.end(), sameEqn) &&
         sameAtoms(a->outs, b->outs);
}

} // namespace

void Hash::add(const Params &params) {
  for (const auto &[name, value] : params) {
    add(name);
    std::visit(ParamHasher{*this}, value);
  }
}

void Hash::add(const Aval &aval) {
  add(uint64_t(aval.dtype) << 2 | uint64_t(aval.onHost) << 1 |
      uint64_t(aval.weak));
  add(uint64_t(aval.rank()));
  for (int64_t size : aval.shape)
    add(uint64_t(size));
}

void Hash::add(const Sharding &sharding) {
  add(uint64_t(sharding.kind()));
  add(sharding.mesh().identity());
  if (sharding.isConcrete())
    add(uint64_t(sharding.devices().front().id));
}

bool sameContent(const Params &a, const Params &b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const auto &x, const auto &y) {
        return x.first == y.first && x.second.index() == y.second.index() &&
               std::visit(ParamEqual{y.second}, x.second);
      });
}

bool sameContent(const Aval &a, const Aval &b) {
  if (a.dtype != b.dtype || a.weak != b.weak || a.onHost != b.onHost ||
      a.shape != b.shape || a.varying != b.varying ||
      a.unreduced != b.unreduced || a.reduced != b.reduced ||
      a.isRef() != b.isRef() || (a.ref && !(*a.ref == *b.ref)))
    return false;
  return a.sharding == b.sharding ||
         (a.sharding && b.sharding && *a.sharding == *b.sharding);
}

} // namespace shardwright::frontend
