//===- shard_index.h - shard index of a device ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_LOCALIZE_SHARD_INDEX_H
#define SHARDWRIGHT_PARTITION_LOCALIZE_SHARD_INDEX_H

#include "shardwright/partition/layout/layout.h"
#include "shardwright/partition/support/function_start.h"

#include <map>
#include <tuple>

namespace shardwright {

/// How a device computes its position.
struct DeviceStyle {
  /// Look offsets up in a table of all devices, as Shardy does, instead of
  /// computing them.
  bool tables = false;
  /// The devices of a mesh are replicas of one partition.
  bool replicas = false;
};

/// Computes shard indices and offsets from the device id at the start of a
/// function, each once. All values are 0-d tensors of i64.
class ShardIndices {
public:
  ShardIndices(mlir::func::FuncOp func, MeshTable &meshes,
               DeviceStyle style = {})
      : start(func), meshes(meshes), style(style) {}

  /// Row-major index over `axes` of this device.
  mlir::Value index(int32_t mesh, AxisRefs axes);
  /// index * size.
  mlir::Value offset(int32_t mesh, AxisRefs axes, int64_t size);
  mlir::Value constant(int64_t value) { return start.constant(value); }
  /// The id of this device.
  mlir::Value device();

private:
  /// Row-major linear index of this device in the mesh.
  mlir::Value linear(int32_t mesh);

  FunctionStart start;
  MeshTable &meshes;
  DeviceStyle style;
  mlir::Value deviceId;
  std::map<int32_t, mlir::Value> linears;
  /// By (mesh, divisor, modulus): digits of the linear index.
  std::map<std::tuple<int32_t, int64_t, int64_t>, mlir::Value> digits;
  using Key = std::pair<int32_t, llvm::SmallVector<int64_t, 8>>;
  std::map<Key, mlir::Value> indices;
  std::map<std::pair<Key, int64_t>, mlir::Value> offsets;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_LOCALIZE_SHARD_INDEX_H
