//===- hostile_calls_test_util.h - calls that must give errors --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random calls of functions of the host, which may fail in any way; arrays of
// any size; objects that are null or have been moved.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_HOSTILE_CALLS_TEST_UTIL_H
#define SHARDWRIGHT_FRONTEND_HOSTILE_CALLS_TEST_UTIL_H

#include "shardwright/frontend/call_sequences_test_util.h"

#include <stdexcept>

namespace shardwright::frontend::testing {

/// A function of the host: it gives what it should, anything else, or an error,
/// and may use the front end.
inline Expected<Tensor> hostFunction(size_t kind, const Tensor &x,
                                     const Tensor &other) {
  auto twice = [](Tensor v) { return v + v; };
  switch (kind % 16) {
  case 0:
    return valueError("no luck");
  case 1:
    throw std::runtime_error("it broke");
  case 2:
    throw 3;
  case 3:
    return ones({7, 1});
  case 4:
    return astype(x, x.dtype() == DType::F32 ? DType::I8 : DType::F32);
  case 5:
    return other;
  case 6:
    (void)x.remove();
    return x;
  case 7:
    return jit(twice)(x);
  case 8:
    return grad([](Tensor v) { return sum(v * v); })(x);
  case 9:
    (void)effectsBarrier();
    return x;
  case 10: // a run that nobody waits for
    (void)jit(twice, {.donate = {0}})(devicePut(x, Sharding()));
    return x;
  case 11:
    return binary(kind, x, other);
  default:
    return x;
  }
}

class HostileCalls : public CallPool {
public:
  using CallPool::CallPool;

protected:
  /// Calls of functions of the host, inside and outside of programs and on
  /// several devices, and uses of their results before they are known.
  void calledBack(Choices &c) {
    Tensor x = pick(c), other = pick(c);
    size_t kind = c.below(64), how = c.below(5);
    bool ordered = c.below(2), partitioned = c.below(4) == 0;
    static const char *const methods[] = {"",
                                          "sequential",
                                          "sequential_unrolled",
                                          "expand_dims",
                                          "broadcast_all",
                                          "legacy_vectorized",
                                          "none"};
    std::string method = methods[c.below(std::size(methods))];
    std::optional<Device> device;
    if (c.below(4) == 0)
      device = Device{static_cast<int32_t>(c.number(-1, 9))};
    auto host = [=](Tensor v) { return hostFunction(kind, v, other); };
    auto call = [=](Tensor v) -> Tensor {
      Tensor type = shapeDtypeStruct(v.shape(), v.dtype());
      switch (how) {
      case 0:
        return pureCallback(host, type, PureCallbackOptions{method, device}, v);
      case 1:
        return ioCallback(host, type, IoCallbackOptions{ordered, device}, v);
      case 2:
        debugCallback(
            DebugOptions{ordered, partitioned},
            [=](Tensor u) -> Status {
              Expected<Tensor> out = hostFunction(kind, u, other);
              return out ? Status() : Status(out.error());
            },
            v);
        return v;
      case 3:
        debugPrint(DebugOptions{ordered, partitioned},
                   kind % 4 == 0 ? "{}{" : "{} {x:.3}", v, named("x", other));
        return v;
      default:
        return pureCallback(std::function<Tensor(Tensor)>(), type, v);
      }
    };
    if (c.below(3) == 0)
      x = devicePut(x, NamedSharding(meshes()[c.below(4)], P("x")));
    Tensor out;
    switch (c.below(6)) {
    case 0:
      out = call(x);
      break;
    case 1:
      out = vmap(call, {.inAxes = {c.between(-1, 1)}})(x);
      break;
    case 2:
      out = jit(grad([=](Tensor v) { return sum(call(v)); }))(x);
      break;
    case 3:
      out = jit(shardMap(call, {.mesh = meshes()[c.below(4)],
                                .in = P("x"),
                                .out = P("x"),
                                .checkVma = false}))(x);
      break;
    default:
      out = jit(call)(x);
    }
    useBeforeReady(c, out);
    keep(out);
    if (c.below(3) == 0)
      if (Status done = effectsBarrier(); !done)
        expectError(false, done.error(), "an effect");
  }

