//===- convolution_test.cc - convolutions against their definition --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/library_test_util.h"

#include <array>
#include <cmath>
#include <complex>

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::test;

namespace {

struct ConvolutionCase {
  LibraryCall call;
  size_t spatial;
  Shape in, kernel, out, stride, low, inDilation, kernelDilation, reversed;
  int64_t batch, features, groups = 1, batchGroups = 1, outFeatures;
  Shape lhsDims, rhsDims, outDims; ///< dimension of each role
};

/// A random order of the dimensions of the roles: batch (or kernel input),
/// feature (output), spatial...
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

/// Kernels of kind LongKernel are as large as the input, as in the gradient of
/// a kernel.
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

/// Advances `index` like an odometer over `sizes`; false when it wraps to 0.
bool next(Shape &index, const Shape &sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++index[d] < sizes[d])
      return true;
    index[d] = 0;
  }
  return false;
}

/// The definition of convolution, one product at a time.
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
    // Small integers are exact in every type.
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
  // The gradient of a 3x3 kernel of 8 images of 126x126.
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
    // At the border of the window, one of 126 rows or columns is out of bounds.
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
  for (int64_t large : {INT64_MAX, INT64_MIN, int64_t(1) << 62}) {
    call = c.call;
    Shape padding(2 * c.spatial, 0);
    padding[0] = large;
    llvm::erase_if(call.attributes, [](const LibraryAttribute &attribute) {
      return attribute.name == "padding";
    });
    put(call, "padding", padding);
    EXPECT_EQ(whyNot(call), std::string("the window's entries for spatial "
                                        "dimension 0 are too large"));
  }
  call = c.call;
  call.inputs[1].type = ElementType::F64;
  EXPECT_EQ(whyNot(call), std::string("requires operands of one element type"));
}

} // namespace
