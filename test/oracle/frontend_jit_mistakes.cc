//===- frontend_jit_mistakes.cc - mistakes in options of jit and stages ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <map>

using namespace shardwright::frontend;

using Mistakes = std::map<std::string, std::function<Error()>>;
Mistakes optionMistakes();
Mistakes stageMistakes();
Mistakes settingMistakes();
Mistakes meshMistakes();

namespace {

using Pair = std::vector<Tensor>;
using Dict = std::map<std::string, Tensor>;
using Options = std::map<std::string, ShardingTree>;

Sharding on(const PartitionSpec &spec, const std::string &kind = "") {
  return *Sharding::named(*Mesh::get(devices(), {4, 2}, {"x", "y"}), spec,
                          kind);
}
Tensor x() { return ones({8, 4}); }
/// The array of ones on the mesh.
Tensor placed(const PartitionSpec &spec = P("x")) {
  return devicePut(x(), on(spec));
}
Expected<Format> format(const Ints &order) {
  return Format::get(Layout(order), on(P("x")));
}
auto one(JitOptions options) {
  options.name = "f";
  options.argNames = {"x"};
  return jit([](Tensor v) { return v + 1.0; }, std::move(options));
}
/// tree(a, b) = {'p': [a[0] + b['q'], a[1]], 'r': b['q']}.
struct Result {
  static constexpr auto function = [](Pair a, Dict b) {
    return std::tuple<Pair, Tensor>{{a[0] + b["q"], a[1]}, b["q"]};
  };
};
auto tree(JitOptions options) {
  options.name = "tree";
  options.argNames = {"a", "b"};
  return jit(Result::function, std::move(options));
}
Error treeError(JitOptions options) {
  return tree(std::move(options))(Pair{x(), x()}, Dict{{"q", x()}}).error();
}
Error dictError(const ShardingTree &outs) {
  return jit([](Tensor v) { return Dict{{"p", v}, {"r", v}}; },
             {.outShardings = outs})(x())
      .error();
}
/// Sums seven arguments.
auto seven() {
  return jit([](Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f,
                Tensor g) { return a + b + c + d + e + f + g; },
             {.name = "f7", .argNames = {"a", "b", "c", "d", "e", "f", "g"}});
}
template <typename Called, typename... Args>
Error called(const Called &compiled, const Args &...args) {
  return compiled ? (*compiled)(args...)[0].error() : compiled.error();
}

} // namespace

