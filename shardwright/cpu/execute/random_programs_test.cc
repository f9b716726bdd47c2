//===- random_programs_test.cc - random programs against a simulation -----===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/executor_test_util.h"
#include "shardwright/cpu/execute/merge_programs.h"
#include "shardwright/job/memory_engine_test_util.h"

#include "llvm/ADT/bit.h"

#include <functional>
#include <map>
#include <random>

using namespace shardwright;
using namespace shardwright::cpu;
using namespace shardwright::cpu::test;

namespace {

/// Simulates one device after another, with separate memory for each slot.
struct Simulation {
  const Program &p;
  struct Device {
    int32_t pc = 0;
    std::vector<std::vector<char>> slots;
    bool waits = false;
  };
  std::vector<Device> devices;
  std::map<std::pair<int32_t, int32_t>, std::deque<std::vector<char>>> sent;

  Simulation(const Program &program, const Arrays &arrays)
      : p(program), devices(program.numDevices()) {
    for (size_t d = 0; d < devices.size(); ++d)
      for (const Slot &slot : p.slots) {
        devices[d].slots.emplace_back(slot.bytes(), char(0));
        if (slot.home == Slot::Home::Argument)
          std::memcpy(devices[d].slots.back().data(),
                      arrays.buffers[d].arguments[slot.index], slot.bytes());
      }
  }
  bool done() const {
    return llvm::all_of(devices, [&](const Device &d) {
      return p.steps[d.pc].kind == StepKind::Return;
    });
  }
  /// Advances all devices; returns false if none advanced.
  bool sweep() {
    bool moved = false;
    for (int32_t d = 0; d < int32_t(devices.size()); ++d)
      moved |= advance(d);
    return moved;
  }
  bool advance(int32_t number) {
    Device &d = devices[number];
    bool moved = false;
    for (;; moved = true) {
      const Step &s = p.steps[d.pc];
      switch (s.kind) {
      case StepKind::Kernel: {
        std::vector<void *> pointers;
        for (SlotId i : s.inputs)
          pointers.push_back(d.slots[i].data());
        for (SlotId o : s.outputs)
          pointers.push_back(d.slots[o].data());
        const Kernel &k = p.kernels[s.payload];
        k.function(pointers.data(), 0, k.iterations);
        ++d.pc;
        break;
      }
      case StepKind::Copy:
        d.slots[s.outputs[0]] = d.slots[s.inputs[0]];
        ++d.pc;
        break;
      case StepKind::Jump:
        d.pc = s.target;
        break;
      case StepKind::JumpIfFalse:
        d.pc = d.slots[s.inputs[0]][0] ? d.pc + 1 : s.target;
        break;
      case StepKind::Collective: {
        const CollectiveSpec &c = p.collectives[s.payload];
        if (c.kind == CollectiveKind::CollectivePermute) {
          if (!permute(number, s, c))
            return moved;
          break;
        }
        for (const auto &group : c.groups) {
          if (!llvm::is_contained(group, number))
            continue;
          for (int32_t member : group)
            if (devices[member].pc != d.pc)
              return moved;
          std::vector<int32_t> ascending(group.begin(), group.end());
          llvm::sort(ascending);
          std::vector<float> sum =
              treeSum(ascending, [&](int32_t member, int k) {
                return at<float>(devices[member].slots[s.inputs[0]].data(), k);
              });
          for (int32_t member : group) {
            std::memcpy(devices[member].slots[s.outputs[0]].data(), sum.data(),
                        width * 4);
            ++devices[member].pc;
          }
          break;
        }
        break;
      }
      default:
        return moved;
      }
    }
  }
  /// The tree splits its members at the largest power of two below their
  /// number.
  template <typename Element>
  static std::vector<float> treeSum(llvm::ArrayRef<int32_t> members,
                                    const Element &element) {
    std::vector<float> sum(width);
    if (members.size() == 1) {
      for (int k = 0; k < width; ++k)
        sum[k] = element(members[0], k);
      return sum;
    }
    size_t left = llvm::bit_floor(members.size() - 1);
    sum = treeSum(members.take_front(left), element);
    std::vector<float> right = treeSum(members.drop_front(left), element);
    for (int k = 0; k < width; ++k)
      sum[k] += right[k];
    return sum;
  }
  bool permute(int32_t number, const Step &s, const CollectiveSpec &c) {
    Device &d = devices[number];
    int32_t source = -1;
    for (auto [from, to] : c.pairs) {
      if (from == number && !d.waits)
        sent[{d.pc, to}].push_back(d.slots[s.inputs[0]]);
      if (to == number)
        source = from;
    }
    d.waits = true;
    auto &out = d.slots[s.outputs[0]];
    if (source < 0) {
      std::fill(out.begin(), out.end(), 0);
    } else {
      auto &queue = sent[{d.pc, number}];
      if (queue.empty())
        return false;
      out = queue.front();
      queue.pop_front();
    }
    d.waits = false;
    ++d.pc;
    return true;
  }
};

/// A random program with nested loops and branches whose trip counts and
/// directions depend on a device's class. Collectives inside them stay within a
/// class.
Program randomProgram(std::mt19937_64 &random, int32_t devices,
                      llvm::ArrayRef<int32_t> classOf) {
  Builder b(devices);
  std::vector<SlotId> values;
  for (int i = 0; i < 2; ++i)
    values.push_back(b.argument());
  SlotId limits[3], flags[2];
  for (SlotId &l : limits)
    l = b.argument(ElementType::S32, {});
  for (SlotId &f : flags)
    f = b.argument(ElementType::Pred, {});
  for (int i = 0; i < 4; ++i) {
    values.push_back(b.slot());
    b.step(StepKind::Copy, {values[random() % 2]}, {values.back()});
  }
  llvm::SmallVector<int32_t, 8> allDevices(devices);
  std::iota(allDevices.begin(), allDevices.end(), 0);
  auto any = [&] { return values[random() % values.size()]; };
  auto target = [&] { return values[2 + random() % 4]; };

  std::function<void(int, bool)> block = [&](int depth, bool together) {
    int steps = 1 + random() % 4;
    for (int i = 0; i < steps; ++i) {
      SlotId fresh = b.slot();
      switch (random() % (depth < 3 ? 8 : 6)) {
      case 0:
      case 1:
        b.kernel(mix, {any(), any()}, {fresh});
        break;
      case 2:
      case 3: {
        // Random groups; they span classes only where all devices arrive.
        std::vector<int32_t> order(devices);
        for (int32_t d = 0; d < devices; ++d)
          order[d] = d;
        std::shuffle(order.begin(), order.end(), random);
        std::map<std::pair<int32_t, int32_t>, llvm::SmallVector<int32_t, 8>>
            groups;
        int32_t parts = 1 + random() % 3;
        for (int32_t d : order)
          groups[{together ? 0 : classOf[d], int32_t(random() % parts)}]
              .push_back(d);
        Builder::Groups list;
        for (auto &[key, group] : groups)
          list.push_back(group);
        b.allReduce(any(), fresh, list);
        break;
      }
      case 4: {
        std::vector<std::pair<int32_t, int32_t>> pairs;
        std::vector<int32_t> to(devices);
        for (int32_t d = 0; d < devices; ++d)
          to[d] = d;
        std::shuffle(to.begin(), to.end(), random);
        for (int32_t d = 0; d < devices; ++d)
          if (random() % 4 && (together || classOf[d] == classOf[to[d]]))
            pairs.push_back({d, to[d]});
        b.permute(any(), fresh, pairs);
        break;
      }
      case 5:
        b.kernel(addOne, {any()}, {fresh});
        break;
      case 6:
        b.step(StepKind::Copy, {any()}, {fresh});
        b.loop(limits[random() % 3], [&] { block(depth + 1, false); });
        break;
      default:
        b.step(StepKind::Copy, {any()}, {fresh});
        b.branch(
            flags[random() % 2], [&] { block(depth + 1, false); },
            [&] { block(depth + 1, false); });
      }
      // Work between a collective and the first use of its result, which may
      // be collectives too.
      while (random() % 3 == 0) {
        SlotId other = b.slot(), before = fresh;
        if (together && random() % 2)
          b.allReduce(any(), other, {allDevices});
        else
          b.kernel(addOne, {any()}, {other});
        fresh = b.slot();
        b.kernel(mix, {before, other}, {fresh});
      }
      b.kernel(mix, {fresh, any()}, {b.slot()});
      SlotId mixed = b.p.slots.size() - 1;
      b.step(StepKind::Copy, {mixed}, {target()});
    }
  };
  for (int i = 0; i < 3; ++i)
    block(0, true);
  for (int i = 0; i < 2; ++i) {
    SlotId r = b.result();
    b.kernel(mix, {any(), any()}, {r});
  }
  return b.finish();
}

/// A program with the same results and collectives as `p`, of one partition for
/// each device, with further steps, slots, kernels and locations.
Program variantOf(Program p, std::mt19937_64 &random) {
  p.numReplicas = p.numDevices();
  p.numPartitions = 1;
  Slot scratch;
  scratch.shape = {width};
  scratch.offset = p.arenaBytes;
  p.arenaBytes += 64 * (1 + random() % 3);
  p.slots.push_back(scratch);
  for (int count = random() % 4; count > 0; --count) {
    p.kernels.push_back({"more", addOne, width, 10});
    p.locations.push_back("more");
    Step step;
    step.kind = StepKind::Kernel;
    step.payload = p.kernels.size() - 1;
    step.inputs = {p.arguments[random() % 2]};
    step.outputs = {SlotId(p.slots.size() - 1)};
    step.location = p.locations.size() - 1;
    int32_t at = random() % p.steps.size();
    for (Step &other : p.steps)
      other.target += other.target >= at;
    p.steps.insert(p.steps.begin() + at, std::move(step));
  }
  return p;
}

/// Runs variants of the program together, each device one of three.
void runVariants(const Program &p, Arrays &arrays, ThreadPool &pool,
                 std::mt19937_64 &random) {
  std::vector<Program> variants;
  for (int i = 0; i < 3; ++i)
    variants.push_back(variantOf(p, random));
  std::vector<const Program *> programs;
  for (const Program &variant : variants)
    programs.push_back(&variant);
  std::vector<int32_t> programOf(p.numDevices());
  for (int32_t &program : programOf)
    program = random() % programs.size();
  auto merged = mergePrograms(programs, programOf);
  ASSERT_TRUE(bool(merged)) << toString(merged.takeError());
  auto executor = Executor::create(merged->program);
  ASSERT_TRUE(bool(executor)) << toString(executor.takeError());
  alignas(64) char nowhere[64];
  std::vector<DeviceBuffers> buffers;
  for (int64_t d = 0; d < p.numDevices(); ++d) {
    DeviceBuffers &all = buffers.emplace_back(), &own = arrays.buffers[d];
    all.arguments.assign(merged->program.arguments.size(), nowhere);
    all.results.assign(merged->program.results.size(), nowhere);
    llvm::copy(own.arguments,
               all.arguments.begin() + merged->firstArgument[programOf[d]]);
    llvm::copy(own.results,
               all.results.begin() + merged->firstResult[programOf[d]]);
  }
  ASSERT_EQ(messageOf((*executor)->run(buffers, pool)), "");
}

void forget(Arrays &arrays) {
  for (DeviceBuffers &buffers : arrays.buffers)
    for (void *result : buffers.results)
      std::memset(result, 0xee, width * 4);
}

/// Runs the program on the processes that own its positions, each on a thread
/// and a pool of its own. `different`: each process runs a variant of its own.
/// Returns their errors.
std::vector<std::string> runApart(const Program &p, Arrays &arrays,
                                  llvm::ArrayRef<int32_t> owners,
                                  int32_t processes, uint64_t seed,
                                  bool different) {
  std::mt19937_64 random(seed);
  std::vector<Program> programs;
  for (int32_t process = 0; process < processes; ++process)
    programs.push_back(different ? variantOf(p, random) : p);
  // In some jobs copies fill the limit at once, and sources wait.
  MessengerOptions options;
  if (seed % 3 == 0)
    options.maxOwnedBytes = seed % 2 ? 0 : 2 * width * 4;
  shardwright::test::MemoryJob job(processes, seed, options, /*maxDelay=*/50,
                                   /*inlineBytes=*/seed % 3 ? 64 : 0);
  std::vector<std::string> errors(processes);
  std::vector<std::thread> threads;
  for (int32_t process = 0; process < processes; ++process)
    threads.emplace_back([&, process] {
      ThreadPool pool(1 + (seed + process) % 3);
      std::vector<DeviceBuffers> local;
      for (size_t d = 0; d < owners.size(); ++d)
        if (owners[d] == process)
          local.push_back(arrays.buffers[d]);
      auto executor = Executor::create(programs[process], {process, owners});
      if (!executor) {
        errors[process] = toString(executor.takeError());
        return;
      }
      // Later runs find the values of earlier ones in their memory.
      for (uint64_t launch = 0; launch <= seed % 2; ++launch) {
        RemoteOptions remote{
            &job.of(process), {5, launch}, "", nullptr, different};
        errors[process] +=
            messageOf((*executor)->run(local, pool, nullptr, nullptr, &remote));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  return errors;
}

/// Each result of `arrays` equals those of the simulation.
void compare(const Program &p, const Arrays &arrays,
             const Simulation &simulation) {
  for (int32_t d = 0; d < p.numDevices(); ++d)
    for (int i = 0; i < 2; ++i)
      ASSERT_EQ(0, std::memcmp(arrays.buffers[d].results[i],
                               simulation.devices[d].slots[p.results[i]].data(),
                               width * 4))
          << "device " << d << " result " << i;
}

void checkRandomPrograms(int rounds, int32_t devices, uint64_t seed,
                         int32_t mostProcesses = 1) {
  std::mt19937_64 random(seed);
  ThreadPool one(1), two(2), five(5);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    std::vector<int32_t> classOf(devices);
    int32_t classes = 1 + random() % 3;
    for (int32_t &c : classOf)
      c = random() % classes;
    Program p = randomProgram(random, devices, classOf);
    auto executor = Executor::create(p);
    ASSERT_TRUE(bool(executor)) << toString(executor.takeError());

    Arrays arrays(p);
    int32_t limit[3][3];
    uint8_t flag[3][2];
    for (int c = 0; c < 3; ++c) {
      for (int32_t &l : limit[c])
        l = random() % 4;
      for (uint8_t &f : flag[c])
        f = random() % 2;
    }
    for (int32_t d = 0; d < devices; ++d) {
      for (int i = 0; i < 2; ++i)
        for (int k = 0; k < width; ++k)
          arrays.argument<float>(d, i, k) = float(random() % 64) / 16;
      for (int i = 0; i < 3; ++i)
        arrays.argument<int32_t>(d, 2 + i) = limit[classOf[d]][i];
      for (int i = 0; i < 2; ++i)
        arrays.argument<uint8_t>(d, 5 + i) = flag[classOf[d]][i];
    }
    Simulation simulation(p, arrays);
    while (simulation.sweep())
      ;
    ASSERT_TRUE(simulation.done());
    for (ThreadPool *pool : {&one, &two, &five}) {
      ASSERT_EQ(messageOf((*executor)->run(arrays.buffers, *pool)), "");
      compare(p, arrays, simulation);
      forget(arrays);
      runVariants(p, arrays, *pool, random);
      compare(p, arrays, simulation);
    }
    if (mostProcesses == 1)
      continue;
    int32_t processes = 2 + random() % (mostProcesses - 1);
    bool isScattered = random() % 2;
    std::vector<int32_t> owners(devices);
    for (int32_t d = 0; d < devices; ++d)
      owners[d] = isScattered ? random() % processes : d * processes / devices;
    forget(arrays);
    for (const std::string &error :
         runApart(p, arrays, owners, processes, random(), round % 2))
      ASSERT_EQ(error, "");
    compare(p, arrays, simulation);
  }
}

TEST(RandomPrograms, OnEightDevices) { checkRandomPrograms(60, 8, 1); }
TEST(RandomPrograms, OnThreeDevices) { checkRandomPrograms(60, 3, 2); }
TEST(RandomPrograms, On64Devices) { checkRandomPrograms(12, 64, 3); }
/// SHARDWRIGHT_PROGRAMS=N makes N programs, with SHARDWRIGHT_SEED=S others.
TEST(RandomPrograms, OnProcesses) {
  auto number = [](const char *name, int fallback) {
    const char *text = std::getenv(name);
    return text ? std::atoi(text) : fallback;
  };
  checkRandomPrograms(number("SHARDWRIGHT_PROGRAMS", 150), 8,
                      number("SHARDWRIGHT_SEED", 4), 4);
}

} // namespace
