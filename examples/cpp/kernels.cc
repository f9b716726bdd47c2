//===- kernels.cc - a product on two cores --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiplies two matrices on two cores. Each core computes half of the rows, in
// steps along the contracted dimension: it copies the tiles of the next step
// into one half of its buffers while it multiplies those in the other. Then the
// same kernel without a wait, and what race detection says of it.
// kernels.py is the first part in JAX.
//
//===----------------------------------------------------------------------===//

#include <shardwright/frontend.h>

#include <cstdio>

using namespace shardwright::frontend;

constexpr int64_t cores = 2, size = 8, depth = 2, rows = size / cores;

/// The product. `waits`: false for the mistake.
static Tensor product(const Tensor &a, const Tensor &b, bool waits,
                      const CoreMapOptions &options) {
  auto body = [&](const Ref &left, const Ref &right, const Ref &out) {
    auto onEachCore = [&] {
      Tensor first = lax::axis_index("core") * int(rows);
      auto withBuffers = [&](const Ref &lefts, const Ref &rights,
                             const Ref &sum, const Ref &sems) {
        // The copies of step k, into the half of the buffers that is its own.
        auto copies = [&](const Tensor &k) {
          Tensor half = lax::rem(k, 2);
          return std::pair{
              makeAsyncCopy(left.at(ds(first, rows), ds(k * int(depth), depth)),
                            lefts.at(half), sems.at(half, 0)),
              makeAsyncCopy(right.at(ds(k * int(depth), depth)),
                            rights.at(half), sems.at(half, 1))};
        };
        auto start = [&](const Tensor &k) {
          auto [l, r] = copies(k);
          l.start();
          r.start();
        };
        sum.set(zeros({rows, size}));
        start(scalarOf(int64_t(0), DType::I32));
        forEach(0, size / depth, [&](const Tensor &k) {
          when(k + 1 < int(size / depth), [&] { start(k + 1); });
          auto [l, r] = copies(k);
          l.wait();
          if (waits)
            r.wait();
          Tensor half = lax::rem(k, 2);
          sum.addUpdate(matmul(lefts[half], rights[half]));
        });
        asyncCopy(sum, out.at(ds(first, rows)), sems.at(0, 0)).wait();
      };
      runScoped(withBuffers, vmem({2, rows, depth}, DType::F32),
                vmem({2, depth, size}, DType::F32),
                vmem({rows, size}, DType::F32), dmaSemaphores({2, 2}));
    };
    coreMap(coreMesh("core", cores), onEachCore, options);
  };
  auto [x, y, z] = runState(body, a, b, zeros({size, size}));
  return z;
}

int main() {
  Tensor a = reshape(arange(size * size, DType::F32), {size, size}) / 8.f;
  Tensor b = sin(a);
  auto good = jit([](const Tensor &x, const Tensor &y) {
    return product(x, y, true, {.name = "product"});
  })(a, b);
  if (!good) {
    std::fprintf(stderr, "%s\n", good.error().str().c_str());
    return 1;
  }
  for (int i = 0; i < size; ++i)
    std::printf("row %d: %9.4f %9.4f\n", i, *good->index({i, 0}).item(),
                *good->index({i, size - 1}).item());
  Tensor bad = product(a, b, false, {.name = "product", .detectRaces = true});
  Status run = bad.blockUntilReady();
  std::printf("without a wait: %s\n",
              run ? "no error" : run.error().text.c_str());
  double difference = *max(lax::abs(*good - matmul(a, b))).item();
  std::printf("the kernel differs from matmul by less than 1e-4: %s\n",
              difference < 1e-4 ? "yes" : "no");
}
