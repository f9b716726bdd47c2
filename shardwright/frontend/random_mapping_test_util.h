//===- random_mapping_test_util.h - random maps and kernels -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random calls of what maps functions over devices and tiles, of foreign
// functions, custom partitioning and batching, and settings.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_RANDOM_MAPPING_TEST_UTIL_H
#define SHARDWRIGHT_FRONTEND_RANDOM_MAPPING_TEST_UTIL_H

#include "shardwright/frontend/random_kernels_test_util.h"

namespace shardwright::frontend::testing {

/// Mapped dimensions of any structure.
inline AxesTree axesTree(Choices &c, int depth) {
  auto child = [&] { return axesTree(c, depth - 1); };
  switch (depth > 0 ? c.below(9) : c.below(5)) {
  case 0:
    return None;
  case 1:
    return c.number(-3, 3);
  case 2:
    return c.below(4) ? AxesTree(0) : AxesTree(0.5);
  case 3:
    return c.below(4) ? AxesTree(0) : AxesTree("axis");
  case 4:
    return 0;
  case 5:
    return {child(), child()};
  case 6:
    return std::vector<AxesTree>(c.below(4), child());
  case 7:
    return std::map<std::string, AxesTree>{{"w", child()}};
  default:
    return std::tuple{child()};
  }
}

class MappingCalls : public KernelCalls {
public:
  using KernelCalls::KernelCalls;

protected:
  /// pmap, alone and inside of other transformations.
  void mappedOverDevices(Choices &c) {
    PmapOptions options{.axisName = c.below(6) ? "i" : ""};
    if (c.below(2))
      options.inAxes = axesTree(c, 2);
    if (c.below(3) == 0)
      options.outAxes = axesTree(c, 2);
    if (c.below(4) == 0) {
      options.devices.emplace();
      for (size_t n = c.below(5); n > 0; --n)
        options.devices->push_back(Device{int32_t(c.number(-1, 9))});
    }
    if (c.below(4) == 0)
      options.axisSize = c.number(-1, 5);
    if (c.below(4) == 0)
      options.donate = c.ints(2, -3, 2);
    if (c.below(8) == 0)
      options.staticBroadcasted = c.ints(2, -3, 2);
    Tensor x = c.below(3) ? Tensor(ones({4, 2})) : pick(c), y = pick(c);
    size_t which = c.below(8), b = c.below(64), nested = c.below(5);
    auto inner = [=](Tensor v) {
      const char *name = b % 7 == 0 ? "q" : "i";
      switch (which) {
      case 0:
        return lax::psum(v, name);
      case 1:
        return lax::all_gather(v, name);
      case 2:
        return lax::ppermute(v, name, {{0, 1}, {int64_t(b % 3), 0}});
      case 3:
        return v * astype(lax::axis_index(name), v.dtype());
      case 4:
        return hostFunction(b, v, y).ok() ? v : y;
      default:
        return binary(b, v, v);
      }
    };
    auto f = pmap(
        [=](Tensor v) {
          return nested == 0 ? *pmap(inner, {.axisName = "j"})(v) : inner(v);
        },
        options);
    switch (c.below(7)) {
    case 0:
      return keep(vmap([=](Tensor v) { return *f(v); })(x));
    case 1:
      return keep(grad([=](Tensor v) { return sum(*f(v)); })(x));
    case 2:
      return keep(jit([=](Tensor v) { return *f(v); })(x));
    case 3: {
      auto traced = f.trace(x);
      if (traced)
        if (auto lowered = traced->lower())
          if (auto compiled = lowered->compile())
            keep(compiled->call(c.below(2) ? Tensors{x} : several(c)));
      return;
    }
    case 4:
      return keep(
          pmap([](Tensor p, Tensor q) { return p + q; }, options)(x, y));
    default:
      return keep(f(x));
    }
  }