/// Section 4.3: shardings, layouts, memory kinds, donation, static arguments.
Mistakes optionMistakes() {
  Sharding all = on(P()), long3 = on(P(None, None, "x"));
  return {
      {"memory kind of an argument",
       [] {
         return one({.inShardings = on(P("x"), "pinned_host")})(placed())
             .error();
       }},
      {"layout of an argument",
       [] { return one({.inShardings = format({1, 0})})(placed()).error(); }},
      {"automatic layout of an argument",
       [] {
         return one({.inShardings = Format::get(Layout::automatic(),
                                                on(P("x")))})(placed())
             .error();
       }},
      {"in layout rank",
       [] { return one({.inShardings = format({0})})(x()).error(); }},
      {"out layout rank",
       [] { return one({.outShardings = format({0})})(x()).error(); }},
      {"layout without a format",
       [] { return one({.inShardings = Layout({0, 1})})(x()).error(); }},
      {"out layout without a format",
       [] { return one({.outShardings = Layout({0, 1})})(x()).error(); }},
      {"format without a sharding",
       [] { return Format::get(Layout({0, 1})).error(); }},
      {"put layout rank", [] { return devicePut(x(), *format({0})).error(); }},
      {"put automatic layout",
       [] {
         return devicePut(x(), *Format::get(Layout::automatic(), on(P("x"))))
             .error();
       }},
      {"put donated and aliased",
       [] {
         return devicePut(x(), on(P("x")), {.donate = true, .mayAlias = true})
             .error();
       }},
      {"put rank inside",
       [=] {
         return jit([=](Tensor v) { return devicePut(v, long3); })(x()).error();
       }},
      {"put spec inside",
       [] {
         return jit([](Tensor v) { return devicePut(v, P("x")); })(x()).error();
       }},
      {"in list length",
       [=] {
         return treeError(
             {.inShardings = {std::vector<Sharding>{all, all, all}, all}});
       }},
      {"in dict key",
       [=] { return treeError({.inShardings = {all, Options{{"z", all}}}}); }},
      {"in dict key far",
       [=] {
         return treeError({.inShardings = {all, Options{{"hello", all}}}});
       }},
      {"in dict keys",
       [=] {
         return jit([](Dict d) { return d; },
                    {.inShardings = std::tuple{ShardingTree(
                         Options{{"alpha", all}, {"beta", all}})}})(
                    Dict{{"alphb", x()}, {"beta", x()}})
             .error();
       }},
      {"in type",
       [=] {
         return treeError({.inShardings = {all, std::vector<Sharding>{all}}});
       }},
      {"in tuple for a list",
       [=] { return treeError({.inShardings = {std::tuple{all, all}, all}}); }},
      {"in list for a leaf",
       [=] {
         return jit([](Tensor v, Tensor) { return v; },
                    {.inShardings = {std::vector<Sharding>{all}, all}})(x(),
                                                                        x())
             .error();
       }},
      {"in two mistakes",
       [=] {
         return treeError({.inShardings = {std::vector<Sharding>{all, all, all},
                                           Options{{"z", all}}}});
       }},
      {"in dict for arguments",
       [=] { return treeError({.inShardings = Options{{"a", all}}}); }},
      {"in rank of a dict",
       [=] { return treeError({.inShardings = {all, long3}}); }},
      {"in rank of a list",
       [=] { return treeError({.inShardings = {long3, all}}); }},
      {"out rank of a list",
       [=] { return treeError({.outShardings = {long3, all}}); }},
      {"out list length",
       [=] {
         return treeError(
             {.outShardings = {std::vector<Sharding>{all, all, all}, all}});
       }},
      {"out dict key",
       [=] { return dictError(Options{{"p", all}, {"s", all}}); }},
      {"out dict missing", [=] { return dictError(Options{{"p", all}}); }},
      {"out type", [=] { return dictError(std::vector<Sharding>{all, all}); }},
      {"out list for a leaf",
       [=] {
         return one({.outShardings = std::vector<Sharding>{all}})(x()).error();
       }},
      {"out tuple for a list",
       [=] {
         return jit([](Tensor v) { return Pair{v, v}; },
                    {.outShardings = std::tuple{all, all}})(x())
             .error();
       }},
      {"static and donated",
       [] {
         return jit([](Tensor v, Static<int>) { return v; },
                    {.donate = {1}, .argNames = {"x", "n"}})(x(), Static(1))
             .error();
       }},
      {"donated name", [] { return one({.donateNames = {"z"}})(x()).error(); }},
      {"donated number below",
       [] { return one({.donate = {-3}})(x()).error(); }},
      {"donated twice",
       [] {
         Tensor a = devicePut(x(), Device{0});
         return jit([](Tensor p, Tensor q) { return std::pair{p + q, p * q}; },
                    {.donate = {0, 1}})(a, a)
             .error();
       }},
      {"donated and used",
       [] {
         Tensor a = devicePut(x(), Device{0});
         return jit([](Tensor p, Tensor q) { return std::pair{p + q, p * q}; },
                    {.donate = {0}})(a, a)
             .error();
       }},
      {"nested rank",
       [=] {
         return jit([=](Tensor v) { return one({.inShardings = long3})(v); })(
                    x())
             .error();
       }},
      {"batched layout",
       [] {
         return vmap([](Tensor v) {
                  return one({.inShardings = format({0})})(v);
                })(x())
             .error();
       }},
      {"memories of operands",
       [] {
         return (devicePut(x(), on(P("x"), "pinned_host")) + placed()).error();
       }},
      {"memories of operands inside",
       [] {
         return jit([](Tensor a, Tensor b) { return a * b; })(
                    devicePut(x(), on(P("x"), "pinned_host")), placed())
             .error();
       }},
  };
}

