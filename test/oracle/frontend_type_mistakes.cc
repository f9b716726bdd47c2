//===- frontend_type_mistakes.cc - mistakes that types of values show -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of frontend_type_errors.py.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <map>

using namespace shardwright::frontend;

using Mistakes = std::map<std::string, std::function<Error()>>;
Mistakes explicitMistakes();
Mistakes specMistakes();
Mistakes callMistakes();

namespace {

using Pair = std::pair<Tensor, Tensor>;
using Dict = std::map<std::string, Tensor>;
using Specs = std::map<std::string, ShardingTree>;

const Mesh &autoMesh() {
  static const Mesh mesh = *Mesh::get(devices(), {4, 2}, {"x", "y"});
  return mesh;
}
const Mesh &typedMesh() {
  static const Mesh mesh = *makeMesh({4, 2}, {"x", "y"});
  return mesh;
}
const Mesh &otherMesh() {
  static const Mesh mesh = *makeMesh({2, 4}, {"x", "y"});
  return mesh;
}
Tensor x() { return ones({8, 4}); }
Tensor square() { return ones({8, 8}); }
Tensor typed(const PartitionSpec &spec, const Tensor &value = x(),
             const Mesh &mesh = typedMesh()) {
  return devicePut(value, NamedSharding(mesh, spec));
}
PartitionSpec sums(const PartitionSpec &spec = P(),
                   const std::string &axis = "y") {
  return *P::get(spec.entries(), {axis});
}
PartitionSpec copies(const PartitionSpec &spec = P()) {
  return *P::get(spec.entries(), {}, {"y"});
}
Tensor unreduced(const Tensor &value) { return reshard(value, sums(P("x"))); }
Tensor reduced(const PartitionSpec &spec = P("x")) {
  ScopedMesh context(typedMesh());
  return reshard(typed(spec), copies(spec));
}

/// Traces under a mesh with Explicit axes.
template <typename F, typename... Args>
Error under(F function, const Args &...args) {
  ScopedMesh context(typedMesh());
  return jaxprText(function, args...).error();
}
template <typename F> Error onSum(F function) {
  return under([=](Tensor v) { return function(unreduced(v)); }, typed(P("x")));
}
Error dotOut(const PartitionSpec &lhs, const PartitionSpec &rhs,
             const PartitionSpec &out) {
  return under(
      [=](Tensor a, Tensor b) {
        return lax::dot_general(a, b, {{1}, {1}, {}, {}}, {}, out);
      },
      typed(lhs, square()), typed(rhs, square()));
}

ShardMapOptions mapOptions(const ShardingTree &in, const ShardingTree &out) {
  return {.in = in, .out = out, .name = "f", .argNames = {"a"}};
}
/// The function as the body of a shardMap over Explicit axes.
template <typename F>
Error typedMap(F body, const ShardingTree &in, const ShardingTree &out,
               const Tensor &value, const AxisNames &axes = {}) {
  ShardMapOptions options = mapOptions(in, out);
  options.axisNames = axes;
  return under(shardMap(body, options), value);
}
template <typename F>
Error inMap(F body, const PartitionSpec &in = P("x"),
            const PartitionSpec &out = P("x")) {
  return typedMap(body, in, out, typed(P("x")));
}
template <typename F, typename... Args>
Error autoMap(F body, const ShardingTree &in, const ShardingTree &out,
              const Args &...args) {
  ShardMapOptions options = mapOptions(in, out);
  options.mesh = autoMesh();
  return jit(shardMap(body, options))(args...).error();
}
/// A body whose argument is a partial sum along y.
template <typename F> Error onSums(F body, const PartitionSpec &out) {
  ShardMapOptions options = mapOptions(sums(P("x")), out);
  options.name = "<lambda>";
  auto f = shardMap(body, options);
  return under([=](Tensor v) { return f(unreduced(v)); }, typed(P("x")));
}
const auto same = [](Tensor v) { return v; };

GatherDims rowDims() { return {{1}, {0}, {0}, {}, {}}; }
Tensor zeroIndices() { return typed(P("x"), lax::full({8}, 0, DType::I32)); }

} // namespace