  /// Functions of tiles.
  void tiled(Choices &c) {
    if (c.below(3) == 0)
      return converted(c);
    std::vector<Mesh> all = meshes();
    TilingOptions options{.mesh = all[c.below(all.size())]};
    if (c.below(3)) {
      options.in.clear();
      options.out.clear();
      for (size_t n = c.below(3) + (c.below(4) != 0); n > 0; --n)
        options.in.push_back(spec(c));
      for (size_t n = c.below(2) + (c.below(4) != 0); n > 0; --n)
        options.out.push_back(spec(c));
    }
    static const AxisNames axes[] = {{}, {"x"}, {"y"}, {"q", "q"}};
    options.tiling = c.below(6) == 0   ? Tiling()
                     : c.below(2) == 0 ? Tiling::vectorize()
                                       : Tiling::manual(axes[c.below(4)]);
    if (c.below(3) == 0)
      options.axisResources = {{c.below(2) ? "q" : "x", axes[c.below(4)]}};
    Tensor x = c.below(2) ? Tensor(ones({8, 4})) : pick(c), y = pick(c);
    size_t b = c.below(64), which = c.below(6);
    auto f = mapWithTiling(
        [=](Tensor v) {
          const char *name = b % 3 ? "x" : b % 2 ? "y" : "q";
          switch (which) {
          case 0:
            return lax::psum(v, name);
          case 1:
            return lax::all_gather(v, name);
          case 2:
            return v * astype(lax::axis_index(name), v.dtype());
          case 3:
            return unary(b, v);
          default:
            return binary(b, v, which == 4 ? y : v);
          }
        },
        options);
    switch (c.below(4)) {
    case 0:
      return keep(jit(f)(x));
    case 1:
      return keep(vmap([=](Tensor v) { return *f(v); })(x));
    case 2:
      return keep(grad([=](Tensor v) { return sum(*f(v)); })(x));
    default:
      return keep(f(x));
    }
  }

  /// Programs that make tiles of arrays and arrays of tiles, and forget to.
  void converted(Choices &c) {
    std::vector<Mesh> all = meshes();
    Mesh mesh = all[c.below(all.size())];
    static const AxisNames axes[] = {{"x"}, {"y"}, {"x", "y"}, {"q"}, {}};
    AxisNames manual = axes[c.below(6) ? c.below(3) : c.below(5)];
    ArrayMapping mapping;
    for (const std::string &axis : axes[c.below(5)])
      mapping.emplace_back(axis, c.number(0, c.below(6) ? 1 : 3));
    Tensor x = c.below(3) ? Tensor(ones({8, 8})) : pick(c), y = pick(c);
    size_t b = c.below(64), which = c.below(8), leaves = c.below(12);
    auto f = [=](Tensor v) {
      ScopedManualAxes scope(mesh, manual);
      Tensor tile = fullToShard(v, mapping, mesh, manual);
      if (which == 0)
        tile = lax::psum(tile, b % 3 ? "x" : "y");
      if (which == 1)
        tile = binary(b, tile, y);
      if (which == 2) { // enters twice
        Tensor other = shardToFull(tile, mapping, mesh, manual);
        tile = tile * fullToShard(unary(b, other), mapping, mesh, manual);
      }
      if (which == 3)
        tile = tile * sum(tile);
      return leaves ? shardToFull(unary(b, tile), mapping, mesh, manual) : tile;
    };
    switch (c.below(5)) {
    case 0:
      return keep(jit(vmap(f))(x));
    case 1:
      return keep(jit([=](Tensor v) {
        ScopedManualAxes scope(mesh, manual);
        auto out = grad([=](Tensor w) { return sum(f(w)); })(v);
        return out ? Tensor(*out) : Tensor(out.error());
      })(x));
    case 2:
      return keep(f(x));
    default:
      return keep(jit(f)(x));
    }
  }

  /// Jit with shardings that a search finds.
  void searched(Choices &c) {
    std::vector<Mesh> all = meshes();
    AutoSharding found(all[c.below(all.size())]);
    Tensor x = pick(c), y = pick(c);
    size_t b = c.below(64);
    JitOptions options{.inShardings = found};
    if (c.below(2))
      options.inShardings = {found, sharding(c)};
    if (c.below(2))
      options.outShardings = found;
    static const char *const efforts[] = {"0", "1", "7"};
    options.compilerOptions = {
        {"shardwright_auto_effort", efforts[c.below(8) ? 0 : c.below(3)]}};
    if (c.below(6) == 0)
      options.compilerOptions["shardwright_memory"] =
          c.below(2) ? "1KiB" : "none";
    keep(jit([=](Tensor p, Tensor q) { return binary(b, unary(b, p), q); },
             options)(x, y));
  }

