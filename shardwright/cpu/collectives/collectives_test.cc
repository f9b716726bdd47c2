//===- collectives_test.cc - collectives against a plain model ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/collectives.h"

#include "shardwright/support/narrow_float.h"
#include "shardwright/support/shape.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

using E = ElementType;
using Bytes = std::vector<char>;

const E allTypes[] = {E::Pred,       E::S2,     E::S4,         E::S8,
                      E::S16,        E::S32,    E::S64,        E::U2,
                      E::U4,         E::U8,     E::U16,        E::U32,
                      E::U64,        E::F8E3M4, E::F8E4M3,     E::F8E4M3FN,
                      E::F8E4M3FNUZ, E::F8E5M2, E::F8E5M2FNUZ, E::F8E8M0FNU,
                      E::F16,        E::BF16,   E::F32,        E::F8E4M3B11FNUZ,
                      E::F64,        E::C64,    E::C128};

/// Row-major index -> coordinates and back.
Shape unravel(int64_t i, llvm::ArrayRef<int64_t> shape) {
  Shape at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = i % shape[d];
    i /= shape[d];
  }
  return at;
}
int64_t ravel(llvm::ArrayRef<int64_t> at, llvm::ArrayRef<int64_t> shape) {
  int64_t i = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    i = i * shape[d] + at[d];
  return i;
}

/// Random elements of the type.
Bytes randomElements(E type, int64_t n, std::mt19937_64 &random) {
  Bytes bytes(n * byteWidth(type));
  for (int64_t i = 0; i < n; ++i) {
    void *p = bytes.data() + i * byteWidth(type);
    double x = double(int64_t(random() % 33) - 16) / 4;
    switch (type) {
    case E::Pred:
      *static_cast<char *>(p) = random() % 2;
      break;
    case E::U2:
      *static_cast<uint8_t *>(p) = random() % 4;
      break;
    case E::S2:
      *static_cast<int8_t *>(p) = int8_t(random() % 4) - 2;
      break;
    case E::U4:
      *static_cast<uint8_t *>(p) = random() % 16;
      break;
    case E::S4:
      *static_cast<int8_t *>(p) = int8_t(random() % 16) - 8;
      break;
    case E::F8E8M0FNU:
      *static_cast<uint8_t *>(p) = 120 + random() % 12;
      break;
    case E::F16:
      *static_cast<uint16_t *>(p) = floatToF16(float(x));
      break;
    case E::BF16:
      *static_cast<uint16_t *>(p) = floatToBf16(float(x));
      break;
    case E::F32:
      *static_cast<float *>(p) = float(x) * 1.1f;
      break;
    case E::F64:
      *static_cast<double *>(p) = x * 1.1;
      break;
    case E::C64:
      for (int k = 0; k < 2; ++k)
        static_cast<float *>(p)[k] = float(random() % 8) - 3;
      break;
    case E::C128:
      for (int k = 0; k < 2; ++k)
        static_cast<double *>(p)[k] = double(random() % 8) - 3;
      break;
    default:
      if (isFloat(type)) {
        *static_cast<uint8_t *>(p) = floatToF8(type, float(x));
      } else {
        uint64_t bits = random();
        std::memcpy(p, &bits, byteWidth(type));
      }
    }
  }
  return bytes;
}

template <typename T> T fold(ReduceKind kind, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (kind == ReduceKind::Max)
      return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b);
    if (kind == ReduceKind::Min)
      return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b);
  } else {
    switch (kind) {
    case ReduceKind::Max:
      return std::max(a, b);
    case ReduceKind::Min:
      return std::min(a, b);
    case ReduceKind::And:
      return a & b;
    case ReduceKind::Or:
      return a | b;
    case ReduceKind::Xor:
      return a ^ b;
    default:
      break;
    }
  }
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return T(kind == ReduceKind::Add ? U(uint64_t(U(a)) + U(b))
                                     : U(uint64_t(U(a)) * U(b)));
  } else {
    return kind == ReduceKind::Add ? a + b : a * b;
  }
}

/// The value of a tree that splits n operands at the largest power of two below
/// n.
template <typename Leaf, typename Combine>
auto foldTree(size_t first, size_t count, const Leaf &leaf,
              const Combine &combine) {
  if (count == 1)
    return leaf(first);
  size_t left = 1;
  while (2 * left < count)
    left *= 2;
  auto a = foldTree(first, left, leaf, combine);
  return combine(a, foldTree(first + left, count - left, leaf, combine));
}

