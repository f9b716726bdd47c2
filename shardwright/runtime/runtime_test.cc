//===- runtime_test.cc - shards, arrays, comparison, executables ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/executable.h"
#include "shardwright/runtime/neutral_element.h"
#include "shardwright/runtime/random.h"
#include "shardwright/runtime/sharding_transfer.h"

#include "shardwright/cpu/collectives/reduce.h"
#include "shardwright/runtime/program_parts_for_tests.h"
#include "shardwright/support/narrow_float.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <set>

using namespace shardwright;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using E = ElementType;
using Dims = llvm::SmallVector<int64_t, 4>;

Array filled(E type, llvm::ArrayRef<int64_t> shape) {
  return llvm::cantFail(randomArray(type, shape, 1, 0));
}

/// A mesh, and a random sharding that may use sub-axes.
struct Case {
  Mesh mesh;
  TensorSharding sharding;
  Dims shape;
};

Case randomCase(std::mt19937_64 &random) {
  Case c;
  llvm::SmallVector<MeshAxis, 4> axes;
  const int64_t sizes[] = {1, 2, 3, 4};
  int count = 1 + random() % 3;
  int64_t devices = 1;
  for (int i = 0; i < count; ++i) {
    axes.push_back({std::string(1, char('x' + i)), sizes[random() % 4]});
    devices *= axes.back().size;
  }
  llvm::SmallVector<int64_t, 0> ids;
  if (random() % 2) {
    ids.resize(devices);
    std::iota(ids.begin(), ids.end(), 0);
    std::shuffle(ids.begin(), ids.end(), random);
  }
  c.mesh = Mesh(axes, ids);
  int rank = random() % 4;
  std::vector<AxisRef> parts;
  for (int a = 0; a < count; ++a) {
    if (axes[a].size == 4 && random() % 2) { // split into two sub-axes
      parts.push_back({a, 1, 2});
      parts.push_back({a, 2, 2});
    } else {
      parts.push_back(c.mesh.fullAxis(a));
    }
  }
  std::shuffle(parts.begin(), parts.end(), random);
  c.sharding = TensorSharding::closed(rank);
  for (int d = 0; d < rank; ++d) {
    c.shape.push_back(random() % 10);
    while (!parts.empty() && random() % 2) {
      c.sharding.dims[d].axes.push_back(parts.back());
      parts.pop_back();
    }
  }
  while (!parts.empty() && random() % 3 == 0) {
    c.sharding.unreduced.push_back(parts.back());
    parts.pop_back();
  }
  c.sharding.unreduced.kind = ReductionKind(random() % 3);
  return c;
}

int64_t elementAt(llvm::ArrayRef<int64_t> at, llvm::ArrayRef<int64_t> shape) {
  int64_t i = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    i = i * shape[d] + at[d];
  return i;
}

