//===- frontend_mistakes.cc - calls with a mistake each -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

using namespace shardwright::frontend;

std::string mistake(const std::string &name);

/// The text of one mistake that frontend_errors.py names.
std::string mistake(const std::string &name) {
  Mesh mesh = *Mesh::get(devices(), {4, 2}, {"x", "y"});
  Mesh typed = *makeMesh({4, 2}, {"x", "y"});
  Tensor x = ones({8, 4});
  std::map<std::string, std::function<Error()>> all{
      {"mesh rank",
       [&] { return Mesh::get(devices(), {8}, {"x", "y"}).error(); }},
      {"mesh types",
       [&] {
         return Mesh::get(devices(), {8}, {"x"},
                          {AxisType::Auto, AxisType::Auto})
             .error();
       }},
      {"too few devices", [&] { return makeMesh({16}, {"x"}).error(); }},
      {"unknown axis", [&] { return NamedSharding(mesh, P("z")).error(); }},
      {"axis twice", [&] { return NamedSharding(mesh, P("x", "x")).error(); }},
      {"unconstrained",
       [&] { return NamedSharding(typed, P(Unconstrained)).error(); }},
      {"unreduced of Auto",
       [&] { return NamedSharding(mesh, *P::get({{}}, {"x"})).error(); }},
      {"unreduced overlaps", [&] { return P::get({"x"}, {"x"}).error(); }},
      {"reduced overlaps", [&] { return P::get({"x"}, {}, {"x"}).error(); }},
      {"both sets overlap", [&] { return P::get({}, {"x"}, {"x"}).error(); }},
      {"shard shape",
       [&] { return NamedSharding(mesh, P("x"))->shardShape({6}).error(); }},
      {"constraint without mesh",
       [&] {
         return jit([](Tensor a) { return withShardingConstraint(a, P("x")); })(
                    x)
             .error();
       }},
      {"reshard without mesh",
       [&] {
         return jit([](Tensor a) { return reshard(a, P("x")); })(x).error();
       }},
      {"gradient of an array",
       [&] { return grad([](Tensor a) { return a; })(x).error(); }},
      {"gradient of integers",
       [&] { return grad([](Tensor a) { return a; })(Tensor(1)).error(); }},
      {"shapes", [&] { return lax::add(x, ones({3, 4})).error(); }},
  };
  return all.count(name) ? all[name]().str() : "the server has no " + name;
}
