//===- algebra.cc - shardings without MLIR --------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts JAX's PartitionSpec to the other notations, and prints the shape of
// a device. It includes public headers only (shardwright/layers.toml).
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/hlo/hlo_sharding.h"
#include "shardwright/mesh/hlo/named_conversion.h"
#include "shardwright/mesh/hlo/partition_spec.h"
#include "shardwright/mesh/mesh.h"
#include "shardwright/mesh/sharding.h"

#include "llvm/Support/raw_ostream.h"

using namespace shardwright;

static int fail(llvm::Error error) {
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return 1;
}

int main() {
  Mesh mesh({{"data", 2}, {"model", 4}});
  auto spec = PartitionSpec::parse("P(('data', 'model'), None)");
  if (!spec)
    return fail(spec.takeError());
  auto sharding = resolve(*spec, mesh, /*rank=*/2);
  if (!sharding)
    return fail(sharding.takeError());
  auto tiled = toTiled(*spec, mesh, /*rank=*/2);
  if (!tiled)
    return fail(tiled.takeError());
  llvm::outs() << str(*sharding, mesh) << " " << tiled->str();
  for (int64_t size : localShape({16, 3}, *sharding))
    llvm::outs() << " " << size;
  llvm::outs() << "\n";
  return 0;
}