TEST(ShardingTransfer, EveryElementIsWhereTheShardingSays) {
  std::mt19937_64 random(5);
  cpu::ThreadPool pool(2);
  for (int round = 0; round < 400; ++round) {
    Case c = randomCase(random);
    int64_t devices = c.mesh.numDevices();
    Array global = filled(round % 2 ? E::F32 : E::S8, c.shape);
    int64_t width = byteWidth(global.type());
    auto shards = shardArray(global, c.sharding, &c.mesh, devices, pool);
    ASSERT_TRUE(bool(shards)) << toString(shards.takeError());
    Dims local = localShape(c.shape, c.sharding);
    int64_t localCount = 1;
    for (int64_t l : local)
      localCount *= l;
    std::set<std::vector<int64_t>> boxes;
    std::set<void *> buffers;
    char zeros[4] = {}, nothing[4] = {};
    llvm::cantFail(
        fillNeutral(global.type(), c.sharding.unreduced.kind, nothing, 1));
    for (int64_t d = 0; d < devices; ++d) {
      char *shard = static_cast<char *>(shards->data[d].get());
      ASSERT_EQ(reinterpret_cast<uintptr_t>(shard) % 64, 0u);
      std::vector<int64_t> begins;
      int64_t linear = c.mesh.linearIndex(d);
      auto box = shardBox(c.shape, c.sharding, c.mesh, linear);
      bool isFirst = c.mesh.shardIndex(linear, c.sharding.unreduced) == 0;
      for (IndexRange r : box)
        begins.push_back(r.begin);
      if (!isFirst)
        begins = {-1};
      boxes.insert(begins);
      buffers.insert(shard);
      for (int64_t i = 0; i < localCount; ++i) {
        Dims at(local.size());
        int64_t rest = i;
        for (size_t k = local.size(); k-- > 0;) {
          at[k] = rest % local[k];
          rest /= local[k];
        }
        bool inside = true;
        for (size_t k = 0; k < at.size(); ++k) {
          inside &= at[k] < box[k].size();
          at[k] += box[k].begin;
        }
        const char *expected =
            !isFirst ? nothing
            : inside ? static_cast<const char *>(std::as_const(global).data()) +
                           elementAt(at, c.shape) * width
                     : zeros;
        ASSERT_EQ(0, std::memcmp(shard + i * width, expected, width))
            << str(c.sharding, c.mesh) << " device " << d;
      }
    }
    if (localCount > 0)
      EXPECT_EQ(boxes.size(), buffers.size()) << "equal boxes share a buffer";

    // The inverse.
    auto gather = ResultGather::create(global.type(), c.shape, c.sharding,
                                       &c.mesh, devices);
    ASSERT_TRUE(bool(gather)) << toString(gather.takeError());
    for (int64_t d = 0; d < devices; ++d)
      std::memcpy(gather->buffers()[d], shards->data[d].get(),
                  localCount * width);
    Array back = gather->gather(pool);
    ASSERT_EQ(0, std::memcmp(back.data(), global.data(), global.bytes()));
  }
}

TEST(ShardingTransfer, MaximalMeshGathersFromItsDevice) {
  cpu::ThreadPool pool(1);
  Mesh mesh({}, {2});
  auto gather =
      ResultGather::create(E::S32, {1}, TensorSharding::closed(1), &mesh, 4);
  ASSERT_TRUE(bool(gather));
  for (int d = 0; d < 4; ++d)
    *static_cast<int32_t *>(gather->buffers()[d]) = d;
  Array a = gather->gather(pool);
  EXPECT_EQ(*static_cast<int32_t *>(a.data()), 2);
}

TEST(Random, TheSameEverywhereAndInRange) {
  Array a = llvm::cantFail(randomArray(E::F32, {1000}, 1, 0));
  Array b = llvm::cantFail(randomArray(E::F32, {1000}, 1, 1));
  Array c = llvm::cantFail(randomArray(E::F32, {1000}, 2, 0));
  EXPECT_NE(0, std::memcmp(a.data(), b.data(), a.bytes()));
  EXPECT_NE(0, std::memcmp(a.data(), c.data(), a.bytes()));
  auto *x = static_cast<float *>(a.data());
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_GE(x[i], -1);
    EXPECT_LT(x[i], 1);
    sum += x[i];
  }
  EXPECT_LT(std::fabs(sum), 100);
  // Fixed values: a change would change every user's inputs.
  EXPECT_THAT((std::vector<float>(x, x + 3)),
              ElementsAre(-0.4617394208908081f, -0.45057475566864014f,
                          0.9803022146224976f));
  Array i = llvm::cantFail(randomArray(E::S32, {1000}, 1, 0));
  for (int k = 0; k < 1000; ++k) {
    int32_t v = static_cast<int32_t *>(i.data())[k];
    EXPECT_TRUE(v >= 0 && v < 8);
  }
  EXPECT_THAT(toString(randomArray(E::F32, {-1}, 1, 0).takeError()),
              HasSubstr("negative"));
  EXPECT_THAT(
      toString(
          randomArray(E::F32, {int64_t(1) << 40, 0, int64_t(1) << 40}, 1, 0)
              .takeError()),
      HasSubstr("overflows"));
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

