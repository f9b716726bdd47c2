//===- library_test.cc - library ops against their definitions ------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/library_op.h"

#include "shardwright/cpu/library/counter_random.h"
#include "shardwright/support/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <thread>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

using Bytes = std::vector<char>;

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <typename T> std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Runs a call piece by piece, from the last to the first, on fresh memory.
llvm::Expected<std::vector<Bytes>> run(const LibraryCall &call,
                                       const std::vector<Bytes> &operands,
                                       bool wholeAtOnce = false) {
  llvm::Expected<LibraryOp> op = makeLibraryOp(call);
  if (!op)
    return op.takeError();
  std::vector<Bytes> results;
  std::vector<Bytes> inputsHeld = operands;
  for (const BufferType &type : call.outputs)
    results.emplace_back(product(type.shape) * byteWidth(type.type),
                         char(0x5a));
  for (auto [out, in] : call.aliases)
    results[out] = operands[in];
  std::vector<void *> inputs, outputs;
  for (Bytes &b : inputsHeld)
    inputs.push_back(b.data());
  for (Bytes &b : results)
    outputs.push_back(b.data());
  for (auto [out, in] : call.aliases)
    inputs[in] = outputs[out];
  Bytes scratch(op->scratchBytes + 64, char(0x77));
  auto address = (reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64;
  LibraryBuffers buffers{inputs.data(), outputs.data(),
                         reinterpret_cast<void *>(address)};
  if (wholeAtOnce) {
    if (llvm::Error e = op->run(buffers, 0, op->pieces))
      return e;
    return results;
  }
  for (int64_t piece = op->pieces; piece-- > 0;)
    if (llvm::Error e = op->run(buffers, piece, piece + 1))
      return e;
  return results;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

std::string whyNot(const LibraryCall &call) {
  llvm::Expected<LibraryOp> op = makeLibraryOp(call);
  return op ? "" : toString(op.takeError());
}

struct Random {
  std::mt19937 engine;
  explicit Random(uint32_t seed) : engine(seed) {}
  int64_t operator()(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  bool chance(int percent) { return (*this)(1, 100) <= percent; }
};

struct ConvolutionCase {
  LibraryCall call;
  size_t spatial;
  Shape in, kernel, out, stride, low, inDilation, kernelDilation, reversed;
  int64_t batch, features, groups = 1, batchGroups = 1, outFeatures;
  Shape lhsDims, rhsDims, outDims; ///< dimension of each role
};

/// Roles in the order batch (or kernel input), feature (output), spatial...
Shape shuffled(Random &random, size_t rank) {
  Shape dims;
  for (size_t i = 0; i < rank; ++i)
    dims.push_back(int64_t(i));
  std::shuffle(dims.begin(), dims.end(), random.engine);
  return dims;
}

BufferType arrange(ElementType type, const Shape &dims, const Shape &sizes) {
  BufferType array{type, Shape(dims.size(), 0)};
  for (size_t i = 0; i < dims.size(); ++i)
    array.shape[dims[i]] = sizes[i];
  return array;
}

/// Kernels of kind LongKernel are as large as the input, as where the gradient
/// of a kernel is computed.
enum class Sizes { Small, Large, LongKernel };

ConvolutionCase makeCase(Random &random, ElementType type, Sizes kind) {
  for (;;) {
    ConvolutionCase c;
    bool large = kind != Sizes::Small, isLong = kind == Sizes::LongKernel;
    c.spatial = random(0, 3);
    if (large)
      c.spatial = random(1, isLong ? 2 : 3);
    int64_t most = large ? 10 : 6;
    bool plain = large && random.chance(isLong ? 90 : 70);
    c.batch = random(1, 3);
    int64_t perGroup = random(1, isLong ? 20 : large ? 8 : 3);
    if (random.chance(30))
      c.groups = random(1, 3);
    else if (random.chance(20) && !plain)
      c.batchGroups = random(1, 3);
    c.batch *= c.batchGroups;
    c.features = perGroup * c.groups;
    c.outFeatures = random(1, large ? 8 : 3) * c.groups * c.batchGroups;
    Shape high;
    bool empty = false;
    for (size_t d = 0; d < c.spatial; ++d) {
      if (isLong) {
        c.kernel.push_back(c.spatial == 1 ? random(400, 900) : random(1, 40));
        c.in.push_back(c.kernel[d] + random(-2, 5));
      } else {
        c.in.push_back(random(1, most + (large ? 6 : 0)));
        c.kernel.push_back(random(1, 3));
      }
      c.stride.push_back(random(1, 2));
      c.inDilation.push_back(plain ? 1 : random(1, 2));
      c.kernelDilation.push_back(random(1, 2));
      c.low.push_back(plain ? random(0, 2) : random(-1, 3));
      high.push_back(plain ? random(0, 2) : random(-1, 3));
      c.reversed.push_back(plain ? 0 : random(0, 1));
      int64_t size = c.low[d] + (c.in[d] - 1) * c.inDilation[d] + 1 + high[d];
      int64_t window = (c.kernel[d] - 1) * c.kernelDilation[d] + 1;
      c.out.push_back(
          size < window || size <= 0 ? 0 : (size - window) / c.stride[d] + 1);
      empty |= c.out[d] == 0 || c.in[d] < 1;
    }
    if (empty && random.chance(90))
      continue;
    size_t rank = c.spatial + 2;
    c.lhsDims = shuffled(random, rank);
    c.rhsDims = shuffled(random, rank);
    c.outDims = shuffled(random, rank);
    auto sizes = [](int64_t a, int64_t b, const Shape &rest) {
      Shape all = {a, b};
      all.append(rest);
      return all;
    };
    c.call.name = "stablehlo.convolution";
    c.call.inputs = {
        arrange(type, c.lhsDims, sizes(c.batch, c.features, c.in)),
        arrange(type, c.rhsDims, sizes(perGroup, c.outFeatures, c.kernel))};
    c.call.outputs = {arrange(
        type, c.outDims, sizes(c.batch / c.batchGroups, c.outFeatures, c.out))};
    auto tail = [](const Shape &dims) {
      return llvm::ArrayRef<int64_t>(dims).drop_front(2);
    };
    put(c.call, "input_batch_dimension", c.lhsDims[0]);
    put(c.call, "input_feature_dimension", c.lhsDims[1]);
    put(c.call, "input_spatial_dimensions", tail(c.lhsDims));
    put(c.call, "kernel_input_feature_dimension", c.rhsDims[0]);
    put(c.call, "kernel_output_feature_dimension", c.rhsDims[1]);
    put(c.call, "kernel_spatial_dimensions", tail(c.rhsDims));
    put(c.call, "output_batch_dimension", c.outDims[0]);
    put(c.call, "output_feature_dimension", c.outDims[1]);
    put(c.call, "output_spatial_dimensions", tail(c.outDims));
    Shape padding;
    for (size_t d = 0; d < c.spatial; ++d) {
      padding.push_back(c.low[d]);
      padding.push_back(high[d]);
    }
    put(c.call, "window_strides", c.stride);
    put(c.call, "padding", padding);
    put(c.call, "lhs_dilation", c.inDilation);
    put(c.call, "rhs_dilation", c.kernelDilation);
    put(c.call, "window_reversal", c.reversed);
    put(c.call, "feature_group_count", c.groups);
    put(c.call, "batch_group_count", c.batchGroups);
    return c;
  }
}

/// Odometer over `sizes`; false when it is back at the start.
bool next(Shape &index, const Shape &sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++index[d] < sizes[d])
      return true;
    index[d] = 0;
  }
  return false;
}

/// The definition, one product after the other.
template <typename T>
std::vector<T> direct(const ConvolutionCase &c, const std::vector<T> &lhs,
                      const std::vector<T> &rhs) {
  const BufferType &l = c.call.inputs[0], &r = c.call.inputs[1],
                   &o = c.call.outputs[0];
  auto flat = [](const BufferType &array, const Shape &dims,
                 const Shape &roles) {
    Shape strides = rowMajorStrides(array.shape);
    int64_t at = 0;
    for (size_t i = 0; i < dims.size(); ++i)
      at += roles[i] * strides[dims[i]];
    return at;
  };
  std::vector<T> out(product(o.shape), T(0));
  if (out.empty())
    return out;
  int64_t perGroup = c.features / c.groups, all = c.groups * c.batchGroups;
  int64_t outPerGroup = c.outFeatures / all, outBatch = c.batch / c.batchGroups;
  Shape at(c.spatial, 0);
  do {
    for (int64_t b = 0; b < outBatch; ++b)
      for (int64_t f = 0; f < c.outFeatures; ++f) {
        int64_t group = f / outPerGroup;
        T sum(0);
        Shape k(c.spatial, 0);
        do {
          Shape where = {c.batchGroups > 1 ? group * outBatch + b : b, 0};
          Shape tap = {0, f};
          bool inside = true;
          for (size_t d = 0; d < c.spatial; ++d) {
            int64_t p =
                at[d] * c.stride[d] + k[d] * c.kernelDilation[d] - c.low[d];
            inside &= p >= 0 && p % c.inDilation[d] == 0 &&
                      p / c.inDilation[d] < c.in[d];
            where.push_back(inside ? p / c.inDilation[d] : 0);
            tap.push_back(c.reversed[d] ? c.kernel[d] - 1 - k[d] : k[d]);
          }
          for (int64_t i = 0; inside && i < perGroup; ++i) {
            where[1] = (c.groups > 1 ? group * perGroup : 0) + i;
            tap[0] = i;
            sum +=
                lhs[flat(l, c.lhsDims, where)] * rhs[flat(r, c.rhsDims, tap)];
          }
        } while (next(k, c.kernel));
        Shape where = {b, f};
        where.append(at);
        out[flat(o, c.outDims, where)] = sum;
      }
  } while (next(at, c.out));
  return out;
}

template <typename T> std::vector<T> randomValues(Random &random, int64_t n) {
  std::vector<T> values;
  for (int64_t i = 0; i < n; ++i)
    values.push_back(T(random(-4, 4)));
  return values;
}

template <typename T>
void testConvolutions(ElementType type, int cases, Sizes kind = Sizes::Small) {
  for (int seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 5000 * int(kind));
    ConvolutionCase c = makeCase(random, type, kind);
    auto lhs = randomValues<T>(random, product(c.call.inputs[0].shape));
    auto rhs = randomValues<T>(random, product(c.call.inputs[1].shape));
    auto got = run(c.call, {bytesOf(lhs), bytesOf(rhs)}, seed % 2);
    ASSERT_TRUE(bool(got)) << toString(got.takeError());
    // Small integers: exact in every type.
    ASSERT_EQ(valuesOf<T>((*got)[0]), direct<T>(c, lhs, rhs));
  }
}

