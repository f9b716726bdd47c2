//===- process_traffic.cc - collectives between processes -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/cost/process_traffic.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace shardwright {

/// A process owns a box of the mesh: all devices of the axes minor to one axis,
/// times `inner` neighbours along that axis.
static std::optional<int32_t> boundaryAxis(const Mesh &mesh, int64_t devices) {
  for (int32_t axis = int32_t(mesh.numAxes()) - 1; axis >= 0; --axis) {
    int64_t stride = mesh.stride(axis), end = stride * mesh.axisSize(axis);
    if (devices < end || axis == 0)
      return devices % stride == 0 && end % devices == 0
                 ? std::optional<int32_t>(axis)
                 : std::nullopt;
  }
  return std::nullopt;
}

/// The shares of processes of different ranks in groups of as many members in
/// each process. Sizes of slices and subtrees of the first ranks and the last
/// one stand for those of all ranks.
static std::vector<GroupPlacement::Share>
sharesByRank(int64_t own, int64_t processes, int64_t groups) {
  constexpr int64_t kMostRanks = 64;
  std::vector<GroupPlacement::Share> shares;
  for (int64_t i = 0; i < std::min(processes, kMostRanks); ++i) {
    int64_t rank = i + 1 == kMostRanks ? processes - 1 : i;
    GroupShare share{own * processes, own, processes, rank, {}, rank == 0};
    share.subtrees = countSubtrees(share.members, rank * own, own);
    shares.push_back({share, groups});
  }
  return shares;
}

std::optional<GroupPlacement> placeAxes(const Mesh &mesh, AxisRefs axes,
                                        int64_t devicesPerProcess) {
  GroupPlacement placement;
  int64_t members = 1;
  for (AxisRef axis : axes)
    members *= axis.size;
  if (devicesPerProcess >= mesh.numDevices()) {
    if (!mesh.deviceIds().empty())
      return std::nullopt;
    placement.isAlike = true;
    placement.ownMembers = members;
    return placement;
  }
  if (!mesh.deviceIds().empty() || !boundaryAxis(mesh, devicesPerProcess))
    return std::nullopt;
  for (AxisRef axis : axes) {
    int64_t stride = mesh.stride(axis), end = stride * axis.size;
    if (devicesPerProcess % end == 0) { // within a process
      placement.ownMembers *= axis.size;
    } else if (stride % devicesPerProcess == 0) { // a member in each process
      placement.processes *= axis.size;
    } else if (devicesPerProcess % stride == 0 &&
               end % devicesPerProcess == 0) {
      placement.ownMembers *= devicesPerProcess / stride;
      placement.processes *= end / devicesPerProcess;
    } else {
      return std::nullopt;
    }
  }
  placement.isAlike = true;
  if (placement.processes > 1)
    placement.shares[0] =
        sharesByRank(placement.ownMembers, placement.processes,
                     devicesPerProcess / placement.ownMembers);
  return placement;
}

GroupPlacement placeGroups(llvm::ArrayRef<int64_t> ids, int64_t groupSize,
                           int64_t devicesPerProcess) {
  GroupPlacement placement;
  placement.ownMembers = 0;
  if (groupSize < 1)
    return placement;
  int64_t last = 0;
  for (int64_t id : ids)
    last = std::max(last, id);
  bool isListed = last / devicesPerProcess < kMostListedProcesses;
  std::vector<int64_t> sorted;
  for (; int64_t(ids.size()) >= groupSize; ids = ids.drop_front(groupSize)) {
    sorted.clear();
    for (int64_t id : ids.take_front(groupSize))
      if (id >= 0) // -1 fills shorter groups
        sorted.push_back(id / devicesPerProcess);
    if (sorted.empty())
      continue;
    llvm::sort(sorted);
    int64_t processes =
        1 + llvm::count_if(llvm::seq<size_t>(1, sorted.size()), [&](size_t i) {
          return sorted[i] != sorted[i - 1];
        });
    int64_t members = int64_t(sorted.size()), rank = 0;
    placement.processes = std::max(placement.processes, processes);
    for (int64_t begin = 0, end; begin < members; begin = end, ++rank) {
      int64_t process = sorted[begin];
      for (end = begin; end < members && sorted[end] == process; ++end)
        ;
      placement.ownMembers = std::max(placement.ownMembers, end - begin);
      if (processes == 1 || (!isListed && process > 0))
        continue;
      GroupShare share{members, end - begin, processes, rank, {}, false};
      share.subtrees = countSubtrees(members, begin, end - begin);
      share.hasRoot = ids.front() / devicesPerProcess == process;
      auto &own = placement.shares[process];
      if (!own.empty() && own.back().share == share)
        ++own.back().groups;
      else
        own.push_back({share, 1});
    }
  }
  placement.ownMembers = std::max<int64_t>(placement.ownMembers, 1);
  return placement;
}

