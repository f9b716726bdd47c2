//===- custom_partitioner.h - calls that the user partitions ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_CALLBACKS_CUSTOM_PARTITIONER_H
#define SHARDWRIGHT_FRONTEND_CALLBACKS_CUSTOM_PARTITIONER_H

#include "shardwright/frontend/trace/primitive.h"

#include <atomic>

namespace shardwright::frontend {

/// How one device computes a call, as the user's function says.
struct PartitionedBody {
  /// A module whose @main is one manual computation over all axes, of the
  /// operands with each dimension rounded up to a multiple of its shards.
  std::string module;
  /// The functions of the host that it calls.
  std::vector<std::shared_ptr<const ParamObject>> callbacks;
  /// How the operands must be divided, and how the results are.
  std::vector<Sharding> operands, results;
};

/// The user's function, as a parameter of an equation. A module refers to it by
/// its position among the functions that it calls, as `backend_config`.
struct CustomPartitioner final : ParamObject {
  CustomPartitioner(std::string functionName, std::string text)
      : name(std::move(functionName)), shown(std::move(text)) {
    static std::atomic<int64_t> next = 0;
    number = next++;
  }
  std::string str() const override { return shown; }
  std::string key() const override { return cat(shown, "#", number); }

  std::string name; ///< of the partitioned function, in errors
  /// Called while a program is compiled. Operands and results are structs with
  /// the shardings of the propagated program.
  std::function<Expected<PartitionedBody>(
      const Mesh &mesh, const Tensors &operands, const Tensors &results)>
      partition;
  /// The shardings of the results that follow from those of the operands, or
  /// from those that the users of the results need; empty: none follow. Null:
  /// not given.
  std::function<Expected<std::vector<Sharding>>(
      const Mesh &mesh, const Tensors &operands, const Tensors &results)>
      infer;
  std::function<Expected<std::vector<Sharding>>(const Mesh &mesh,
                                                const Tensors &results)>
      propagateUser;
  /// Shardings are over the program's mesh.
  bool decodesShardings = true;

private:
  std::string shown;
  int64_t number;
};

/// The target of such calls.
constexpr const char *kPartitioningTarget = "CustomSPMDPartitioning";

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_CALLBACKS_CUSTOM_PARTITIONER_H
