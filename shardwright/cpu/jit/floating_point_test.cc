//===- floating_point_test.cc - guarantees of docs/floating-point.md ------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/jit.h"
#include "shardwright/support/narrow_float.h"

#include "gtest/gtest.h"

#include <cmath>
#include <complex>
#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;
using E = ElementType;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// One cluster, built node by node, compiled and called.
class Kernels {
public:
  int32_t param(E type, Shape shape) {
    Node node;
    node.op = Op::Param;
    node.type = type;
    node.shape = std::move(shape);
    node.bits = cluster.numParams++;
    return cluster.graph.add(node);
  }
  int32_t op(Op kind, E type, llvm::ArrayRef<int32_t> operands,
             NodeAttributes attrs = {}) {
    Node node;
    node.op = kind;
    node.type = type;
    node.shape = cluster.graph[operands[0]].shape;
    node.operands.assign(operands.begin(), operands.end());
    node.attrs = std::move(attrs);
    return cluster.graph.add(node);
  }
  /// Reduces the last dimension with a body of one operation. `scaled`: the
  /// accumulator is doubled before each step.
  int32_t reduce(Op kind, int32_t x, int32_t init, bool scaled = false) {
    Node node;
    node.op = Op::Reduce;
    node.type = cluster.graph[x].type;
    node.shape = cluster.graph[x].shape;
    node.attrs = ReduceAttrs{{static_cast<int64_t>(node.shape.size()) - 1}};
    node.shape.pop_back();
    node.operands = {x, init};
    auto body = std::make_shared<Body>();
    for (uint64_t i = 0; i < 2; ++i) {
      Node argument;
      argument.op = Op::Param;
      argument.type = node.type;
      argument.bits = i;
      body->nodes.push_back(argument);
    }
    Node inner;
    inner.type = node.type;
    if (scaled) {
      inner.op = Op::Add;
      inner.operands = {0, 0};
      body->nodes.push_back(inner);
    }
    inner.op = kind;
    inner.operands = {scaled ? 2 : 0, 1};
    body->nodes.push_back(inner);
    body->results = {static_cast<int32_t>(body->nodes.size()) - 1};
    node.body = body;
    return cluster.graph.add(node);
  }
  void run(int32_t output, llvm::ArrayRef<void *> buffers, int64_t pieces = 1) {
    cluster.outputs = {output};
    cluster.inPlace = {-1};
    auto compiled = compileKernels({&cluster}, {});
    ASSERT_TRUE(static_cast<bool>(compiled));
    const Kernel &kernel = compiled->kernels[0];
    for (int64_t p = 0; p < pieces; ++p)
      kernel.function(buffers.data(), kernel.iterations * p / pieces,
                      kernel.iterations * (p + 1) / pieces);
  }

private:
  Cluster cluster;
};

template <typename T>
std::vector<T> apply(Op op, E type, std::vector<T> x, std::vector<T> y = {},
                     NodeAttributes attrs = {}) {
  Kernels k;
  Shape shape{static_cast<int64_t>(x.size())};
  llvm::SmallVector<int32_t, 2> operands{k.param(type, shape)};
  if (!y.empty())
    operands.push_back(k.param(type, shape));
  std::vector<T> z(x.size());
  llvm::SmallVector<void *, 3> buffers{x.data()};
  if (!y.empty())
    buffers.push_back(y.data());
  buffers.push_back(z.data());
  k.run(k.op(op, type, operands, std::move(attrs)), buffers);
  return z;
}

template <typename From, typename To>
std::vector<To> convert(E from, E to, std::vector<From> x) {
  Kernels k;
  int32_t p = k.param(from, {static_cast<int64_t>(x.size())});
  std::vector<To> z(x.size());
  k.run(k.op(Op::Convert, to, {p}), {x.data(), z.data()});
  return z;
}

std::vector<float> randoms(size_t n, uint32_t seed) {
  std::vector<float> x(n);
  for (float &v : x) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) / 8388608.0f - 1;
  }
  return x;
}

} // namespace

TEST(FloatingPoint, ArithmeticRoundsOnce) {
  std::vector<float> x = randoms(1000, 1), y = randoms(1000, 2);
  auto check = [&](Op op, auto reference) {
    std::vector<float> z = apply(op, E::F32, x, y);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(z[i],
                static_cast<float>(reference(double(x[i]), double(y[i]))));
  };
  check(Op::Add, [](double a, double b) { return a + b; });
  check(Op::Subtract, [](double a, double b) { return a - b; });
  check(Op::Multiply, [](double a, double b) { return a * b; });
  check(Op::Divide, [](double a, double b) { return a / b; });
}

