//===- trivial_programs_test.cc - programs that only forward --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/array/values_test_util.h"
#include "shardwright/frontend/frontend.h"
#include "shardwright/frontend/jit/program.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace shardwright::frontend;
using testing::HasSubstr;

namespace {

const bool configured = setDeviceCount(8).ok();

/// Traces, lowerings, compilations and dispatch misses of a step.
using Counts = std::array<int64_t, 4>;
template <typename Step> Counts countsOf(const Step &step) {
  JitCounters a = jitCounters();
  auto result = step();
  EXPECT_TRUE(result.ok()) << result.error().str();
  JitCounters b = jitCounters();
  return {b.traces - a.traces, b.lowerings - a.lowerings,
          b.compiles - a.compiles, b.dispatchMisses - a.dispatchMisses};
}
const Counts forwarded{1, 1, 0, 1}, compiled{1, 1, 1, 1}, none{0, 0, 0, 0};

class TrivialPrograms : public testing::Test {
protected:
  Mesh mesh = *makeMesh({8}, {"x"}, {AxisType::Auto});
  Sharding rows = *NamedSharding(mesh, P("x")), all = *NamedSharding(mesh, P());
  Tensor numbers(const Sharding &sharding) {
    return devicePut(arange(8, DType::F32), sharding);
  }
  const Floats eight{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<Sharding> places{Sharding(), Sharding::single(Device{3}), rows,
                               all};
};

// Feature: trivial
TEST_F(TrivialPrograms, AreNotCompiled) {
  for (const Sharding &place : places) {
    auto f =
        jit([](Tensor x, Tensor y) { return std::vector<Tensor>{y, x, y, x}; });
    Tensor x = numbers(place), y = devicePut(-x, place);
    Expected<std::vector<Tensor>> outs = std::vector<Tensor>{};
    EXPECT_EQ(countsOf([&] { return outs = f(x, y); }), forwarded);
    EXPECT_EQ(countsOf([&] { return f(x, y); }), none);
    ASSERT_EQ(outs->size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      const Tensor &own = i % 2 ? x : y, &out = (*outs)[i];
      EXPECT_EQ(values(out), values(own));
      EXPECT_EQ(out.sharding(), own.sharding());
      EXPECT_EQ(out.committed(), own.committed());
      auto mine = addressableShards(own), theirs = addressableShards(out);
      ASSERT_TRUE(mine.ok() && theirs.ok());
      for (size_t k = 0; k < mine->size(); ++k)
        EXPECT_EQ(*(*mine)[k].data.unsafeBufferPointer(),
                  *(*theirs)[k].data.unsafeBufferPointer());
    }
    // Each of them is an array of its own.
    ASSERT_TRUE((*outs)[1].remove().ok());
    EXPECT_TRUE((*outs)[1].isDeleted());
    EXPECT_FALSE((*outs)[3].isDeleted() || x.isDeleted());
    ASSERT_TRUE(x.remove().ok());
    EXPECT_EQ(values((*outs)[3]), eight);
  }
}

/// A program that donates an array which shares its memory writes elsewhere.
TEST_F(TrivialPrograms, DonationOfSharedMemoryCopies) {
  auto f = jit([](Tensor x) { return x; });
  auto reuse = jit([](Tensor x) { return x * 2.0 + 1.0; }, {.donate = {0}});
  for (const Sharding &place : places) {
    for (bool donatesResult : {false, true}) {
      Tensor x = numbers(place), y = f(x);
      Tensor &donated = donatesResult ? y : x, &kept = donatesResult ? x : y;
      Tensor z = reuse(donated);
      EXPECT_TRUE(donated.isDeleted());
      EXPECT_EQ(values(z), (Floats{1, 3, 5, 7, 9, 11, 13, 15}));
      EXPECT_FALSE(kept.isDeleted());
      EXPECT_EQ(values(kept), eight);
      // The last array with this memory gives it away.
      EXPECT_EQ(values(reuse(kept)), values(z));
      EXPECT_TRUE(kept.isDeleted());
    }
  }
}

TEST_F(TrivialPrograms, DonatedArgumentsMoveToTheirResults) {
  auto f = jit([](Tensor x, Tensor y) { return std::vector{y, x, x}; },
               {.donate = {0}});
  for (const Sharding &place : places) {
    Tensor x = numbers(place), y = numbers(place);
    auto outs = f(x, y);
    ASSERT_TRUE(outs.ok()) << outs.error().str();
    EXPECT_TRUE(x.isDeleted());
    EXPECT_FALSE(y.isDeleted());
    for (const Tensor &out : *outs)
      EXPECT_EQ(values(out), eight);
    EXPECT_THAT(f(y, y).error().text,
                HasSubstr("Toy example for this bug: `f(donate(a), a)`."));
    EXPECT_FALSE(y.isDeleted());
    EXPECT_EQ(f(x, y).error().text,
              "Array has been deleted with shape=float32[8].");
  }
}

TEST_F(TrivialPrograms, ConstantsStayWhereTheyAre) {
  Tensor host = arrayOf<float>({1, 2}), there = devicePut(host, Device{5}),
         parts = numbers(rows);
  auto f = jit([&](Tensor x) { return std::vector{there, x, host, parts}; });
  for (const Sharding &place : places) {
    auto outs = f(numbers(place));
    ASSERT_TRUE(outs.ok()) << outs.error().str();
    EXPECT_EQ((*outs)[0].sharding(), there.sharding());
    EXPECT_EQ((*outs)[3].sharding(), rows);
    EXPECT_EQ(values((*outs)[1]), eight);
    EXPECT_EQ(values((*outs)[2]), (Floats{1, 2}));
    EXPECT_EQ((*outs)[2].devices(), (*outs)[1].devices());
  }
  // The program holds a constant that its owner deletes.
  ASSERT_TRUE(there.remove().ok() && parts.remove().ok());
  auto outs = f(numbers(all));
  ASSERT_TRUE(outs.ok()) << outs.error().str();
  EXPECT_EQ(values((*outs)[0]), (Floats{1, 2}));
  EXPECT_EQ(values((*outs)[3]), eight);
}

TEST_F(TrivialPrograms, NumbersAreReplicated) {
  auto f = jit([](Tensor x) { return std::vector<Tensor>{x, 2.5, 7}; });
  Expected<std::vector<Tensor>> outs = std::vector<Tensor>{};
  EXPECT_EQ(countsOf([&] { return outs = f(numbers(rows)); }), forwarded);
  EXPECT_EQ((*outs)[1].devices().size(), 8u);
  EXPECT_TRUE((*outs)[1].isFullyReplicated());
  EXPECT_EQ(*(*outs)[1].item(), 2.5);
  EXPECT_EQ(*(*outs)[2].item(), 7);
  EXPECT_EQ((*outs)[2].dtype(), DType::I32);
  // An argument that is not committed goes to the devices of the others.
  auto pair = jit([](Tensor x, Tensor y) { return std::vector{x, y}; });
  auto both = pair(numbers(rows), arrayOf<float>({3}));
  ASSERT_TRUE(both.ok());
  EXPECT_EQ((*both)[1].devices(), mesh.devices());
  EXPECT_EQ(values((*both)[1]), Floats{3});
}

TEST_F(TrivialPrograms, AllTypesAndShapes) {
  auto f = jit([](Tensor x) { return x; });
  for (DType type : {DType::Bool, DType::I8, DType::U32, DType::F16,
                     DType::BF16, DType::C64, DType::I4})
    for (const Shape &shape : {Shape{}, Shape{0}, Shape{8, 0}, Shape{8, 3}}) {
      for (const Sharding &place : {Sharding(), all}) {
        Tensor x = devicePut(astype(ones(shape), type), place), y = f(x);
        EXPECT_EQ(y.str(), x.str());
        EXPECT_EQ(y.aval(), x.aval());
      }
    }
  Tensor keys = stack(random::split(random::key(7), 8));
  for (const Sharding &place : places) {
    Tensor x = devicePut(keys, place), y = f(x);
    EXPECT_EQ(*random::keyData(y).toVector<uint32_t>(),
              *random::keyData(keys).toVector<uint32_t>());
    EXPECT_EQ(y.sharding(), x.sharding());
  }
  Tensor weak = f(Tensor(2.0));
  EXPECT_TRUE(weak.aval().weak);
  EXPECT_EQ(*weak.item(), 2.0);
}

TEST_F(TrivialPrograms, MemoryKindsAndTypesOfExplicitMeshes) {
  auto f = jit([](Tensor x) { return x; });
  Tensor x = numbers(*rows.withMemoryKind("pinned_host")), y = f(x);
  EXPECT_EQ(y.sharding().memoryKind(), "pinned_host");
  EXPECT_EQ(y.aval(), x.aval());
  EXPECT_EQ(values(y), eight);
  Mesh typed = *makeMesh({8}, {"x"}, {AxisType::Explicit});
  Tensor e = numbers(*NamedSharding(typed, P("x"))), out = f(e);
  EXPECT_EQ(out.aval().str(), e.aval().str());
  EXPECT_EQ(out.sharding(), e.sharding());
  // The terms of a sum stay terms.
  ScopedMesh scope(typed);
  Sharding terms = *NamedSharding(typed, *P::get({}, {"x"}));
  Tensor sums = reshard(arange(8, DType::F32), terms), same = f(sums);
  ASSERT_TRUE(same.ok()) << same.error().str();
  EXPECT_EQ(same.sharding(), sums.sharding());
  EXPECT_EQ(values(reshard(same, P())), eight);
}

/// A nested call is no computation, in whatever transformation.
TEST_F(TrivialPrograms, UnderTransformations) {
  auto inner = jit([](Tensor x) { return x; });
  auto outer =
      jit([&](Tensor x) { return std::vector<Tensor>{inner(x), 1.0}; });
  Tensor x = numbers(rows);
  EXPECT_EQ(countsOf([&] { return outer(x); }), forwarded);
  JitCounters before = jitCounters();
  auto mapped = vmap([&](Tensor v) { return Tensor(inner(v)); })(x);
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(values(*mapped), eight);
  EXPECT_EQ(jitCounters().compiles, before.compiles);
  auto slope = grad([&](Tensor v) { return sum(Tensor(inner(v))); })(x);
  ASSERT_TRUE(slope.ok());
  EXPECT_EQ(values(*slope), Floats(8, 1));
  // Inside a program that computes it is a call as any other.
  auto computes = jit([&](Tensor v) { return Tensor(inner(v)) + 1.0; });
  EXPECT_EQ(values(computes(x)), values(x + 1.0));
  EXPECT_THAT(*computes.lower(x)->asText(), HasSubstr("call @"));
}

TEST_F(TrivialPrograms, WhatIsAskedForIsCompiled) {
  auto id = [](Tensor x) { return x; };
  Tensor x = numbers(all);
  EXPECT_EQ(countsOf([&] {
              return jit(id, {.outShardings = {rows}, .name = "out"})(x);
            }),
            compiled);
  EXPECT_EQ(countsOf([&] {
              return jit(id, {.inShardings = {AutoSharding(mesh)},
                              .name = "auto"})(arange(8, DType::F32));
            }),
            compiled);
  EXPECT_EQ(countsOf([&] { return pmap(id)(arange(8, DType::F32)); })[2], 1);
  EXPECT_EQ(countsOf([&] {
              return jit([](Tensor v) { return debugPrint("{}", v), v; },
                         {.name = "prints"})(x);
            }),
            compiled);
  // Shardings of inputs alone are placements.
  Expected<Tensor> placed = Tensor();
  EXPECT_EQ(countsOf([&] {
              return placed = jit(id, {.inShardings = {rows}, .name = "in"})(
                         arange(8, DType::F32));
            }),
            forwarded);
  EXPECT_EQ(placed->sharding(), rows);
  EXPECT_TRUE(placed->committed());
}

TEST_F(TrivialPrograms, Stages) {
  Tensor constant = arrayOf<float>({4, 5});
  auto f = jit([&](Tensor x, Tensor) { return std::vector{x, constant}; },
               {.name = "trivial", .argNames = {"x", "unused"}});
  Tensor x = numbers(rows);
  auto lowered = f.lower(x, x);
  ASSERT_TRUE(lowered.ok());
  EXPECT_THAT(*lowered->asText(), HasSubstr("module @jit_trivial"));
  EXPECT_THAT(*lowered->asText(), HasSubstr("return %arg0, %cst"));
  auto explained = lowered->explain();
  ASSERT_TRUE(explained.ok()) << explained.error().str();
  JitCounters before = jitCounters();
  auto stage = lowered->compile();
  ASSERT_TRUE(stage.ok()) << stage.error().str();
  EXPECT_EQ(jitCounters().compiles, before.compiles);
  Tensors outs = stage->call({x, x});
  ASSERT_EQ(outs.size(), 2u);
  EXPECT_EQ(values(outs[0]), eight);
  EXPECT_EQ(stage->inputShardings(), std::vector{rows});
  EXPECT_EQ(stage->outputShardings()[0], rows);
  EXPECT_TRUE(stage->costAnalysis().empty());
  EXPECT_EQ(stage->memoryAnalysis().arguments, 4);
  auto report = stage->report();
  ASSERT_TRUE(report.ok()) << report.error().str();
  EXPECT_THAT(*report, HasSubstr("result[1]  2xf32   2xf32"));
  // In another process it is a program as any other.
  auto bytes = stage->serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.error().str();
  auto loaded = loadProgram(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.error().str();
  Tensors again = loaded->call({x, x});
  ASSERT_EQ(again.size(), 2u) << again[0].error().str();
  EXPECT_EQ(values(again[0]), eight);
  EXPECT_EQ(values(again[1]), (Floats{4, 5}));
  EXPECT_EQ(again[0].sharding(), rows);
}

TEST_F(TrivialPrograms, Errors) {
  auto id = [](Tensor x) { return x; };
  EXPECT_EQ(
      jit(id, {.compilerOptions = {{"xla_foo", 1}}})(numbers(all)).error().text,
      jit([](Tensor x) { return x + 1.0; },
          {.compilerOptions = {{"xla_foo", 1}}})(numbers(all))
          .error()
          .text);
  Tensor gone = numbers(all), nan = full({2}, NAN);
  {
    ScopedConfig off(config::noExecution, true);
    EXPECT_EQ(jit(id, {.name = "f"})(gone).error().text,
              "JAX tried to execute function jit(f), but the no_execution "
              "config option is set");
  }
  ASSERT_TRUE(gone.remove().ok());
  auto keeps = jit([](Tensor x, Tensor) { return x; }, {.keepUnused = true});
  EXPECT_EQ(keeps(numbers(all), gone).error().text,
            "Array has been deleted with shape=float32[8].");
  // An argument whose computation fails gives a result that fails.
  auto fails = jit([](Tensor x) -> Tensor {
    auto fail = [](Tensor) -> Tensor {
      return makeError(ErrorKind::Value, "no value");
    };
    return pureCallback(fail, shapeDtypeStruct({8}, DType::F32), x);
  });
  Tensor broken = fails(numbers(Sharding()));
  Tensor out = broken.ok() ? Tensor(jit(id)(broken)) : broken;
  EXPECT_THAT(out.ok() ? out.blockUntilReady().error().text : out.error().text,
              HasSubstr("no value"));
  ScopedConfig checked(config::debugNans, true);
  EXPECT_THAT(jit(id)(nan).error().text,
              HasSubstr("did not produce invalid values"));
}

/// Arguments in any order, in any place, donated or not.
RC_GTEST_PROP(TrivialProgramsProperty, ResultsAreTheArguments, ()) {
  Mesh mesh = *makeMesh({2, 4}, {"x", "y"}, {AxisType::Auto, AxisType::Auto});
  const std::vector<PartitionSpec> specs{
      P(), P("x"), P("y", "x"), P(nullptr, "y"), P(AxisNames{"x", "y"})};
  auto count = *rc::gen::inRange<int64_t>(1, 4);
  Tensors args;
  std::vector<Floats> expected;
  for (int64_t i = 0; i < count; ++i) {
    Tensor x = arange(64, DType::F32) + static_cast<double>(i);
    x = reshape(x, {8, 8});
    if (*rc::gen::arbitrary<bool>())
      x = devicePut(x, *NamedSharding(mesh, *rc::gen::elementOf(specs)));
    args.push_back(x);
    expected.push_back(values(x));
  }
  auto order = *rc::gen::container<std::vector<int64_t>>(
      *rc::gen::inRange<size_t>(0, 6), rc::gen::inRange<int64_t>(0, count));
  bool donates = *rc::gen::arbitrary<bool>();
  auto f = jit(
      [&](std::vector<Tensor> in) {
        std::vector<Tensor> outs;
        for (int64_t i : order)
          outs.push_back(in[i]);
        return outs;
      },
      {.donate = donates ? Ints{0} : Ints{}});
  JitCounters before = jitCounters();
  auto outs = f(std::vector<Tensor>(args));
  RC_ASSERT(outs.ok());
  RC_ASSERT(jitCounters().compiles == before.compiles);
  RC_ASSERT(outs->size() == order.size());
  for (size_t r = 0; r < order.size(); ++r)
    RC_ASSERT(values((*outs)[r]) == expected[order[r]]);
  for (int64_t i = 0; i < count; ++i) {
    bool isUsed = std::find(order.begin(), order.end(), i) != order.end();
    RC_ASSERT(args[i].isDeleted() == (donates && isUsed));
  }
}

} // namespace
