//===- kernels_test_util.h - kernels that tests run -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CORES_KERNELS_TEST_UTIL_H
#define SHARDWRIGHT_FRONTEND_CORES_KERNELS_TEST_UTIL_H

#include "shardwright/frontend/cores/core_map.h"
#include "shardwright/frontend/cores/run_state.h"
#include "shardwright/frontend/cores/synchronize.h"
#include "shardwright/frontend/numpy/numpy.h"
#include "shardwright/frontend/shard_map/collectives.h"
#include "shardwright/frontend/shard_map/shard_map.h"

namespace shardwright::frontend::test {

inline Tensor zerosOf(const Shape &shape) {
  return lax::full(shape, 0, DType::F32);
}
inline Tensor number(int64_t n) { return scalarOf(n, DType::I32); }

/// y = x, where each core copies its part.
inline Tensor copyKernel(const Tensor &x, int64_t cores,
                         const CoreMapOptions &options = {}) {
  const int64_t rows = x.dim(0) / cores;
  auto [a, b] = runState(
      [&](const Ref &from, const Ref &to) {
        coreMap(
            coreMesh("core", cores),
            [&] {
              DimSlice own = ds(lax::axis_index("core") * number(rows), rows);
              runScoped(
                  [&](const Ref &sem) {
                    asyncCopy(from.at(own), to.at(own), sem).wait();
                  },
                  dmaSemaphores());
            },
            options);
      },
      x, zerosOf(x.shape()));
  return b;
}

/// a b. Each core computes some rows, in steps of `tile` along the contracted
/// dimension; it copies the next tiles while it multiplies.
inline Tensor matmulKernel(const Tensor &a, const Tensor &b, int64_t cores,
                           int64_t tile, const CoreMapOptions &options = {}) {
  const int64_t rows = a.dim(0) / cores, steps = a.dim(1) / tile,
                columns = b.dim(1);
  auto [x, y, out] = runState(
      [&](const Ref &left, const Ref &right, const Ref &product) {
        coreMap(
            coreMesh("core", cores),
            [&] {
              Tensor first = lax::axis_index("core") * number(rows);
              runScoped(
                  [&](const Ref &lefts, const Ref &rights, const Ref &sum,
                      const Ref &leftSems, const Ref &rightSems) {
                    auto copies = [&](const Tensor &k) {
                      Tensor slot = lax::rem(k, number(2));
                      Tensor at = k * number(tile);
                      return std::pair{
                          makeAsyncCopy(left.at(ds(first, rows), ds(at, tile)),
                                        lefts.at(slot), leftSems.at(slot)),
                          makeAsyncCopy(right.at(ds(at, tile)), rights.at(slot),
                                        rightSems.at(slot))};
                    };
                    auto start = [&](const Tensor &k) {
                      auto [l, r] = copies(k);
                      l.start();
                      r.start();
                    };
                    sum.set(zerosOf({rows, columns}));
                    start(number(0));
                    forEach(0, steps, [&](const Tensor &k) {
                      when(k + 1 < number(steps), [&] { start(k + 1); });
                      auto [l, r] = copies(k);
                      l.wait();
                      r.wait();
                      Tensor slot = lax::rem(k, number(2));
                      sum.addUpdate(lax::dot_general(lefts[slot], rights[slot],
                                                     {{1}, {0}, {}, {}}));
                    });
                    product.at(ds(first, rows)).set(sum.get());
                  },
                  vmem({2, rows, tile}, DType::F32),
                  vmem({2, tile, columns}, DType::F32),
                  vmem({rows, columns}, DType::F32), dmaSemaphores({2}),
                  dmaSemaphores({2}));
            },
            options);
      },
      a, b, zerosOf({a.dim(0), columns}));
  return out;
}

/// y[i] = 2 x[i] + 1 for all rows. Pairs of cores share two slots: the first
/// core doubles rows into them, the second adds 1 and stores. One core does
/// both in turn.
inline Tensor pipelineKernel(const Tensor &x, int64_t cores,
                             const CoreMapOptions &options = {}) {
  const int64_t pairs = std::max<int64_t>(cores / 2, 1),
                items = x.dim(0) / pairs, width = x.dim(1);
  auto [from, out] = runState(
      [&](const Ref &source, const Ref &target) {
        coreMap(
            coreMesh("core", cores),
            [&] {
              Tensor core = lax::axis_index("core");
              Tensor pair = lax::div(core, number(2));
              Tensor first = pair * number(items);
              (void)runScoped(
                  {vmem({pairs, 2, width}, DType::F32), semaphores({pairs}),
                   semaphores({pairs})},
                  [&](const Refs &r) -> Tensors {
                    const Ref slots = r[0].at(pair), full = r[1].at(pair),
                              empty = r[2].at(pair);
                    auto produce = [&](const Tensor &i) {
                      semaphoreWait(empty);
                      slots.at(lax::rem(i, number(2)))
                          .set(source[first + i] * 2.f);
                      semaphoreSignal(full);
                    };
                    auto consume = [&](const Tensor &i) {
                      semaphoreWait(full);
                      target.at(first + i).set(slots[lax::rem(i, number(2))] +
                                               1.f);
                      semaphoreSignal(empty);
                    };
                    Tensor half = lax::rem(core, number(2));
                    Tensor isFirst = lax::eq(half, number(0)),
                           isSecond = lax::ne(half, number(0));
                    when(isFirst, [&] { semaphoreSignal(empty, 2); });
                    if (cores == 1) {
                      forEach(0, items, [&](const Tensor &i) {
                        produce(i);
                        consume(i);
                      });
                    } else {
                      when(isFirst, [&] { forEach(0, items, produce); });
                      when(isSecond, [&] { forEach(0, items, consume); });
                    }
                    // What is left when all is consumed.
                    when(cores == 1 ? isFirst : isSecond,
                         [&] { semaphoreWait(empty, 2); });
                    return {};
                  },
                  {.collectiveAxes = {"core"}});
            },
            options);
      },
      x, zerosOf(x.shape()));
  return out;
}

/// The sum, on each core, of the rows of all cores, by n - 1 steps in a ring in
/// which each sends what it got last. Result: each core's sum.
inline Tensor ringSumKernel(const Tensor &x, int64_t cores,
                            const CoreMapOptions &options = {}) {
  const int64_t width = x.dim(1), steps = std::max<int64_t>(cores - 1, 1);
  auto [from, out] = runState(
      [&](const Ref &source, const Ref &target) {
        coreMap(
            coreMesh("core", cores),
            [&] {
              Tensor core = lax::axis_index("core");
              Tensor right = lax::rem(core + 1, number(cores));
              runScoped(
                  [&](const Ref &parts, const Ref &sum, const Ref &sent,
                      const Ref &arrived, const Ref &ready) {
                    Tensor own = source[core];
                    parts.at(0).set(own);
                    sum.set(own);
                    for (int64_t i = 0; i + 1 < cores; ++i) {
                      AsyncCopy copy = makeAsyncRemoteCopy(
                          parts.at(i), parts.at(i + 1), sent.at(i),
                          arrived.at(i), {{"core", right}});
                      copy.start();
                      copy.wait();
                      sum.addUpdate(parts[i + 1]);
                    }
                    target.at(core).set(sum.get());
                    // Nothing arrives at a core that has left.
                    coreBarrier(ready, "core");
                  },
                  vmem({cores, width}, DType::F32), vmem({width}, DType::F32),
                  dmaSemaphores({steps}), dmaSemaphores({steps}), semaphores());
            },
            options);
      },
      x, zerosOf(x.shape()));
  return out;
}

/// All rows of all devices along the axis x of a mesh, on each device, by
/// copies to the next device.
inline Tensor gatherKernel(const Tensor &local, int64_t devices,
                           const CoreMapOptions &options = {}) {
  const int64_t rows = local.dim(0), width = local.dim(1);
  auto [from, out] = runState(
      [&](const Ref &source, const Ref &target) {
        coreMap(
            coreMesh("core", 1),
            [&] {
              Tensor me = lax::axis_index("x");
              Tensor right = lax::rem(me + 1, number(devices));
              const int64_t steps = std::max<int64_t>(devices - 1, 1);
              runScoped(
                  [&](const Ref &sem, const Ref &sent, const Ref &arrived) {
                    asyncCopy(source, target.at(me), sem).wait();
                    for (int64_t i = 0; i + 1 < devices; ++i) {
                      Tensor row =
                          lax::rem(me + number(devices - i), number(devices));
                      makeAsyncRemoteCopy(target.at(row), target.at(row),
                                          sent.at(i), arrived.at(i),
                                          {{"x", right}})
                          .start();
                      Tensor next = lax::rem(me + number(devices - i - 1),
                                             number(devices));
                      AsyncCopy in = makeAsyncRemoteCopy(
                          target.at(row), target.at(next), sent.at(i),
                          arrived.at(i), {{"x", right}});
                      in.wait();
                    }
                  },
                  dmaSemaphores(), dmaSemaphores({steps}),
                  dmaSemaphores({steps}));
            },
            options);
      },
      local, zerosOf({devices, rows, width}));
  return lax::reshape(out, {devices * rows, width});
}

} // namespace shardwright::frontend::test

#endif // SHARDWRIGHT_FRONTEND_CORES_KERNELS_TEST_UTIL_H
