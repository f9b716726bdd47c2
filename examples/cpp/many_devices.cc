//===- many_devices.cc - plans a program for 4096 devices -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attention of ring_attention.h with two projections, on an abstract mesh
// of 64 x 64 devices, which this machine does not have: arguments are types and
// placements without elements. Prints what each device holds and sends, and why
// there are collectives.
//
//===----------------------------------------------------------------------===//

#include "ring_attention.h"

#include <cstdio>

using namespace shardwright::frontend;

int main() {
  Expected<AbstractMesh> mesh =
      AbstractMesh::get({64, 64}, {"data", "sequence"});
  if (!mesh)
    return 1;
  Sharding tokens = NamedSharding(*mesh, P("data", "sequence"));
  Sharding all = NamedSharding(*mesh, P());
  auto attention = example::ringAttention(*mesh);
  auto layer = [&](Tensor x, Tensor in, Tensor out) {
    Tensor projected = einsum("btd,dshc->sbthc", {x, in});
    Tensor mixed = attention(projected[0], projected[1], projected[2]);
    return x + einsum("bthc,hcd->btd", {mixed, out});
  };
  auto loss = [&](Tensor x, Tensor in, Tensor out) {
    return mean(square(layer(x, in, out)));
  };

  // 64 sequences of 131072 tokens of 1024 channels, 16 heads.
  auto lowered =
      jit(grad<1>(loss), {.name = "gradient", .argNames = {"x", "in", "out"}})
          .lower(shapeDtypeStruct({64, 131072, 1024}, DType::F32, tokens),
                 shapeDtypeStruct({1024, 3, 16, 64}, DType::F32, all),
                 shapeDtypeStruct({16, 64, 1024}, DType::F32, all));
  if (!lowered) {
    std::fprintf(stderr, "%s\n", lowered.error().str().c_str());
    return 1;
  }
  auto report = lowered->report();
  auto why = lowered->explain({.collectives = true});
  if (!report || !why) {
    const Error &error = !report ? report.error() : why.error();
    std::fprintf(stderr, "%s\n", error.str().c_str());
    return 1;
  }
  std::printf("%s\n%s", report->c_str(), why->c_str());
  return 0;
}
