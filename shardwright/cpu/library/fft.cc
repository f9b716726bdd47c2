//===- fft.cc - Fourier transforms ----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// stablehlo.fft through pocketfft: any length (Bluestein for those with large
// prime factors), over the last one to three dimensions.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/families.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/support/shape.h"

#include <cmath>
#include <cstring>

// pocketfft must not add threads to our pool. It caches plans of recent
// lengths.
#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_CACHE_SIZE 16
#include "third_party/pocketfft/pocketfft_hdronly.h"

using namespace shardwright;
using namespace shardwright::cpu;
namespace hlo = shardwright::stablehlo;

void cpu::readFft(mlir::Operation *op, LibraryCall &call) {
  auto fft = mlir::cast<hlo::FftOp>(op);
  put(call, "fft_type", hlo::stringifyFftType(fft.getFftType()));
  put(call, "fft_length", fft.getFftLength());
}

namespace {
enum class Kind { Forward, Backward, FromReal, ToReal };

struct Transform {
  Kind kind;
  /// Lengths of one transform; the full lengths of the real or complex side.
  pocketfft::shape_t lengths;
  int64_t inElements, outElements;
  double scale;

  template <typename T>
  void run(const void *in, void *out, int64_t begin, int64_t end) const {
    using Complex = std::complex<T>;
    size_t rank = lengths.size();
    bool halfIn = kind == Kind::ToReal, halfOut = kind == Kind::FromReal;
    size_t inWidth = kind == Kind::FromReal ? sizeof(T) : sizeof(Complex);
    size_t outWidth = kind == Kind::ToReal ? sizeof(T) : sizeof(Complex);
    pocketfft::shape_t shape = lengths, axes;
    shape.insert(shape.begin(), end - begin);
    pocketfft::stride_t inStrides(rank + 1), outStrides(rank + 1);
    ptrdiff_t inStep = inWidth, outStep = outWidth;
    for (size_t d = rank + 1; d-- > 0;) {
      inStrides[d] = inStep;
      outStrides[d] = outStep;
      size_t half = shape[d] / 2 + 1;
      inStep *= halfIn && d == rank ? half : shape[d];
      outStep *= halfOut && d == rank ? half : shape[d];
    }
    for (size_t d = 1; d <= rank; ++d)
      axes.push_back(d);
    const char *from = static_cast<const char *>(in) + begin * inStrides[0];
    char *to = static_cast<char *>(out) + begin * outStrides[0];
    auto c = [](auto *p) { return reinterpret_cast<const Complex *>(p); };
    switch (kind) {
    case Kind::Forward:
    case Kind::Backward:
      pocketfft::c2c<T>(shape, inStrides, outStrides, axes,
                        kind == Kind::Forward, c(from),
                        reinterpret_cast<Complex *>(to), T(scale));
      break;
    case Kind::FromReal:
      pocketfft::r2c<T>(shape, inStrides, outStrides, axes, true,
                        reinterpret_cast<const T *>(from),
                        reinterpret_cast<Complex *>(to), T(scale));
      break;
    case Kind::ToReal:
      pocketfft::c2r<T>(shape, inStrides, outStrides, axes, false, c(from),
                        reinterpret_cast<T *>(to), T(scale));
      break;
    }
  }
};
} // namespace

llvm::Expected<LibraryOp> cpu::makeFft(const LibraryCall &call) {
  if (llvm::Error e = checkArity(call, 1, 1))
    return e;
  const LibraryAttribute *type = find(call, "fft_type");
  llvm::ArrayRef<int64_t> length = getIntegers(call, "fft_length");
  const BufferType &in = call.inputs[0], &out = call.outputs[0];
  if (!type || length.empty() || length.size() > 3 ||
      in.shape.size() < length.size())
    return llvm::createStringError("requires one to three lengths, at most as "
                                   "many as the operand has dimensions");
  Transform t;
  if (type->text == "FFT")
    t.kind = Kind::Forward;
  else if (type->text == "IFFT")
    t.kind = Kind::Backward;
  else if (type->text == "RFFT")
    t.kind = Kind::FromReal;
  else if (type->text == "IRFFT")
    t.kind = Kind::ToReal;
  else
    return llvm::createStringError("there is no transform '" + type->text +
                                   "'");

  bool isDouble = in.type == ElementType::C128 || in.type == ElementType::F64;
  ElementType real = isDouble ? ElementType::F64 : ElementType::F32;
  ElementType complex = isDouble ? ElementType::C128 : ElementType::C64;
  Shape batch(llvm::ArrayRef(in.shape).drop_back(length.size()));
  Shape whole = batch, half = batch;
  for (int64_t n : length) {
    whole.push_back(n);
    half.push_back(n);
  }
  half.back() = length.back() / 2 + 1;
  bool fromReal = t.kind == Kind::FromReal, toReal = t.kind == Kind::ToReal;
  if (llvm::Error e = checkArray(in, fromReal ? real : complex,
                                 toReal ? half : whole, "the operand"))
    return e;
  if (llvm::Error e = checkArray(out, toReal ? real : complex,
                                 fromReal ? half : whole, "the result"))
    return e;

  int64_t points = product(length), batches = product(batch);
  t.lengths.assign(length.begin(), length.end());
  t.scale = t.kind == Kind::Backward || toReal ? 1.0 / double(points) : 1.0;
  LibraryOp op;
  if (product(out.shape) == 0 || points == 0) {
    // A sum over no points is 0.
    int64_t bytes = product(out.shape) * byteWidth(out.type);
    op.run = [bytes](const LibraryBuffers &b, int64_t, int64_t) {
      if (bytes)
        std::memset(b.outputs[0], 0, bytes);
      return llvm::Error::success();
    };
    return op;
  }
  op.tasks = batches;
  op.costNs =
      200 + double(batches) * points * (2 + std::log2(double(points) + 1));
  op.run = [t, isDouble](const LibraryBuffers &b, int64_t begin,
                         int64_t end) -> llvm::Error {
    // pocketfft throws if memory is exhausted.
    try {
      if (isDouble)
        t.run<double>(b.inputs[0], b.outputs[0], begin, end);
      else
        t.run<float>(b.inputs[0], b.outputs[0], begin, end);
    } catch (const std::exception &failure) {
      return llvm::createStringError(failure.what());
    }
    return llvm::Error::success();
  };
  return op;
}
