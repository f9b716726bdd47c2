//===- process_traffic.h - collectives between processes --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the processes of a job send to each other in a collective, if process p
// owns the device ids [p * k, (p + 1) * k). Groups along mesh axes have closed
// forms: their cost does not depend on the number of devices. Other groups are
// counted from their list. Value types; no IR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_COST_PROCESS_TRAFFIC_H
#define SHARDWRIGHT_PARTITION_COST_PROCESS_TRAFFIC_H

#include "shardwright/job/exchange_sizes.h"
#include "shardwright/mesh/mesh.h"
#include "shardwright/partition/cost/machine_model.h"

#include <map>
#include <optional>
#include <vector>

namespace shardwright {

/// The place of the groups of a collective on processes.
struct GroupPlacement {
  /// Processes that a group spans, and members of a group in one process: the
  /// most of all groups.
  int64_t processes = 1, ownMembers = 1;
  /// All processes have as many members in as many groups. `shares` has only
  /// the key 0, with one share for each rank in a group, of which a process has
  /// any.
  bool isAlike = false;
  struct Share {
    GroupShare share;
    int64_t groups = 1; ///< groups in which the process has this share
  };
  /// By process: its shares of groups that span several processes.
  std::map<int64_t, std::vector<Share>> shares;

  bool isLocal() const { return shares.empty(); }
};

/// The groups along `axes` (`deviceGroups`); none if the processes are not
/// alike, because a process owns no box of the mesh, or the device ids are not
/// 0, 1, 2, ... Independent of the number of devices.
std::optional<GroupPlacement> placeAxes(const Mesh &mesh, AxisRefs axes,
                                        int64_t devicesPerProcess);

/// Groups as a list of ids, row-major [number of groups][groupSize]. Beyond
/// `kMostListedProcesses` only the shares of process 0.
GroupPlacement placeGroups(llvm::ArrayRef<int64_t> ids, int64_t groupSize,
                           int64_t devicesPerProcess);
constexpr int64_t kMostListedProcesses = 1024;

/// What a process sends to others: the one that sends most.
struct ProcessTraffic {
  /// Bytes that every process sends.
  double bytesOfEach = 0;
  /// Bytes by process besides.
  std::map<int64_t, double> bytesOf;
  /// Packets that wait for the one before.
  double rounds = 0;
  double packets = 0;

  double bytes() const;
  /// `cacheBytes`: of the caches of a process (`MachineModel::cacheBytes`);
  /// `sharing`: `ProcessesModel::sharing`.
  double seconds(const ProcessesModel &link, double cacheBytes,
                 double sharing) const;
  /// Adds messages that are sent afterwards.
  void add(const ProcessTraffic &other, double times = 1);
};

/// One operand of a collective. Messages of more than `inlineBytes` take three
/// packets (`ProcessesModel`).
ProcessTraffic trafficOf(const ExchangeShape &shape,
                         const GroupPlacement &placement, double inlineBytes);
/// A permute; `pairs` has the ids of sources and targets in turn.
ProcessTraffic trafficOfPairs(llvm::ArrayRef<int64_t> pairs, double bytes,
                              int64_t devicesPerProcess, double inlineBytes);

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_COST_PROCESS_TRAFFIC_H
