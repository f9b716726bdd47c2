//===- random_calls_test_util.h - random calls, also wrong ones -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random calls on values of all kinds: arrays of any rank and type, on several
// meshes, deleted arrays, traced values that escaped, descriptions of arrays,
// null handles, errors. Each result is an array that can be read, or an error
// with a text.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_RANDOM_CALLS_TEST_UTIL_H
#define SHARDWRIGHT_FRONTEND_RANDOM_CALLS_TEST_UTIL_H

#include "shardwright/frontend/random_mapping_test_util.h"

namespace shardwright::frontend::testing {

/// Interprets steps on a pool of values.
class Calls : public MappingCalls {
public:
  using MappingCalls::MappingCalls;

  void run(const Step &step) {
    Choices c(step);
    switch (step[0] % 21) {
    case 0:
      return keep(elementwise(c));
    case 1:
      return keep(shaped(c));
    case 2:
      return keep(reduced(c));
    case 3:
      return keep(indexed(c));
    case 4:
      return place(c);
    case 5:
      return keep(algebra(c));
    case 6:
      return transformed(c);
    case 7:
      return controlled(c);
    case 8:
      return mapped(c);
    case 9:
      return inFlight(c);
    case 10:
      return staged(c);
    case 11:
      return calledBack(c);
    case 12:
      return keep(created(c));
    case 13:
      return keep(library(c));
    case 14:
      return mappedOverDevices(c);
    case 15:
      return tiled(c);
    case 16:
      return kernels(c);
    case 17:
      return foreign(c);
    case 18:
      return customized(c);
    case 19:
      return observed(c);
    default:
      return misused(c);
    }
  }

private:
  Tensor elementwise(Choices &c) {
    Tensor x = pick(c);
    switch (c.below(9)) {
    case 0:
      return unary(c.below(64), x);
    case 1:
      return binary(c.below(64), x, pick(c));
    case 2:
      return x + pick(c);
    case 3:
      return where(x, pick(c), pick(c));
    case 4:
      return astype(x, type(c));
    case 5:
      return lax::bitcast_convert_type(x, type(c));
    case 6:
      return lax::clamp(x, pick(c), pick(c));
    case 7:
      return lax::select_n(x, several(c));
    default:
      return power(x, static_cast<int>(c.number(-3, 4)));
    }
  }

  Tensors shaped(Choices &c) {
    Tensor x = pick(c);
    switch (c.below(13)) {
    case 0:
      return {reshape(x, Shape(c.ints(3, -1, 4)))};
    case 1:
      return {transpose(x, c.ints(3, -1, 3))};
    case 2:
      return {
          lax::broadcast_in_dim(x, Shape(c.ints(3, -1, 4)), c.ints(3, -1, 3))};
    case 3:
      return {lax::concatenate(several(c), c.number(-2, 3))};
    case 4:
      return {lax::pad(x, pick(c), {c.ints(3, -2, 2), c.ints(3, -1, 2)})};
    case 5:
      return {lax::rev(x, c.ints(2, -1, 3))};
    case 6:
      return {lax::squeeze(x, c.ints(2, -2, 3))};
    case 7:
      return {expandDims(x, c.number(-4, 4))};
    case 8:
      return {tile(x, c.ints(3, -1, 3))};
    case 9:
      return {roll(x, c.number(-5, 5), Axes(c.ints(2, -2, 3)))};
    case 10:
      return unstack(x, c.number(-3, 3));
    case 11:
      return {repeat(x, c.number(-1, 3)), moveaxis(x, c.number(-3, 3), 0)};
    default:
      return splitAt(x, c.ints(3, -2, 9), c.number(-2, 2));
    }
  }

