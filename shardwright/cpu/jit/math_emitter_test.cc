//===- math_emitter_test.cc - accuracy of the emitted functions -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares kernels of one operation each with the C library in long double,
// over all magnitudes and at the special values of IEEE arithmetic.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/jit.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

constexpr int64_t count = 1 << 20;

struct Compiled {
  CompiledKernels kernels;
  KernelFn function;
};

/// out[i] = op(in0[i], in1[i]...)
Compiled compileOne(Op op, ElementType type, int arity, int64_t n = count) {
  Cluster cluster;
  Node node;
  node.op = op;
  node.type = type;
  node.shape = {n};
  for (int i = 0; i < arity; ++i) {
    Node param;
    param.op = Op::Param;
    param.type = type;
    param.shape = {n};
    param.bits = i;
    node.operands.push_back(cluster.graph.add(param));
  }
  cluster.numParams = arity;
  cluster.outputs.push_back(cluster.graph.add(node));
  cluster.inPlace.push_back(-1);
  auto result = compileKernels({&cluster}, {});
  EXPECT_TRUE(static_cast<bool>(result));
  Compiled compiled{std::move(*result), nullptr};
  compiled.function = compiled.kernels.kernels[0].function;
  return compiled;
}

template <typename T> double ulps(T got, long double want) {
  if (std::isnan(want))
    return std::isnan(got) ? 0 : 1e30;
  auto rounded = static_cast<T>(want);
  if (got == rounded)
    return 0;
  if (std::isinf(got) || std::isinf(rounded))
    return 1e30;
  long double step = std::max<long double>(
      std::abs(std::nextafter(rounded, std::numeric_limits<T>::infinity()) -
               static_cast<long double>(rounded)),
      std::numeric_limits<T>::denorm_min());
  return static_cast<double>(std::abs(got - want) / step);
}

struct Function {
  const char *name;
  Op op;
  std::function<long double(long double)> reference;
  double limit;
};

std::vector<Function> functions() {
  auto logistic = [](long double x) { return 1 / (1 + std::exp(-x)); };
  return {
      {"exp", Op::Exp, [](long double x) { return std::exp(x); }, 1.5},
      {"expm1", Op::Expm1, [](long double x) { return std::expm1(x); }, 2.5},
      {"log", Op::Log, [](long double x) { return std::log(x); }, 1.5},
      {"log1p", Op::Log1p, [](long double x) { return std::log1p(x); }, 2.5},
      {"tanh", Op::Tanh, [](long double x) { return std::tanh(x); }, 3.5},
      {"sqrt", Op::Sqrt, [](long double x) { return std::sqrt(x); }, 0.51},
      {"rsqrt", Op::Rsqrt, [](long double x) { return 1 / std::sqrt(x); }, 1.6},
      {"sin", Op::Sine, [](long double x) { return std::sin(x); }, 4},
      {"cos", Op::Cosine, [](long double x) { return std::cos(x); }, 4},
      {"tan", Op::Tan, [](long double x) { return std::tan(x); }, 4},
      {"cbrt", Op::Cbrt, [](long double x) { return std::cbrt(x); }, 4},
      {"logistic", Op::Logistic, logistic, 4},
  };
}

/// Values of all magnitudes, then special values.
std::vector<float> inputs() {
  std::vector<float> x(count);
  uint32_t state = 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    // One half covers all bit patterns, the other half [-100, 100].
    x[i] = i % 2 ? std::bit_cast<float>(state)
                 : (static_cast<float>(state >> 8) / 8388608.0f - 1) * 100;
  }
  const float specials[] = {
      0.0f,    -0.0f,   INFINITY, -INFINITY,      NAN,    1.0f,       -1.0f,
      1e-45f,  -1e-45f, 1e-39f,   88.7228f,       88.73f, -87.3366f,  -103.97f,
      -104.5f, 3.4e38f, -3.4e38f, 1.1754944e-38f, 0.5f,   0.70710678f};
  std::copy(std::begin(specials), std::end(specials), x.begin());
  return x;
}

TEST(MathEmitter, SinglePrecisionIsWithinAFewUlp) {
  std::vector<float> x = inputs(), y(count);
  for (const Function &f : functions()) {
    Compiled compiled = compileOne(f.op, ElementType::F32, 1);
    void *buffers[] = {x.data(), y.data()};
    compiled.function(buffers, 0, compiled.kernels.kernels[0].iterations);
    double worst = 0;
    float at = 0;
    for (int64_t i = 0; i < count; ++i) {
      double error = ulps(y[i], f.reference(x[i]));
      if (error > worst)
        worst = error, at = x[i];
    }
    EXPECT_LE(worst, f.limit) << f.name << " at " << at;
    RecordProperty(f.name, std::to_string(worst));
  }
}