/// Reduces an element of each operand.
void foldElements(E type, ReduceKind kind, llvm::ArrayRef<const char *> in,
                  char *out) {
  auto native = [&]<typename T>(T) {
    auto leaf = [&](size_t i) {
      T x;
      std::memcpy(&x, in[i], sizeof(T));
      return x;
    };
    T sum = foldTree(0, in.size(), leaf,
                     [&](T a, T b) { return fold(kind, a, b); });
    std::memcpy(out, &sum, sizeof(T));
  };
  auto complex = [&]<typename T>(T) {
    struct Pair {
      T re, im;
    };
    auto leaf = [&](size_t i) {
      Pair x;
      std::memcpy(&x, in[i], sizeof x);
      return x;
    };
    Pair sum = foldTree(0, in.size(), leaf, [&](Pair a, Pair b) -> Pair {
      if (kind == ReduceKind::Add)
        return {a.re + b.re, a.im + b.im};
      return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    });
    std::memcpy(out, &sum, sizeof sum);
  };
  switch (type) {
  case E::S8:
    return native(int8_t());
  case E::S16:
    return native(int16_t());
  case E::S32:
    return native(int32_t());
  case E::S64:
    return native(int64_t());
  case E::U8:
    return native(uint8_t());
  case E::U16:
    return native(uint16_t());
  case E::U32:
    return native(uint32_t());
  case E::U64:
    return native(uint64_t());
  case E::F32:
    return native(float());
  case E::F64:
    return native(double());
  case E::C64:
    return complex(float());
  case E::C128:
    return complex(double());
  case E::Pred: {
    bool sum = *in[0];
    for (const char *p : in.drop_front())
      sum = kind == ReduceKind::Add || kind == ReduceKind::Max ||
                    kind == ReduceKind::Or
                ? (sum || *p)
            : kind == ReduceKind::Xor ? (sum != bool(*p))
                                      : (sum && *p);
    *out = sum;
    return;
  }
  case E::S2:
  case E::S4:
  case E::U2:
  case E::U4: {
    int bits = type == E::S2 || type == E::U2 ? 2 : 4;
    int64_t sum = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      int64_t x = isSignedInteger(type) ? int64_t(int8_t(*in[i]))
                                        : int64_t(uint8_t(*in[i]));
      sum = i == 0 ? x : fold(kind, sum, x);
      sum &= (1 << bits) - 1;
      if (isSignedInteger(type) && sum >> (bits - 1))
        sum -= 1 << bits;
    }
    *out = char(sum);
    return;
  }
  default: { // narrow floats: computed in float, rounded once
    float sum = foldTree(
        0, in.size(),
        [&](size_t i) { return float(elementAsDouble(type, in[i], 0)); },
        [&](float a, float b) { return fold(kind, a, b); });
    uint16_t half = type == E::F16 ? floatToF16(sum) : floatToBf16(sum);
    if (byteWidth(type) == 2)
      std::memcpy(out, &half, 2);
    else
      *out = char(floatToF8(type, sum));
  }
  }
}

bool hasReduction(E type, ReduceKind kind) {
  bool isBits = kind == ReduceKind::And || kind == ReduceKind::Or ||
                kind == ReduceKind::Xor;
  bool isOrder = kind == ReduceKind::Max || kind == ReduceKind::Min;
  return !(isBits && (isFloat(type) || isComplex(type))) &&
         !(isOrder && isComplex(type));
}

/// The expected output of each member of `group`, element by element.
std::vector<Bytes> model(const CollectiveSpec &spec,
                         llvm::ArrayRef<int32_t> group,
                         const std::vector<Bytes> &in) {
  // Reductions take the members by position in the program.
  std::vector<int32_t> ascending(in.size());
  std::iota(ascending.begin(), ascending.end(), 0);
  llvm::sort(ascending,
             [&](int32_t a, int32_t b) { return group[a] < group[b]; });
  int64_t n = in.size(), width = byteWidth(spec.type);
  std::vector<Bytes> out(n, Bytes(product(spec.outputShape) * width));
  for (int64_t r = 0; r < n; ++r)
    for (int64_t i = 0; i < product(spec.outputShape); ++i) {
      Shape at = unravel(i, spec.outputShape);
      char *to = out[r].data() + i * width;
      auto from = [&](int64_t source, const Shape &where) {
        return in[source].data() + ravel(where, spec.inputShape) * width;
      };
      switch (spec.kind) {
      case CollectiveKind::ReduceScatter:
        at[spec.dim] += r * spec.outputShape[spec.dim];
        [[fallthrough]];
      case CollectiveKind::AllReduce: {
        llvm::SmallVector<const char *> operands;
        for (int32_t s : ascending)
          operands.push_back(from(s, at));
        foldElements(spec.type, spec.reduce, operands, to);
        break;
      }
      case CollectiveKind::AllGather: {
        int64_t part = spec.inputShape[spec.dim];
        int64_t source = at[spec.dim] / part;
        at[spec.dim] %= part;
        std::memcpy(to, from(source, at), width);
        break;
      }
      case CollectiveKind::AllToAll: {
        int64_t concat = spec.outputShape[spec.concatDim] / n;
        int64_t source = at[spec.concatDim] / concat;
        at[spec.concatDim] %= concat;
        at[spec.dim] += r * (spec.inputShape[spec.dim] / n);
        std::memcpy(to, from(source, at), width);
        break;
      }
      default:
        std::memcpy(to, from(0, at), width);
      }
    }
  return out;
}