  Tensors reduced(Choices &c) {
    Tensor x = pick(c);
    Ints dims = c.ints(2, -3, 3);
    switch (c.below(11)) {
    case 0:
      return {sum(x, dims), mean(x, dims)};
    case 1:
      return {lax::reduce_max(x, dims), lax::reduce_and(x, dims)};
    case 2:
      return {lax::argmax(x, c.number(-2, 3), type(c))};
    case 3:
      return {lax::cumsum(x, c.number(-2, 3)),
              lax::cumlogsumexp(x, c.number(-2, 3), true)};
    case 4:
      return lax::sort(several(c), c.number(-2, 3), c.number(-1, 3));
    case 5:
      return lax::top_k(x, c.number(-1, 9), c.number(-3, 3));
    case 6:
      return {lax::reduce_window_sum(x, {c.ints(3, -1, 3)})};
    case 7:
      return {median(x, c.number(-2, 2)), stddev(x, dims)};
    case 8:
      return {nn::softmax(x), nn::oneHot(x, c.number(-1, 5))};
    case 9:
      return {searchsorted(x, pick(c)), bincount(x, c.number(-1, 5))};
    default:
      return {lax::reduce_prod(x, dims), diff(x, c.number(-1, 3))};
    }
  }

  Tensors indexed(Choices &c) {
    Tensor x = pick(c);
    std::vector<Index> at;
    for (size_t i = c.below(4); i > 0; --i)
      at.push_back(c.below(3) == 0   ? Index(c.number(-5, 5))
                   : c.below(3) == 0 ? slice(c.number(-3, 4), c.number(-3, 9),
                                             c.number(-2, 2))
                   : c.below(2) == 0 ? newAxis
                   : c.below(2) == 0 ? Index(pick(c))
                   : c.below(8) == 0 ? Index(c.below(2) == 0)
                                     : ellipsis);
    AtOptions options;
    if (c.below(2) == 0)
      options.mode = static_cast<GatherMode>(c.below(3));
    if (c.below(4) == 0)
      options.fillValue = pick(c);
    options.wrapNegativeIndices = c.below(4) != 0;
    IndexUpdate update(x, at);
    switch (c.below(8)) {
    case 0:
      return {x.index(at), update.get(options)};
    case 1:
      return {update.set(pick(c), options), update.add(pick(c))};
    case 2:
      return {take(x, pick(c)), take(x, pick(c), c.number(-3, 3)),
              takeAlongAxis(x, pick(c), c.number(-3, 3))};
    case 3:
      return {update.divide(pick(c), options), update.max(pick(c), options)};
    case 4:
      return {update.apply([&](const Tensor &v) { return v + pick(c); }),
              lax::dynamic_index_in_dim(x, pick(c), c.number(-3, 3))};
    case 5:
      return {
          lax::slice(x, c.ints(3, -1, 3), c.ints(3, -1, 5), c.ints(3, 0, 2))};
    case 6:
      return {lax::dynamic_slice(x, several(c), c.ints(3, -1, 4))};
    default:
      return {lax::dynamic_update_slice(x, pick(c), several(c))};
    }
  }

  void place(Choices &c) {
    Tensor x = pick(c);
    switch (c.below(8)) {
    case 0:
    case 1:
      return keep(devicePut(x, sharding(c)));
    case 2: {
      auto shards = addressableShards(x);
      Tensors parts;
      if (shards)
        for (const Shard &shard : *shards)
          parts.push_back(shard.data);
      if (c.below(3) == 0)
        parts = several(c);
      return keep(
          makeArrayFromSingleDeviceArrays(x.shape(), sharding(c), parts));
    }
    case 3:
      return keep(makeArrayFromCallback(
          x.shape(), sharding(c), [&](const IndexBox &) { return pick(c); }));
    case 4:
      (void)x.remove();
      return;
    case 5: {
      auto exported = toDLPack(x);
      if (exported)
        keep(fromDLPack(*exported));
      return;
    }
    case 6:
      return keep(withShardingConstraint(x, sharding(c)));
    default:
      return keep(reshard(x, spec(c)));
    }
  }