double ProcessTraffic::bytes() const {
  double most = 0;
  for (auto [process, sent] : bytesOf)
    most = std::max(most, sent);
  return bytesOfEach + most;
}

void ProcessTraffic::add(const ProcessTraffic &other, double times) {
  bytesOfEach += other.bytesOfEach * times;
  for (auto [process, sent] : other.bytesOf)
    bytesOf[process] += sent * times;
  rounds += other.rounds * times;
  packets += other.packets * times;
}

double ProcessTraffic::seconds(const ProcessesModel &link, double cacheBytes,
                               double sharing) const {
  // Each byte is read and written by the process that sends it, and by the one
  // that receives it.
  double cached =
      link.cachedBytesPerSecond ? std::min(bytes(), cacheBytes / 4) : 0;
  double work =
      packets * link.messageSeconds + (bytes() - cached) / link.bytesPerSecond;
  if (cached > 0)
    work += cached / link.cachedBytesPerSecond;
  return rounds * link.latencySeconds + sharing * work;
}

/// Packets of a message of this size.
static int64_t packetsOf(double bytes, double inlineBytes) {
  return bytes <= inlineBytes ? 1 : 3;
}

ProcessTraffic trafficOf(const ExchangeShape &shape,
                         const GroupPlacement &placement, double inlineBytes) {
  ProcessTraffic traffic;
  if (placement.isLocal())
    return traffic;
  for (const auto &[process, shares] : placement.shares) {
    double bytes = 0, packets = 0;
    for (const GroupPlacement::Share &own : shares) {
      double sent = 0, count = 0, rounds = 0, groups = double(own.groups);
      for (ExchangeRound round : roundsToProcesses(shape, own.share)) {
        double messages = double(std::max<int64_t>(round.messages, 1));
        int64_t each = packetsOf(double(round.bytes) / messages, inlineBytes);
        sent += double(round.bytes) * groups;
        count += double(round.messages * each) * groups;
        rounds += double(each);
      }
      bytes = placement.isAlike ? std::max(bytes, sent) : bytes + sent;
      packets = placement.isAlike ? std::max(packets, count) : packets + count;
      traffic.rounds = std::max(traffic.rounds, rounds);
    }
    traffic.packets = std::max(traffic.packets, packets);
    if (placement.isAlike)
      traffic.bytesOfEach = bytes;
    else
      traffic.bytesOf[process] = bytes;
  }
  return traffic;
}

ProcessTraffic trafficOfPairs(llvm::ArrayRef<int64_t> pairs, double bytes,
                              int64_t devicesPerProcess, double inlineBytes) {
  ProcessTraffic traffic;
  double each = double(packetsOf(bytes, inlineBytes)), most = 0;
  std::map<int64_t, int64_t> senders;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    int64_t from = pairs[i] / devicesPerProcess;
    if (from != pairs[i + 1] / devicesPerProcess)
      ++senders[from];
  }
  bool isListed = int64_t(senders.size()) <= kMostListedProcesses;
  for (auto [process, messages] : senders) {
    traffic.rounds = each;
    most = std::max(most, double(messages));
    if (isListed)
      traffic.bytesOf[process] = double(messages) * bytes;
  }
  if (!isListed)
    traffic.bytesOfEach = most * bytes;
  traffic.packets = most * each;
  return traffic;
}

} // namespace shardwright