TEST(FloatingPoint, ArithmeticOfDoublesRoundsOnce) {
  std::vector<float> narrow = randoms(2000, 11);
  std::vector<double> x(1000), y(1000);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = 1.0 / (narrow[i] + 3) + narrow[i + 1000];
    y[i] = narrow[i + 1000] / 3 + 1e-5;
  }
  auto check = [&](Op op, auto reference) {
    std::vector<double> z = apply(op, E::F64, x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      volatile double want = reference(x[i], y[i]);
      EXPECT_EQ(z[i], want);
    }
  };
  check(Op::Add, [](double a, double b) { return a + b; });
  check(Op::Subtract, [](double a, double b) { return a - b; });
  check(Op::Multiply, [](double a, double b) { return a * b; });
  check(Op::Divide, [](double a, double b) { return a / b; });
}

TEST(FloatingPoint, SquareRootsRoundOnce) {
  std::vector<float> x = randoms(1000, 12);
  std::vector<double> wide;
  for (float &v : x) {
    v = std::abs(v) * 1e3f;
    wide.push_back(double(v) / 3);
  }
  std::vector<float> z = apply(Op::Sqrt, E::F32, x);
  std::vector<double> w = apply(Op::Sqrt, E::F64, wide);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(z[i], std::sqrt(x[i]));
    EXPECT_EQ(w[i], std::sqrt(wide[i]));
  }
}

TEST(FloatingPoint, NothingIsReassociated) {
  // The result is 0 from left to right, and 1 in any other order.
  std::vector<float> big(33, 1e20f), one(33, 1), z(33, 7);
  Kernels k;
  int32_t a = k.param(E::F32, {33}), b = k.param(E::F32, {33});
  int32_t sum = k.op(Op::Add, E::F32, {b, a});
  k.run(k.op(Op::Subtract, E::F32, {sum, a}),
        {big.data(), one.data(), z.data()});
  EXPECT_EQ(z, std::vector<float>(33, 0));
  // A division followed by a multiplication is not removed, and a division does
  // not become a product with a reciprocal.
  std::vector<float> x = randoms(1000, 13), y = randoms(1000, 14), q(1000);
  Kernels l;
  int32_t c = l.param(E::F32, {1000}), d = l.param(E::F32, {1000});
  int32_t quotient = l.op(Op::Divide, E::F32, {c, d});
  l.run(l.op(Op::Multiply, E::F32, {quotient, d}),
        {x.data(), y.data(), q.data()});
  int differing = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    volatile float r = x[i] / y[i];
    EXPECT_EQ(q[i], r * y[i]);
    differing += q[i] != x[i];
  }
  EXPECT_GT(differing, 50);
}

TEST(FloatingPoint, NothingIsContracted) {
  std::vector<float> x = randoms(1000, 3), y = randoms(1000, 4), z(1000);
  Kernels k;
  int32_t a = k.param(E::F32, {1000}), b = k.param(E::F32, {1000});
  int32_t product = k.op(Op::Multiply, E::F32, {a, b});
  k.run(k.op(Op::Subtract, E::F32, {product, a}),
        {x.data(), y.data(), z.data()});
  int differing = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    volatile float p = x[i] * y[i];
    EXPECT_EQ(z[i], p - x[i]);
    differing += z[i] != std::fma(x[i], y[i], -x[i]);
  }
  EXPECT_GT(differing, 100);
}

TEST(FloatingPoint, SubnormalsAreKept) {
  std::vector<float> tiny(40, 1e-40f), half(40, 0.5f);
  for (float v : apply(Op::Multiply, E::F32, tiny, half))
    EXPECT_EQ(v, 1e-40f * 0.5f);
  for (float v : apply(Op::Add, E::F32, tiny, tiny))
    EXPECT_EQ(v, 1e-40f + 1e-40f);
  std::vector<double> small(40, 1e-310), two(40, 2);
  for (double v : apply(Op::Divide, E::F64, small, two))
    EXPECT_EQ(v, 1e-310 / 2);
  // Subnormals also survive functions and conversions.
  EXPECT_EQ((apply<float>(Op::Sqrt, E::F32, {1e-40f})[0]), std::sqrt(1e-40f));
  EXPECT_NEAR((apply<float>(Op::Exp, E::F32, {-100}))[0], 3.8e-44f, 2e-45f);
  EXPECT_NEAR((apply<float>(Op::Logistic, E::F32, {-100}))[0], 3.8e-44f,
              2e-45f);
  EXPECT_EQ((convert<double, float>(E::F64, E::F32, {1e-40}))[0], 1e-40f);
  EXPECT_EQ((convert<float, uint16_t>(E::F32, E::F16, {6e-8f}))[0], 1);
}

