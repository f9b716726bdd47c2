//===- foreign_functions.cc - functions of C++ in programs ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of C++ that programs call by name, with its derivative, on eight
// devices; and a function whose partition the program chooses itself.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include <cmath>
#include <cstdio>

using namespace shardwright::frontend;

/// Divides each row by its root mean square; keeps the factors.
static void rmsNorm(ffi::Elements<const float> x, ffi::Elements<float> y,
                    ffi::Elements<float> scale, float eps) {
  size_t length = x.shape().back();
  for (size_t r = 0; r < scale.size(); ++r) {
    float sum = 0;
    for (size_t i = 0; i < length; ++i)
      sum += x[r * length + i] * x[r * length + i];
    scale[r] = 1 / std::sqrt(sum / static_cast<float>(length) + eps);
    for (size_t i = 0; i < length; ++i)
      y[r * length + i] = scale[r] * x[r * length + i];
  }
}

static Status registerRmsNorm() {
  Status done = ffi::registerTarget("rms_norm", ffi::bind()
                                                    .arg<float>()
                                                    .result<float>()
                                                    .result<float>()
                                                    .attribute<float>("eps")
                                                    .to(rmsNorm));
  // Each row is a problem of its own.
  return done ? ffi::registerBatchPartitionable("rms_norm") : done;
}

/// The normalized rows, and the factors.
static std::pair<Tensor, Tensor> normalize(Tensor x) {
  int64_t batch = x.rank() - 1;
  Shape rows(Ints(x.shape().begin(), x.shape().end() - 1));
  Tensors outs = ffi::call("rms_norm", {x, shapeDtypeStruct(rows, DType::F32)},
                           {x}, {{"eps", 1e-5f}}, {.numBatchDims = batch});
  return {outs[0], outs.back()};
}
static Tensor norm(Tensor x) {
  return *customVjp([](Tensor x) { return normalize(x).first; },
                    [](Tensor x) {
                      auto [y, scale] = normalize(x);
                      return std::pair{y, std::pair{x, scale}};
                    },
                    [](std::pair<Tensor, Tensor> saved, Tensor ct) {
                      auto [x, scale] = saved;
                      Tensor s = expandDims(scale, -1);
                      Tensor dot = mean(x * ct, Ints{-1}, true);
                      return std::tuple{s * ct - dot * s * s * s * x};
                    })(x);
}

/// The sum of squares: each device adds its part.
static auto energy() {
  CustomPartitioningOptions options;
  options.name = "energy";
  options.shardingRule = ShardingRule::get("i j ->", {.reduction = {"i", "j"}});
  options.partition = [](const Mesh &mesh, const Tensors &args,
                         const Tensors &) {
    std::printf("partition: %s %s\n", args[0].aval().longStr().c_str(),
                args[0].sharding().spec().str().c_str());
    AxisNames axes;
    for (const SpecEntry &entry : args[0].sharding().spec().entries())
      axes.insert(axes.end(), entry.axes.begin(), entry.axes.end());
    return Partition{.lower =
                         [axes](const Tensors &x) {
                           Tensor part = sum(square(x[0]));
                           return Tensors{axes.empty() ? part
                                                       : lax::psum(part, axes)};
                         },
                     .results = {*Sharding::named(mesh, P())},
                     .args = {args[0].sharding()}};
  };
  return customPartitioning([](Tensor x) { return sum(square(x)); }, options);
}

int main() {
  Status ready = setDeviceCount(8);
  if (ready)
    ready = registerRmsNorm();
  if (!ready)
    return std::puts(ready.error().str().c_str()), 1;
  Mesh mesh = *Mesh::get(devices(), {4, 2}, {"x", "y"});
  Tensor x = reshape(arange(32, DType::F32), {8, 4}) + 1.0;
  Tensor rows = devicePut(x, *Sharding::named(mesh, P("x")));

  auto f = jit([](Tensor x) { return sum(norm(x) * arange(4, DType::F32)); });
  std::printf("value %.4f, on devices %.4f\n", *f(x)->item(), *f(rows)->item());
  auto g = jit(grad([](Tensor x) { return sum(norm(x) * x); }));
  std::printf("gradient of the first row: %s\n", (*g(rows))[0].str().c_str());
  auto compiled = jit(norm).lower(rows)->compile();
  std::printf("divided rows send nothing: %s\n",
              compiled->report()->find("collectives\n  none") !=
                      std::string::npos
                  ? "yes"
                  : "no");
  Tensor blocks = devicePut(x, *Sharding::named(mesh, P("x", "y")));
  auto total = jit([e = energy()](Tensor x) { return *e(x); });
  std::printf("sum of squares %.0f\n", *total(blocks)->item());
  // A call that does not fit is an error when its program is compiled.
  auto wrong = jit([](Tensor x) {
    return ffi::call("rms_norm", {x}, {x}, {{"eps", 1e-5}})[0];
  })(x);
  std::puts(wrong.error().str().substr(0, 140).c_str());
}
