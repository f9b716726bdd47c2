//===- frontend_test.cc - arrays, meshes, jit and transformations ---------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <cmath>

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

/// Eight devices, set before the first use of one.
const bool configured = setDeviceCount(8).ok();

std::vector<float> values(const Tensor &x) {
  auto v = x.toVector<float>();
  EXPECT_TRUE(v.ok()) << v.error().str();
  return *v;
}
using Floats = std::vector<float>;

Mesh mesh42() { return *Mesh::get(devices(), {4, 2}, {"x", "y"}); }

struct Params {
  Tensor w, b;
  SW_TREE(Params, w, b)
};

// Feature: mesh
TEST(Frontend, MeshesAreInternedAndPrintAsJax) {
  ASSERT_TRUE(configured);
  EXPECT_TRUE(mesh42() == mesh42());
  EXPECT_EQ(mesh42().str(), "Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto))");
  EXPECT_EQ(Mesh::get(devices(), {8}, {"x", "y"}).error().text,
            "Mesh requires the ndim of its first argument (`devices`) to equal "
            "the length of its second argument (`axis_names`), but got "
            "devices.ndim == 1 and len(axis_names) == 2.");
  EXPECT_EQ(makeMesh({16}, {"x"}).error().text,
            "Number of devices 8 must be >= the product of mesh_shape (16,)");
  EXPECT_FALSE(Mesh::get(devices(), {4, 2}, {"x", "x"}).ok());
}

// Feature: named-sharding
TEST(Frontend, SpecsAndShardingsReportJaxErrors) {
  EXPECT_EQ(P("x", None).str(), "P('x', None)");
  EXPECT_EQ(P("x").str(), "P('x',)");
  EXPECT_EQ(P(axes("x", "y")).str(), "P(('x', 'y'),)");
  EXPECT_EQ(NamedSharding(mesh42(), P("z")).error().text,
            "Resource axis: z of P('z',) is not found in mesh: ('x', 'y').");
  EXPECT_EQ(NamedSharding(mesh42(), P("x", "x")).error().kind,
            ErrorKind::DuplicateSpec);
  Sharding s = *NamedSharding(mesh42(), P(axes("y", "x")));
  EXPECT_EQ(s.hloText(1), "{devices=[8]<=[4,2]T(1,0)}");
  auto map = s.devicesIndicesMap({8});
  ASSERT_TRUE(map.ok());
  EXPECT_EQ((*map)[1][0].begin, 4);
  EXPECT_FALSE(s.shardShape({6}).ok());
}

TEST(Frontend, ArraysMoveAndPrint) {
  Tensor x = arrayOf<float>({1, 2.5, -3}, {3});
  EXPECT_EQ(x.str(), "[ 1.   2.5 -3. ]");
  EXPECT_EQ(x.repr(), "Array([ 1. ,  2.5, -3. ], dtype=float32)");
  Tensor m = devicePut(arange(8, DType::F32),
                       *NamedSharding(mesh42(), P(axes("y", "x"))));
  EXPECT_EQ(values(m), (Floats{0, 1, 2, 3, 4, 5, 6, 7}));
  auto shards = addressableShards(m);
  ASSERT_TRUE(shards.ok());
  EXPECT_EQ(shards->size(), 8u);
  EXPECT_EQ(values((*shards)[1].data), Floats{4});
  EXPECT_TRUE(m.remove().ok());
  EXPECT_EQ(m.toVector<float>().error().text,
            "Array has been deleted with shape=float32[8].");
}

TEST(Frontend, JitComputesAndCaches) {
  auto f = jit([](Tensor x, Tensor y) { return sin(x) * y + 1.0; });
  JitCounts before = jitCounts();
  Tensor x = arrayOf<float>({0, 1}, {2}), y = arrayOf<float>({2, 2}, {2});
  auto r = f(x, y);
  ASSERT_TRUE(r.ok()) << r.error().str();
  EXPECT_NEAR(values(*r)[1], 2 * std::sin(1.0f) + 1, 1e-5);
  EXPECT_EQ(jitCounts().compiles, before.compiles + 1);
  before = jitCounts();
  EXPECT_TRUE(f(y, x).ok());
  JitCounts after = jitCounts();
  EXPECT_EQ(after.traces, before.traces);
  EXPECT_EQ(after.dispatchMisses, before.dispatchMisses);
}