TEST(Convolution, Floats) { testConvolutions<float>(ElementType::F32, 400); }
TEST(Convolution, LargerFloats) {
  testConvolutions<float>(ElementType::F32, 150, Sizes::Large);
}
TEST(Convolution, LongKernels) {
  testConvolutions<float>(ElementType::F32, 100, Sizes::LongKernel);
}
TEST(Convolution, Doubles) { testConvolutions<double>(ElementType::F64, 150); }
TEST(Convolution, Integers) {
  testConvolutions<int32_t>(ElementType::S32, 150);
}
TEST(Convolution, Complex) {
  testConvolutions<std::complex<float>>(ElementType::C64, 150);
}

TEST(Convolution, LongKernelsStayAccurate) {
  // As the gradient of a kernel of 3x3 of 8 images of 126x126.
  LibraryCall call;
  call.name = "stablehlo.convolution";
  call.inputs = {{ElementType::F32, {8, 126, 126, 8}},
                 {ElementType::F32, {8, 126, 126, 8}}};
  call.outputs = {{ElementType::F32, {3, 3, 8, 8}}};
  put(call, "input_batch_dimension", 3);
  put(call, "input_feature_dimension", 0);
  put(call, "input_spatial_dimensions", llvm::ArrayRef<int64_t>{1, 2});
  put(call, "kernel_input_feature_dimension", 0);
  put(call, "kernel_output_feature_dimension", 3);
  put(call, "kernel_spatial_dimensions", llvm::ArrayRef<int64_t>{1, 2});
  put(call, "output_batch_dimension", 2);
  put(call, "output_feature_dimension", 3);
  put(call, "output_spatial_dimensions", llvm::ArrayRef<int64_t>{0, 1});
  put(call, "padding", llvm::ArrayRef<int64_t>{1, 1, 1, 1});
  put(call, "feature_group_count", 1);
  put(call, "batch_group_count", 1);
  std::vector<float> tenths(8 * 126 * 126 * 8, 0.1f);
  auto got = run(call, {bytesOf(tenths), bytesOf(tenths)});
  ASSERT_TRUE(bool(got)) << toString(got.takeError());
  std::vector<float> out = valuesOf<float>((*got)[0]);
  for (int64_t i = 0; i < 9; ++i) {
    // Of 126 rows and columns one is beyond the edge at the window's sides.
    double rows = i / 3 == 1 ? 126 : 125, columns = i % 3 == 1 ? 126 : 125;
    double sum = 8 * rows * columns * double(0.1f) * double(0.1f);
    for (int64_t j = 0; j < 64; ++j)
      EXPECT_NEAR(out[i * 64 + j], sum, 3e-5 * sum) << i << " " << j;
  }
}