TEST(FloatingPoint, NarrowTypesRoundAfterEachOperation) {
  // 1 + 2^-8 rounds to 1 in bf16; subtracting 1 gives 0.
  std::vector<uint16_t> x(33, floatToBf16(1)), y(33, floatToBf16(0x1p-8f)),
      z(33, 1);
  Kernels k;
  int32_t a = k.param(E::BF16, {33}), b = k.param(E::BF16, {33});
  int32_t sum = k.op(Op::Add, E::BF16, {a, b});
  k.run(k.op(Op::Subtract, E::BF16, {sum, a}), {x.data(), y.data(), z.data()});
  for (uint16_t v : z)
    EXPECT_EQ(bf16ToFloat(v), 0);
}

TEST(FloatingPoint, EveryNarrowTypeRoundsAfterEachOperation) {
  // A fused kernel rounds like one kernel per operation.
  auto check = [](auto tag, E type) {
    using T = decltype(tag);
    std::vector<float> wide = randoms(512, 15);
    auto x = convert<float, T>(E::F32, type, wide);
    std::vector<T> z(x.size());
    Kernels k;
    int32_t a = k.param(type, {512});
    int32_t sum = k.op(Op::Add, type, {a, a});
    int32_t product = k.op(Op::Multiply, type, {sum, a});
    k.run(k.op(Op::Subtract, type, {product, a}), {x.data(), z.data()});
    auto p = apply(Op::Multiply, type, apply(Op::Add, type, x, x), x);
    EXPECT_EQ(z, apply(Op::Subtract, type, p, x)) << str(type).str();
  };
  check(uint16_t(), E::F16);
  check(uint16_t(), E::BF16);
  for (int i = int(E::F4E2M1FN); i <= int(E::F8E5M2FNUZ); ++i)
    check(uint8_t(), E(i));
}

TEST(FloatingPoint, ComparisonsAreIeees) {
  std::vector<float> x = {NAN, 1, -0.0f, -infinity, NAN},
                     y = {1, NAN, 0.0f, infinity, NAN};
  auto compare = [&](Direction direction, bool total) {
    Kernels k;
    int32_t a = k.param(E::F32, {5}), b = k.param(E::F32, {5});
    std::vector<uint8_t> z(5, 9);
    k.run(k.op(Op::Compare, E::Pred, {a, b}, CompareAttrs{direction, total}),
          {x.data(), y.data(), z.data()});
    return z;
  };
  using Bits = std::vector<uint8_t>;
  EXPECT_EQ(compare(Direction::LT, false), (Bits{0, 0, 0, 1, 0}));
  EXPECT_EQ(compare(Direction::GE, false), (Bits{0, 0, 1, 0, 0}));
  EXPECT_EQ(compare(Direction::EQ, false), (Bits{0, 0, 1, 0, 0}));
  EXPECT_EQ(compare(Direction::NE, false), (Bits{1, 1, 0, 1, 1}));
  // -infinity < ... < -0 < +0 < ... < +NaN
  EXPECT_EQ(compare(Direction::LT, true), (Bits{0, 1, 1, 1, 0}));
  EXPECT_EQ(compare(Direction::EQ, true), (Bits{0, 0, 0, 0, 1}));
}

TEST(FloatingPoint, MaximumPropagatesNaN) {
  for (Op op : {Op::Maximum, Op::Minimum}) {
    std::vector<float> z = apply<float>(op, E::F32, {NAN, 1, NAN, 0.0f, -0.0f},
                                        {1, NAN, NAN, -0.0f, 0.0f});
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(std::isnan(z[i]));
    for (int i = 3; i < 5; ++i)
      EXPECT_EQ(std::signbit(z[i]), op == Op::Minimum);
  }
}

TEST(FloatingPoint, ConversionsRoundOnce) {
  // Slightly above the middle of two f16; rounding to f32 first gives the
  // middle.
  double x = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ((convert<double, uint16_t>(E::F64, E::F16, {x, 1 + 0x1p-11})),
            (std::vector<uint16_t>{0x3c01, 0x3c00}));
  EXPECT_EQ(
      (convert<double, uint16_t>(E::F64, E::BF16, {1 + 0x1p-8 + 0x1p-40})),
      (std::vector<uint16_t>{0x3f81}));
}