  Tensors algebra(Choices &c) {
    Tensor x = pick(c), y = pick(c);
    static const char *specs[] = {"ij,jk->ik", "i,i->", "ij->ji", "ii->i",
                                  "ij,kj->",   "i->j",  "..i,i",  "ij,jk"};
    switch (c.below(9)) {
    case 0:
      return {matmul(x, y)};
    case 1:
      return {einsum(specs[c.below(8)], several(c))};
    case 2:
      return {lax::dot_general(x, y,
                               {c.ints(2, -1, 2), c.ints(2, -1, 2),
                                c.ints(1, -1, 1), c.ints(1, -1, 1)})};
    case 3:
      return {lax::conv_general_dilated(x, y)};
    case 4:
      return {lax::fft(x, static_cast<FftType>(c.below(4)), c.ints(2, -1, 4))};
    case 5:
      return lax::linalg::qr(x);
    case 6:
      return {lax::linalg::cholesky(x), lax::linalg::triangular_solve(x, y)};
    case 7:
      return lax::linalg::lu(x);
    default:
      return {random::normal(x, Shape(c.ints(2, -1, 3))), random::foldIn(x, y),
              random::bits(x, {2})};
    }
  }

  void transformed(Choices &c) {
    Tensor x = pick(c), y = pick(c);
    size_t u = c.below(64), b = c.below(64);
    auto f = [=](Tensor v) { return sum(binary(b, unary(u, v), y)); };
    switch (c.below(7)) {
    case 0:
      return keep(grad(f)(x));
    case 1:
      return keep(valueAndGrad(f)(x));
    case 2:
      return keep(jvp(f, x, y));
    case 3:
      return keep(vmap([=](Tensor v) { return unary(u, v); },
                       {.inAxes = c.ints(2, -2, 3), .outAxes = {0}})(x));
    case 4:
      return keep(jit(grad(checkpoint([=](Tensor v) {
        return *foriLoop(
            0, 2, [&](Tensor, Tensor w) { return binary(b, w, v); }, v);
      })))(x));
    case 5: {
      auto back = vjp(f, x);
      if (back)
        keep(back->second(pick(c)));
      return;
    }
    default:
      return keep(jacfwd([=](Tensor v) { return unary(u, v); })(
          c.below(2) ? x : Tensor(ones({2}))));
    }
  }

  void controlled(Choices &c) {
    Tensor x = pick(c), y = pick(c);
    size_t b = c.below(64);
    auto step = [=](Tensor carry, Tensor v) {
      return std::pair{binary(b, carry, v), v};
    };
    switch (c.below(5)) {
    case 0:
      return keep(scan(step, x, y, {.length = c.number(-1, 3)}));
    case 1:
      return keep(cond(
          x, [=](Tensor v) { return binary(b, v, v); },
          [=](Tensor v) { return unary(b, v); }, y));
    case 2:
      return keep(foriLoop(
          c.between(-1, 2), c.between(-1, 3),
          [=](Tensor i, Tensor v) { return binary(b, v, castLike(i, v)); }, x));
    case 3: {
      // At most three iterations, whatever the value.
      auto many = whileLoop(
          [](std::pair<Tensor, Tensor> p) { return p.second < 3; },
          [=](std::pair<Tensor, Tensor> p) {
            return std::pair{binary(b, p.first, p.first), p.second + 1};
          },
          std::pair{x, Tensor(0)});
      return keep(many);
    }
    default:
      return keep(associativeScan(
          [=](Tensor p, Tensor q) { return binary(b, p, q); }, x));
    }
  }
  static Tensor castLike(const Tensor &i, const Tensor &v) {
    return astype(i, v.dtype());
  }

