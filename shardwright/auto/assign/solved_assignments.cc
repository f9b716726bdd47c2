//===- solved_assignments.cc - assignments are solved once ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/assign/solved_assignments.h"

#include "llvm/Support/xxhash.h"

#include <bit>

namespace shardwright {
namespace {

/// The problem as words. Each list begins with its length.
class Words {
public:
  void add(int64_t number) { words.push_back(uint64_t(number)); }
  void add(double number) { words.push_back(std::bit_cast<uint64_t>(number)); }
  void add(llvm::ArrayRef<LayoutOfValue> list) {
    add(int64_t(list.size()));
    for (LayoutOfValue each : list)
      add(int64_t(each.value) * 256 + uint8_t(each.layout));
  }
  void add(const AssignmentProblem &problem);
  void add(const SolverLimits &limits);

  std::pair<uint64_t, uint64_t> hash() const {
    llvm::XXH128_hash_t hash = llvm::xxh3_128bits(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(words.data()),
                       words.size() * sizeof(uint64_t)));
    return {hash.high64, hash.low64};
  }

private:
  std::vector<uint64_t> words;
};

} // namespace

void Words::add(const AssignmentProblem &problem) {
  add(problem.shards);
  add(problem.limit);
  add(int64_t(problem.values.size()));
  for (const AssignmentValue &value : problem.values)
    for (double seconds :
         {value.gather, value.exchange, value.allReduce, value.scatter})
      add(seconds);
  add(int64_t(problem.choices.size()));
  for (const AssignmentChoice &choice : problem.choices) {
    add(int64_t(choice.strategies.size()));
    for (const AssignmentStrategy &strategy : choice.strategies) {
      add(strategy.seconds);
      add(strategy.needs);
      add(strategy.makes);
    }
  }
  add(int64_t(problem.liveSets.size()));
  for (const LiveSet &set : problem.liveSets) {
    add(int64_t(set.place));
    add(int64_t(set.held.size()));
    for (const LiveSet::Held &held : set.held) {
      add(int64_t(held.value));
      add(held.bytes);
      add(held.copyBytes);
    }
  }
}

void Words::add(const SolverLimits &limits) {
  add(int64_t(limits.nodes));
  add(int64_t(limits.iterations));
  add(limits.gap);
  add(int64_t(limits.dives));
}

AssignmentSolution SolvedAssignments::solve(const AssignmentProblem &problem,
                                            const SolverLimits &limits) {
  Words words;
  words.add(problem);
  words.add(limits);
  auto [it, isNew] = known.try_emplace(words.hash());
  if (isNew)
    it->second = solveAssignment(problem, limits);
  return it->second;
}

} // namespace shardwright
