//===- fft.cc - discrete Fourier transforms -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/fft.h"

#include "shardwright/frontend/numpy/arrange.h"
#include "shardwright/frontend/numpy/promote.h"
#include "shardwright/frontend/numpy/ufuncs.h"

#include <cmath>

namespace shardwright::frontend::fft {
namespace {

/// Cuts a dimension, or fills it with zeros.
Tensor resized(const Tensor &x, int64_t d, int64_t size) {
  if (x.dim(d) == size)
    return x;
  if (x.dim(d) > size)
    return lax::slice_in_dim(x, 0, size, 1, d);
  std::vector<Ints> widths(x.rank(), Ints{0, 0});
  widths[d][1] = size - x.dim(d);
  return pad(x, widths);
}

/// Over the last dimensions, three at a time.
Tensor overLast(const Tensor &x, FftType type, const Ints &lengths) {
  if (lengths.size() <= 3)
    return lax::fft(x, type, lengths);
  auto count = static_cast<int64_t>(lengths.size());
  int64_t n = count == 4 ? 2 : 3, rank = x.rank();
  Ints first(lengths.begin(), lengths.end() - n),
      last(lengths.end() - n, lengths.end());
  // The first of the dimensions go to the end, and back.
  Ints order = iotaInts(rank - count), back(rank, 0);
  for (int64_t d = rank - n; d < rank; ++d)
    order.push_back(d);
  for (int64_t d = rank - count; d < rank - n; ++d)
    order.push_back(d);
  for (int64_t d = 0; d < rank; ++d)
    back[order[d]] = d;
  bool isForward = type == FftType::RFFT || type == FftType::FFT;
  FftType inner = isForward ? FftType::FFT : FftType::IFFT;
  auto turned = [&](const Tensor &in) {
    return lax::transpose(overLast(lax::transpose(in, order), inner, first),
                          back);
  };
  return isForward ? turned(lax::fft(x, type, last))
                   : lax::fft(turned(x), type, last);
}

/// The factor of a norm beside Backward's.
double factorOf(Norm norm, const Ints &lengths, bool isInverse) {
  double n = 1;
  for (int64_t length : lengths)
    n *= static_cast<double>(length);
  if (norm == Norm::Backward)
    return 1;
  double factor = norm == Norm::Ortho ? std::sqrt(n) : n;
  return isInverse ? factor : 1 / factor;
}

Tensor transform(const char *name, FftType type, const Tensor &in,
                 const Axes &s, const Axes &axes, Norm norm) {
  if (!in.ok())
    return in;
  Ints which = axes ? *axes : iotaInts(in.rank());
  if (!axes && s) {
    which = {};
    for (size_t i = 0; i < s->size(); ++i)
      which.push_back(in.rank() - static_cast<int64_t>(s->size() - i));
  }
  if (which.empty())
    return valueError("jax.numpy.fft.", name, " transforms one axis or more");
  if (s && s->size() != which.size())
    return valueError("jax.numpy.fft.", name, " expects a length for each of ",
                      which.size(), " axes, got ", s->size());
  Tensor x = inexact(in);
  if (!x.ok())
    return x;
  bool isReal = type == FftType::RFFT, isInverse = type == FftType::IRFFT;
  if (isReal && isComplex(x.dtype()))
    return valueError("only real valued inputs supported for rfft");
  if (!isReal && !isComplex(x.dtype()))
    x = lax::convert_element_type(x, complexType(x.dtype()));
  if (!x.ok())
    return x;
  Ints lengths;
  for (size_t i = 0; i < which.size(); ++i) {
    Expected<int64_t> d = normalizedAxis(which[i], in.rank());
    if (!d)
      return d.error();
    which[i] = *d;
    bool halves = isInverse && i + 1 == which.size();
    int64_t length = s ? (*s)[i] : halves ? 2 * (x.dim(*d) - 1) : x.dim(*d);
    if (length < 1)
      return valueError("jax.numpy.fft.", name,
                        " expects lengths of at least 1, got ", length);
    lengths.push_back(length);
    x = resized(x, *d, halves ? length / 2 + 1 : length);
    if (!x.ok())
      return x;
  }
  // The axes go to the end, in their order, and back.
  Ints order = withoutInts(x.rank(), which), back(x.rank(), 0);
  order.insert(order.end(), which.begin(), which.end());
  if (order.size() != static_cast<size_t>(x.rank()))
    return valueError("repeated axis in `axes` argument of jax.numpy.fft.",
                      name);
  for (size_t i = 0; i < order.size(); ++i)
    back[order[i]] = static_cast<int64_t>(i);
  Tensor out =
      lax::transpose(overLast(lax::transpose(x, order), type, lengths), back);
  if (norm == Norm::Backward || !out.ok())
    return out;
  // hfft and ihfft count as what their names say.
  bool isBack = name[0] == 'i';
  return lax::mul(out, scalarOf(factorOf(norm, lengths, isBack), out.dtype()));
}

Axes one(std::optional<int64_t> n) { return n ? Axes(Ints{*n}) : Axes(); }

Tensor shifted(const Tensor &x, const Axes &axes, bool back) {
  if (!x.ok())
    return x;
  Tensor out = x;
  for (int64_t axis : axes ? *axes : iotaInts(x.rank())) {
    Expected<int64_t> d = normalizedAxis(axis, x.rank());
    if (!d)
      return d.error();
    int64_t n = x.dim(*d);
    out = roll(out, back ? -(n / 2) : n / 2, Ints{*d});
  }
  return out;
}

} // namespace

Tensor fft(const Tensor &x, std::optional<int64_t> n, int64_t axis, Norm norm) {
  return transform("fft", FftType::FFT, x, one(n), Ints{axis}, norm);
}
Tensor ifft(const Tensor &x, std::optional<int64_t> n, int64_t axis,
            Norm norm) {
  return transform("ifft", FftType::IFFT, x, one(n), Ints{axis}, norm);
}
Tensor rfft(const Tensor &x, std::optional<int64_t> n, int64_t axis,
            Norm norm) {
  return transform("rfft", FftType::RFFT, x, one(n), Ints{axis}, norm);
}
Tensor irfft(const Tensor &x, std::optional<int64_t> n, int64_t axis,
             Norm norm) {
  return transform("irfft", FftType::IRFFT, x, one(n), Ints{axis}, norm);
}
Tensor hfft(const Tensor &x, std::optional<int64_t> n, int64_t axis,
            Norm norm) {
  Tensor out =
      transform("hfft", FftType::IRFFT, conjugate(x), one(n), Ints{axis}, norm);
  if (!out.ok())
    return out;
  Expected<int64_t> d = normalizedAxis(axis, out.rank());
  return out * static_cast<double>(out.dim(*d));
}
Tensor ihfft(const Tensor &x, std::optional<int64_t> n, int64_t axis,
             Norm norm) {
  Tensor out = transform("ihfft", FftType::RFFT, x, one(n), Ints{axis}, norm);
  if (!out.ok())
    return out;
  Expected<int64_t> d = normalizedAxis(axis, x.rank());
  double length = static_cast<double>(n ? *n : x.dim(*d));
  return conjugate(out) * (1 / length);
}
Tensor fftn(const Tensor &x, const Axes &s, const Axes &axes, Norm norm) {
  return transform("fftn", FftType::FFT, x, s, axes, norm);
}
Tensor ifftn(const Tensor &x, const Axes &s, const Axes &axes, Norm norm) {
  return transform("ifftn", FftType::IFFT, x, s, axes, norm);
}
Tensor rfftn(const Tensor &x, const Axes &s, const Axes &axes, Norm norm) {
  return transform("rfftn", FftType::RFFT, x, s, axes, norm);
}
Tensor irfftn(const Tensor &x, const Axes &s, const Axes &axes, Norm norm) {
  return transform("irfftn", FftType::IRFFT, x, s, axes, norm);
}
static Tensor ofPlane(const char *name, FftType type, const Tensor &x,
                      const Axes &s, const Ints &axes, Norm norm) {
  if (axes.size() != 2)
    return valueError("jax.numpy.fft.", name,
                      " only supports 2 axes. Got axes = ", tupleText(axes),
                      ".");
  return transform(name, type, x, s, axes, norm);
}
Tensor fft2(const Tensor &x, const Axes &s, const Ints &axes, Norm norm) {
  return ofPlane("fft2", FftType::FFT, x, s, axes, norm);
}
Tensor ifft2(const Tensor &x, const Axes &s, const Ints &axes, Norm norm) {
  return ofPlane("ifft2", FftType::IFFT, x, s, axes, norm);
}
Tensor rfft2(const Tensor &x, const Axes &s, const Ints &axes, Norm norm) {
  return ofPlane("rfft2", FftType::RFFT, x, s, axes, norm);
}
Tensor irfft2(const Tensor &x, const Axes &s, const Ints &axes, Norm norm) {
  return ofPlane("irfft2", FftType::IRFFT, x, s, axes, norm);
}
/// Frequencies are computed on the host.
static constexpr int64_t most = int64_t(1) << 28;

Tensor fftfreq(int64_t n, double d) {
  if (n < 1 || n > most)
    return valueError("The n argument of jax.numpy.fft.fftfreq must be "
                      "positive and at most 2^28, got ",
                      n);
  std::vector<float> values;
  for (int64_t i = 0; i < n; ++i)
    values.push_back(static_cast<float>(
        static_cast<double>(i < (n + 1) / 2 ? i : i - n) / (d * double(n))));
  return arrayOf(values);
}
Tensor rfftfreq(int64_t n, double d) {
  if (n < 1 || n > most)
    return valueError("The n argument of jax.numpy.fft.rfftfreq must be "
                      "positive and at most 2^28, got ",
                      n);
  std::vector<float> values;
  for (int64_t i = 0; i <= n / 2; ++i)
    values.push_back(
        static_cast<float>(static_cast<double>(i) / (d * double(n))));
  return arrayOf(values);
}
Tensor fftshift(const Tensor &x, const Axes &axes) {
  return shifted(x, axes, false);
}
Tensor ifftshift(const Tensor &x, const Axes &axes) {
  return shifted(x, axes, true);
}

} // namespace shardwright::frontend::fft
