//===- exchange.h - collectives between processes ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective of a group with members in several processes, as stages: in each
// one, independent tasks over the buffers of this process's members, then
// messages to and from the other processes. Its results have the bits that one
// process with all members computes.
//
// What process p sends to process q of the group, with N processes:
//   all_reduce      its subtrees of the reduction, in one round; if
//                   `takesTwoRounds`, its subtrees of slice q of N, and then
//                   the finished slice p
//   reduce_scatter  its subtrees of the pieces that q's members receive
//   all_gather      its members' operands
//   all_to_all      the parts of its members' operands for q's members
//   broadcast       the root's operand
// job/exchange_sizes.h has the bytes of each, for predictions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_COLLECTIVES_EXCHANGE_H
#define SHARDWRIGHT_CPU_COLLECTIVES_EXCHANGE_H

#include "shardwright/cpu/collectives/collectives.h"

namespace shardwright::cpu {

/// A collective of one group. Inputs and outputs are [operand * local members +
/// local member], in the order of SharedGroup::localMembers.
struct ExchangeOperands {
  const CollectivePlan &plan; ///< not a permute; it outlives the exchange
  const CollectivePlan::SharedGroup &group;
  int64_t operands = 1;
  llvm::ArrayRef<const void *> inputs;
  llvm::ArrayRef<void *> outputs;
};

class Exchange {
public:
  struct Send {
    int32_t peer;
    int32_t part; ///< numbers the messages between two processes
    llvm::ArrayRef<char> bytes;
  };
  struct Receive {
    int32_t peer;
    int32_t part;
    llvm::MutableArrayRef<char> bytes;
  };
  struct Stage {
    int64_t tasks = 0;
    /// After the tasks. The stage ends when all of them are done.
    llvm::SmallVector<Send, 4> sends;
    llvm::SmallVector<Receive, 4> receives;
  };

  /// Fails if there is not enough memory.
  static llvm::Expected<std::unique_ptr<Exchange>>
  create(const ExchangeOperands &given);
  virtual ~Exchange() = default;

  size_t numStages() const { return stages.size(); }
  const Stage &stage(size_t index) const { return stages[index]; }
  /// Runs one task of a stage; they are independent.
  virtual void run(size_t stage, int64_t task) = 0;

  /// Bytes that this process sends.
  int64_t sentBytes() const;

protected:
  explicit Exchange(const ExchangeOperands &given);

  /// Allocates `staging`. False if there is not enough memory.
  bool allocate(int64_t bytes);
  void send(size_t stage, int32_t peer, const void *data, int64_t bytes);
  void receive(size_t stage, int32_t peer, void *data, int64_t bytes);

  /// A process with members in the group; `own` is this one.
  struct Side {
    int32_t process;
    llvm::SmallVector<int32_t, 8> indices; ///< of its members in the group
  };
  /// The input of one of this process's members.
  const char *input(int64_t operand, size_t member) const {
    return static_cast<const char *>(
        inputs[operand * localIndices.size() + member]);
  }
  char *output(int64_t operand, size_t member) const {
    return static_cast<char *>(outputs[operand * localIndices.size() + member]);
  }
  /// The index among this process's members of a member of the group, or -1.
  int32_t localOf(int32_t index) const;

  const CollectivePlan &plan;
  const CollectiveSpec &spec;
  const int32_t group;
  const int64_t operands, members, width;
  llvm::SmallVector<int32_t, 8> localIndices; ///< of this process's members
  /// The other processes, ascending.
  llvm::SmallVector<Side, 4> peers;
  llvm::SmallVector<const void *, 8> inputs;
  llvm::SmallVector<void *, 8> outputs;
  llvm::SmallVector<Stage, 3> stages;
  std::shared_ptr<void> memory;
  char *staging = nullptr;

private:
  /// By stage and peer: the number of messages so far, in each direction.
  std::vector<std::pair<std::pair<size_t, int32_t>, int32_t>> sent, received;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_COLLECTIVES_EXCHANGE_H
