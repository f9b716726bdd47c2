//===- machine_model.h - how fast the devices and links are -----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A few numbers about a machine, from which the time of a program is predicted:
// a device computes, reads its memory, and sends along the axes of the mesh. As
// a JSON file (docs/machines.md):
//
//   {"name": "pod",
//    "flops_per_second": {"bf16": 2e14, "default": 5e13},
//    "memory": {"bytes": 3.2e10, "bytes_per_second": 1.2e12},
//    "link": {"bytes_per_second": 5e10, "latency_seconds": 2e-6,
//             "directions": 2},
//    "links": {"hosts": {"bytes_per_second": 6e9}},
//    "operation_seconds": 1e-6}
//
// What is left out is as on the built-in machine, whose ratios are those that
// the partitioner assumes when nobody names a machine. Value types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_MACHINE_MODEL_H
#define SHARDWRIGHT_PARTITION_COST_MACHINE_MODEL_H

#include "shardwright/partition/cost/cost_model.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace shardwright {

/// What one device has towards its neighbours along a mesh axis.
struct LinkModel {
  /// In one direction.
  double bytesPerSecond = 1e11;
  /// Until the first byte is there: the cost of a round of an exchange.
  double latencySeconds = 1e-6;
  /// 2: it sends to both neighbours along the axis at the same time.
  int32_t directions = 1;

  double totalBytesPerSecond() const { return bytesPerSecond * directions; }
  friend bool operator==(const LinkModel &, const LinkModel &) = default;
};

struct MachineModel {
  std::string name = "default";
  /// Floating point or integer operations by element type (`f32`) or family
  /// (`f`: any float, `f8`: any of 8 bits, likewise `i` and `i8`).
  std::map<std::string, double> flopsPerSecond;
  double defaultFlopsPerSecond = 4e12;
  double memoryBytes = 64.0 * (1 << 30);
  double memoryBytesPerSecond = 2e12;
  /// What every kernel takes beside its work.
  double operationSeconds = 0;
  LinkModel link;
  /// Of axes that have their own.
  std::map<std::string, LinkModel> links;

  double flopsOf(llvm::StringRef elementType) const;
  const LinkModel &linkOf(llvm::StringRef axis) const;
  /// Over several axes at once: the weakest decides. No axes: the default.
  LinkModel linkOver(llvm::ArrayRef<llvm::StringRef> axes) const;
  /// The planner's weights on meshes with these axes, each with its own link,
  /// for a program that contracts such elements.
  CostModel costs(llvm::ArrayRef<llvm::StringRef> axes,
                  llvm::StringRef elementType) const;

  /// `name` stands for the text in errors, which say line, key, what was
  /// expected and what was found.
  static llvm::Expected<MachineModel> parse(llvm::StringRef text,
                                            llvm::StringRef name);
  static llvm::Expected<MachineModel> read(llvm::StringRef path);
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_MACHINE_MODEL_H