TEST(Convolution, SaysWhatDoesNotFit) {
  Random random(1);
  ConvolutionCase c = makeCase(random, ElementType::F32, Sizes::Large);
  LibraryCall call = c.call;
  call.outputs[0].shape[c.outDims[2]] += 1;
  EXPECT_EQ(whyNot(call), std::string("the result's spatial dimension "
                                      "0 does not fit the window"));
  call = c.call;
  call.inputs[1].type = ElementType::F64;
  EXPECT_EQ(whyNot(call), std::string("operands of different element types"));
}

//===----------------------------------------------------------------------===//
// FFT
//===----------------------------------------------------------------------===//

TEST(Fft, IsTheSumOfItsDefinition) {
  for (int64_t n : {1, 2, 3, 8, 12, 17, 97, 101}) {
    Random random(n);
    std::vector<std::complex<double>> x;
    for (int64_t i = 0; i < 2 * n; ++i)
      x.push_back({double(random(-9, 9)), double(random(-9, 9))});
    LibraryCall call;
    call.name = "stablehlo.fft";
    call.inputs = call.outputs = {{ElementType::C128, {2, n}}};
    put(call, "fft_type", "FFT");
    put(call, "fft_length", llvm::ArrayRef<int64_t>{n});
    auto got = run(call, {bytesOf(x)});
    ASSERT_TRUE(bool(got)) << toString(got.takeError());
    auto y = valuesOf<std::complex<double>>((*got)[0]);
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t k = 0; k < n; ++k) {
        std::complex<double> sum = 0;
        for (int64_t i = 0; i < n; ++i)
          sum += x[row * n + i] *
                 std::polar(1.0, -2 * M_PI * double(i * k % n) / double(n));
        EXPECT_NEAR(std::abs(y[row * n + k] - sum), 0, 1e-10 * double(n));
      }
    // And back.
    call.attributes.clear();
    put(call, "fft_type", "IFFT");
    put(call, "fft_length", llvm::ArrayRef<int64_t>{n});
    auto back = run(call, {(*got)[0]});
    ASSERT_TRUE(bool(back)) << toString(back.takeError());
    auto z = valuesOf<std::complex<double>>((*back)[0]);
    for (int64_t i = 0; i < 2 * n; ++i)
      EXPECT_NEAR(std::abs(z[i] - x[i]), 0, 1e-11 * double(n));
  }
}