TEST(MathEmitter, ZerosKeepTheirSign) {
  for (Op op : {Op::Expm1, Op::Log1p, Op::Tanh, Op::Sqrt, Op::Sine, Op::Tan,
                Op::Cbrt}) {
    Compiled compiled = compileOne(op, ElementType::F32, 1, 35);
    std::vector<float> x(35, -0.0f), y(35);
    void *buffers[] = {x.data(), y.data()};
    compiled.function(buffers, 0, compiled.kernels.kernels[0].iterations);
    for (float v : y)
      EXPECT_TRUE(v == 0 && std::signbit(v)) << name(op).str();
  }
}

TEST(MathEmitter, DoublePrecisionIsTheLibrarys) {
  std::vector<double> x(count), y(count);
  for (int64_t i = 0; i < count; ++i)
    x[i] = (static_cast<double>(i) / count - 0.5) * (i % 3 ? 20 : 1400);
  for (const Function &f : functions()) {
    Compiled compiled = compileOne(f.op, ElementType::F64, 1);
    void *buffers[] = {x.data(), y.data()};
    compiled.function(buffers, 0, compiled.kernels.kernels[0].iterations);
    double worst = 0;
    for (int64_t i = 0; i < count; ++i)
      worst = std::max(worst, ulps(y[i], f.reference(x[i])));
    EXPECT_LE(worst, 5) << f.name;
  }
}

TEST(MathEmitter, DoubleTrigonometryReducesLargeArguments) {
  std::vector<double> x(count), y(count);
  for (int64_t i = 0; i < count; ++i)
    x[i] = std::ldexp(1 + static_cast<double>(i) / count,
                      static_cast<int>(i % 900)) *
           (i % 2 ? 1 : -1);
  for (const Function &f : functions()) {
    if (f.op != Op::Sine && f.op != Op::Cosine && f.op != Op::Tan)
      continue;
    Compiled compiled = compileOne(f.op, ElementType::F64, 1);
    void *buffers[] = {x.data(), y.data()};
    compiled.function(buffers, 0, compiled.kernels.kernels[0].iterations);
    double worst = 0, at = 0;
    for (int64_t i = 0; i < count; i += 3) {
      // The processor's argument reduction in long double is exact only below
      // this.
      long double want = f.op == Op::Sine     ? std::sin(x[i])
                         : f.op == Op::Cosine ? std::cos(x[i])
                                              : std::tan(x[i]);
      double error = ulps(y[i], want);
      if (error > worst)
        worst = error, at = x[i];
    }
    EXPECT_LE(worst, 5) << f.name << " at " << at;
  }
}

TEST(MathEmitter, PowerAndAtan2AreWithinAFewUlp) {
  std::vector<float> x = inputs(), y = inputs(), z(count);
  for (int64_t i = 0; i < count; ++i) {
    x[i] = std::abs(x[i]);
    y[i] = i % 4 < 2 ? x[(i * 7919) % count] : y[count - 1 - i] / 40;
  }
  for (Op op : {Op::Power, Op::Atan2}) {
    Compiled compiled = compileOne(op, ElementType::F32, 2);
    void *buffers[] = {x.data(), y.data(), z.data()};
    compiled.function(buffers, 0, compiled.kernels.kernels[0].iterations);
    double worst = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < count; ++i) {
      long double want = op == Op::Power
                             ? std::pow((long double)x[i], (long double)y[i])
                             : std::atan2((long double)x[i], (long double)y[i]);
      double error = ulps(z[i], want);
      if (error > worst)
        worst = error, at = i;
    }
    EXPECT_LE(worst, 4) << name(op).str() << " at " << x[at] << ", " << y[at];
  }
}

TEST(MathEmitter, PowerAndAtan2FollowTheLibraryAtSpecials) {
  const float v[] = {0.0f, -0.0f, 1.0f,  -1.0f,     0.5f, 2.0f,
                     3.0f, -2.5f, 1e30f, -INFINITY, NAN,  INFINITY};
  std::vector<float> x, y, z;
  for (float a : v)
    for (float b : v)
      x.push_back(a), y.push_back(b);
  auto n = static_cast<int64_t>(x.size());
  z.resize(n);
  for (Op op : {Op::Power, Op::Atan2, Op::Remainder}) {
    Compiled compiled = compileOne(op, ElementType::F32, 2, n);
    void *buffers[] = {x.data(), y.data(), z.data()};
    compiled.function(buffers, 0, compiled.kernels.kernels[0].iterations);
    for (int64_t i = 0; i < n; ++i) {
      long double want =
          op == Op::Power   ? std::pow((long double)x[i], (long double)y[i])
          : op == Op::Atan2 ? std::atan2((long double)x[i], (long double)y[i])
                            : std::fmod((long double)x[i], (long double)y[i]);
      EXPECT_LE(ulps(z[i], want), 4)
          << name(op).str() << '(' << x[i] << ", " << y[i] << ") = " << z[i];
    }
  }
}

} // namespace