// Feature: lowered
TEST(Frontend, JaxprsPrintAsJax) {
  auto text =
      jaxprText([](Tensor x) { return sin(x) * 2.0 + 1.0f; }, zeros({3, 4}));
  ASSERT_TRUE(text.ok()) << text.error().str();
  EXPECT_EQ(*text, "{ lambda ; a:f32[3,4]. let\n"
                   "    b:f32[3,4] = sin a\n"
                   "    c:f32[3,4] = mul b 2.0:f32[]\n"
                   "    d:f32[3,4] = add c 1.0:f32[]\n"
                   "  in (d,) }");
}

TEST(Frontend, ErrorsAreValues) {
  auto f = jit([](Tensor x, Tensor y) { return lax::add(x, y); });
  auto r = f(zeros({3}), zeros({4}));
  EXPECT_EQ(r.error().text,
            "add got incompatible shapes for broadcasting: (3,), (4,).");
  EXPECT_FALSE(sin(*r).ok());
  EXPECT_FALSE(Tensor().ok());
  EXPECT_FALSE((Tensor() + 1.0).ok());
  Tensor escaped;
  (void)jit([&](Tensor x) { return escaped = x; })(zeros({2}));
  EXPECT_EQ(sin(escaped).error().kind, ErrorKind::UnexpectedTracer);
}

TEST(Frontend, GradientsOfTrees) {
  auto loss = [](Params p, Tensor x) {
    return sum(square(matmul(x, p.w) + p.b));
  };
  Params p{arrayOf<float>({1, 2, 3, 4}, {2, 2}), arrayOf<float>({1, 1}, {2})};
  Tensor x = arrayOf<float>({1, 0}, {1, 2});
  auto both = jit(valueAndGrad(loss))(p, x);
  ASSERT_TRUE(both.ok()) << both.error().str();
  EXPECT_FLOAT_EQ(values(both->first)[0], 13);
  EXPECT_EQ(values(both->second.w), (Floats{4, 6, 0, 0}));
  EXPECT_EQ(values(both->second.b), (Floats{4, 6}));
  EXPECT_EQ(grad([](Tensor v) { return v; })(zeros({2})).error().text,
            "Gradient only defined for scalar-output functions. Output had "
            "shape: (2,).");
}

TEST(Frontend, SecondDerivativesAndVmap) {
  auto f = [](Tensor x) { return x * x * x; };
  auto second = grad([f](Tensor x) { return grad(f)(x); });
  auto r = second(Tensor(2.0f));
  ASSERT_TRUE(r.ok()) << r.error().str();
  EXPECT_FLOAT_EQ(values(*r)[0], 12);
  auto dots = vmap([](Tensor a, Tensor b) { return matmul(a, b); });
  auto d = dots(ones({3, 4}), ones({3, 4}));
  ASSERT_TRUE(d.ok()) << d.error().str();
  EXPECT_EQ(values(*d), (Floats{4, 4, 4}));
}

TEST(Frontend, LinearizeGivesTheLinearPart) {
  auto both =
      linearize([](Tensor x) { return x * x; }, arrayOf<float>({3, 4}, {2}));
  ASSERT_TRUE(both.ok()) << both.error().str();
  EXPECT_EQ(values(both->first), (Floats{9, 16}));
  auto once = both->second(arrayOf<float>({1, 1}, {2}));
  ASSERT_TRUE(once.ok()) << once.error().str();
  EXPECT_EQ(values(*once), (Floats{6, 8}));
  EXPECT_EQ(values(*both->second(arrayOf<float>({0, -1}, {2}))),
            (Floats{0, -8}));
  auto bad = both->second(zeros({3}));
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().text.find("inconsistent with the original primal"),
            std::string::npos);
}