void check(CollectiveSpec spec, int64_t devices, std::mt19937_64 &random) {
  auto plan = CollectivePlan::create(spec, devices);
  ASSERT_TRUE(bool(plan)) << toString(plan.takeError());
  for (auto [g, group] : llvm::enumerate(spec.groups)) {
    std::vector<Bytes> in, out;
    std::vector<const void *> inputs;
    std::vector<void *> outputs;
    for (size_t i = 0; i < group.size(); ++i) {
      EXPECT_EQ(plan->groupOf(group[i]), int32_t(g));
      EXPECT_EQ(plan->positionOf(group[i]), int32_t(i));
      in.push_back(randomElements(spec.type, product(spec.inputShape), random));
      out.push_back(Bytes(plan->outputBytes() + 8, 0x5a));
    }
    for (size_t i = 0; i < group.size(); ++i) {
      inputs.push_back(in[i].data());
      outputs.push_back(out[i].data());
    }
    // Tasks are independent and may run in any order.
    std::vector<int64_t> tasks(plan->tasks(g));
    std::iota(tasks.begin(), tasks.end(), 0);
    std::shuffle(tasks.begin(), tasks.end(), random);
    for (int64_t task : tasks)
      plan->run(g, inputs.data(), outputs.data(), task);
    std::vector<Bytes> expected = model(spec, group, in);
    for (size_t i = 0; i < group.size(); ++i) {
      expected[i].resize(expected[i].size() + 8, 0x5a);
      if (isFloat(spec.type) && byteWidth(spec.type) > 1) {
        // NaN has several bit patterns.
        int64_t width = byteWidth(spec.type);
        for (int64_t k = 0; k < plan->outputBytes() / width; ++k) {
          double a = elementAsDouble(spec.type, out[i].data(), k);
          double b = elementAsDouble(spec.type, expected[i].data(), k);
          ASSERT_TRUE(a == b || (a != a && b != b)) << a << " " << b;
        }
      } else {
        ASSERT_EQ(out[i], expected[i]) << "member " << i;
      }
      ASSERT_EQ(0, std::memcmp(out[i].data() + plan->outputBytes(),
                               expected[i].data() + plan->outputBytes(), 8));
    }
  }
}

std::vector<llvm::SmallVector<int32_t, 8>>
randomGroups(int64_t groups, int64_t members, std::mt19937_64 &random) {
  std::vector<int32_t> order(groups * members);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<llvm::SmallVector<int32_t, 8>> list(groups);
  for (size_t i = 0; i < order.size(); ++i)
    list[i % groups].push_back(order[i]);
  return list;
}

CollectiveSpec randomSpec(E type, std::mt19937_64 &random, int64_t &devices,
                          bool large) {
  CollectiveSpec s;
  constexpr CollectiveKind kinds[] = {
      CollectiveKind::AllReduce, CollectiveKind::AllGather,
      CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
      CollectiveKind::CollectiveBroadcast};
  s.kind = kinds[random() % 5];
  s.type = type;
  do
    s.reduce = ReduceKind(random() % 7);
  while (!hasReduction(type, s.reduce));
  int64_t groups = 1 + random() % 3;
  int64_t members = large ? 2 + random() % 2 : 1 + random() % 20;
  devices = groups * members;
  s.groups = randomGroups(groups, members, random);
  int rank = 1 + random() % 3;
  for (int i = 0; i < rank; ++i)
    s.inputShape.push_back(random() % 16 == 0 ? 0
                           : large            ? 1 + random() % 70
                                              : 1 + random() % 5);
  s.dim = random() % rank;
  s.concatDim = random() % rank;
  if (s.kind == CollectiveKind::ReduceScatter ||
      s.kind == CollectiveKind::AllToAll)
    s.inputShape[s.dim] *= members;
  s.outputShape = s.inputShape;
  if (s.kind == CollectiveKind::AllGather)
    s.outputShape[s.dim] *= members;
  if (s.kind == CollectiveKind::ReduceScatter ||
      s.kind == CollectiveKind::AllToAll)
    s.outputShape[s.dim] /= members;
  if (s.kind == CollectiveKind::AllToAll)
    s.outputShape[s.concatDim] *= members;
  return s;
}

