//===- machine_model.h - speed of devices and links -------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A few numbers about a machine, from which the time of a program is predicted:
// compute rate, memory bandwidth, and the links along the mesh axes. As a JSON
// file (docs/machines.md):
//
//   {"name": "pod",
//    "flops_per_second": {"bf16": 2e14, "default": 5e13},
//    "memory": {"bytes": 3.2e10, "bytes_per_second": 1.2e12},
//    "link": {"bytes_per_second": 5e10, "latency_seconds": 2e-6,
//             "directions": 2},
//    "links": {"hosts": {"bytes_per_second": 6e9}},
//    "levels": [{"name": "host", "size": 8, "link": {"directions": 2}},
//               {"name": "pod", "size": 32}],
//    "processes": {"devices_per_process": 8, "per_host": 2,
//                  "link": {"bytes_per_second": 1e10}},
//    "elementwise_flops_per_second": 1e13, "operation_seconds": 1e-6,
//    "contraction_seconds": 1e-6, "contraction_columns": 16,
//    "step_seconds": 1e-5}
//
// Omitted keys default to the built-in machine, whose ratios the partitioner
// assumes if no machine is named. The times that follow from them:
// predicted_seconds.h. Value types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_MACHINE_MODEL_H
#define SHARDWRIGHT_PARTITION_COST_MACHINE_MODEL_H

#include "shardwright/partition/cost/cost_model.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardwright {

/// A level of links: its groups have `size` groups of the level inside it, the
/// first level that many devices (machine_levels.h).
struct LevelModel {
  std::string name;
  int64_t size = 0;
  LinkModel link;

  friend bool operator==(const LevelModel &, const LevelModel &) = default;
};

/// The processes that own the devices, and the link between them. Process p has
/// the device ids from p * devicesPerProcess on.
struct ProcessesModel {
  int64_t devicesPerProcess = 8;
  /// Bandwidth of a process in one direction, which all of its devices share.
  double bytesPerSecond = 1.25e10;
  /// Latency of a packet that another one waits for.
  double latencySeconds = 1e-5;
  /// Time that a process spends on each packet that it sends, and on one that
  /// it receives.
  double messageSeconds = 0;
  /// The bandwidth of bytes that stay in caches while they are copied between
  /// buffers and the network; 0: that of all others.
  double cachedBytesPerSecond = 0;
  /// Longer messages take three packets: the header, an answer, the bytes. The
  /// default is that of the transport TCP.
  double inlineBytes = 32 << 10;
  /// Processes that share a host, and its cores; 0: as many as processes.
  int64_t perHost = 1, coresPerHost = 0;

  /// How often the work of a process on its messages is done one after another
  /// on a core of the host, in a job of so many processes.
  double sharing(int64_t processes) const {
    double together = double(std::min(perHost, processes));
    return coresPerHost ? std::max(1.0, together / double(coresPerHost)) : 1;
  }
  friend bool operator==(const ProcessesModel &,
                         const ProcessesModel &) = default;
};

/// Largest results, in bytes, of collectives that replace several smaller ones
/// (combine/join_collectives.h). Each collective less saves one latency.
struct JoinLimits {
  /// Of exchanges and permutes, whose operands are copied into one message and
  /// back.
  double packed = 0;
  /// Likewise of reduce_scatters.
  double scattered = 0;
  /// Of reductions, which take several operands without copies, but whose
  /// results are all complete only when the last one is.
  double reduced = 0;
  /// Of gathers, whose results are larger than what is sent.
  double gathered = 0;
};

struct MachineModel {
  std::string name = "default";
  /// Floating point or integer operations by element type (`f32`) or family
  /// (`f`: any float, `f8`: any of 8 bits, likewise `i` and `i8`).
  std::map<std::string, double> flopsPerSecond;
  double defaultFlopsPerSecond = 4e12;
  /// Of operations that are not contractions, in every element type; 0: as
  /// those. Matrix units do not serve them.
  double elementwiseFlopsPerSecond = 0;
  double memoryBytes = 64.0 * (1 << 30);
  double memoryBytesPerSecond = 2e12;
  /// The part of what a kernel reads and writes that stays in caches, and its
  /// bandwidth; 0: all of it comes from memory.
  double cacheBytes = 0, cacheBytesPerSecond = 0;
  /// Fixed overhead of each kernel, and that of a contraction besides.
  double operationSeconds = 0, contractionSeconds = 0;
  /// Contractions take as long as if their output columns were a multiple of
  /// this number, the width of vectors or of a matrix unit.
  double contractionColumns = 1;
  /// Fixed overhead of each run of a program.
  double stepSeconds = 0;
  LinkModel link;
  /// Links of the axes that differ from `link`.
  std::map<std::string, LinkModel> links;
  /// From inside to outside; empty if all devices have the same links.
  std::vector<LevelModel> levels;
  /// None: all devices belong to one process.
  std::optional<ProcessesModel> processes;

  /// How often the operations of a contraction with so many columns are done.
  double shareOfColumns(double columns) const;
  double flopsOf(llvm::StringRef elementType) const;
  /// Time in which a kernel reads or writes this many bytes.
  double memorySeconds(double bytes) const;
  const LinkModel &linkOf(llvm::StringRef axis) const;
  /// Over several axes at once: that of the slowest. No axes: the default.
  LinkModel linkOver(llvm::ArrayRef<llvm::StringRef> axes) const;
  /// Costs in seconds on this machine, for the planner.
  CostModel costs() const;
  /// Sizes beyond which joining collectives saves no time.
  JoinLimits joinLimits() const;

  /// Parses a machine file. Errors give `name`, line, key, and the expected and
  /// found values.
  static llvm::Expected<MachineModel> parse(llvm::StringRef text,
                                            llvm::StringRef name);
  static llvm::Expected<MachineModel> read(llvm::StringRef path);
  /// The machine as a file, from which `parse` reads the same numbers.
  std::string json() const;

  friend bool operator==(const MachineModel &, const MachineModel &) = default;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_MACHINE_MODEL_H