  /// Calls of registered functions, with operands, results and options that may
  /// not fit.
  void foreign(Choices &c) {
    static const bool registered =
        ffi::registerTarget("random_calls", host).ok();
    if (!registered)
      wrong = "a target is not registered";
    Tensors args = several(c), results;
    for (size_t n = c.below(3); n > 0; --n)
      results.push_back(
          c.below(2) ? pick(c)
                     : shapeDtypeStruct(Shape(c.ints(2, -1, 4)), type(c)));
    static const char *const methods[] = {"", "sequential", "expand_dims",
                                          "broadcast_all", "none"};
    ffi::CallOptions options;
    options.hasSideEffect = c.below(2);
    options.vmapMethod = methods[c.below(std::size(methods))];
    for (size_t n = c.below(6) == 0 ? c.below(4) : 0; n > 0; --n) {
      options.inputLayouts.push_back(Layout(c.ints(3, -1, 3)));
      options.outputLayouts.push_back(Layout(c.ints(3, -1, 3)));
    }
    if (c.below(4) == 0)
      options.inputOutputAliases[c.number(-1, 3)] = c.number(-1, 3);
    if (c.below(6) == 0)
      options.customCallApiVersion = c.number(0, 5);
    if (c.below(8) == 0)
      options.legacyBackendConfig = "x";
    if (c.below(6) == 0)
      options.numBatchDims = c.number(-1, 3);
    ffi::Attributes attributes{{"kind", int32_t(c.below(8))}};
    if (c.below(4) == 0)
      attributes["array"] = pick(c);
    const char *name = c.below(8) ? "random_calls" : "no_such_target";
    auto call = [=](const Tensors &xs) {
      return ffi::call(name, results, xs, attributes, options);
    };
    switch (c.below(5)) {
    case 0:
      return keep(jit(call)(args));
    case 1:
      return keep(vmap(call)(args));
    case 2:
      return keep(jvp(call, args, args));
    default:
      return keep(call(args));
    }
  }

  /// Custom partitioning and batching, whose functions do as they like.
  void customized(Choices &c) {
    Tensor x = pick(c), other = pick(c);
    size_t kind = c.below(64), how = c.below(10);
    static const char *const rules[] = {
        "i -> i", "i j -> i j", "i ->", "... i -> ... i",
        "->",     "i i -> q",   "(",    "i -> i, i"};
    std::vector<Mesh> all = meshes();
    Mesh mesh = all[c.below(all.size())];
    Sharding given = sharding(c);
    CustomPartitioningOptions options;
    if (how != 0)
      options.partition = [=](const Mesh &, const Tensors &args,
                              const Tensors &results) -> Expected<Partition> {
        if (how == 1)
          return valueError("no partition");
        if (how == 2)
          throw std::runtime_error("it broke");
        Partition out;
        if (how != 3)
          out.lower = [=](const Tensors &xs) {
            auto made = hostFunction(kind, xs.at(0), other);
            return made && how == 4 ? Tensors{*made} : Tensors{xs.at(0) * 2};
          };
        if (how == 5)
          out.mesh = mesh;
        for (const Tensor &r : results)
          out.results.push_back(how == 6 ? given : r.sharding());
        for (const Tensor &a : args)
          out.args.push_back(how == 7 ? given : a.sharding());
        return out;
      };
    if (how != 8)
      options.shardingRule = rules[c.below(std::size(rules))];
    options.decodeShardings = c.below(3) != 0;
    const size_t answer = c.below(5);
    if (c.below(3) == 0)
      options.inferShardingFromOperands =
          [=](const Mesh &, const Tensors &args,
              const Tensors &) -> Expected<std::vector<Sharding>> {
        if (answer == 0)
          throw std::runtime_error("it broke");
        if (answer == 1)
          return std::vector<Sharding>{given};
        if (answer == 2)
          return std::vector<Sharding>(2, args.at(0).sharding());
        return std::vector<Sharding>{args.at(0).sharding()};
      };
    if (c.below(4) == 0)
      options.propagateUserSharding =
          [=](const Mesh &,
              const Tensors &results) -> Expected<std::vector<Sharding>> {
        if (answer == 0)
          return valueError("no sharding");
        return std::vector<Sharding>{results.at(0).sharding()};
      };
    ScopedConfig<bool> partitioner(config::useShardyPartitioner,
                                   c.below(3) != 0);
    auto f = customPartitioning([](Tensor v) { return v * 2; }, options);
    if (c.below(3))
      x = devicePut(x, given);
    switch (c.below(6)) {
    case 0:
      return keep(f(x));
    case 1:
      return keep(grad([=](Tensor v) { return sum(*f(v)); })(x));
    case 2:
      return batched(c);
    default:
      return keep(jit([=](Tensor v) { return *f(v); })(x));
    }
  }