TEST(Collectives, EveryKindAndType) {
  std::mt19937_64 random(1);
  for (E type : allTypes)
    for (int i = 0; i < 60; ++i) {
      int64_t devices;
      CollectiveSpec s = randomSpec(type, random, devices, false);
      SCOPED_TRACE(testing::Message()
                   << str(type).str() << " " << str(s.kind).str() << " "
                   << str(s.reduce).str() << " #" << i);
      ASSERT_NO_FATAL_FAILURE(check(s, devices, random));
    }
}

TEST(Collectives, MoreThanOneUnit) {
  std::mt19937_64 random(2);
  for (E type : {E::F32, E::BF16, E::S8, E::C128})
    for (int i = 0; i < 12; ++i) {
      int64_t devices;
      CollectiveSpec s = randomSpec(type, random, devices, true);
      SCOPED_TRACE(testing::Message()
                   << str(type).str() << " " << str(s.kind).str() << " #" << i);
      ASSERT_NO_FATAL_FAILURE(check(s, devices, random));
    }
}

TEST(Collectives, SpecialValues) {
  float nan = NAN, inf = INFINITY;
  float in[2][6] = {{nan, 1, -0.0f, 0.0f, inf, -inf},
                    {1, nan, 0.0f, -0.0f, 1, 1}};
  const void *inputs[] = {in[0], in[1]};
  float out[6];
  auto run = [&](ReduceKind kind) {
    auto r = Reduction::create(E::F32, kind);
    ASSERT_TRUE(bool(r));
    r->run(inputs, 2, out, 0, 6);
  };
  run(ReduceKind::Max);
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  EXPECT_FALSE(std::signbit(out[2]) || std::signbit(out[3]));
  EXPECT_EQ(out[4], inf);
  run(ReduceKind::Min);
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  EXPECT_TRUE(std::signbit(out[2]) && std::signbit(out[3]));
  EXPECT_EQ(out[5], -inf);
}

TEST(Collectives, TheOrderIsThatOfTheGroup) {
  // The result of 1e8 + 1 - 1e8 depends on the order.
  float big = 1e8f, one = 1, negative = -1e8f;
  auto r = Reduction::create(E::F32, ReduceKind::Add);
  ASSERT_TRUE(bool(r));
  float out;
  const void *first[] = {&big, &one, &negative};
  r->run(first, 3, &out, 0, 1);
  EXPECT_EQ(out, 0);
  const void *second[] = {&big, &negative, &one};
  r->run(second, 3, &out, 0, 1);
  EXPECT_EQ(out, 1);
}

TEST(Collectives, MalformedSpecsAreErrors) {
  CollectiveSpec s;
  s.kind = CollectiveKind::ReduceScatter;
  s.type = E::F32;
  s.inputShape = {4, 6};
  s.outputShape = {4, 3};
  s.dim = 1;
  s.groups = {{0, 1}};
  auto message = [](const CollectiveSpec &spec) {
    auto plan = CollectivePlan::create(spec, 2);
    return plan ? std::string() : toString(plan.takeError());
  };
  EXPECT_EQ(message(s), "");
  CollectiveSpec bad = s;
  bad.inputShape = {4, 5};
  EXPECT_EQ(message(bad), "reduce_scatter: dimension 1 of size 5 does not "
                          "divide by its group of 2");
  bad = s;
  bad.dim = 2;
  EXPECT_EQ(message(bad), "reduce_scatter: there is no dimension 2");
  bad = s;
  bad.outputShape = {4, 6};
  EXPECT_EQ(message(bad),
            "reduce_scatter: its output shape does not fit its input");
  bad = s;
  bad.groups = {{0, 0}};
  EXPECT_EQ(message(bad),
            "reduce_scatter: device 0 occurs twice in the groups");
  bad = s;
  bad.reduce = ReduceKind::And;
  EXPECT_EQ(message(bad), "reduce_scatter: there is no reduction 'and' on f32");
  bad = s;
  bad.kind = CollectiveKind::CollectivePermute;
  bad.outputShape = bad.inputShape;
  bad.pairs = {{0, 1}, {1, 1}};
  EXPECT_EQ(message(bad), "collective_permute: device 1 has two sources");
}

} // namespace