TEST(Frontend, LoopsAndBranches) {
  // y_i = carry_i * x_i, where the carry sums the x before.
  auto f = [](Tensor init, Tensor xs) {
    auto r =
        scan([](Tensor c, Tensor x) { return std::pair(c + x, c * x * x); },
             init, xs);
    return sum(r->second) + r->first;
  };
  Tensor xs = arrayOf<float>({1, 2, 3}, {3});
  auto r = jit(valueAndGrad<1>(f))(Tensor(0.5f), xs);
  ASSERT_TRUE(r.ok()) << r.error().str();
  // 0.5 + 1.5*4 + 3.5*9 + 6.5
  EXPECT_FLOAT_EQ(values(r->first)[0], 44.5);
  // d/dx: 2 c x + the squares of later x + 1
  EXPECT_EQ(values(r->second), (Floats{1 + 13 + 1, 6 + 9 + 1, 21 + 1}));
  auto doubled = whileLoop([](Tensor x) { return x < 100.0; },
                           [](Tensor x) { return x * 2.0; }, Tensor(3.0f));
  ASSERT_TRUE(doubled.ok()) << doubled.error().str();
  EXPECT_EQ(values(*doubled), Floats{192});
  auto counted =
      foriLoop(0, 4, [](Tensor i, Tensor x) { return x + 2.0; }, zeros({2}));
  ASSERT_TRUE(counted.ok()) << counted.error().str();
  EXPECT_EQ(values(*counted), (Floats{8, 8}));
  auto g = [](Tensor x) {
    return cond(
        x > 0.0, [](Tensor v) { return v * v; }, [](Tensor v) { return -v; },
        x);
  };
  EXPECT_EQ(values(*grad(g)(Tensor(3.0f))), Floats{6});
  EXPECT_EQ(values(*grad(g)(Tensor(-3.0f))), Floats{-1});
  EXPECT_EQ(values(*vmap(g)(arrayOf<float>({2, -5}, {2}))), (Floats{4, 5}));
  auto h = [](Tensor x) { return sin(sin(x)); };
  EXPECT_NEAR(values(*grad(checkpoint(h))(Tensor(0.7f)))[0],
              values(*grad(h)(Tensor(0.7f)))[0], 1e-6);
  auto bad = grad([](Tensor x) {
    return *whileLoop([](Tensor v) { return v < 9.0; },
                      [](Tensor v) { return v * v; }, x);
  })(Tensor(2.0f));
  EXPECT_EQ(bad.error().text.substr(0, 33),
            "Reverse-mode differentiation does");
}

TEST(Frontend, CheckpointsOfLoops) {
  auto f = [](Tensor x) {
    return sum(
        *foriLoop(0, 3, [&](Tensor, Tensor c) { return sin(c) * x; }, x));
  };
  Tensor x = arrayOf<float>({0.5, 2});
  auto kept = grad(f)(x), again = grad(checkpoint(f))(x),
       jitted = jit(grad(checkpoint(f)))(x);
  ASSERT_TRUE(again.ok()) << again.error().str();
  ASSERT_TRUE(jitted.ok()) << jitted.error().str();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(values(*again)[i], values(*kept)[i], 1e-6);
    EXPECT_NEAR(values(*jitted)[i], values(*kept)[i], 1e-6);
  }
}