TEST(FloatingPoint, OverflowOfNarrowTypes) {
  for (int i = int(E::F4E2M1FN); i <= int(E::F8E5M2FNUZ); ++i) {
    auto type = E(i);
    std::vector<float> x = {1e9f, -1e9f, infinity, NAN,   0.3f, -0.0f,
                            1.0f, 464,   465,      1e-4f, 7e-3f};
    std::vector<uint8_t> z = convert<float, uint8_t>(E::F32, type, x);
    for (size_t j = 0; j < x.size(); ++j)
      EXPECT_EQ(z[j], floatToF8(type, x[j])) << str(type).str() << " " << x[j];
  }
}

TEST(FloatingPoint, TinyTypesConvertAsTheirTables) {
  std::vector<float> x = randoms(4096, 9);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::ldexp(x[i], static_cast<int>(i % 40) - 22);
  for (int i = int(E::F4E2M1FN); i <= int(E::F8E8M0FNU); ++i) {
    auto type = E(i);
    std::vector<uint8_t> z = convert<float, uint8_t>(E::F32, type, x);
    for (size_t j = 0; j < x.size(); ++j)
      if (type != E::F8E8M0FNU || x[j] > 0)
        EXPECT_EQ(z[j], floatToF8(type, x[j]))
            << str(type).str() << " " << x[j];
    std::vector<uint8_t> codes(1 << bitWidth(type));
    for (size_t c = 0; c < codes.size(); ++c)
      codes[c] = static_cast<uint8_t>(c);
    std::vector<float> values = convert<uint8_t, float>(type, E::F32, codes);
    for (size_t c = 0; c < codes.size(); ++c) {
      float want = f8Table(type)[c];
      EXPECT_TRUE(values[c] == want ||
                  (std::isnan(want) && std::isnan(values[c])))
          << str(type).str() << " " << c;
    }
  }
}

TEST(FloatingPoint, ConversionsToIntegersSaturate) {
  EXPECT_EQ(
      (convert<float, int8_t>(E::F32, E::S8, {300, -300, NAN, 1.9f, -1.9f})),
      (std::vector<int8_t>{127, -128, 0, 1, -1}));
  EXPECT_EQ((convert<float, uint8_t>(E::F32, E::U8,
                                     {300, -300, NAN, 1.9f, infinity})),
            (std::vector<uint8_t>{255, 0, 0, 1, 255}));
  EXPECT_EQ((convert<float, int8_t>(E::F32, E::S4, {300, -300, NAN, 1.9f})),
            (std::vector<int8_t>{7, -8, 0, 1}));
}

TEST(FloatingPoint, ConversionsToPredAskForZero) {
  EXPECT_EQ((convert<float, uint8_t>(E::F32, E::Pred,
                                     {0.0f, -0.0f, 1e-45f, NAN, -2})),
            (std::vector<uint8_t>{0, 0, 1, 1, 1}));
  using C = std::complex<float>;
  EXPECT_EQ((convert<C, float>(E::C64, E::F32, {C(1.5f, 2), C(-3, NAN)})),
            (std::vector<float>{1.5f, -3}));
}

TEST(FloatingPoint, ReductionsDoNotDependOnThePieces) {
  std::vector<float> x = randoms(64 * 1000, 5), init{0}, one(64), many(64);
  for (auto [result, pieces] : {std::pair(&one, 1), std::pair(&many, 7)}) {
    Kernels k;
    int32_t p = k.param(E::F32, {64, 1000}), zero = k.param(E::F32, {});
    k.run(k.reduce(Op::Add, p, zero), {x.data(), init.data(), result->data()},
          pieces);
  }
  EXPECT_EQ(one, many);
}

TEST(FloatingPoint, InitialValueCountsOnce) {
  std::vector<float> x(100, 1), init{1000}, z{0};
  Kernels k;
  int32_t p = k.param(E::F32, {100}), start = k.param(E::F32, {});
  k.run(k.reduce(Op::Add, p, start), {x.data(), init.data(), z.data()});
  EXPECT_EQ(z[0], 1100);
}

TEST(FloatingPoint, NarrowSumsAccumulateInF32) {
  // In bf16 this sum would stop at 256.
  std::vector<uint16_t> x(1000, floatToBf16(1)), init{0}, z{0};
  Kernels k;
  int32_t p = k.param(E::BF16, {1000}), start = k.param(E::BF16, {});
  k.run(k.reduce(Op::Add, p, start), {x.data(), init.data(), z.data()});
  EXPECT_EQ(bf16ToFloat(z[0]), 1000);
  // Also with too few elements to vectorise.
  std::vector<uint16_t> few = {floatToBf16(256), floatToBf16(1),
                               floatToBf16(1)};
  Kernels small;
  p = small.param(E::BF16, {3});
  start = small.param(E::BF16, {});
  small.run(small.reduce(Op::Add, p, start),
            {few.data(), init.data(), z.data()});
  EXPECT_EQ(bf16ToFloat(z[0]), 258);
}

