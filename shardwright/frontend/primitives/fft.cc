//===- fft.cc - Fourier transforms ----------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/reshard.h"

namespace shardwright::frontend {
namespace {

using namespace lax;

FftType typeOf(const Params &params) {
  return static_cast<FftType>(params.integer("fft_type"));
}
const char *nameOf(FftType type) {
  const char *names[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  return names[static_cast<int>(type)];
}

Expected<std::vector<Aval>> inferFft(const std::vector<Aval> &in,
                                     const Params &params) {
  const Ints &lengths = params.ints("fft_lengths");
  FftType type = typeOf(params);
  auto n = static_cast<int64_t>(lengths.size());
  const Aval &x = in[0];
  if (n < 1 || n > 3 || n > x.rank())
    return valueError("fft requires 1 to 3 lengths, at most the rank of its "
                      "input, got ",
                      tupleText(lengths), " for shape ", tupleText(x.shape));
  bool wantsReal = type == FftType::RFFT;
  if (wantsReal ? x.dtype != DType::F32 && x.dtype != DType::F64
                : !isComplex(x.dtype))
    return typeError(nameOf(type), " input must be ",
                     wantsReal ? "float32 or float64" : "complex", ", got ",
                     name(x.dtype));
  Shape shape = x.shape, wanted = x.shape;
  for (int64_t i = 0; i < n; ++i)
    wanted.at(x.rank() - n + i) = lengths[i];
  if (type == FftType::IRFFT)
    wanted.at(x.rank() - 1) = lengths.back() / 2 + 1;
  bool lastDiffers = wanted[-1] != x.shape[-1];
  if (wanted != x.shape && type == FftType::IRFFT && lastDiffers)
    return valueError(nameOf(type), " input shape ", tupleText(x.shape),
                      " must have the minor dimensions ", tupleText(wanted),
                      " for lengths ", tupleText(lengths));
  if (wanted != x.shape && type == FftType::IRFFT)
    return valueError(nameOf(type), " input shape ", tupleText(x.shape),
                      " minor dimensions must be equal to all except the last "
                      "fft_length, got fft_lengths=",
                      tupleText(lengths));
  if (wanted != x.shape)
    return valueError(nameOf(type), " input shape ", tupleText(x.shape),
                      " minor dimensions must be equal to fft_lengths ",
                      tupleText(lengths));
  if (type == FftType::RFFT)
    shape.at(x.rank() - 1) = lengths.back() / 2 + 1;
  if (type == FftType::IRFFT)
    shape.at(x.rank() - 1) = lengths.back();
  DType out = wantsReal                ? complexType(x.dtype)
              : type == FftType::IRFFT ? realType(x.dtype)
                                       : x.dtype;
  return std::vector<Aval>{Aval{out, shape}};
}

/// Of each frequency of a real transform: 1 if it has no mirror image, else 2.
/// Dimensions of size 1 come before them.
Tensor mirrorWeights(int64_t frequencies, int64_t length, const Aval &type) {
  Tensor weights = full({frequencies}, 2, type.dtype);
  auto setOne = [&](int64_t at) {
    weights = dynamic_update_slice(weights, full({1}, 1, type.dtype),
                                   {scalarOf(at, DType::I32)});
  };
  setOne(0);
  if (length % 2 == 0)
    setOne(frequencies - 1);
  return expand_dims(weights, iotaInts(type.rank() - 1));
}

double totalOf(const Ints &lengths) {
  double total = 1;
  for (int64_t n : lengths)
    total *= static_cast<double>(n);
  return total;
}

/// The transpose of a transform of real numbers.
Tensor transposeReal(const Tensor &ct, const Ints &lengths) {
  Tensor weights = mirrorWeights(ct.dim(-1), lengths.back(), ct.aval());
  Tensor out = fft(div(conj(ct), weights), FftType::IRFFT, lengths);
  return mul(scalarOf(totalOf(lengths), out.dtype()), out);
}

/// The transpose of a transform to real numbers.
Tensor transposeInverseReal(const Tensor &ct, const Ints &lengths) {
  Tensor out = fft(ct, FftType::RFFT, lengths);
  Tensor weights = mirrorWeights(out.dim(-1), lengths.back(), out.aval());
  Tensor scaled = mul(scalarOf(1 / totalOf(lengths), out.dtype()), weights);
  return conj(mul(scaled, out));
}

/// Calls a function; in programs as a program of its own, as JAX does: one for
/// equal types. `key`: identifies the function.
Tensor called(const std::string &name, std::string key,
              const std::function<Tensor(const Tensor &)> &function,
              const Tensor &x) {
  if (!x.ok() || (!currentTrace() && !x.isTraced()))
    return function(x);
  static thread_local std::map<std::string, JaxprPtr> bodies;
  key += cat(name, x.aval().str(), x.aval().weak);
  if (x.aval().sharding)
    key += cat(reinterpret_cast<uintptr_t>(x.aval().sharding->mesh.identity()));
  auto found = bodies.find(key);
  JaxprPtr body = found == bodies.end() ? nullptr : found->second;
  if (!body) {
    Expected<JaxprPtr> traced = traceToJaxpr(
        [&](const Tensors &in) { return Tensors{function(in[0])}; }, {x.aval()},
        name);
    if (!traced)
      return traced.error();
    body = *traced;
    if (bodies.size() > 256)
      bodies.clear();
    bodies[key] = body;
  }
  Params call{{"name", name}, {"jaxpr", body}};
  setContextMesh(call);
  return bind1(*findPrimitive("jit"), {x}, call);
}

Tensor transposeFft(const Tensor &ct, const Params &params) {
  const Ints &lengths = params.ints("fft_lengths");
  FftType type = typeOf(params);
  if (type == FftType::FFT || type == FftType::IFFT)
    return fft(ct, type, lengths);
  if (type == FftType::IRFFT)
    return transposeInverseReal(ct, lengths);
  return called(
      "_rfft_transpose", params.key(),
      [&](const Tensor &x) { return transposeReal(x, lengths); }, ct);
}

const Primitive fftP = [] {
  Primitive p;
  p.name = "fft";
  p.infer = inferFft;
  p.sharding = [](const std::vector<Aval> &in, const std::vector<Aval> &out,
                  const Params &) -> Expected<std::vector<PartitionSpec>> {
    SW_TRY(checkSizes(out[0], *in[0].sharding));
    return std::vector<PartitionSpec>{in[0].spec()};
  };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("fft");
    return oneResult(bind1(self, in, params), bind1(self, {*t[0]}, params));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &params) {
    return MaybeTensors{transposeFft(*ct[0], params)};
  };
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    return {{fft(moveBatch(in[0], dims[0], 0), typeOf(params),
                 params.ints("fft_lengths"))},
            {0}};
  };
  p.lower = [](LoweringContext &c) {
    return c.op("stablehlo.fft", c.operands(), mlirTypes(c.operandTypes()),
                mlirTypes(c.resultTypes()),
                cat("fft_type = #stablehlo<fft_type ",
                    nameOf(typeOf(c.params())), ">, ",
                    arrayAttr("fft_length", c.params().ints("fft_lengths"))));
  };
  return p;
}();
const Registered fftR(fftP);

} // namespace

namespace lax {
Tensor fft(const Tensor &x, FftType type, const Ints &lengths) {
  Params params{{"fft_lengths", lengths},
                {"fft_type", static_cast<int64_t>(type)}};
  return called(
      "fft", params.key(),
      [&](const Tensor &in) { return bind1(fftP, {in}, params); }, x);
}
} // namespace lax
} // namespace shardwright::frontend
