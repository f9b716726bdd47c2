//===- core_map_test.cc - tests of kernels over cores ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/kernels_test_util.h"

#include "shardwright/frontend/api/autodiff.h"
#include "shardwright/frontend/api/jit.h"
#include "shardwright/frontend/base/config.h"

#include <cstdlib>

#include <gtest/gtest.h>

using namespace shardwright::frontend;
using namespace shardwright::frontend::test;

namespace {

const bool configured = setDeviceCount(8).ok();

/// How often each kernel runs; SHARDWRIGHT_KERNEL_RUNS sets it.
int numRuns() {
  const char *text = std::getenv("SHARDWRIGHT_KERNEL_RUNS");
  return text ? std::atoi(text) : 3;
}

Tensor numbers(const Shape &shape) {
  std::vector<float> all(shape.elements());
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<float>((i * 7) % 31) - 9;
  return arrayOf(all, shape);
}
std::vector<float> values(const Tensor &x) {
  Expected<std::vector<float>> out = x.toVector<float>();
  EXPECT_TRUE(out.ok()) << out.error().str();
  return *out;
}
std::vector<float> repeated(const std::vector<float> &x, int64_t times) {
  std::vector<float> out;
  for (int64_t i = 0; i < times; ++i)
    out.insert(out.end(), x.begin(), x.end());
  return out;
}

/// Runs a kernel, compiled once, several times on all its cores, and with race
/// detection in several orders.
void expectValues(
    const std::function<Tensor(const Tensor &, const CoreMapOptions &)> &kernel,
    const Tensor &x, const std::vector<float> &expected) {
  auto program = jit([&](const Tensor &a) { return kernel(a, {}); });
  for (int i = 0; i < numRuns(); ++i)
    ASSERT_EQ(values(program(x)), expected) << "run " << i;
  for (uint64_t seed = 0; seed < 5; ++seed)
    ASSERT_EQ(values(kernel(x, {.detectRaces = true, .seed = seed})), expected)
        << "seed " << seed;
}

class Cores : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(CoreMap, Cores, testing::Values(1, 2, 8));

TEST_P(Cores, Copy) {
  Tensor x = numbers({16, 3});
  expectValues(
      [&](const Tensor &a, const CoreMapOptions &options) {
        return copyKernel(a, GetParam(), options);
      },
      x, values(x));
}

TEST_P(Cores, MatmulWithDoubleBuffering) {
  Tensor a = numbers({16, 12}), b = numbers({12, 5});
  expectValues(
      [&](const Tensor &x, const CoreMapOptions &options) {
        return matmulKernel(x, b, GetParam(), 3, options);
      },
      a, values(lax::dot_general(a, b, {{1}, {0}, {}, {}})));
}

TEST_P(Cores, ProducerAndConsumer) {
  Tensor x = numbers({16, 4});
  expectValues(
      [&](const Tensor &a, const CoreMapOptions &options) {
        return pipelineKernel(a, GetParam(), options);
      },
      x, values(x * 2.f + 1.f));
}

// Feature: core-map
TEST_P(Cores, RingSum) {
  Tensor x = numbers({GetParam(), 4});
  expectValues(
      [&](const Tensor &a, const CoreMapOptions &options) {
        return ringSumKernel(a, GetParam(), options);
      },
      x, repeated(values(lax::reduce_sum(x, {0})), GetParam()));
}

TEST_P(Cores, RingGatherBetweenDevices) {
  const int64_t count = GetParam();
  std::vector<Device> some = devices();
  some.resize(count);
  Mesh mesh = *Mesh::get(some, {count}, {"x"});
  Tensor x = numbers({2 * count, 3});
  expectValues(
      [&](const Tensor &a, const CoreMapOptions &options) {
        return Tensor(shardMap(
            [&](Tensor local) { return gatherKernel(local, count, options); },
            {.mesh = mesh, .in = P("x"), .out = P("x")})(a));
      },
      x, repeated(values(x), count));
}

// The parts begin at the same element, so that copying nothing would be seen
// only in the others.
TEST(CoreMap, CopiesWithinOneMemory) {
  Tensor x = numbers({5});
  std::vector<float> expected = values(x);
  expected[4] = expected[2];
  expected[2] = expected[1];
  expectValues(
      [](const Tensor &a, const CoreMapOptions &options) {
        return runState(
            [&](const Ref &r) {
              coreMap(
                  coreMesh("core", 1),
                  [&] {
                    runScoped(
                        [&](const Ref &sem) {
                          asyncCopy(r.at(slice(0, 3)), r.at(slice(0, 5, 2)),
                                    sem)
                              .wait();
                        },
                        dmaSemaphores());
                  },
                  options);
            },
            a);
      },
      x, expected);
}

// A wait for no bytes returns at once.
TEST(CoreMap, CopiesOfNothing) {
  Tensor x = numbers({4});
  expectValues(
      [](const Tensor &a, const CoreMapOptions &options) {
        return runState(
            [&](const Ref &r) {
              coreMap(
                  coreMesh("core", 2),
                  [&] {
                    Tensor other = number(1) - lax::axis_index("core");
                    runScoped(
                        [&](const Ref &to, const Ref &sent,
                            const Ref &arrived) {
                          asyncCopy(r.at(slice(0, 0)), to.at(slice(2, 2)), sent)
                              .wait();
                          asyncRemoteCopy(r.at(slice(1, 1)), to.at(slice(0, 0)),
                                          sent, arrived, {{"core", other}})
                              .wait();
                        },
                        vmem({3}, DType::F32), dmaSemaphores(),
                        dmaSemaphores());
                  },
                  options);
            },
            a);
      },
      x, values(x));
}

TEST(CoreMap, ScratchBeginsAsTheLeastInteger) {
  ScopedConfig<bool> wide(config::enableX64, true);
  for (auto [type, least] :
       std::vector<std::pair<DType, double>>{{DType::I4, -8},
                                             {DType::I8, -128},
                                             {DType::I64, -0x1p63},
                                             {DType::U8, 0},
                                             {DType::Bool, 0}}) {
    Tensor out = runState(
        [&](const Ref &r) {
          coreMap(coreMesh("core", 1), [&] {
            runScoped([&](const Ref &from) { r.set(from.get()); },
                      vmem({3}, type));
          });
        },
        lax::full({3}, 1, type));
    EXPECT_EQ(*lax::convert_element_type(out, DType::F64).toVector<double>(),
              std::vector<double>(3, least));
  }
}

TEST(CoreMap, PrintsAsAnEquationOfReferences) {
  auto traced = jit([](const Tensor &x) {
                  return copyKernel(x, 2);
                }).trace(numbers({4, 2}));
  ASSERT_TRUE(traced.ok());
  EXPECT_NE(traced->str().find(
                "mesh=TensorCoreMesh(devices=array([TensorCore(id=0), "
                "TensorCore(id=1)], dtype=object), axis_names=('core',))\n"
                "            name=body\n"),
            std::string::npos)
      << traced->str();
  for (const char *text :
       {"dma_start(p0) j[k:k+2,:] -> l[k:k+2,:] m[...]",
        "dma_wait l[k:k+2,:] m[...]", "m:Ref<semaphore_mem>{dma_sem[]}",
        "h:i32[] = axis_index[axis_name=core] "})
    EXPECT_NE(traced->str().find(text), std::string::npos) << text << "\n"
                                                           << traced->str();
}

} // namespace
