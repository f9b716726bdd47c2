//===- frontend_names.cc - programs whose operations have names -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of frontend_names.py.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <map>

using namespace shardwright::frontend;

std::string locatedModule(const std::string &name);

namespace {

Tensor scoped(Tensor x) {
  Tensor y = lax::sin(x);
  NamedScope outer("outer");
  y = lax::cos(y);
  {
    NamedScope inner("inner");
    y = lax::mul(y, y);
  }
  return y;
}
Tensor nested(Tensor x) {
  NamedScope scope("outer");
  return *jit(
      [](Tensor v) {
        NamedScope inner("inner");
        return lax::exp(lax::tanh(v));
      },
      {.name = "g"})(lax::sin(x));
}
Tensor summed(Tensor x) { return lax::reduce_sum(scoped(x), {0, 1}); }
Tensor branches(Tensor x) {
  NamedScope scope("a b/c");
  return *cond(
      lax::gt(lax::reduce_sum(x, {0, 1}), scalarOf(0.0, DType::F32)),
      [](Tensor v) { return lax::sin(v); },
      [](Tensor v) {
        NamedScope other("other");
        return lax::cos(v);
      },
      x);
}
Tensor loop(Tensor x) {
  NamedScope scope("loop");
  return *whileLoop(
      [](Tensor v) {
        return lax::lt(lax::reduce_sum(v, {0, 1}), scalarOf(3.0, DType::F32));
      },
      [](Tensor v) { return lax::exp(v); }, x);
}
Tensor mapped(Tensor x) {
  NamedScope scope("outside");
  Mesh mesh = *Mesh::get(devices(), {4, 2}, {"x", "y"});
  return *shardMap(scoped, {.mesh = mesh, .in = P("x"), .out = P("x")})(x);
}
Tensor pulled(Tensor x) { return *grad(summed)(x); }
Tensor pushed(Tensor x) { return jvp(scoped, x, x)->second; }

template <typename F> std::string textOf(F function) {
  auto lowered = jit(function, {.name = "f"}).lower(ones({8, 4}));
  auto text = lowered ? lowered->asText("stablehlo", /*debugInfo=*/true)
                      : Expected<std::string>(lowered.error());
  return text ? *text : text.error().str();
}

} // namespace

std::string locatedModule(const std::string &name) {
  const std::map<std::string, std::function<std::string()>> programs = {
      {"scoped", [] { return textOf(scoped); }},
      {"nested", [] { return textOf(nested); }},
      {"branches", [] { return textOf(branches); }},
      {"loop", [] { return textOf(loop); }},
      {"mapped", [] { return textOf(mapped); }},
      {"pulled", [] { return textOf(pulled); }},
      {"pushed", [] { return textOf(pushed); }},
      {"vmapped",
       [] { return textOf([](Tensor x) { return vmap(scoped)(x); }); }},
      {"vmapped twice",
       [] { return textOf([](Tensor x) { return vmap(vmap(scoped))(x); }); }},
      {"vmapped gradient",
       [] {
         return textOf([](Tensor x) {
           return vmap(grad(
               [](Tensor v) { return lax::reduce_sum(scoped(v), {0}); }))(x);
         });
       }},
      {"vmapped in a scope",
       [] {
         return textOf([](Tensor x) {
           NamedScope scope("around");
           return vmap(scoped)(x);
         });
       }},
  };
  auto found = programs.find(name);
  return found == programs.end() ? "no program " + name : found->second();
}