TEST(FloatingPoint, LongSumsStayAccurate) {
  // A sequential sum would be off by 1 %.
  constexpr int64_t count = 1 << 21;
  std::vector<float> x(count, 0.1f), init{0}, z(1);
  Kernels k;
  int32_t p = k.param(E::F32, {count}), start = k.param(E::F32, {});
  k.run(k.reduce(Op::Add, p, start), {x.data(), init.data(), z.data()});
  EXPECT_NEAR(z[0] / (count * double(0.1f)), 1, 1e-6);
  // Also a count that is no multiple of a vector or a block.
  constexpr int64_t odd = (1 << 20) + 4321;
  Kernels more;
  p = more.param(E::F32, {odd});
  start = more.param(E::F32, {});
  more.run(more.reduce(Op::Add, p, start), {x.data(), init.data(), z.data()});
  EXPECT_NEAR(z[0] / (odd * double(0.1f)), 1, 1e-6);
}

TEST(FloatingPoint, OtherRegionsGoElementByElement) {
  std::vector<float> x = randoms(300, 16), init{0.25f}, z(3);
  Kernels k;
  int32_t p = k.param(E::F32, {3, 100}), start = k.param(E::F32, {});
  k.run(k.reduce(Op::Add, p, start, /*scaled=*/true),
        {x.data(), init.data(), z.data()});
  for (int row = 0; row < 3; ++row) {
    volatile float sum = init[0];
    for (int i = 0; i < 100; ++i)
      sum = 2 * sum + x[100 * row + i];
    EXPECT_EQ(z[row], sum);
  }
}

TEST(FloatingPoint, IntegersWrap) {
  std::vector<int8_t> x(100, 100), init{0}, z{1};
  Kernels k;
  int32_t p = k.param(E::S8, {100}), start = k.param(E::S8, {});
  k.run(k.reduce(Op::Add, p, start), {x.data(), init.data(), z.data()});
  EXPECT_EQ(z[0], static_cast<int8_t>(10000));
}

TEST(FloatingPoint, ComplexProductIsTheFormula) {
  using C = std::complex<float>;
  std::vector<float> r = randoms(4000, 17);
  std::vector<C> x(1000), y(1000);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = {r[4 * i], r[4 * i + 1]};
    y[i] = {r[4 * i + 2], r[4 * i + 3]};
  }
  x[0] = {infinity, 0};
  y[0] = {1, 0};
  std::vector<C> z = apply<C>(Op::Multiply, E::C64, x, y);
  for (size_t i = 1; i < x.size(); ++i) {
    volatile float ac = x[i].real() * y[i].real(),
                   bd = x[i].imag() * y[i].imag(),
                   ad = x[i].real() * y[i].imag(),
                   bc = x[i].imag() * y[i].real();
    EXPECT_EQ(z[i].real(), ac - bd);
    EXPECT_EQ(z[i].imag(), ad + bc);
  }
  EXPECT_TRUE(std::isnan(z[0].imag())); // infinity times 0
}

TEST(FloatingPoint, ComplexDivisionIsScaled) {
  using C = std::complex<double>;
  std::vector<C> z = apply<C>(Op::Divide, E::C128,
                              {{1e300, 1e300}, {1e-300, 0}, {1, 0}, {3, 4}},
                              {{1e300, 1e300}, {0, 1e-300}, {0, 0}, {1, 2}});
  EXPECT_EQ(z[0], C(1, 0));
  EXPECT_EQ(z[1], C(0, -1));
  EXPECT_TRUE(std::isinf(z[2].real()));
  EXPECT_NEAR(std::abs(z[3] - C(2.2, -0.4)), 0, 1e-15);
}

TEST(FloatingPoint, ComplexBranchCuts) {
  using C = std::complex<float>;
  std::vector<C> z = apply<C>(Op::Sqrt, E::C64, {{-4, 0.0f}, {-4, -0.0f}});
  EXPECT_EQ(z[0], C(0, 2));
  EXPECT_EQ(z[1], C(0, -2));
  z = apply<C>(Op::Log, E::C64, {{-1, 0.0f}, {-1, -0.0f}, {0, 0}});
  EXPECT_FLOAT_EQ(z[0].imag(), M_PI);
  EXPECT_FLOAT_EQ(z[1].imag(), -M_PI);
  EXPECT_EQ(z[2].real(), -infinity);
}
