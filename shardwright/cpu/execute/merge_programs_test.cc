//===- merge_programs_test.cc - one program of several --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/executor_test_util.h"
#include "shardwright/cpu/execute/merged_executors.h"
#include "shardwright/cpu/execute/program_hash.h"

#include "gmock/gmock.h"

#include <numeric>

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// r = the sum over all devices of x + `times`.
Program sumAfter(int times, int32_t devices = 3) {
  Builder b(devices);
  SlotId x = b.addOnes(b.argument(), times), r = b.result();
  llvm::SmallVector<int32_t, 8> all(devices);
  std::iota(all.begin(), all.end(), 0);
  b.allReduce(x, r, {all});
  return asReplicas(b.finish());
}

/// Runs programs[d] on device d, which has buffers for it. Returns the error.
std::string run(llvm::ArrayRef<const Program *> programs,
                std::vector<DeviceBuffers> given, MergedExecutors &executors) {
  std::vector<DeviceProgram> list;
  for (const Program *p : programs)
    list.push_back({p, hashOf(*p), nullptr});
  auto executor = executors.get(list, {});
  if (!executor)
    return toString(executor.takeError());
  alignas(64) static char nowhere[64];
  const MergedProgram &merged = (*executor)->merged;
  std::vector<DeviceBuffers> buffers(given.size());
  for (size_t d = 0; d < given.size(); ++d) {
    int32_t program = (*executor)->programOf[d];
    buffers[d].arguments.assign(merged.program.arguments.size(), nowhere);
    buffers[d].results.assign(merged.program.results.size(), nowhere);
    llvm::copy(given[d].arguments,
               buffers[d].arguments.begin() + merged.firstArgument[program]);
    llvm::copy(given[d].results,
               buffers[d].results.begin() + merged.firstResult[program]);
  }
  ThreadPool pool(2);
  return messageOf((*executor)->executor->run(buffers, pool));
}

TEST(MergePrograms, DevicesComputeWhatTheirProgramSays) {
  Program none = sumAfter(0), one = sumAfter(1), two = sumAfter(2);
  Arrays arrays(none);
  count(arrays);
  MergedExecutors executors;
  EXPECT_EQ(run({&none, &two, &one}, arrays.buffers, executors), "");
  for (int d = 0; d < 3; ++d)
    EXPECT_THAT(arrays.result(d), ElementsAre(33, 36, 39, 42));
  EXPECT_EQ(run({&two, &two, &two}, arrays.buffers, executors), "");
  EXPECT_THAT(arrays.result(1), ElementsAre(36, 39, 42, 45));
}

/// Programs of different arguments and results, one of which is an argument, or
/// the same value twice.
TEST(MergePrograms, ArgumentsAndResultsMayDiffer) {
  Program first = sumAfter(1, 2);
  Builder b(2);
  SlotId x = b.argument(), unused = b.argument(), r = b.result();
  (void)unused;
  b.allReduce(x, r, {{0, 1}});
  b.p.results.push_back(x); // argument 0
  b.p.results.push_back(r); // result 0
  Program second = asReplicas(b.finish());
  Arrays ofFirst(first), ofSecond(second);
  count(ofFirst);
  count(ofSecond);
  MergedExecutors executors;
  EXPECT_EQ(run({&first, &second}, {ofFirst.buffers[0], ofSecond.buffers[1]},
                executors),
            "");
  EXPECT_THAT(ofFirst.result(0), ElementsAre(11, 13, 15, 17));
  EXPECT_THAT(ofSecond.result(1, 0), ElementsAre(11, 13, 15, 17));
  EXPECT_THAT(ofSecond.result(1, 1), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(ofSecond.result(1, 2), ElementsAre(11, 13, 15, 17));
}

/// The order of collectives that exchange different things may differ.
TEST(MergePrograms, CollectivesArePairedByWhatTheyExchange) {
  auto make = [](bool permuteFirst) {
    Builder b(2);
    SlotId x = b.argument(), y = b.argument(), sum = b.result(),
           moved = b.result();
    if (!permuteFirst)
      b.allReduce(x, sum, {{0, 1}});
    b.permute(y, moved, {{0, 1}, {1, 0}});
    if (permuteFirst)
      b.allReduce(x, sum, {{0, 1}});
    return asReplicas(b.finish());
  };
  Program a = make(false), b = make(true);
  EXPECT_NE(hashOf(a), hashOf(b));
  EXPECT_EQ(hashOfCommunication(a), hashOfCommunication(b));
  Arrays arrays(a);
  count(arrays, 0);
  count(arrays, 1);
  MergedExecutors executors;
  // Each device waits at its first collective for the other one.
  EXPECT_THAT(
      run({&a, &b}, arrays.buffers, executors),
      AllOf(HasSubstr("all_reduce at test"), HasSubstr("collective_permute")));
}

TEST(MergePrograms, OtherCollectivesAreRefused) {
  Program sum = sumAfter(0, 2);
  Builder b(2);
  SlotId x = b.argument(), y = b.slot(), r = b.result();
  b.allReduce(x, y, {{0, 1}});
  b.allReduce(y, r, {{0, 1}});
  Program two = asReplicas(b.finish());
  Arrays arrays(sum);
  MergedExecutors executors;
  EXPECT_THAT(run({&sum, &two}, arrays.buffers, executors),
              HasSubstr("must have the same collectives"));
  Program partitions = asReplicas(sumAfter(0, 2)),
          others = asReplicas(sumAfter(1, 2));
  EXPECT_THAT(run({&partitions, &others}, arrays.buffers, executors),
              HasSubstr("each replica must have one partition"));
}

} // namespace
