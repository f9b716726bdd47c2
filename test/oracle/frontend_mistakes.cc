//===- frontend_mistakes.cc - calls with a mistake each -------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <map>

using namespace shardwright::frontend;

std::string mistake(const std::string &name);

using Mistakes = std::map<std::string, std::function<Error()>>;
/// Options of jit, stages and settings (frontend_jit_mistakes.cc).
Mistakes optionMistakes();
Mistakes stageMistakes();
Mistakes settingMistakes();
Mistakes meshMistakes();
/// Types, specs and callbacks (frontend_type_mistakes.cc).
Mistakes explicitMistakes();
Mistakes specMistakes();
Mistakes callMistakes();
/// Devices, donation, traced calls, bodies (frontend_run_mistakes.cc).
Mistakes nestedDeviceMistakes();
Mistakes donationWarnings();
Mistakes tracedCallMistakes();
Mistakes bodyMistakes();
/// Operations on Explicit axes (frontend_explicit_mistakes.cc).
Mistakes familyMistakes();
Mistakes sumMistakes();
Mistakes reshardMistakes();
/// Calls of pmap (frontend_pmap_mistakes.cc).
Mistakes pmapMistakes();

namespace {

Mesh pairMesh(int32_t first) {
  return *Mesh::get({{first}, {first + 1}}, {2}, {"x"});
}
Sharding onPair(const PartitionSpec &spec, int32_t first = 0) {
  return NamedSharding(pairMesh(first), spec);
}
/// The (8, 4) array of ones on devices 0, 1 or on devices 2, 3.
Tensor onFirst() { return devicePut(ones({8, 4}), onPair(P())); }
Tensor onSecond() { return devicePut(ones({8, 4}), onPair(P(), 2)); }
Tensor deleted() {
  Tensor x = lax::copy(ones({4}));
  (void)x.remove();
  return x;
}
Sharding onEight(const PartitionSpec &spec) {
  return NamedSharding(*Mesh::get(devices(), {4, 2}, {"x", "y"}), spec);
}
Sharding abstract(int64_t size, const PartitionSpec &spec) {
  return NamedSharding(*AbstractMesh::get({size}, {"x"}), spec);
}
Tensor part(int32_t device, DType type = DType::F32) {
  return devicePut(lax::full({4}, 1, type), Device{device});
}
Error joined(const Tensors &parts, const Shape &shape = {8}) {
  return makeArrayFromSingleDeviceArrays(shape, onPair(P("x")), parts).error();
}
Tensor plusOne(Tensor x) { return x + 1.0; }
std::pair<Tensor, Tensor> both(Tensor a, Tensor b) { return {a + b, a * b}; }
/// jit of f(x) = x + 1, or of g(a, b) = (a + b, a b).
auto one(JitOptions options = {}) {
  options.name = "f";
  options.argNames = {"x"};
  return jit(plusOne, std::move(options));
}
auto two(JitOptions options = {}) {
  options.name = "g";
  options.argNames = {"a", "b"};
  return jit(both, std::move(options));
}

/// Section 3 of the semantics: arrays.
Mistakes arrayMistakes() {
  auto callback = [](const Shape &shape) {
    return makeArrayFromCallback(
               shape, onPair(P("x")),
               [](const IndexBox &) { return lax::full({8}, 1, DType::I32); })
        .error();
  };
  return {
      {"put rank",
       [] { return devicePut(ones({8}), onEight(P("x", "y"))).error(); }},
      {"put rank of a scalar",
       [] { return devicePut(ones({}), onEight(P("x"))).error(); }},
      {"put indivisible",
       [] { return devicePut(ones({6, 6}), onEight(P("x", "y"))).error(); }},
      {"put spec", [] { return devicePut(ones({8, 4}), P("x")).error(); }},
      {"put deleted", [] { return devicePut(deleted(), Device{1}).error(); }},
      {"value of a deleted array",
       [] { return deleted().toVector<float>().error(); }},
      {"operation on a deleted array",
       [] { return (deleted() + 1.0).error(); }},
      {"jit of a deleted array", [] { return one()(deleted()).error(); }},
      {"item of a deleted array", [] { return deleted()[0].error(); }},
      {"scalar of an array", [] { return ones({4}).item().error(); }},
      {"callback shape", [=] { return callback({8}); }},
      {"callback indivisible", [=] { return callback({7}); }},
      {"number of parts", [] { return joined({part(0)}); }},
      {"devices of parts", [] { return joined({part(0), part(3)}); }},
      {"parts on one device", [] { return joined({part(0), part(0)}); }},
      {"types of parts", [] { return joined({part(0), part(1, DType::I32)}); }},
      {"shapes of parts", [] { return joined({part(0), part(1)}, {6}); }},
      {"part with several shards",
       [] { return joined({part(0), devicePut(ones({8}), onPair(P("x")))}); }},
      {"local data",
       [] {
         return makeArrayFromProcessLocalData(onPair(P("x")), ones({8}),
                                              Shape{16})
             .error();
       }},
  };
}

/// Section 4: shardings of jit, and calls of compiled programs.
Mistakes jitMistakes() {
  Tensor x = ones({8, 4}), narrow = ones({6, 4});
  Sharding pair = onPair(P()), long3 = onEight(P("x", None, "y"));
  return {
      {"in_shardings length",
       [=] { return two({.inShardings = {pair, pair, pair}})(x, x).error(); }},
      {"out_shardings length",
       [=] { return two({.outShardings = {pair, pair, pair}})(x, x).error(); }},
      {"in_shardings without mesh",
       [=] { return one({.inShardings = {P("x")}})(x).error(); }},
      {"out_shardings without mesh",
       [=] { return one({.outShardings = {P("x")}})(x).error(); }},
      {"in_shardings unconstrained",
       [=] {
         return one({.inShardings = {onEight(P(Unconstrained))}})(x).error();
       }},
      {"in_shardings rank",
       [=] { return one({.inShardings = {long3}})(x).error(); }},
      {"out_shardings rank",
       [=] {
         return jit(
                    [](Tensor v) {
                      return std::map<std::string, Tensor>{{"p", v}};
                    },
                    {.outShardings = {long3}})(x)
             .error();
       }},
      {"in_shardings indivisible",
       [=] { return one({.inShardings = {onEight(P("x"))}})(narrow).error(); }},
      {"out_shardings indivisible",
       [=] {
         return one({.outShardings = {onEight(P("x"))}})(narrow).error();
       }},
      {"sharding of an argument",
       [] {
         return one({.inShardings = {onPair(P("x"))}})(onFirst()).error();
       }},
      {"donation out of range",
       [=] { return one({.donate = {3}})(x).error(); }},
      {"call with a description",
       [] { return one()(shapeDtypeStruct({8}, DType::F32)).error(); }},
      {"types of a compiled call",
       [=] { return one().lower(x)->compile()->call({ones({3})})[0].error(); }},
      {"shardings of a compiled call",
       [] {
         Tensor other = devicePut(ones({8, 4}), onPair(P("x")));
         return one().lower(onFirst())->compile()->call({other})[0].error();
       }},
      {"devices of a compiled call",
       [] {
         return one()
             .lower(onFirst())
             ->compile()
             ->call({onSecond()})[0]
             .error();
       }},
      {"dialect", [=] { return one().lower(x)->asText("foo").error(); }},
      {"set_mesh inside",
       [=] {
         return jit([](Tensor v) -> Expected<Tensor> {
                  if (Status set = setMesh(pairMesh(0)); !set)
                    return set.error();
                  return v;
                })(x)
             .error();
       }},
      {"set_mesh of a manual mesh",
       [] {
         return setMesh(*Mesh::get({{0}, {1}}, {2}, {"x"}, {AxisType::Manual}))
             .error();
       }},
  };
}

/// Section 4.4: devices of a program, abstract meshes.
Mistakes deviceMistakes() {
  Tensor x = ones({8, 4});
  auto described = [](int64_t size, const PartitionSpec &spec) {
    return shapeDtypeStruct({8, 4}, DType::F32, abstract(size, spec));
  };
  return {
      {"devices of arguments",
       [] { return two()(onFirst(), onSecond()).error(); }},
      {"devices of results",
       [] {
         return one({.outShardings = {onPair(P(), 2)}})(onFirst()).error();
       }},
      {"devices of a host argument",
       [=] {
         return two({.inShardings = {None, onPair(P("x"), 2)}})(onFirst(), x)
             .error();
       }},
      {"devices of a constraint",
       [] {
         return jit(
                    [](Tensor v) {
                      return withShardingConstraint(v, onPair(P("x"), 2));
                    },
                    {.name = "f", .argNames = {"x"}})(onFirst())
             .error();
       }},
      {"devices of a shard_map",
       [] {
         auto inner =
             shardMap([](Tensor v) { return v; },
                      {.mesh = pairMesh(2), .in = P("x"), .out = P("x")});
         return jit([=](Tensor v) { return inner(v); },
                    {.name = "f", .argNames = {"x"}})(onFirst())
             .error();
       }},
      {"devices of the context",
       [] {
         ScopedMesh in(pairMesh(2));
         return one()(onFirst()).error();
       }},
      {"devices of operands", [] { return (onFirst() + onSecond()).error(); }},
      {"abstract meshes of two sizes",
       [=] {
         return two().lower(described(2, P()), described(4, P())).error();
       }},
      {"abstract mesh and devices",
       [=] { return two().lower(onFirst(), described(4, P())).error(); }},
      {"abstract mesh without devices",
       [=] { return one().lower(described(2, P("x")))->compile().error(); }},
      {"abstract mesh and too many devices",
       [=] {
         return one()
             .lower(described(2, P("x")))
             ->compile({{0}, {1}, {2}, {3}})
             .error();
       }},
      {"compile for other devices",
       [] { return one().lower(onFirst())->compile({{2}, {3}}).error(); }},
      {"abstract constraint on one device",
       [] {
         return withShardingConstraint(devicePut(ones({4}), Device{0}),
                                       abstract(4, P("x")))
             .error();
       }},
      {"abstract constraint of another size",
       [] {
         return withShardingConstraint(onFirst(), abstract(4, P("x"))).error();
       }},
  };
}

} // namespace

/// The text of one mistake that frontend_errors.py names.
std::string mistake(const std::string &name) {
  Mesh mesh = *Mesh::get(devices(), {4, 2}, {"x", "y"});
  Mesh typed = *makeMesh({4, 2}, {"x", "y"});
  Tensor x = ones({8, 4});
  Mistakes all{
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
  for (auto more :
       {arrayMistakes(), jitMistakes(), deviceMistakes(), optionMistakes(),
        stageMistakes(), settingMistakes(), meshMistakes(), explicitMistakes(),
        specMistakes(), callMistakes(), nestedDeviceMistakes(),
        donationWarnings(), tracedCallMistakes(), bodyMistakes(),
        familyMistakes(), sumMistakes(), reshardMistakes(), pmapMistakes()})
    all.merge(more);
  return all.count(name) ? all[name]().str() : "the server has no " + name;
}