  void mapped(Choices &c) {
    std::vector<Mesh> all = meshes();
    Tensor x = pick(c), y = pick(c);
    size_t u = c.below(64), which = c.below(8);
    Mesh mesh = all[c.below(all.size())];
    ShardMapOptions options{.mesh = mesh, .out = spec(c)};
    if (c.below(4))
      options.in = spec(c);
    if (c.below(4) == 0)
      options.axisNames = {c.below(2) ? "x" : "w"};
    options.checkVma = c.below(3) != 0;
    int64_t axis = c.number(-1, 2);
    auto body = [=](Tensor v) {
      const char *name = u % 5 == 0 ? "y" : u % 7 == 0 ? "q" : "x";
      switch (which) {
      case 0:
        return lax::psum(v, name);
      case 1:
        return lax::all_gather(v, name, {.axis = axis, .tiled = u % 2 == 0});
      case 2:
        return lax::psum_scatter(
            v, name, {.scatterDimension = axis, .tiled = u % 2 == 0});
      case 3:
        return lax::all_to_all(v, name, axis, 0, u % 2 == 0);
      case 4:
        return lax::ppermute(v, name, {{0, 1}, {1, int64_t(u % 3)}});
      case 5:
        return binary(u, v, y);
      case 6:
        return v * astype(lax::axis_index(name), v.dtype());
      default:
        return lax::pcast(v, name, static_cast<Vary>(u % 4));
      }
    };
    auto f = shardMap(body, options);
    if (c.below(3) == 0) {
      ScopedMesh in(mesh);
      return keep(f(x));
    }
    return keep(f(x));
  }

  void staged(Choices &c) {
    Tensor x = pick(c), y = pick(c);
    size_t b = c.below(64);
    JitOptions options{.keepUnused = c.below(2) == 0};
    if (c.below(3) == 0)
      options.inShardings = shardingTree(c, sharding(c), 2);
    if (c.below(3) == 0)
      options.outShardings = shardingTree(c, sharding(c), 2);
    options.inlined = c.below(4) == 0;
    if (c.below(4) == 0)
      options.donate = c.ints(2, -3, 2);
    auto f = jit([=](Tensor p, Tensor q) { return binary(b, p, q); }, options);
    if (c.below(2))
      return keep(f(x, y));
    auto traced = f.trace(x, y);
    LoweredStage lowered;
    CompiledStage compiled;
    if (traced)
      if (auto made = traced->lower())
        lowered = *made;
    (void)lowered.asText(c.below(4) ? "stablehlo" : "hlo");
    if (auto made = lowered.compile(); made && c.below(3))
      compiled = *made;
    keep(compiled.call(c.below(2) ? Tensors{x, y} : several(c)));
    (void)compiled.report();
    if (c.below(4) == 0)
      (void)lowered.report();
    if (auto bytes = compiled.serialize()) {
      std::string changed =
          c.below(3) ? *bytes : bytes->substr(0, c.below(bytes->size()));
      if (auto loaded = loadProgram(changed))
        keep(loaded->call({x, y}));
    }
  }

  /// Calls that donate, one after another, without waiting for the results; the
  /// arguments are used, deleted or shared with others meanwhile.
  void inFlight(Choices &c) {
    Tensor x = c.below(4) ? devicePut(pick(c), sharding(c)) : pick(c);
    size_t b = c.below(64);
    auto f = jit([=](Tensor p, Tensor q) { return binary(b, p, q); },
                 {.donate = c.below(2) ? Ints{0} : Ints{0, 1}});
    for (size_t i = c.below(4); i > 0; --i) {
      Tensor before = x, other = c.below(3) ? x + 1 : pick(c);
      x = f(x, other);
      switch (c.below(6)) {
      case 0:
        (void)before.remove();
        break;
      case 1:
        (void)x.copyToHostAsync();
        break;
      case 2:
        if (auto exported = toDLPack(x))
          keep(fromDLPack(*exported));
        break;
      case 3:
        keep(f(x, before));
        break;
      case 4:
        if (Status status = before.blockUntilReady();
            !status && status.error().text.empty())
          wrong = "an array is not ready, without a reason";
        break;
      default:
        keep(devicePut(x, sharding(c), {.donate = c.below(2) == 0}));
      }
      keep(Tensors{before, other});
    }
    keep(x);
  }
};

} // namespace shardwright::frontend::testing

#endif // SHARDWRIGHT_FRONTEND_RANDOM_CALLS_TEST_UTIL_H