  /// Each of these meets the error of a computation that is still in flight.
  void useBeforeReady(Choices &c, const Tensor &x) {
    switch (c.below(8)) {
    case 0:
      return keep(x + 1);
    case 1:
      return keep(jit([](Tensor v) { return v * v; }, {.donate = {0}})(x));
    case 2:
      (void)x.remove();
      return;
    case 3:
      return keep(devicePut(x, NamedSharding(meshes()[c.below(4)], P())));
    case 4:
      if (auto exported = toDLPack(x))
        keep(fromDLPack(*exported));
      return;
    case 5:
      if (auto shards = addressableShards(x))
        for (const Shard &shard : *shards)
          keep(shard.data);
      return;
    case 6:
      return keep(sum(partialSums() * (c.below(2) ? x : Tensor(2.0))));
    default:
      if (x.str().empty())
        wrong = "a value without a text";
    }
  }

  /// Arrays that are made from numbers.
  Tensors created(Choices &c) {
    DType type = CallPool::type(c);
    int64_t n = c.number(-2, 9), k = c.number(-4, 4);
    Shape shape(c.ints(3, -1, 4));
    switch (c.below(14)) {
    case 0:
      return {arange(n, type)};
    case 1:
      return {eye(n, type)};
    case 2:
      return {linspace(0, 1, n)};
    case 3:
      return {full(shape, 2, type)};
    case 4:
      return {lax::iota(type, shape, k)};
    case 5:
      return {tril(pick(c), k), triu(pick(c), k)};
    case 6:
      return {diag(pick(c), k), diagonal(pick(c), k)};
    case 7:
      return {fft::fftfreq(n), fft::rfft(pick(c), n, k)};
    case 8:
      return {random::randint(random::key(n), shape, k, n)};
    case 9:
      return {shapeDtypeStruct(shape, type)};
    case 10:
      return {pad(pick(c), {{n, k}}, static_cast<PadMode>(c.below(5)))};
    case 11:
      return split(pick(c), n, k);
    case 12:
      return random::split(pick(c), n);
    default:
      return {linalg::matrixPower(pick(c), n), nn::glu(pick(c), k)};
    }
  }