TEST(Fft, RealTransformsAreHalfOfTheComplexOne) {
  for (Shape length : {Shape{5}, Shape{8}, Shape{3, 4}, Shape{4, 3, 5}}) {
    Random random(length.size());
    Shape half = length;
    half.back() = half.back() / 2 + 1;
    std::vector<float> x = randomValues<float>(random, product(length));
    LibraryCall call;
    call.name = "stablehlo.fft";
    call.inputs = {{ElementType::F32, length}};
    call.outputs = {{ElementType::C64, half}};
    put(call, "fft_type", "RFFT");
    put(call, "fft_length", length);
    auto got = run(call, {bytesOf(x)});
    ASSERT_TRUE(bool(got)) << toString(got.takeError());
    std::swap(call.inputs, call.outputs);
    call.attributes[0].text = "IRFFT";
    auto back = run(call, {(*got)[0]});
    ASSERT_TRUE(bool(back)) << toString(back.takeError());
    auto y = valuesOf<float>((*back)[0]);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(y[i], x[i], 1e-5);
  }
}

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

TEST(RandomBits, VectorsOfThePaper) {
  // "Parallel random numbers: as easy as 1, 2, 3": known answers of Random123.
  uint32_t x0 = 0, x1 = 0;
  threefry2x32(0, 0, x0, x1);
  EXPECT_EQ(x0, 0x6b200159u);
  EXPECT_EQ(x1, 0x99ba4efeu);
  x0 = x1 = ~0u;
  threefry2x32(~0u, ~0u, x0, x1);
  EXPECT_EQ(x0, 0x1cb996fcu);
  EXPECT_EQ(x1, 0xbb002be7u);
  PhiloxBlock zero = philox4x32(0, 0, 0);
  EXPECT_EQ(zero.word[0], 0x6627e8d5u);
  EXPECT_EQ(zero.word[3], 0x9b00dbd8u);
}