/// Section 4.10: calls of compiled programs.
Mistakes stageMistakes() {
  auto compiledTree = [] {
    return tree({}).lower(Pair{x(), x()}, Dict{{"q", x()}})->compile();
  };
  auto compiledOne = [] { return one({}).lower(x())->compile(); };
  return {
      {"compiled with two arguments",
       [=] { return called(compiledOne(), x(), x()); }},
      {"compiled without arguments", [=] { return called(compiledOne()); }},
      {"compiled list length",
       [=] { return called(compiledTree(), Pair{x()}, Dict{{"q", x()}}); }},
      {"compiled dict key",
       [=] {
         return called(compiledTree(), Pair{x(), x()}, Dict{{"z", x()}});
       }},
      {"compiled dict keys",
       [=] {
         return called(compiledTree(), Pair{x(), x()},
                       Dict{{"q", x()}, {"z", x()}});
       }},
      {"compiled list for a dict",
       [=] { return called(compiledTree(), Pair{x(), x()}, Pair{x()}); }},
      {"compiled list for a leaf",
       [=] { return called(compiledOne(), Pair{x()}); }},
      {"compiled leaf for a list",
       [=] { return called(compiledTree(), x(), Dict{{"q", x()}}); }},
      {"compiled two mistakes",
       [=] { return called(compiledTree(), Pair{x()}, Dict{{"z", x()}}); }},
      {"compiled tuple for a list",
       [=] {
         return called(compiledTree(), std::tuple{x(), x()}, Dict{{"q", x()}});
       }},
      {"compiled types",
       [=] {
         return called(compiledTree(), Pair{ones({4, 4}), x()},
                       Dict{{"q", ones({3})}});
       }},
      {"compiled seven types",
       [] {
         Tensor v = x(), n = ones({4, 4});
         return called(seven().lower(v, v, v, v, v, v, v)->compile(), n, n, n,
                       n, n, n, n);
       }},
      {"compiled seven shardings",
       [] {
         Tensor v = placed(), n = placed(P("y"));
         return called(seven().lower(v, v, v, v, v, v, v)->compile(), n, n, n,
                       n, n, n, n);
       }},
      {"compiled four shardings",
       [] {
         Tensor v = placed(), n = placed(P("y"));
         return called(seven().lower(v, v, v, v, v, v, v)->compile(), n, n, n,
                       n, v, v, v);
       }},
      {"compiled layout",
       [] {
         return called(
             one({.inShardings = format({1, 0})}).lower(x())->compile(),
             placed());
       }},
      {"compiled layout and sharding",
       [] {
         return called(
             one({.inShardings = format({1, 0})}).lower(x())->compile(),
             placed(P("y")));
       }},
      {"explicit type and one device",
       [] {
         Sharding target = NamedSharding(
             makeMesh({4, 2}, {"x", "y"})->abstractMesh(), P("x"));
         return jit([=](Tensor v) { return reshard(v, target); })(
                    devicePut(x(), Device{0}))
             .error();
       }},
  };
}

/// Section 10: settings that are read when a program runs.
Mistakes settingMistakes() {
  auto checked = [](auto function) {
    ScopedConfig nans(config::debugNans, true);
    return jit(function)(x()).error();
  };
  return {
      {"no execution",
       [] {
         Tensor v = x();
         ScopedConfig none(config::noExecution, true);
         return one({})(v).error();
       }},
      {"nan of a logarithm",
       [=] { return checked([](Tensor v) { return log(v - 2.0); }); }},
      {"nan outside of jit",
       [] {
         ScopedConfig nans(config::debugNans, true);
         return log(x() - 2.0).error();
       }},
      {"nan of a nested function",
       [=] {
         return checked([](Tensor v) {
           return Tensor(jit([](Tensor a) { return log(a); })(v - 2.0)) + 1.0;
         });
       }},
      {"nan of a quotient",
       [=] { return checked([](Tensor v) { return (v - 1.0) / (v - 1.0); }); }},
      {"nan of a loop",
       [=] {
         return checked([](Tensor v) {
           auto out =
               scan([](Tensor c, Tensor) { return std::pair{log(c - 2.0), c}; },
                    v, zeros({2}));
           return out ? out->first : Tensor(out.error());
         });
       }},
      {"infinity of a logarithm",
       [] {
         ScopedConfig infinities(config::debugInfs, true);
         return jit([](Tensor v) { return log(v - 1.0); })(x()).error();
       }},
  };
}