/// Section 5: operations on types with shardings and partial sums.
Mistakes explicitMistakes() {
  return {
      {"sum of a partial sum and another value",
       [] {
         return under([](Tensor a, Tensor b) { return unreduced(a) + b; },
                      typed(P("x")), typed(P("x")));
       }},
      {"product of partial sums",
       [] { return onSum([](Tensor v) { return v * v; }); }},
      {"product of a partial sum and a constant",
       [] {
         return under([](Tensor a, Tensor b) { return unreduced(a) * b; },
                      typed(P("x")), typed(P("x")));
       }},
      {"sine of a partial sum",
       [] { return onSum([](Tensor v) { return lax::sin(v); }); }},
      {"reversal of a partial sum",
       [] { return onSum([](Tensor v) { return lax::rev(v, {1}); }); }},
      {"dot of a partial sum",
       [] {
         return under(
             [](Tensor a, Tensor b) {
               return lax::dot_general(unreduced(a), b, {{1}, {1}, {}, {}});
             },
             typed(P("x")), typed(P()));
       }},
      {"reduced and replicated",
       [] {
         return under([](Tensor a, Tensor b) { return a * b; }, reduced(),
                      typed(P("x")));
       }},
      {"reduced and sharded",
       [] {
         return under([](Tensor a, Tensor b) { return a * b; }, reduced(P()),
                      typed(P("y")));
       }},
      {"unreduced axes that are not contracted",
       [] { return dotOut(P(None, "x"), P(None, "x"), sums()); }},
      {"unreduced axes contracted on one side",
       [] { return dotOut(P(None, "x"), P(), sums(P(), "x")); }},
      {"unreduced axes that are not summed",
       [] {
         return under([](Tensor v) { return lax::reduce_sum(v, {1}, sums()); },
                      typed(P("x")));
       }},
      {"context mesh of an operation",
       [] {
         return under([](Tensor v) { return v * v; },
                      typed(P("x"), x(), otherMesh()));
       }},
      {"meshes of operands",
       [] {
         return jit([](Tensor a, Tensor b) { return a * b; })(
                    typed(P("x")), typed(P("x"), x(), otherMesh()))
             .error();
       }},
      {"tile of a sharded dimension",
       [] {
         return under([](Tensor v) { return lax::tile(v, {2, 1}); },
                      typed(P("x")));
       }},
      {"top_k of a sharded dimension",
       [] {
         return under([](Tensor v) { return lax::top_k(v, 2); },
                      typed(P(None, "y")));
       }},
      {"selection by another sharding",
       [] {
         return under(
             [](Tensor p, Tensor v) { return lax::select_n(p, {v, v}); },
             typed(P("y"), x() > 0.0), typed(P("x")));
       }},
      {"convolution of sharded features",
       [] {
         return under(
             [](Tensor v, Tensor k) {
               return lax::conv_general_dilated(
                   v, k,
                   {.padding = {{1, 1}}, .layout = {"NCH", "OIH", "NCH"}});
             },
             typed(P(None, "x"), ones({2, 4, 8})), typed(P(), ones({4, 4, 3})));
       }},
      {"cholesky of a sharded matrix",
       [] {
         return under([](Tensor v) { return lax::linalg::cholesky(v, false); },
                      typed(P("x"), square()));
       }},
      {"gather by sharded indices",
       [] {
         return under(
             [](Tensor v, Tensor i) {
               return lax::gather(v, lax::expand_dims(i, {1}), rowDims(),
                                  {1, 4}, GatherMode::ClipIndices);
             },
             typed(P("x")), zeroIndices());
       }},
      {"scatter into a sharded dimension",
       [] {
         return under(
             [](Tensor v, Tensor i, Tensor u) {
               return lax::scatter(lax::ScatterKind::Add, v,
                                   lax::expand_dims(i, {1}), u, rowDims(),
                                   GatherMode::ClipIndices);
             },
             typed(P("x")), zeroIndices(), typed(P()));
       }},
      {"scan over a sharded dimension",
       [] {
         return under(
             [](Tensor v) {
               return scan([](Tensor c, Tensor y) { return Pair{c, y}; },
                           scalarOf(0.0, DType::F32), v);
             },
             typed(P("x")));
       }},
      {"carry of another sharding",
       [] {
         return under(
             [](Tensor v) {
               return scan(
                   [](Tensor c, Tensor y) { return Pair{reshard(c, P()), y}; },
                   v, ones({2}));
             },
             typed(P("x")));
       }},
      {"branches of two shardings",
       [] {
         return under(
             [](Tensor p, Tensor v) -> Expected<Tensor> {
               return cond(
                   p, [](Tensor y) { return y; },
                   [](Tensor y) { return reshard(y, P()); }, v);
             },
             scalarOf(1.0, DType::Bool), typed(P("x")));
       }},
      {"constraint as an assertion",
       [] {
         return under(
             [](Tensor v) { return withShardingConstraint(v, P("y")); },
             typed(P("x")));
       }},
      {"batched constraint on the mapped axis",
       [] {
         return vmap(
                    [](Tensor v) {
                      return withShardingConstraint(
                          v, NamedSharding(autoMesh(), P("x")));
                    },
                    {.spmdAxisName = {"x"}})(x())
             .error();
       }},
      {"empty mesh of a sharding",
       [] {
         return jit(same, {.inShardings = Sharding::named(
                               *AbstractMesh::get({}, {}), P())})(x())
             .error();
       }},
  };
}