  /// Null objects, objects that have been moved, parameters that fit nothing.
  void misused(Choices &c) {
    Tensor x = pick(c);
    switch (c.below(12)) {
    case 0: {
      TracedStage traced;
      LoweredStage lowered;
      CompiledStage compiled;
      (void)(traced.str() + traced.effects());
      auto none = traced.lower();
      expectError(none.ok(), none.error(), "a null traced stage");
      auto program = lowered.compile({Device{int32_t(c.number(-1, 9))}});
      expectError(program.ok(), program.error(), "a null lowered stage");
      keep(compiled.call({x}));
      return keep(compiled(x, x));
    }
    case 1: {
      auto f = jit([](Tensor v) { return v; });
      auto g = std::move(f);
      keep(g(x));
      return keep(f(x)); // NOLINT(bugprone-use-after-move)
    }
    case 2: {
      std::function<Tensor(Tensor)> null;
      keep(jit(null)(x));
      keep(vmap(null)(x));
      keep(vjp(null, x)->second(x));
      return keep(grad(null)(x));
    }
    case 3: {
      std::function<std::pair<Tensor, Tensor>(Tensor, Tensor)> step;
      keep(scan(step, x, pick(c)));
      return keep(switchCase<Tensor, Tensor>(pick(c), {}, x));
    }
    case 4:
      keep(makeArrayFromCallback(x.shape(), Sharding::single(Device{0}), {}));
      return keep(fromDLPack(nullptr));
    case 5:
      keep(arrayFromBytes(nullptr, type(c), Shape(c.ints(3, -1, 4))));
      return keep(arrayOf<float>({1, 2}, Shape(c.ints(3, -1, 4))));
    case 6: {
      Tensor before = x, after = std::move(before);
      keep(after);
      return keep(before + x); // NOLINT(bugprone-use-after-move)
    }
    case 7: {
      auto mesh = Mesh::get(
          {Device{int32_t(c.number(-1, 8))}, Device{int32_t(c.number(-1, 8))}},
          c.ints(2, 0, 2), {"x"}, {static_cast<AxisType>(c.below(9))});
      if (!mesh)
        expectError(false, mesh.error(), "a mesh");
      auto abstract = AbstractMesh::get(c.ints(3, 0, 4), {"x", "y"});
      Mesh other = *mesh, moved = std::move(other);
      keep(devicePut(x, NamedSharding(other, spec(c))));
      return keep(devicePut(x, NamedSharding(*abstract, P("x"))));
    }
    case 8: {
      auto format =
          Format::get(Layout(c.ints(3, -1, 3)), Sharding::single(Device{0}));
      keep(devicePut(x, *format));
      return keep(shapeDtypeStruct(Shape(c.ints(3, -1, 4)), type(c), *format));
    }
    case 9: {
      ScopedDefaultDevice scope(Device{int32_t(c.number(-1, 9))});
      keep(x + 1);
      return keep(ones({2}));
    }
    case 10:
      return windows(c);
    default:
      return recursion(c);
    }
  }

private:
  /// Dimension numbers and windows with lists of any length.
  void windows(Choices &c) {
    Tensor x = pick(c), y = pick(c);
    Window window{c.ints(3, 0, 3),
                  c.ints(3, 0, 3),
                  {c.ints(3, -1, 2)},
                  c.ints(3, 0, 2),
                  c.ints(3, 0, 2)};
    keep(lax::reduce_window_max(x, window));
    keep(lax::select_and_scatter_add(x, y, window));
    (void)samePadding(x.shape(), window.dims, window.strides);
    GatherDims dims{c.ints(2, -1, 3), c.ints(2, -1, 3), c.ints(2, -1, 3),
                    c.ints(1, -1, 2), c.ints(1, -1, 2)};
    auto mode = static_cast<GatherMode>(c.below(3));
    keep(lax::gather(x, y, dims, c.ints(3, 0, 3), mode));
    keep(lax::scatter(static_cast<lax::ScatterKind>(c.below(5)), x, y, pick(c),
                      dims, mode));
    keep(lax::conv_general_dilated(
        x, y,
        {.strides = c.ints(2, 0, 2),
         .padding = {c.ints(3, -1, 2)},
         .lhsDilation = c.ints(2, 0, 2),
         .layout = {c.below(2) ? "NCH" : "NC", "OIH", "NHC"},
         .featureGroups = c.number(0, 2)}));
    keep(lax::slice_in_dim(x, c.number(0, 2), c.number(0, 4), c.number(0, 2),
                           c.number(-1, 3)));
  }

  /// Functions that transform themselves without end, or combine values to
  /// more of them.
  void recursion(Choices &c) {
    Tensor x = pick(c);
    std::function<Tensor(Tensor)> f;
    switch (c.below(3)) {
    case 0:
      f = [&](Tensor v) -> Tensor { return jit(f)(v); };
      return keep(f(x));
    case 1: {
      auto jitted = jit([&](Tensor v) { return f(v); });
      f = [&](Tensor v) -> Tensor { return jitted(v) + 1; };
      return keep(f(x));
    }
    default:
      return keep(associativeScan(
          [](Tensor a, Tensor b) { return concatenate({a, b}); }, x));
    }
  }
};

} // namespace shardwright::frontend::testing

#endif // SHARDWRIGHT_FRONTEND_HOSTILE_CALLS_TEST_UTIL_H