TEST(Frontend, CheckpointsKeepValuesInTheMemoryOfTheHost) {
  auto f = [](Tensor x) {
    Tensor y = lax::checkpointName(sin(x), "y");
    return sum(sin(lax::checkpointName(cos(y), "z")) * x);
  };
  Tensor x = arrayOf<float>({0.5, 2});
  auto expected = grad(f)(x);
  auto policy = policies::saveAndOffloadOnlyTheseNames({"y"}, {"z"});
  auto g = grad(checkpoint(f, {.policy = policy}));
  Expected<std::string> text = jaxprText(g, x);
  ASSERT_TRUE(text.ok()) << text.error().str();
  EXPECT_NE(text->find("devices=(MemorySpace.Host,)"), text->npos) << *text;
  EXPECT_NE(text->find("f32<host>[2]"), text->npos) << *text;
  EXPECT_NE(text->find("devices=(MemorySpace.Device,)"), text->npos) << *text;
  for (const auto &one : {g(x), jit(g)(x)}) {
    ASSERT_TRUE(one.ok()) << one.error().str();
    EXPECT_EQ(one->sharding().memoryKind(), "device");
    for (size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(values(*one)[i], values(*expected)[i], 1e-6);
  }
  auto unknown = policies::offloadDotWithNoBatchDims("device", "disk");
  EXPECT_EQ(checkpoint(f, {.policy = unknown})(x).error().text,
            "Could not find memory addressable by device cpu. Device cpu can "
            "address the following memory kinds: device, pinned_host, "
            "unpinned_host. Got memory kind: disk");
  auto both = policies::saveFromBothPolicies(policy, policies::dotsSaveable());
  EXPECT_EQ(checkpoint(f, {.policy = both})(x).error().text.substr(0, 62),
            "The return value of the policies should be a boolean. Got: <fu");
}

TEST(Frontend, LiteralsStay) {
  Tensor two(2.0);
  EXPECT_EQ(two.remove().error().kind, ErrorKind::Type);
  EXPECT_EQ(values(two * ones({2})), (Floats{2, 2}));
}

TEST(Frontend, KeysHaveNoNumbers) {
  Tensor key = random::key(1);
  EXPECT_EQ(key.item().error().kind, ErrorKind::Type);
  EXPECT_EQ(key.repr(), "Array((), dtype=key<fry>) overlaying:\n[0 1]");
  EXPECT_FALSE(nn::softmax(key).ok());
  EXPECT_EQ(lax::bitcast_convert_type(key, DType::U32).error().kind,
            ErrorKind::Type);
  EXPECT_FALSE(vmap([](Tensor v) { return v; }, {.inAxes = {}})(key).ok());
}

TEST(Frontend, LoopsOfNoIterations) {
  auto body = [](Tensor c, Tensor x) { return std::pair{c + sum(x), x * c}; };
  auto out = jit([&](Tensor c, Tensor xs) { return scan(body, c, xs); })(
      Tensor(2.0f), zeros({0, 3}));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(values(out->first), (Floats{2}));
  EXPECT_EQ(out->second.shape(), (Shape{0, 3}));
  auto g = grad([](Tensor x) {
    auto y = foriLoop(4, 4, [](Tensor, Tensor z) { return sin(z); }, x);
    return sum(*y);
  })(ones({2}));
  ASSERT_TRUE(g.ok()) << g.error().str();
  EXPECT_EQ(values(*g), (Floats{1, 1}));
}

TEST(Frontend, StaticArgumentsAreTracedAgainForEachValue) {
  auto f = jit([](Tensor x, Static<int> n, Static<std::string> how) {
    return how.value == "power" ? power(x, int(n)) : x * double(n.value);
  });
  int64_t before = jitCounts().traces;
  Tensor x = arrayOf<float>({2, 3});
  EXPECT_EQ(values(f(x, Static(3), Static<std::string>("power"))),
            (Floats{8, 27}));
  EXPECT_EQ(values(f(x, Static(3), Static<std::string>("times"))),
            (Floats{6, 9}));
  EXPECT_EQ(values(f(x, Static(2), Static<std::string>("power"))),
            (Floats{4, 9}));
  EXPECT_EQ(values(f(x, Static(3), Static<std::string>("power"))),
            (Floats{8, 27}));
  EXPECT_EQ(jitCounts().traces - before, 3);
  // An argument without leaves has no gradient and no axis.
  auto g = [](Tensor y, Static<int> n) { return sum(power(y, n)); };
  EXPECT_EQ(values(*grad(g)(x, Static(2))), (Floats{4, 6}));
  EXPECT_EQ(values(*vmap(g)(x, Static(2))), (Floats{4, 9}));
}

TEST(Frontend, JacobiansOfTrees) {
  Params p{arrayOf<float>({1, 2}), arrayOf<float>({3})};
  auto f = [](Params q) { return q.w * q.b; };
  for (bool forward : {true, false}) {
    auto j = forward ? jacfwd(f)(p) : jacrev(f)(p);
    ASSERT_TRUE(j.ok()) << j.error().str();
    EXPECT_EQ(j->w.shape(), (Shape{2, 2}));
    EXPECT_EQ(values(j->w), (Floats{3, 0, 0, 3}));
    EXPECT_EQ(values(j->b), (Floats{1, 2}));
  }
  auto back = jacfwd([](Tensor x) { return Params{x * x, sum(x)}; })(p.w);
  EXPECT_EQ(values(back->w), (Floats{2, 0, 0, 4}));
  EXPECT_EQ(values(back->b), (Floats{1, 1}));
  EXPECT_EQ(jacrev([](Tensor x) { return x; })(arange(3)).error().kind,
            ErrorKind::Type);
}

TEST(Frontend, RulesOfDifferentiationAreChecked) {
  Tensor x = arrayOf<float>({1, 2});
  auto wrong = customVjp([](Tensor y) { return sum(y * y); },
                         [](Tensor y) { return std::pair{sum(y * y), y}; },
                         [](Tensor, Tensor ct) { return std::tuple(ct); }, "f");
  EXPECT_EQ(grad(wrong)(x).error().kind, ErrorKind::Value);
  auto narrow =
      customJvp([](Tensor y) { return y * 2.0; },
                [](std::tuple<Tensor> p, std::tuple<Tensor> t) {
                  return std::pair{std::get<0>(p) * 2.0, sum(std::get<0>(t))};
                },
                "f");
  EXPECT_EQ(jvp(narrow, x, x).error().kind, ErrorKind::Type);
  // Only explicit arguments may be differentiated.
  auto captured = [](Tensor s) {
    auto f =
        customVjp([=](Tensor y) { return y * s; },
                  [=](Tensor y) { return std::pair{y * s, s}; },
                  [](Tensor r, Tensor ct) { return std::tuple(ct * r); }, "f");
    return sum(f(s));
  };
  EXPECT_EQ(grad(captured)(x).error().text.substr(0, 48),
            "Detected differentiation of a custom_vjp functio");
  // Integers are arguments, too; their tangents are zeros of no size.
  auto repeat = customVjp(
      [](Tensor y, Tensor n) { return sum(y) * n; },
      [](Tensor y, Tensor n) { return std::pair{sum(y) * n, std::pair{y, n}}; },
      [](std::pair<Tensor, Tensor> r, Tensor ct) {
        return std::tuple(onesLike(r.first) * ct * r.second, r.second);
      });
  EXPECT_EQ(values(*grad(repeat)(x, Tensor(3))), (Floats{3, 3}));
}

TEST(Frontend, MatricesAndConvolutionsCheckTheirArguments) {
  Tensor wide = zeros({2, 3}), square = zeros({3, 3});
  EXPECT_EQ(lax::linalg::cholesky(wide).error().kind, ErrorKind::Value);
  EXPECT_EQ(lax::linalg::eigh(wide)[0].error().kind, ErrorKind::Value);
  EXPECT_EQ(lax::linalg::lu(zeros({3}))[0].error().kind, ErrorKind::Type);
  EXPECT_EQ(lax::linalg::qr(arange(9))[0].error().kind, ErrorKind::Type);
  EXPECT_FALSE(lax::linalg::triangular_solve(square, wide, {true}).ok());
  EXPECT_FALSE(lax::top_k(wide, 4)[0].ok());
  EXPECT_FALSE(lax::top_k(wide, 1, 2)[0].ok());
  EXPECT_FALSE(lax::reduce_window_sum(wide, {{2}}).ok());
  EXPECT_FALSE(lax::reduce_window_max(wide, {{2, 0}}).ok());
  EXPECT_FALSE(lax::fft(wide, FftType::FFT, {3}).ok());
  EXPECT_FALSE(lax::fft(wide, FftType::RFFT, {4}).ok());
  EXPECT_FALSE(lax::conv_general_dilated(wide, wide).ok());
  Tensor image = zeros({1, 2, 4, 4});
  EXPECT_EQ(lax::conv_general_dilated(image, zeros({3, 1, 2, 2})).error().kind,
            ErrorKind::Value);
  EXPECT_FALSE(
      lax::conv_general_dilated(image, image, {.strides = {0, 1}}).ok());
  EXPECT_FALSE(
      lax::conv_general_dilated(image, image, {.layout = {"NXYZ"}}).ok());
  EXPECT_EQ(samePadding({5, 4}, {3, 3}, {1, 2}),
            (std::vector<Ints>{{1, 1}, {0, 1}}));
  // A matrix that is not positive definite gives NaN.
  EXPECT_TRUE(std::isnan(values(lax::linalg::cholesky(square - 1.0))[0]));
}

TEST(Frontend, JitOverMeshes) {
  Sharding rows = *NamedSharding(mesh42(), P("x"));
  Tensor a = devicePut(ones({8, 4}), rows);
  auto f = jit([](Tensor x) { return matmul(x, transpose(x)) * 2.0; });
  auto r = f(a);
  ASSERT_TRUE(r.ok()) << r.error().str();
  EXPECT_EQ(values(*r), Floats(64, 8));
  EXPECT_EQ(r->sharding().devices().size(), 8u);
  auto lowered = jit([](Tensor x) { return x * int64_t(2); },
                     {.outShardings = {*NamedSharding(mesh42(), P("x", "y"))},
                      .name = "f"})
                     .lower(devicePut(astype(ones({8, 2}), DType::I32),
                                      *NamedSharding(mesh42(), P("x", "y"))));
  ASSERT_TRUE(lowered.ok()) << lowered.error().str();
  auto text = lowered->asText();
  ASSERT_TRUE(text.ok()) << text.error().str();
  EXPECT_NE(text->find("module @jit_f attributes {mhlo.num_partitions = 8"),
            std::string::npos);
  EXPECT_NE(text->find("sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, "
                       "{\"y\"}]>"),
            std::string::npos);
}

// Feature: device-mismatch
TEST(Frontend, DevicesMustAgree) {
  Mesh m1 = *Mesh::get({{0}, {1}}, {2}, {"x"});
  Mesh m2 = *Mesh::get({{2}, {3}}, {2}, {"x"});
  Tensor a = devicePut(ones({8}), *NamedSharding(m1, P()));
  Tensor b = devicePut(ones({8}), *NamedSharding(m2, P()));
  auto f = jit([](Tensor x, Tensor y) { return x + y; },
               {.name = "g", .argNames = {"a", "b"}});
  EXPECT_EQ(f(a, b).error().text,
            "Received incompatible devices for jitted computation. Got "
            "argument a of g with shape float32[8] and with device ids [0, 1] "
            "on platform CPU and argument b of g with shape float32[8] and "
            "with device ids [2, 3] on platform CPU");
  // The same program on other devices is neither traced nor lowered again.
  auto g = jit([](Tensor x) { return x + 1.0; });
  EXPECT_TRUE(g(a).ok());
  JitCounts before = jitCounts();
  EXPECT_TRUE(g(b).ok());
  EXPECT_EQ(jitCounts().traces, before.traces);
  EXPECT_EQ(jitCounts().lowerings, before.lowerings);
}

/// The cache of modules does not know devices.
TEST(Frontend, OperationsOnOtherDevices) {
  for (std::vector<Device> list : {std::vector<Device>{{0}, {1}}, {{3}, {2}}}) {
    Mesh mesh = *Mesh::get(list, {2}, {"x"});
    Tensor x = devicePut(ones({8}), NamedSharding(mesh, P("x")));
    Tensor y = x * 3.0;
    EXPECT_EQ(values(y), Floats(8, 3));
    EXPECT_EQ(y.sharding().devices(), list);
  }
}

TEST(Frontend, RandomNumbersAreThoseOfJax) {
  // jax.random.bits(jax.random.key(0), (3,))
  auto bits = random::bits(random::key(0), {3}).toVector<uint32_t>();
  ASSERT_TRUE(bits.ok()) << bits.error().str();
  EXPECT_EQ(*bits,
            (std::vector<uint32_t>{4070199207u, 4202968722u, 1427181096u}));
}

/// Keys of caches hold addresses of meshes, which must not be used again.
TEST(Frontend, MeshesKeepTheirIdentity) {
  const void *first = makeMesh({2}, {"p"})->identity();
  std::vector<Mesh> others;
  for (int i = 0; i < 100; ++i)
    others.push_back(*makeMesh({2}, {cat("q", i)}));
  for (const Mesh &other : others)
    EXPECT_NE(other.identity(), first);
  EXPECT_EQ(makeMesh({2}, {"p"})->identity(), first);
}

} // namespace