/// Section 6: specs and bodies with partial sums.
static Mistakes partialSumMistakes() {
  PartitionSpec sx = sums(P("x")), rx = copies(P("x"));
  return {
      {"specs that differ from the type", [] { return inMap(same, P("y")); }},
      {"specs without the sums of the type",
       [] {
         auto f = shardMap(same, {.in = P("x"), .out = P("x")});
         return under([=](Tensor v) { return f(unreduced(v)); }, typed(P("x")));
       }},
      {"specs with sums that the type does not have",
       [=] { return inMap(same, sx); }},
      {"sums in a spec of Auto axes",
       [=] { return autoMap(same, sx, sx, x()); }},
      {"sums in an out spec of Auto axes",
       [=] { return autoMap(same, P("x"), sx, x()); }},
      {"sums where some axes are manual",
       [=] { return typedMap(same, P("x"), sx, typed(P("x")), {"x"}); }},
      {"result that is a sum without its spec",
       [] { return onSums(same, P("x")); }},
      {"result that is no sum", [=] { return inMap(same, P("x"), sx); }},
      {"result that is not reduced", [=] { return inMap(same, P("x"), rx); }},
      {"result that is reduced, not a sum",
       [=] { return typedMap(same, rx, sx, reduced()); }},
      {"sum cast to a varying value", [] { return onSums(same, P("x", "y")); }},
      {"maximum of a sum",
       [] {
         return onSums([](Tensor v) { return lax::pmax(v, "y"); }, P("x"));
       }},
      {"psum of a reduced value",
       [=] {
         return typedMap([](Tensor v) { return lax::psum(v, "y"); }, rx, P("x"),
                         reduced());
       }},
      {"psum of sums and others",
       [] {
         return onSums([](Tensor v) { return lax::psum(v, {"x", "y"}); }, P());
       }},
      {"psum_scatter of sums and others",
       [] {
         return onSums(
             [](Tensor v) {
               return lax::psum_scatter(v, {"x", "y"}, {.tiled = true});
             },
             P(axes("x", "y")));
       }},
      {"sine of a sum in a body",
       [=] { return onSums([](Tensor v) { return lax::sin(v); }, sx); }},
      {"product of a sum in a body",
       [=] { return onSums([](Tensor v) { return v * 2.0; }, sx); }},
      {"sum of a sum and a constant in a body",
       [=] { return onSums([](Tensor v) { return v + 1.0; }, sx); }},
      {"reduced value and a constant in a body",
       [=] {
         return typedMap([](Tensor v) { return v * 2.0; }, rx, rx, reduced());
       }},
      {"cast of a sum",
       [] {
         return onSums(
             [](Tensor v) { return lax::pcast(v, "y", Vary::Varying); },
             P("x", "y"));
       }},
      {"cast of an invariant value to a sum",
       [=] {
         return inMap(
             [](Tensor v) { return lax::pcast(v, "y", Vary::Unreduced); },
             P("x"), sx);
       }},
      {"cast of both kinds",
       [=] {
         return inMap(
             [](Tensor v) { return lax::pcast(v, {"x", "y"}, Vary::Reduced); },
             P("x"), rx);
       }},
      {"all_gather to reduced of an invariant value",
       [=] {
         return inMap(
             [](Tensor v) {
               return lax::all_gather(v, "y", {.to = Vary::Reduced});
             },
             P("x"), rx);
       }},
  };
}

