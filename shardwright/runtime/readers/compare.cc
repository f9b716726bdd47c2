//===- compare.cc - comparison of arrays ----------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/readers/compare.h"

#include "shardwright/support/narrow_float.h"
#include "shardwright/support/shape.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <complex>

using namespace shardwright;

namespace {

/// The comparison of two elements.
struct Pair {
  /// Equal bits or equal numbers; NaN equals NaN.
  bool same;
  bool finite;
  double difference, magnitude; ///< |got - expected|, |expected|
};

Pair ofFloats(double got, double expected) {
  Pair p;
  p.same = got == expected || (std::isnan(got) && std::isnan(expected));
  p.finite = std::isfinite(got) && std::isfinite(expected);
  p.difference = std::fabs(got - expected);
  p.magnitude = std::fabs(expected);
  return p;
}

/// A double cannot represent all 64-bit integers: subtract first.
template <typename T> Pair ofIntegers(T got, T expected) {
  using U = std::make_unsigned_t<T>;
  U gap = got > expected ? U(got) - U(expected) : U(expected) - U(got);
  return {got == expected, true, double(gap), std::fabs(double(expected))};
}

template <typename T>
Pair ofComplex(std::complex<T> got, std::complex<T> expected) {
  auto finite = [](std::complex<T> z) {
    return std::isfinite(z.real()) && std::isfinite(z.imag());
  };
  Pair re = ofFloats(got.real(), expected.real());
  Pair im = ofFloats(got.imag(), expected.imag());
  return {re.same && im.same, finite(got) && finite(expected),
          std::hypot(re.difference, im.difference),
          std::hypot(re.magnitude, im.magnitude)};
}

template <typename T> T at(const Array &a, int64_t i) {
  return static_cast<const T *>(a.data())[i];
}

Pair pairAt(const Array &got, const Array &expected, int64_t i) {
  switch (got.type()) {
  case ElementType::S64:
    return ofIntegers(at<int64_t>(got, i), at<int64_t>(expected, i));
  case ElementType::U64:
    return ofIntegers(at<uint64_t>(got, i), at<uint64_t>(expected, i));
  case ElementType::C64:
    return ofComplex(at<std::complex<float>>(got, i),
                     at<std::complex<float>>(expected, i));
  case ElementType::C128:
    return ofComplex(at<std::complex<double>>(got, i),
                     at<std::complex<double>>(expected, i));
  default:
    return ofFloats(elementAsDouble(got.type(), got.data(), i),
                    elementAsDouble(got.type(), expected.data(), i));
  }
}

std::string text(const Array &a, int64_t i) {
  switch (a.type()) {
  case ElementType::S64:
    return std::to_string(at<int64_t>(a, i));
  case ElementType::U64:
    return std::to_string(at<uint64_t>(a, i));
  case ElementType::C64: {
    auto z = at<std::complex<float>>(a, i);
    return llvm::formatv("{0}{1}{2}i", z.real(), z.imag() < 0 ? "" : "+",
                         z.imag());
  }
  case ElementType::C128: {
    auto z = at<std::complex<double>>(a, i);
    return llvm::formatv("{0}{1}{2}i", z.real(), z.imag() < 0 ? "" : "+",
                         z.imag());
  }
  default:
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.9g",
                  elementAsDouble(a.type(), a.data(), i));
    return buffer;
  }
}

} // namespace

/// Compares a window, at `box` of an array of this shape.
static void addWindow(Comparison &result, const Array &got,
                      const Array &expected, double rtol, double atol,
                      const Box &box, llvm::ArrayRef<int64_t> shape) {
  result.elements += got.elements();
  for (int64_t i = 0; i < got.elements(); ++i) {
    Pair p = pairAt(got, expected, i);
    if (p.finite) {
      result.maxAbs = std::max(result.maxAbs, p.difference);
      if (p.magnitude > 0)
        result.maxRel = std::max(result.maxRel, p.difference / p.magnitude);
    }
    if (p.same || (p.finite && p.difference <= atol + rtol * p.magnitude))
      continue;
    if (result.mismatches++ != 0)
      continue;
    result.gotThere = text(got, i);
    result.expectedThere = text(expected, i);
    result.firstBad.resize(shape.size());
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0;) {
      result.firstBad[d] = box.begin[d] + rest % box.extent[d];
      rest /= box.extent[d];
    }
  }
}

llvm::Expected<double> shardwright::largestMagnitude(ArrayReader &array) {
  double largest = 0;
  llvm::Error error =
      readInWindows(array, [&](const Box &, const Array &window) {
        for (int64_t i = 0; i < window.elements(); ++i) {
          Pair p = pairAt(window, window, i);
          if (p.finite)
            largest = std::max(largest, p.magnitude);
        }
        return llvm::Error::success();
      });
  if (error)
    return error;
  return largest;
}

llvm::Expected<Comparison> shardwright::compareArrays(ArrayReader &got,
                                                      ArrayReader &expected,
                                                      double rtol,
                                                      double atol) {
  if (got.type() != expected.type() || got.shape() != expected.shape())
    return llvm::createStringError("is " + got.str() + ", but " +
                                   expected.str() + " is expected");
  Comparison result;
  std::shared_ptr<void> memory;
  llvm::Error error = readInWindows(
      got, [&](const Box &box, const Array &window) -> llvm::Error {
        if (!memory) { // the first window is the largest
          auto made = Array::allocate(got.type(), box.extent);
          if (!made)
            return made.takeError();
          memory = made->storage();
        }
        Array wanted(got.type(), box.extent, memory);
        if (llvm::Error e = expected.read(
                box, wanted.data(),
                rowMajorStrides(box.extent, byteWidth(got.type()))))
          return e;
        addWindow(result, window, wanted, rtol, atol, box, got.shape());
        return llvm::Error::success();
      });
  if (error)
    return error;
  return result;
}