LibraryCall bitsCall(llvm::StringRef algorithm, ElementType type, Shape shape,
                     int64_t words) {
  LibraryCall call;
  call.name = "stablehlo.rng_bit_generator";
  call.inputs = {{ElementType::U64, {words}}};
  call.outputs = {{ElementType::U64, {words}}, {type, std::move(shape)}};
  put(call, "algorithm", algorithm);
  return call;
}

TEST(RandomBits, PiecesDoNotMatter) {
  for (llvm::StringRef algorithm : {"THREE_FRY", "PHILOX"})
    for (ElementType type : {ElementType::U8, ElementType::U16,
                             ElementType::U32, ElementType::U64}) {
      LibraryCall call = bitsCall(algorithm, type, {3, 70001, 1}, 2);
      Bytes state = bytesOf<uint64_t>({42, ~uint64_t(0) - 5});
      auto a = run(call, {state}, true), b = run(call, {state}, false);
      ASSERT_TRUE(bool(a)) << toString(a.takeError());
      ASSERT_TRUE(bool(b)) << toString(b.takeError());
      EXPECT_EQ(*a, *b);
    }
}

TEST(RandomBits, TheStateMoves) {
  auto stateAfter = [](llvm::StringRef algorithm, ElementType type, Shape shape,
                       std::vector<uint64_t> state) {
    LibraryCall call =
        bitsCall(algorithm, type, std::move(shape), int64_t(state.size()));
    auto got = run(call, {bytesOf(state)});
    EXPECT_TRUE(bool(got));
    return valuesOf<uint64_t>((*got)[0]);
  };
  using Words = std::vector<uint64_t>;
  EXPECT_EQ(stateAfter("THREE_FRY", ElementType::U32, {5}, {1, 10}),
            (Words{1, 13}));
  EXPECT_EQ(stateAfter("THREE_FRY", ElementType::U64, {5}, {1, 10}),
            (Words{1, 15}));
  EXPECT_EQ(stateAfter("PHILOX", ElementType::U32, {5}, {1, 10}),
            (Words{1, 12}));
  EXPECT_EQ(stateAfter("PHILOX", ElementType::U32, {5}, {1, ~uint64_t(0), 7}),
            (Words{1, 1, 8}));
  EXPECT_EQ(stateAfter("PHILOX", ElementType::U32, {0}, {1, 3}), (Words{1, 3}));
}

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

