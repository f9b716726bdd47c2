//===- frontend_explicit_mistakes.cc - mistakes on Explicit axes ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of frontend_explicit_errors.py.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"
#include "shardwright/frontend/trace/primitive.h"

#include <map>

using namespace shardwright::frontend;

using Mistakes = std::map<std::string, std::function<Error()>>;
Mistakes familyMistakes();
Mistakes sumMistakes();
Mistakes reshardMistakes();

namespace {

using Pair = std::pair<Tensor, Tensor>;

const Mesh &typedMesh() {
  static const Mesh mesh = *makeMesh({4, 2}, {"x", "y"});
  return mesh;
}
const Mesh &autoMesh() {
  static const Mesh mesh = *Mesh::get(devices(), {4, 2}, {"x", "y"});
  return mesh;
}
Tensor x() { return ones({8, 4}); }
Tensor square() { return ones({8, 8}); }
Tensor typed(const PartitionSpec &spec, const Tensor &value) {
  return devicePut(value, NamedSharding(typedMesh(), spec));
}
template <typename F, typename... Args>
Error under(F function, const Args &...args) {
  ScopedMesh context(typedMesh());
  return jaxprText(function, args...).error();
}
template <typename F>
Error one(F function, const PartitionSpec &spec = P("x"),
          const Tensor &value = x()) {
  return under(function, typed(spec, value));
}
template <typename F>
Error two(F function, const PartitionSpec &a = P("x"),
          const PartitionSpec &b = P("x"), const Tensor &value = x()) {
  return under(function, typed(a, value), typed(b, value));
}
/// The first of several results.
Tensor firstOf(const Tensors &list) { return list[0]; }
Tensor unreduced(const Tensor &v) { return reshard(v, *P::get({"x"}, {"y"})); }
Tensor sumAlong(const Tensor &v, const std::string &axis) {
  return reshard(v, *P::get({}, {axis}));
}
Tensor plainDot(const Tensor &a, const Tensor &b) {
  return lax::dot_general(a, b, {{1}, {1}, {}, {}});
}
Tensor dotTo(const Tensor &a, const Tensor &b, const PartitionSpec &out) {
  return lax::dot_general(a, b, {{1}, {1}, {}, {}}, {}, out);
}
template <typename F> Error inContext(F function) {
  ScopedMesh context(autoMesh());
  return jit(function)(x()).error();
}
template <typename F> Error inBody(F function) {
  return under(shardMap(function, {.in = P("x"), .out = P("x")}),
               typed(P("x"), x()));
}
Tensor same(Tensor v) { return v; }
Tensor added(Tensor a, Tensor b) { return a + b; }

/// A primitive without a rule for the sharding of its result.
const Primitive unruly = [] {
  Primitive p;
  p.name = "unruly";
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    return std::vector<Aval>{in[0]};
  };
  return p;
}();

} // namespace

/// Section 5.2: the sharding of results.
static Mistakes shapeMistakes() {
  return {
      {"dynamic_slice that does not divide",
       [] {
         return one(
             [](Tensor v) { return lax::dynamic_slice(v, {0, 0}, {6, 4}); });
       }},
      {"padding that does not divide",
       [] {
         return one([](Tensor v) {
           return lax::pad(v, scalarOf(0.0, DType::F32),
                           {{1, 0, 0}, {0, 0, 0}});
         });
       }},
      {"split that does not divide",
       [] {
         return one([](Tensor v) { return firstOf(lax::split(v, {3, 5})); });
       }},
      {"slice of two axes",
       [] {
         return one([](Tensor v) { return lax::slice(v, {0, 0}, {4, 4}); },
                    P(axes("x", "y")));
       }},
      {"update of another sharding",
       [] {
         return two(
             [](Tensor a, Tensor b) {
               return lax::dynamic_update_slice(a, b, {0, 0});
             },
             P("x"), P(None, "y"));
       }},
      {"stack of two shardings",
       [] {
         return two([](Tensor a, Tensor b) { return lax::stack({a, b}); },
                    P("x"), P("y"), square());
       }},
      {"cases of two shardings",
       [] {
         return under([](Tensor p, Tensor a,
                         Tensor b) { return lax::select_n(p, {a, b}); },
                      typed(P(), square() > 0.0), typed(P("x"), square()),
                      typed(P("y"), square()));
       }},
      {"unstack of a sharded dimension",
       [] { return one([](Tensor v) { return firstOf(lax::unstack(v)); }); }},
      {"keys of two shardings",
       [] {
         return two(
             [](Tensor a, Tensor b) { return firstOf(lax::sort({a, b}, 1)); },
             P("x"), P());
       }},
      {"reshape into pieces",
       [] { return one([](Tensor v) { return lax::reshape(v, {2, 4, 4}); }); }},
      {"carry of a loop with another sharding",
       [] {
         return one([](Tensor v) {
           return whileLoop(
               [](Pair c) { return c.first < 3; },
               [](Pair c) { return Pair{c.first + 1, reshard(c.second, P())}; },
               Pair{Tensor(0), v});
         });
       }},
      {"no sharding rule",
       [] { return one([](Tensor v) { return bind(unruly, {v}, {})[0]; }); }},
  };
}