/// Sections 1 and 2: meshes, specs and shardings.
Mistakes meshMistakes() {
  static const auto chips = [](int64_t a, int64_t b, int64_t c) {
    Topology torus{Topology::Wiring::Torus, {}};
    int32_t id = 0;
    for (int64_t z = 0; z < c; ++z)
      for (int64_t y = 0; y < b; ++y)
        for (int64_t v = 0; v < a; ++v)
          torus.devices.push_back({Device{id++}, {v, y, z}});
    return torus;
  };
  static const auto slices = [](int64_t count) {
    Topology out{Topology::Wiring::Given, {}};
    for (int32_t i = 0; i < 8; ++i)
      out.devices.push_back({Device{i}, {}, 0, i * count / 8});
    return out;
  };
  AbstractMesh abstract = *AbstractMesh::get({4, 2}, {"x", "y"});
  Mesh mesh = *Mesh::get(devices(), {4, 2}, {"x", "y"});
  Mesh typed = *makeMesh({4, 2}, {"x", "y"});
  return {
      {"unknown memory kind",
       [=] { return Sharding::named(mesh, P("x"), "foo").error(); }},
      {"unknown memory kind of an abstract mesh",
       [=] { return Sharding::named(abstract, P("x"), "foo").error(); }},
      {"unknown memory kind of a device",
       [] { return Sharding::single(Device{0}, "foo").error(); }},
      {"unreduced axis not there",
       [=] { return NamedSharding(mesh, *P::get({}, {"z"})).error(); }},
      {"reduced axis not there",
       [=] { return NamedSharding(mesh, *P::get({}, {}, {"z"})).error(); }},
      {"reduced of Auto",
       [=] { return NamedSharding(mesh, *P::get({}, {}, {"x"})).error(); }},
      {"devices of an abstract mesh",
       [=] { return NamedSharding(abstract, P("x"))->deviceSet().error(); }},
      {"addressable devices of an abstract mesh",
       [=] {
         return NamedSharding(abstract, P("x"))->addressableDevices().error();
       }},
      {"indices of an abstract mesh",
       [=] {
         return NamedSharding(abstract, P("x"))->devicesIndicesMap({8}).error();
       }},
      {"size of the abstract mesh in context",
       [] {
         ScopedAbstractMesh outer(*AbstractMesh::get({4}, {"x"}));
         return ScopedAbstractMesh(*AbstractMesh::get({8}, {"x"}))
             .status()
             .error();
       }},
      {"update of names",
       [=] { return mesh.update({.names = AxisNames{"a"}}).error(); }},
      {"update of types",
       [=] {
         return mesh.update({.types = std::vector{AxisType::Auto}}).error();
       }},
      {"types of make_mesh",
       [] {
         return makeMesh({2}, {"x"}, {AxisType::Auto, AxisType::Auto}).error();
       }},
      {"rank of make_mesh", [] { return makeMesh({2, 2}, {"x"}).error(); }},
      {"constraint on an Explicit axis",
       [=] {
         return jit([=](Tensor v) {
                  return withShardingConstraint(
                      v, NamedSharding(
                             typed.abstractMesh().update(
                                 {.types = std::vector{AxisType::Explicit,
                                                       AxisType::Auto}}),
                             P("x")));
                })(x())
             .error();
       }},
      {"size of create_device_mesh",
       [] {
         return createDeviceMesh({2, 2}, Topology::of(devices())).error();
       }},
      {"axes of a torus",
       [] { return createDeviceMesh({2, 2, 2}, chips(4, 2, 1)).error(); }},
      {"axes of a large torus",
       [] { return createDeviceMesh({8, 8}, chips(4, 4, 4)).error(); }},
      {"make_mesh of several slices",
       [] { return makeMesh({8}, {"x"}, {}, slices(2)).error(); }},
      {"number of slices",
       [] {
         return createHybridDeviceMesh({2, 2}, {4, 1}, slices(2)).error();
       }},
      {"size of a slice",
       [] {
         return createHybridDeviceMesh({2, 1}, {2, 1}, slices(2)).error();
       }},
  };
}