void addKernel(void *const *b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(b[2])[i] = static_cast<const float *>(b[0])[i] +
                                    static_cast<const float *>(b[1])[i];
}

/// a + b over a mesh x=4, y=2, with both dimensions sharded.
ProgramParts addition() {
  ProgramParts parts;
  parts.meshes.push_back(Mesh({{"x", 4}, {"y", 2}}));
  TensorSharding both = TensorSharding::closed(2);
  both.dims[0].axes = {parts.meshes[0].fullAxis(0)};
  both.dims[1].axes = {parts.meshes[0].fullAxis(1)};
  ValueSpec value{"v", E::F32, {8, 6}, both, 0};
  parts.arguments = {value, value};
  parts.results = {value};
  cpu::Program &p = parts.program;
  p.numPartitions = 8;
  for (int i = 0; i < 3; ++i) {
    cpu::Slot s;
    s.home = i < 2 ? cpu::Slot::Home::Argument : cpu::Slot::Home::Result;
    s.index = i % 2;
    s.shape = {2, 3};
    p.slots.push_back(s);
  }
  p.arguments = {0, 1};
  p.results = {2};
  p.kernels.push_back({"add", addKernel, 6, 10});
  cpu::Step add;
  add.kind = cpu::StepKind::Kernel;
  add.payload = 0;
  add.inputs = {0, 1};
  add.outputs = {2};
  p.steps.push_back(add);
  cpu::Step end;
  end.kind = cpu::StepKind::Return;
  p.steps.push_back(end);
  cpu::planMemory(p);
  return parts;
}

TEST(Executable, GlobalInGlobalOut) {
  auto executable = makeExecutable(addition());
  ASSERT_TRUE(bool(executable)) << toString(executable.takeError());
  EXPECT_EQ((*executable)->numDevices(), 8);
  EXPECT_EQ((*executable)->peakBytesPerDevice(), 3 * 24);
  Client client(2);
  Array x = filled(E::F32, {8, 6}), y = filled(E::F32, {8, 6});
  auto results = (*executable)->run({x, y}, client);
  ASSERT_TRUE(bool(results)) << toString(results.takeError());
  ASSERT_EQ(results->size(), 1u);
  for (int i = 0; i < 48; ++i)
    EXPECT_EQ(static_cast<const float *>((*results)[0].data())[i],
              static_cast<const float *>(x.data())[i] * 2);
}

/// Argument and result are unreduced arrays, with summands of the full shape.
ProgramParts summands(E type, llvm::ArrayRef<int64_t> shape) {
  ProgramParts parts;
  parts.meshes.push_back(Mesh({{"x", 4}, {"y", 2}}));
  TensorSharding sharding = TensorSharding::closed(shape.size());
  sharding.unreduced = {parts.meshes[0].fullAxis(0)};
  ValueSpec value{"v", type, Dims(shape), sharding, 0};
  parts.arguments = parts.results = {value};
  cpu::Program &p = parts.program;
  p.numPartitions = 8;
  for (auto home : {cpu::Slot::Home::Argument, cpu::Slot::Home::Result}) {
    cpu::Slot s;
    s.home = home;
    s.index = 0;
    s.type = type;
    s.shape = Dims(shape);
    p.slots.push_back(s);
  }
  p.arguments = {0};
  p.results = {1};
  cpu::Step copy;
  copy.kind = cpu::StepKind::Copy;
  copy.inputs = {0};
  copy.outputs = {1};
  p.steps.push_back(copy);
  cpu::Step end;
  end.kind = cpu::StepKind::Return;
  p.steps.push_back(end);
  cpu::planMemory(p);
  return parts;
}

