//===- ring_attention.h - attention over a sequence on a ring ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Causal attention of sequences that are divided over the mesh axis "sequence"
// (Liu, Zaharia and Abbeel 2023). Each device holds its queries, and passes
// keys and values on along a ring. It never holds more than one block of
// scores: maximum and sum of the softmax are corrected after each block.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_EXAMPLES_CPP_RING_ATTENTION_H
#define SHARDWRIGHT_EXAMPLES_CPP_RING_ATTENTION_H

#include <shardwright/frontend.h>

#include <cmath>

namespace example {
using namespace shardwright::frontend;

/// What a device knows after some blocks. Sizes: [batch, head, query], those of
/// `sum` and `out` relative to exp(maximum).
struct Blocks {
  Tensor keys, values, maximum, sum, out;
  SW_TREE(Blocks, keys, values, maximum, sum, out)
};

/// The body on one device: blocks [batch, position, head, channel].
inline Tensor ringBody(const Tensor &q, const Tensor &k, const Tensor &v) {
  int64_t ring = *lax::axis_size("sequence"), length = q.dim(1);
  Tensor rank = lax::axis_index("sequence"), local = arange(length);
  lax::Permutation next;
  for (int64_t i = 0; i < ring; ++i)
    next.emplace_back(i, (i + 1) % ring);

  auto attendTo = [&](Tensor step, Blocks b) {
    Tensor scores =
        einsum("bqhc,bkhc->bhqk", {q, b.keys}) / std::sqrt(double(q.dim(3)));
    // After `step` steps the block is that of the device `step` places before.
    Tensor from = lax::rem(rank - step + ring, Tensor(ring));
    Tensor visible = expandDims(rank * length + local, 1) >=
                     expandDims(from * length + local, 0);
    scores = where(visible, scores, -1e30);
    Tensor maximum = lax::max(b.maximum, max(scores, Ints{-1}));
    Tensor weights = exp(scores - expandDims(maximum, -1));
    Tensor correction = exp(b.maximum - maximum);
    Tensor mixed = einsum("bhqk,bkhc->bhqc", {weights, b.values});
    return Blocks{lax::ppermute(b.keys, "sequence", next),
                  lax::ppermute(b.values, "sequence", next), maximum,
                  b.sum * correction + sum(weights, Ints{-1}),
                  b.out * expandDims(correction, -1) + mixed};
  };
  // The types of the carry say that it varies from device to device.
  Tensor out = lax::pcast(zeros({q.dim(0), q.dim(2), length, q.dim(3)}),
                          {"data", "sequence"}, Vary::Varying);
  Tensor none = sum(out, Ints{-1});
  auto all = foriLoop(0, ring, attendTo, Blocks{k, v, none - 1e30, none, out});
  return transpose(all->out / expandDims(all->sum, -1), {0, 2, 1, 3});
}

/// Attention on global arrays [batch, position, head, channel], divided over
/// the axes "data" and "sequence" of a mesh.
template <typename Mesh> auto ringAttention(const Mesh &mesh) {
  ShardMapOptions options{.in = P("data", "sequence"),
                          .out = P("data", "sequence"),
                          .name = "ring_attention"};
  if constexpr (std::is_same_v<Mesh, AbstractMesh>)
    options.abstractMesh = mesh;
  else
    options.mesh = mesh;
  return shardMap(ringBody, options);
}

} // namespace example

#endif // SHARDWRIGHT_EXAMPLES_CPP_RING_ATTENTION_H
