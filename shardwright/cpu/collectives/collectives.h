//===- collectives.h - collectives of one process -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective is plain loops over the buffers of all members of a group, split
// into independent tasks. The executor schedules the tasks.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_COLLECTIVES_COLLECTIVES_H
#define SHARDWRIGHT_CPU_COLLECTIVES_COLLECTIVES_H

#include "shardwright/cpu/collectives/placement.h"
#include "shardwright/cpu/collectives/reduce.h"

#include <optional>
#include <vector>

namespace shardwright::cpu {

/// A checked and prepared CollectiveSpec.
class CollectivePlan {
public:
  /// Fails if the spec is inconsistent: shapes, groups, devices out of range or
  /// repeated, or a reduction that the type does not support. `kernels` are the
  /// kernels of the program.
  static llvm::Expected<CollectivePlan>
  create(const CollectiveSpec &spec, int64_t numDevices,
         llvm::ArrayRef<Kernel> kernels = {}, const Placement &placement = {});

  CollectiveKind kind() const { return spec.kind; }
  const CollectiveSpec &specification() const { return spec; }
  /// Of all_reduce and reduce_scatter.
  const Reduction &reductionOf() const { return *reduction; }
  /// The indices of a group's members by ascending position in the program: the
  /// order of reductions.
  llvm::ArrayRef<int32_t> ascendingMembers(int32_t group) const {
    return ascending[group];
  }
  int32_t process() const { return ownProcess; }
  bool isPermute() const {
    return spec.kind == CollectiveKind::CollectivePermute;
  }
  int64_t inputBytes() const { return inBytes; }
  int64_t outputBytes() const { return outBytes; }

  // --- groups: every kind but permute ---
  llvm::ArrayRef<llvm::SmallVector<int32_t, 8>> groups() const {
    return spec.groups;
  }
  /// -1 if the device is in no group; its output is zeros.
  int32_t groupOf(int32_t device) const { return place[device].group; }
  int32_t positionOf(int32_t device) const { return place[device].position; }
  /// Number of independent tasks of one group.
  int64_t tasks(int32_t group) const;
  /// `inputs` and `outputs` are indexed by position in the group. No output
  /// overlaps any input.
  void run(int32_t group, const void *const *inputs, void *const *outputs,
           int64_t task) const;

  // --- processes ---
  /// Another process that owns members of a group.
  struct Peer {
    int32_t process;
    llvm::SmallVector<int32_t, 8> members;
  };
  /// A group with local and remote members. Members are positions of the
  /// program, in the order of the group. Each pair of a permute is a group.
  struct SharedGroup {
    int32_t group; ///< its index; of a permute, the target of the pair
    llvm::SmallVector<int32_t, 8> localMembers;
    llvm::SmallVector<Peer, 1> peers; ///< in the order of processes
  };
  /// The groups that this process runs with others; empty where all positions
  /// are local.
  llvm::ArrayRef<SharedGroup> sharedGroups() const { return shared; }
  /// The shared group of an index (of a permute: a target); null if that group
  /// is not shared.
  const SharedGroup *sharedGroup(int32_t group) const {
    int32_t index = sharedIndex.empty() ? -1 : sharedIndex[group];
    return index < 0 ? nullptr : &shared[index];
  }
  /// The groups whose members are all local; none of a permute.
  llvm::ArrayRef<int32_t> localGroups() const { return local; }

  // --- collective_permute ---
  /// -1 if the device has no source; its output is zeros.
  int32_t sourceOf(int32_t device) const { return place[device].source; }
  llvm::ArrayRef<int32_t> targetsOf(int32_t device) const {
    return targets[device];
  }

private:
  struct Place {
    int32_t group = -1, position = -1, source = -1;
  };

  /// An array as [rows][cols], split around the changing dimension.
  struct Blocks {
    int64_t rows = 0, cols = 0;       ///< of one member's part, in elements
    int64_t rowStep = 1, colStep = 1; ///< of a task
    int64_t perPart = 0;              ///< number of tasks
  };
  static Blocks cutIntoBlocks(int64_t rows, int64_t cols, int64_t width);

  /// Checks the groups or pairs of the spec, and fills `place` and `targets`.
  /// Without groups it makes one of all devices.
  llvm::Error placeDevices(int64_t numDevices);

  /// Finds the local and the shared groups.
  void splitByProcess(const Placement &placement);
  /// Adds a group if it has local members.
  void addGroup(int32_t group, llvm::ArrayRef<int32_t> members,
                const Placement &placement);

  void runAllReduce(int32_t group, const void *const *inputs,
                    void *const *outputs, int64_t task) const;
  void runAllGather(int64_t members, const void *const *inputs,
                    void *const *outputs, int64_t task) const;
  void runReduceScatter(int32_t group, const void *const *inputs,
                        void *const *outputs, int64_t task) const;
  void runAllToAll(int64_t members, const void *const *inputs,
                   void *const *outputs, int64_t task) const;
  void runBroadcast(int64_t members, const void *const *inputs,
                    void *const *outputs, int64_t task) const;

  CollectiveSpec spec;
  std::optional<Reduction> reduction;
  int32_t ownProcess = 0;
  int64_t width = 0, inBytes = 0, outBytes = 0;
  Blocks blocks;
  std::vector<Place> place;
  std::vector<llvm::SmallVector<int32_t, 8>> ascending;
  std::vector<llvm::SmallVector<int32_t, 1>> targets;
  std::vector<int32_t> local;
  std::vector<SharedGroup> shared;
  /// By group: its index in `shared`, or -1; empty: no group is shared.
  std::vector<int32_t> sharedIndex;
};

/// `all_reduce`, for messages.
llvm::StringRef str(CollectiveKind kind);

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_COLLECTIVES_COLLECTIVES_H