Mistakes specMistakes() {
  Mistakes all = partialSumMistakes();
  Sharding onX = *Sharding::named(autoMesh(), P("x"));
  auto first = [](Tensor a, Tensor) { return a; };
  auto named = [](Dict d) { return d["w"]; };
  Dict both{{"w", x()}, {"b", x()}};
  all.merge(Mistakes{
      {"inferred specs of Auto axes",
       [] {
         return jit(shardMap(same, {.mesh = autoMesh(), .out = P("x")}))(x())
             .error();
       }},
      {"no mesh for shard_map",
       [] {
         return jit(shardMap(same, {.in = P("x"), .out = P("x")}))(x()).error();
       }},
      {"another mesh in context",
       [] {
         ScopedMesh context(typedMesh());
         return shardMap(same,
                         {.mesh = autoMesh(), .in = P("x"), .out = P("x")})(x())
             .error();
       }},
      {"number of in specs",
       [=] { return autoMap(first, std::tuple{P("x")}, P("x"), x(), x()); }},
      {"number of out specs",
       [] {
         return autoMap([](Tensor v) { return Pair{v, v}; }, P("x"),
                        std::tuple{P("x")}, x());
       }},
      {"sharding as a spec",
       [=] {
         return autoMap(first, std::tuple{ShardingTree(onX), ShardingTree(P())},
                        P("x"), x(), x());
       }},
      {"sharding as an out spec",
       [=] { return autoMap(same, P("x"), onX, x()); }},
      {"unknown axes in a tree of specs",
       [=] {
         return autoMap([](Dict, Tensor y) { return y; },
                        {Specs{{"w", P("z")}, {"b", P("q")}}, P("x")}, P("x"),
                        both, x());
       }},
      {"keys of specs",
       [=] {
         return autoMap(named, std::tuple{ShardingTree(Specs{{"z", P("x")}})},
                        P("x"), both);
       }},
      {"rank in a tree of specs",
       [=] {
         return autoMap(named,
                        std::tuple{ShardingTree(
                            Specs{{"w", P(None, None, "x")}, {"b", P()}})},
                        P(), both);
       }},
      {"size in a tree of specs",
       [=] {
         return autoMap(named,
                        std::tuple{ShardingTree(
                            Specs{{"w", P(None, axes("x", "y"))}, {"b", P()}})},
                        P(), both);
       }},
      {"None as an out spec",
       [] {
         return autoMap([](Tensor v) { return Pair{v, v}; }, P("x"), None, x());
       }},
      {"abstract mesh and no named sharding",
       [] {
         return shardMap(same, {.abstractMesh = autoMesh().abstractMesh(),
                                .in = P("x"),
                                .out = P("x")})(devicePut(x(), Device{0}))
             .error();
       }},
      {"abstract mesh of another shape",
       [] {
         return shardMap(same, {.abstractMesh =
                                    *AbstractMesh::get({2, 4}, {"x", "y"}),
                                .in = P("x"),
                                .out = P("x")})(
                    devicePut(x(), NamedSharding(autoMesh(), P())))
             .error();
       }},
      {"mapped axis in specs",
       [] {
         return vmap(shardMap(same, {.mesh = autoMesh(),
                                     .in = P("x"),
                                     .out = P("y"),
                                     .checkVma = false}),
                     {.spmdAxisName = {"x"}})(square())
             .error();
       }},
      {"mapped axis in out specs",
       [] {
         return vmap(shardMap(same, {.mesh = autoMesh(),
                                     .in = P("y"),
                                     .out = P("x"),
                                     .checkVma = false}),
                     {.spmdAxisName = {"x"}})(square())
             .error();
       }},
      {"ppermute to one device twice",
       [] {
         return autoMap(
             [](Tensor v) { return lax::ppermute(v, "x", {{0, 1}, {0, 2}}); },
             P("x"), P("x"), x());
       }},
      {"device_put to a device in a body",
       [] {
         return shardMap([](Tensor v) { return devicePut(v, Device{0}); },
                         {.mesh = autoMesh(), .in = P("x"), .out = P("x")})(x())
             .error();
       }},
  });
  return all;
}

/// Callbacks in bodies, options of the compiler, policies.
Mistakes callMistakes() {
  static const auto value = [](Tensor v) { return v; };
  auto like = [](const Tensor &v) {
    return shapeDtypeStruct(v.shape(), v.dtype());
  };
  auto partly = [](auto body) {
    return jit(shardMap(
        body,
        {.mesh = autoMesh(), .in = P("x"), .out = P("x"), .axisNames = {"x"}}))(
               x())
        .error();
  };
  return {
      {"pure callback where some axes are manual",
       [=] {
         return partly([=](Tensor v) -> Expected<Tensor> {
           return pureCallback(value, like(v), v);
         });
       }},
      {"io callback where some axes are manual",
       [=] {
         return partly([=](Tensor v) -> Expected<Tensor> {
           return ioCallback(value, like(v), v);
         });
       }},
      {"device of a callback in a body",
       [=] {
         return autoMap(
             [=](Tensor v) -> Expected<Tensor> {
               return pureCallback(value, like(v),
                                   PureCallbackOptions{"", Device{0}}, v);
             },
             P("x"), P("x"), x());
       }},
      {"unknown compiler option",
       [] {
         return jit(same, {.compilerOptions = {{"foo", true}}})(x()).error();
       }},
      {"value of a compiler option",
       [] {
         return jit(same, {.compilerOptions = {{"xla_cpu_enable_fast_math",
                                                "maybe"}}})(x())
             .error();
       }},
      {"number of a compiler option",
       [] {
         auto lowered = jit(same).lower(x());
         return lowered->compile({}, {{"xla_backend_optimization_level", "x"}})
             .error();
       }},
      {"compiler options of a nested function",
       [] {
         return jit([](Tensor v) -> Expected<Tensor> {
                  return jit(same,
                             {.compilerOptions = {
                                  {"xla_cpu_enable_fast_math", true}}})(v);
                })(x())
             .error();
       }},
      {"offloaded and saved names",
       [] {
         return grad(checkpoint(
             [](Tensor v) { return sum(v); },
             {.policy = policies::saveAndOffloadOnlyTheseNames({"y"}, {"y"})}))(
                    x())
             .error();
       }},
  };
}
