//===- growing_kernel.h - nodes that a kernel takes in ----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to fuse_kernels.h: the members and inputs of the kernel that grows.
// Tables by node serve one kernel after the other, without being cleared.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PARTITION_OVERLAP_GROWING_KERNEL_H
#define SHARDWRIGHT_PARTITION_OVERLAP_GROWING_KERNEL_H

#include "shardwright/partition/overlap/kernel_index.h"

#include "llvm/ADT/STLExtras.h"

#include <vector>

namespace shardwright {

class GrowingKernel {
public:
  /// A node, and the indices at which it is evaluated.
  struct Member {
    int32_t id = -1;
    llvm::SmallVector<KernelIndices::Index, 2> visits;
    /// Something outside of the kernel needs its value, or computes it again; a
    /// window reads it.
    bool isSeen = false, isInWindow = false;
  };

  explicit GrowingKernel(size_t numNodes) : nodes(numNodes) {}

  /// Starts the next kernel, without members and inputs.
  void begin() {
    ++number;
    list.clear();
    everInputs.clear();
    inputCount = 0;
  }

  /// From the last node to the first.
  llvm::ArrayRef<Member> members() const { return list; }
  bool isMember(int32_t id) const { return nodes[id].memberOf == number; }
  const Member &member(int32_t id) const { return list[nodes[id].position]; }
  /// `member` comes before all members, and is no input any more.
  Member &add(Member member) {
    Node &node = nodes[member.id];
    if (node.inputOf == number) {
      node.inputOf = 0;
      --inputCount;
    }
    node.memberOf = number;
    node.position = int32_t(list.size());
    return list.emplace_back(std::move(member));
  }

  bool isInput(int32_t id) const { return nodes[id].inputOf == number; }
  size_t numInputs() const { return inputCount; }
  /// The node is none of the members.
  void addInput(int32_t id) {
    if (isInput(id))
      return;
    nodes[id].inputOf = number;
    everInputs.push_back(id);
    ++inputCount;
  }
  /// In the order of nodes.
  llvm::SmallVector<int32_t, 8> inputs() const {
    auto result = llvm::filter_to_vector<8>(
        everInputs, [&](int32_t id) { return isInput(id); });
    llvm::sort(result);
    return result;
  }

private:
  struct Node {
    /// Numbers of kernels; the position in the list of members.
    int32_t memberOf = 0, inputOf = 0, position = 0;
  };
  std::vector<Node> nodes;
  std::vector<Member> list;
  /// Inputs, and members that were inputs.
  std::vector<int32_t> everInputs;
  size_t inputCount = 0;
  int32_t number = 0;
};

} // namespace shardwright

#endif // SHARDWRIGHT_PARTITION_OVERLAP_GROWING_KERNEL_H