  /// inspectArraySharding, and settings around other calls.
  void observed(Choices &c) {
    if (c.below(6) == 0)
      return searched(c);
    Tensor x = c.below(2) ? devicePut(pick(c), sharding(c)) : pick(c);
    size_t how = c.below(4);
    auto inspect = [=](const Tensor &v) {
      return inspectArraySharding(
          v, how == 0 ? nullptr
                      : std::function<void(const Sharding &)>(
                            [=](const Sharding &s) {
                              if (how == 1)
                                throw std::runtime_error(s.str());
                            }));
    };
    switch (c.below(4)) {
    case 0:
      if (Status done = inspect(x); !done)
        expectError(false, done.error(), "an inspection");
      return;
    case 1:
      return keep(jit([=](Tensor v) {
        Tensor twice = v + v;
        (void)inspect(twice);
        return twice;
      })(x));
    case 2:
      return keep(vmap([=](Tensor v) {
        (void)inspect(v);
        return v;
      })(x));
    default:
      return configured(c, x);
    }
  }

private:
  static Status host(const ffi::Call &call) {
    auto found = call.attributes.find("kind");
    int32_t kind = found == call.attributes.end()
                       ? 0
                       : found->second.number<int32_t>().value_or(0);
    if (kind == 1)
      return valueError("no luck");
    if (kind == 2)
      throw std::runtime_error("it broke");
    if (kind == 3)
      (void)sum(ones({3}));
    for (const ffi::Buffer &result : call.results)
      if (result.data)
        std::memset(
            result.data, 0,
            static_cast<size_t>(result.elements() * byteWidth(result.type)));
    return {};
  }

  void batched(Choices &c) {
    Tensor x = pick(c), other = pick(c);
    size_t kind = c.below(64), count = c.below(3);
    auto f = customVmap(
        [](Tensor v) { return v + v; },
        [=](int64_t, const std::vector<bool> &,
            Tensor v) -> Expected<std::pair<Tensor, std::vector<bool>>> {
          Expected<Tensor> made = hostFunction(kind, v, other);
          if (!made)
            return made.error();
          return std::pair{*made, std::vector<bool>(count, kind % 2 == 0)};
        });
    if (c.below(2))
      return keep(jit(vmap([=](Tensor v) { return *f(v); }))(x));
    keep(vmap([=](Tensor v) { return *f(v); },
              {.inAxes = c.ints(2, -2, 3), .outAxes = {0}})(x));
  }

  void configured(Choices &c, const Tensor &x) {
    size_t b = c.below(64);
    auto call = [&] {
      keep(binary(b, x, pick(c)));
      keep(jit([=](Tensor v) { return unary(b, v); })(x));
      keep(grad([=](Tensor v) { return sum(v * v); })(x));
    };
    auto with = [&](Config<bool> &setting) {
      ScopedConfig<bool> scope(setting, true);
      call();
    };
    switch (c.below(10)) {
    case 0:
      return with(config::enableX64);
    case 1:
      return with(config::debugNans);
    case 2:
      return with(config::noExecution);
    case 3:
      return with(config::noTracing);
    case 4:
      return with(config::disableJit);
    case 5:
      return with(config::checkTracerLeaks);
    case 6: {
      ScopedConfig scope(config::numpyRankPromotion, RankPromotion::Raise);
      return call();
    }
    case 7: {
      ScopedConfig<int64_t> scope(config::defaultDevice, c.number(-2, 9));
      return call();
    }
    case 8: {
      ScopedConfig scope(config::numpyDtypePromotion, DtypePromotion::Strict);
      return call();
    }
    default: {
      Status done = updateConfig("jax_no_such_setting", "1");
      expectError(done.ok(), done.error(), "an unknown setting");
      done = updateConfig("enable_x64", "perhaps");
      expectError(done.ok(), done.error(), "a value that a setting has not");
      (void)readConfig(c.below(2) ? "enable_x64" : "");
    }
    }
  }
};

} // namespace shardwright::frontend::testing

#endif // SHARDWRIGHT_FRONTEND_RANDOM_MAPPING_TEST_UTIL_H
