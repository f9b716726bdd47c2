//===- ring_attention.cc - attention over a divided sequence --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs ring_attention.h on eight devices, 2 x 4: the sequence is divided over
// four of them. Prints one channel at some positions, its derivative, and the
// largest difference from attention that is computed without a mesh.
// ring_attention.py is the same program in JAX.
//
//===----------------------------------------------------------------------===//

#include "ring_attention.h"

#include <cstdio>

using namespace shardwright::frontend;

static Tensor plainAttention(const Tensor &q, const Tensor &k,
                             const Tensor &v) {
  Tensor scores =
      einsum("bqhc,bkhc->bhqk", {q, k}) / std::sqrt(double(q.dim(3)));
  scores = where(tril(ones({q.dim(1), q.dim(1)})) > 0, scores, -1e30);
  return einsum("bhqk,bkhc->bqhc", {nn::softmax(scores), v});
}

int main() {
  Status count = setDeviceCount(8);
  Expected<Mesh> mesh =
      makeMesh({2, 4}, {"data", "sequence"}, {AxisType::Auto, AxisType::Auto});
  if (!count || !mesh)
    return 1;
  Sharding blocks = NamedSharding(*mesh, P("data", "sequence"));
  Tensors keys = random::split(random::key(0), 3), arrays;
  for (const Tensor &key : keys)
    arrays.push_back(devicePut(random::normal(key, {2, 64, 4, 8}), blocks));

  auto attention = example::ringAttention(*mesh);
  auto loss = [&](Tensor q, Tensor k, Tensor v) {
    return sum(square(Tensor(attention(q, k, v))));
  };
  auto out = jit(attention)(arrays[0], arrays[1], arrays[2]);
  auto slope = jit(grad<1>(loss))(arrays[0], arrays[1], arrays[2]);
  auto plain = jit(plainAttention)(arrays[0], arrays[1], arrays[2]);
  if (!out || !slope || !plain) {
    const Error &error = !out     ? out.error()
                         : !slope ? slope.error()
                                  : plain.error();
    std::fprintf(stderr, "%s\n", error.str().c_str());
    return 1;
  }
  for (int i = 0; i < 64; i += 9)
    std::printf("position %2d value %8.5f derivative %8.5f\n", i,
                *out->index({1, i, 2, 3}).item(),
                *slope->index({1, i, 2, 3}).item());
  double difference = *max(lax::abs(*out - *plain)).item();
  std::printf("the ring differs from one device by less than 1e-5: %s\n",
              difference < 1e-5 ? "yes" : "no");
  return 0;
}