Mistakes familyMistakes() {
  Mistakes all = shapeMistakes();
  all.merge(Mistakes{
      {"sine and cosine",
       [] {
         return two([](Tensor a, Tensor b) { return lax::atan2(a, b); }, P("x"),
                    P("y"));
       }},
      {"comparison of two shardings",
       [] {
         return two([](Tensor a, Tensor b) { return lax::lt(a, b); },
                    P(None, "y"), P(None, "x"), square());
       }},
      {"one axis on two dimensions of a dot",
       [] {
         return two([](Tensor a, Tensor b) { return plainDot(a, b); }, P("x"),
                    P("x"), square());
       }},
      {"sharded matrix of a solve",
       [] {
         return two(
             [](Tensor a, Tensor b) {
               return lax::linalg::triangular_solve(a, b, {.leftSide = true});
             },
             P("x"), P("x"), square());
       }},
      {"sharded matrix of eigenvalues",
       [] {
         return one([](Tensor v) { return lax::linalg::eigh(v, true, false); },
                    P("x"), square());
       }},
      {"sharded matrix of singular values",
       [] {
         return one([](Tensor v) { return lax::linalg::svd(v); }, P("x"),
                    square());
       }},
      {"sharded matrix of qr",
       [] {
         return one([](Tensor v) { return lax::linalg::qr(v); }, P("x"),
                    square());
       }},
      {"sharded matrix of lu",
       [] {
         return one([](Tensor v) { return lax::linalg::lu(v); }, P(None, "y"),
                    square());
       }},
      {"maximum along a sharded dimension",
       [] { return one([](Tensor v) { return lax::cummax(v, 0); }); }},
      {"ragged product",
       [] {
         return one([](Tensor v) {
           return lax::ragged_dot(v, ones({2, 4, 3}),
                                  lax::full({2}, 4, DType::I32));
         });
       }},
  });
  return all;
}

/// Section 5.2: partial sums.
Mistakes sumMistakes() {
  return {
      {"value and a partial sum",
       [] { return two([](Tensor a, Tensor b) { return b + unreduced(a); }); }},
      {"value times a partial sum",
       [] { return two([](Tensor a, Tensor b) { return b * unreduced(a); }); }},
      {"value without a partial sum",
       [] { return two([](Tensor a, Tensor b) { return b - unreduced(a); }); }},
      {"partial sum over a value",
       [] { return two([](Tensor a, Tensor b) { return unreduced(a) / b; }); }},
      {"exponential of a partial sum",
       [] { return one([](Tensor v) { return lax::exp(unreduced(v)); }); }},
      {"comparison of a partial sum",
       [] { return two([](Tensor a, Tensor b) { return unreduced(a) < b; }); }},
      {"partial sums along two axes",
       [] {
         return two(
             [](Tensor a, Tensor b) {
               return sumAlong(a, "x") + sumAlong(b, "y");
             },
             P(), P());
       }},
  };
}

/// Section 5.3: changes of shardings and of axis types.
Mistakes reshardMistakes() {
  static const auto toRows = [](Tensor v) { return dotTo(v, v, P("x")); };
  static const AxesOptions replicated{.specs = {P()}};
  return {
      {"reshard to nothing", [] { return reshard(x(), Sharding()).error(); }},
      {"reshard to nothing in jit",
       [] {
         return jit([](Tensor v) { return reshard(v, Sharding()); })(x())
             .error();
       }},
      {"reshard to an empty mesh",
       [] {
         return reshard(x(), *Sharding::named(*AbstractMesh::get({}, {}), P()))
             .error();
       }},
      {"reshard to one device",
       [] { return reshard(x(), Sharding::single(Device{0})).error(); }},
      {"dot to an Auto axis", [] { return inContext(toRows); }},
      {"dot without a mesh", [] { return jit(toRows)(x()).error(); }},
      {"dot to an unknown axis",
       [] {
         return two([](Tensor a, Tensor b) { return dotTo(a, b, P("q")); });
       }},
      {"dot to an axis twice",
       [] {
         return two(
             [](Tensor a, Tensor b) { return dotTo(a, b, P("x", "x")); });
       }},
      {"iota without a mesh",
       [] {
         return jit([](Tensor) {
                  return lax::iota(DType::F32, {8, 4}, 0, P("x"));
                })(x())
             .error();
       }},
      {"iota that does not divide",
       [] {
         return one(
             [](Tensor) { return lax::iota(DType::F32, {6, 4}, 0, P("x")); });
       }},
      {"sum to an Auto axis",
       [] {
         return inContext(
             [](Tensor v) { return lax::reduce_sum(v, {1}, P("x")); });
       }},
      {"mapped axis of a dot",
       [] {
         return one(
             [](Tensor v) {
               return vmap([](Tensor a) { return dotTo(a, a, P("x", None)); })(
                   v);
             },
             P("x"), ones({8, 8, 8}));
       }},
      {"mapped dimensions of two shardings",
       [] { return two(vmap(added), P("x"), P("y"), square()); }},
      {"mapped dimension of one sharding",
       [] { return two(vmap(added), P(), P(axes("x", "y")), square()); }},
      {"mapped dimension with spmd names",
       [] {
         return one(
             vmap([](Tensor v) { return v + 1.0; }, {.spmdAxisName = {"y"}}));
       }},
      {"mapped axis of a reshard",
       [] {
         return one(
             [](Tensor v) {
               return vmap([](Tensor a) { return reshard(a, P("x")); })(v);
             },
             P("x"), square());
       }},
      {"auto axes without a result",
       [] { return one([](Tensor v) { return autoAxes(same, {})(v); }); }},
      {"explicit axes without arguments",
       [] { return inContext(explicitAxes(same, {})); }},
      {"explicit axes without a mesh",
       [] { return explicitAxes(same, {.specs = {P("x")}})(x()).error(); }},
      {"auto axes in a body",
       [] {
         return inBody([](Tensor v) { return autoAxes(same, replicated)(v); });
       }},
      {"one auto axis in a body",
       [] {
         return inBody([](Tensor v) {
           return autoAxes(same, {.axes = {"x"}, .specs = {P()}})(v);
         });
       }},
      {"explicit axes in a body",
       [] {
         return inBody(
             [](Tensor v) { return explicitAxes(same, replicated)(v); });
       }},
  };
}