TEST(Executable, UnreducedMaximaAndMinimaCountOnce) {
  Client client(2);
  for (ReductionKind kind : {ReductionKind::Max, ReductionKind::Min})
    for (E type : {E::Pred, E::F32, E::F16, E::BF16, E::S32, E::U8, E::S4,
                   E::F8E4M3FN, E::F8E8M0FNU}) {
      ProgramParts parts = summands(type, {3, 5});
      parts.arguments[0].sharding.unreduced.kind = kind;
      parts.results[0].sharding.unreduced.kind = kind;
      auto executable = makeExecutable(std::move(parts));
      ASSERT_TRUE(bool(executable)) << toString(executable.takeError());
      Array x = filled(type, {3, 5});
      auto results = (*executable)->run({x}, client);
      ASSERT_TRUE(bool(results)) << toString(results.takeError());
      EXPECT_EQ(0, std::memcmp((*results)[0].data(), std::as_const(x).data(),
                               x.bytes()))
          << str(type).str();
    }
}

TEST(Executable, UnreducedValuesCountOnce) {
  Client client(2);
  for (E type : {E::F32, E::BF16, E::S32, E::U8, E::C64, E::F8E5M2FNUZ})
    for (llvm::SmallVector<int64_t, 2> shape :
         {llvm::SmallVector<int64_t, 2>{}, {3, 5}}) {
      auto executable = makeExecutable(summands(type, shape));
      ASSERT_TRUE(bool(executable)) << toString(executable.takeError());
      Array x = filled(type, shape);
      // A scalar -0.
      if (shape.empty() && type == E::F32)
        *static_cast<float *>(x.data()) = -0.0f;
      auto results = (*executable)->run({x}, client);
      ASSERT_TRUE(bool(results)) << toString(results.takeError());
      EXPECT_EQ(0, std::memcmp((*results)[0].data(), std::as_const(x).data(),
                               x.bytes()))
          << str(type).str();
    }
  auto none = makeExecutable(summands(E::F8E8M0FNU, {2}));
  ASSERT_TRUE(bool(none));
  EXPECT_THAT(
      toString((*none)->run({filled(E::F8E8M0FNU, {2})}, client).takeError()),
      HasSubstr("f8E8M0FNU have no zero"));
}

TEST(Executable, WhatDoesNotFitIsAnError) {
  auto executable = makeExecutable(addition());
  ASSERT_TRUE(bool(executable));
  Client client(1);
  Array x = filled(E::F32, {8, 6});
  EXPECT_EQ(toString((*executable)->run({x}, client).takeError()),
            "the program takes 2 arguments, but was given 1");
  EXPECT_EQ(
      toString(
          (*executable)->run({x, filled(E::F32, {6, 8})}, client).takeError()),
      "argument 1 (v) is f32[8,6], but was given f32[6,8]");
  EXPECT_EQ(
      toString(
          (*executable)->run({filled(E::S32, {8, 6}), x}, client).takeError()),
      "argument 0 (v) is f32[8,6], but was given i32[8,6]");
  auto message = [](auto change) {
    ProgramParts parts = addition();
    change(parts);
    auto e = makeExecutable(std::move(parts));
    return e ? std::string() : toString(e.takeError());
  };
  EXPECT_EQ(message([](ProgramParts &p) { p.results.clear(); }),
            "the program has 1 results, its signature 0");
  EXPECT_EQ(message([](ProgramParts &p) { p.arguments[1].mesh = -1; }),
            "argument 1: the program has f32[2,3] a device, its signature "
            "f32[8,6]");
  EXPECT_EQ(message([](ProgramParts &p) { p.arguments[0].mesh = 3; }),
            "argument 0: there is no mesh 3");
  EXPECT_EQ(message([](ProgramParts &p) {
              p.meshes[0] = Mesh({{"x", 2}, {"y", 2}});
            }),
            "argument 0: a mesh of 4 devices in a program for 8");
}

} // namespace
