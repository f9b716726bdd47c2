//===- pmap_test.cc - functions mapped over devices -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/pmap/pmap.h"

#include "shardwright/frontend/api/autodiff.h"
#include "shardwright/frontend/array/values_test_util.h"
#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/shard_map/collectives.h"

#include <gtest/gtest.h>

using namespace shardwright::frontend;

namespace {

using Dict = std::map<std::string, Tensor>;
using AxesMap = std::map<std::string, AxesTree>;

Tensor rows(int64_t n = 8) { return arange(n, DType::F32); }
std::string textOf(const Error &error) { return error.str(); }

// Feature: pmap
TEST(Pmap, EachDeviceSeesItsSlice) {
  auto f =
      pmap([](Tensor x) { return x / lax::psum(x, "i"); }, {.axisName = "i"});
  auto out = f(arange(4, DType::F32));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(values(*out), (Floats{0, 1 / 6.f, 2 / 6.f, 3 / 6.f}));
  EXPECT_EQ(out->sharding().spec().str(), "P('i',)");
  EXPECT_EQ(out->sharding().mesh().size(), 4);
}

TEST(Pmap, CallsOfFinishedProgramsTraceNothing) {
  int count = 0;
  auto f = pmap([&](Tensor x) {
    ++count;
    return x + 1;
  });
  EXPECT_TRUE(f(rows()).ok());
  EXPECT_TRUE(f(rows()).ok());
  EXPECT_EQ(count, 1);
  // Another axis size needs another mesh.
  EXPECT_TRUE(f(rows(4)).ok());
  EXPECT_EQ(count, 2);
  JitCounts before = jitCounts();
  EXPECT_EQ(values(*f(rows(4))), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(values(*f(rows())), (Floats{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(jitCounts().dispatchMisses, before.dispatchMisses);
}

TEST(Pmap, TreesOfAxes) {
  auto f = pmap(
      [](std::pair<Tensor, Tensor> p, Dict d) {
        return Dict{{"sum", p.first + d["w"]}, {"same", p.second}};
      },
      {.inAxes = {{1, None}, AxesMap{{"w", 0}}},
       .outAxes = AxesMap{{"sum", -1}, {"same", None}}});
  Tensor a = reshape(arange(12, DType::F32), {3, 4});
  auto out = f(std::pair{a, Tensor(rows(2))},
               Dict{{"w", reshape(arange(12, DType::F32), {4, 3})}});
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ((*out)["sum"].shape(), (Shape{3, 4}));
  EXPECT_EQ(values((*out)["sum"]),
            (Floats{0, 4, 8, 12, 5, 9, 13, 17, 10, 14, 18, 22}));
  EXPECT_EQ((*out)["sum"].sharding().spec().normalized(2).str(),
            "P(None, '_internal_pmap_axis_name')");
  EXPECT_EQ(values((*out)["same"]), (Floats{0, 1}));
  EXPECT_TRUE((*out)["same"].sharding().isFullyReplicated());
}

TEST(Pmap, StaticArgumentsAndKeywords) {
  auto f = pmap([](Tensor x, int64_t n, Dict rest) {
    Tensor out = rest["y"];
    for (int64_t i = 0; i < n; ++i)
      out = out + x;
    return out;
  });
  Keywords more(Dict{{"y", rows()}});
  EXPECT_EQ(values(*f(rows(), Static<int64_t>(2), more)),
            (Floats{0, 3, 6, 9, 12, 15, 18, 21}));
  EXPECT_EQ(values(*f(rows(), Static<int64_t>(1), more)),
            (Floats{0, 2, 4, 6, 8, 10, 12, 14}));
}

TEST(Pmap, DevicesAreThoseOfTheOption) {
  std::vector<Device> some{{6}, {1}};
  auto out = pmap([](Tensor x) { return x; }, {.devices = some})(rows(2));
  ASSERT_TRUE(out.ok()) << out.error().str();
  EXPECT_EQ(out->devices(), some);
}

TEST(Pmap, DonatedArgumentsAreDeleted) {
  auto f = pmap([](Tensor x) { return x + 1; }, {.donate = {0}});
  Tensor x = *pmap([](Tensor v) { return v * 2; })(rows());
  EXPECT_EQ(values(*f(x)), (Floats{1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_TRUE(x.isDeleted());
}

TEST(Pmap, StagesTakeTheArgumentsOfTheFunction) {
  auto f = pmap([](Dict d) { return lax::psum(d["a"] * d["b"], "i"); },
                {.axisName = "i", .outAxes = None});
  Dict args{{"a", rows()}, {"b", rows()}};
  auto lowered = f.lower(args);
  ASSERT_TRUE(lowered.ok()) << lowered.error().str();
  std::string text = *lowered->asText();
  EXPECT_NE(text.find("module @jit__fun "), text.npos);
  EXPECT_NE(text.find("manual_axes={\"i\"}"), text.npos);
  auto compiled = lowered->compile();
  ASSERT_TRUE(compiled.ok()) << compiled.error().str();
  EXPECT_EQ(values((*compiled)(args).at(0)), (Floats{140}));
  // A list is not a map.
  EXPECT_FALSE((*compiled)(std::vector<Tensor>{rows(), rows()}).at(0).ok());
}

TEST(Pmap, GradientsOfSumsCountTheDevices) {
  auto loss = [](Tensor x) {
    auto f =
        pmap([](Tensor v) { return lax::psum(v, "i"); }, {.axisName = "i"});
    return sum(Tensor() = f(x));
  };
  EXPECT_EQ(values(*grad(loss)(rows())), Floats(8, 8));
  EXPECT_EQ(values(*jit(grad(loss))(rows())), Floats(8, 8));
}

TEST(Pmap, WorksUnderVmapAndOverIt) {
  auto f = pmap([](Tensor x) { return lax::psum(x, "i"); }, {.axisName = "i"});
  Tensor x = reshape(arange(8, DType::F32), {2, 4});
  Tensor each = vmap(f)(x);
  EXPECT_EQ(values(each), (Floats{6, 6, 6, 6, 22, 22, 22, 22}));
  auto over = pmap(vmap([](Tensor v) { return v * 2; }));
  EXPECT_EQ(values(*over(x)), (Floats{0, 2, 4, 6, 8, 10, 12, 14}));
}

TEST(Pmap, RunsWithoutJit) {
  ScopedConfig scope(config::disableJit, true);
  auto f = pmap([](Tensor x) { return x - lax::pmax(x, "i"); },
                {.axisName = "i", .outAxes = 0});
  EXPECT_EQ(values(*f(rows(3))), (Floats{-2, -1, 0}));
}

// Texts of pmap itself, where JAX gives that of a function that pmap calls.

template <typename T> std::string problem(PmapOptions options, const T &x) {
  return textOf(pmap([](T v) { return v; }, std::move(options))(x).error());
}

TEST(PmapErrors, MoreElementsThanDevices) {
  EXPECT_EQ(problem({}, rows(9)),
            "ValueError: compiling computation that requires 9 logical "
            "devices, but only 8 XLA devices are available (num_replicas=9)");
}

TEST(PmapErrors, SizeIsNotThatOfTheDevices) {
  EXPECT_EQ(problem({.devices = std::vector<Device>{{0}, {1}}}, rows()),
            "ValueError: Leading axis size of input to pmapped function must "
            "equal the number of local devices passed to pmap. Got "
            "axis_size=8, num_local_devices=2.\n(Local devices available to "
            "pmap: cpu:0, cpu:1)");
}

TEST(PmapErrors, AxisOutOfRange) {
  EXPECT_EQ(problem({.inAxes = 3}, zeros({8, 2})),
            "ValueError: pmap in_axes axis 3 is out of range for shape (8, 2)");
  EXPECT_EQ(problem({.inAxes = -3}, zeros({8, 2})),
            "ValueError: pmap in_axes axis -3 is out of range for shape "
            "(8, 2)");
  EXPECT_EQ(problem({}, arrayOf(Floats{1}, {})),
            "ValueError: pmap in_axes axis 0 is out of range for shape ()");
}

TEST(PmapErrors, SizesDiffer) {
  auto f = pmap([](Tensor a, Tensor b) { return a; }, {.argNames = {"a", "b"}});
  EXPECT_EQ(textOf(f(zeros({8, 2}), zeros({4, 2})).error()),
            "ValueError: pmap got inconsistent sizes for array axes to be "
            "mapped:\n  * one axis had size 8: axis 0 of argument a of type "
            "float32[8,2];\n  * one axis had size 4: axis 0 of argument b of "
            "type float32[4,2]");
  EXPECT_EQ(problem({}, Dict{{"u", rows(4)}, {"v", rows(2)}, {"w", rows(2)}}),
            "ValueError: pmap got inconsistent sizes for array axes to be "
            "mapped:\n  * most axes (2 of them) had size 2, e.g. axis 0 of "
            "args[0]['v'] of type float32[2];\n  * one axis had size 4: axis 0 "
            "of args[0]['u'] of type float32[4]");
}

TEST(PmapErrors, EmptyAxis) {
  EXPECT_EQ(problem({}, zeros({0, 2})),
            "ValueError: pmap requires a mapped axis of at least 1 element, "
            "but the mapped axis has size 0.");
}

TEST(PmapErrors, ArgumentThatIsNotStatic) {
  EXPECT_EQ(problem({.staticBroadcasted = {0}}, rows()),
            "TypeError: static_broadcasted_argnums=(0,) names argument 0, "
            "which is not of type Static. Pass it as Static(value).");
}

TEST(PmapErrors, NumberBesideAnArray) {
  auto f = pmap([](Tensor a, Tensor b) { return a + b; });
  EXPECT_EQ(textOf(f(rows(), 2.0).error()),
            "ValueError: pmap in_axes axis 0 is out of range for shape ()");
}

} // namespace