TEST(Cholesky, TimesItsTransposeIsTheMatrix) {
  for (bool lower : {true, false}) {
    // Only one triangle is right: the other one must not be read.
    std::vector<double> a = {4, 2, 1, 2, 5, 3, 1, 3, 6};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (lower ? j > i : j < i)
          a[i * 3 + j] = 1e9;
    LibraryCall call;
    call.name = "stablehlo.cholesky";
    call.inputs = call.outputs = {{ElementType::F64, {3, 3}}};
    put(call, "lower", lower);
    auto got = run(call, {bytesOf(a)});
    ASSERT_TRUE(bool(got)) << toString(got.takeError());
    auto l = valuesOf<double>((*got)[0]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
          sum +=
              lower ? l[i * 3 + k] * l[j * 3 + k] : l[k * 3 + i] * l[k * 3 + j];
        EXPECT_NEAR(sum,
                    lower == (j <= i) || i == j ? a[i * 3 + j] : a[j * 3 + i],
                    1e-12);
      }
  }
}

TEST(Cholesky, OneBadMatrixDoesNotSpoilTheBatch) {
  LibraryCall call;
  call.name = "stablehlo.cholesky";
  call.inputs = call.outputs = {{ElementType::F32, {2, 1, 1}}};
  put(call, "lower", 1);
  auto got = run(call, {bytesOf<float>({-1, 4})});
  ASSERT_TRUE(bool(got)) << toString(got.takeError());
  EXPECT_TRUE(std::isnan(valuesOf<float>((*got)[0])[0]));
  EXPECT_EQ(valuesOf<float>((*got)[0])[1], 2);
}

// Where nothing kept callers apart, OpenBLAS without threads got some of these
// wrong; its flavour with threads is not locked.
TEST(TriangularSolve, ManyCallersAtOnce) {
  constexpr int kBatch = 50000, kThreads = 8;
  LibraryCall call;
  call.name = "stablehlo.triangular_solve";
  call.inputs.assign(2, {ElementType::F32, {kBatch, 4, 4}});
  call.outputs = {call.inputs[0]};
  for (const char *name : {"left_side", "lower"})
    put(call, name, 1);
  put(call, "unit_diagonal", 0);
  put(call, "transpose_a", "NO_TRANSPOSE");
  Random random(5);
  std::vector<float> a(kBatch * 16), b(kBatch * 16);
  for (float &x : a)
    x = 4 + float(random(0, 100)) / 100;
  for (float &x : b)
    x = float(random(-100, 100)) / 100;
  auto expected = run(call, {bytesOf(a), bytesOf(b)}, /*wholeAtOnce=*/true);
  ASSERT_TRUE(bool(expected)) << toString(expected.takeError());
  std::array<bool, kThreads> same = {};
  std::vector<std::thread> threads;
  for (bool &isSame : same)
    threads.emplace_back([&] {
      auto got = cantFail(run(call, {bytesOf(a), bytesOf(b)}, true));
      isSame = got == *expected;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(same, testing::Each(true));
}

TEST(Lapack, ChecksItsOperands) {
  LibraryCall call;
  call.name = "lapack_spotrf_ffi";
  call.inputs = {{ElementType::F32, {2, 3}}};
  call.outputs = {{ElementType::F32, {2, 3}}, {ElementType::S32, {}}};
  put(call, "uplo", int64_t('L'));
  EXPECT_EQ(whyNot(call),
            std::string("operand 0 should be f32[2,2], got f32[2,3]"));
  call.inputs[0].shape = call.outputs[0].shape = {2, 2};
  call.attributes.clear();
  EXPECT_EQ(whyNot(call), std::string("wants an integer attribute 'uplo'"));
  call.name = "lapack_sfoo_ffi";
  EXPECT_EQ(whyNot(call),
            std::string("the cpu has no target of this name; "
                        "shardwright::registerCustomCall registers one"));
}

} // namespace
