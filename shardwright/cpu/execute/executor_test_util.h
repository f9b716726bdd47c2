//===- executor_test_util.h - hand-built programs ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_EXECUTE_EXECUTOR_TEST_UTIL_H
#define SHARDWRIGHT_CPU_EXECUTE_EXECUTOR_TEST_UTIL_H

#include "shardwright/cpu/execute/executor.h"
#include "shardwright/cpu/program/memory_plan.h"
#include "shardwright/support/thread_pool.h"

#include "gtest/gtest.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace shardwright::cpu::test {

inline constexpr int64_t width = 4; // elements of every array of floats

// --- kernels ---

template <typename T> T &at(void *p, int64_t i = 0) {
  return static_cast<T *>(p)[i];
}
inline void mix(void *const *b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    at<float>(b[2], i) = at<float>(b[0], i) * 0.5f + at<float>(b[1], i);
}
inline void addOne(void *const *b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    at<float>(b[1], i) = at<float>(b[0], i) + 1;
}
inline void setZero(void *const *b, int64_t, int64_t) { at<int32_t>(b[0]) = 0; }
inline void increment(void *const *b, int64_t, int64_t) {
  at<int32_t>(b[1]) = at<int32_t>(b[0]) + 1;
}
inline void less(void *const *b, int64_t, int64_t) {
  at<uint8_t>(b[2]) = at<int32_t>(b[0]) < at<int32_t>(b[1]);
}
inline void failIfNegative(void *const *b, int64_t, int64_t) {
  if (at<float>(b[0]) < 0)
    failKernel("its input is negative");
}
/// Runs long enough for every thread to take part.
inline void slow(void *const *b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    volatile float x = at<float>(b[0], i);
    for (int k = 0; k < 20000; ++k)
      x = x * 0.5f + 1;
    at<float>(b[1], i) = at<float>(b[0], i) + 1;
  }
}

/// A rendezvous for kernels of several devices.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  int wanted = 0, there = 0;
};
inline Meeting meeting;

inline void meetOthers(void *const *, int64_t, int64_t) {
  std::unique_lock lock(meeting.mutex);
  ++meeting.there;
  meeting.changed.notify_all();
  if (!meeting.changed.wait_for(lock, std::chrono::seconds(10),
                                [] { return meeting.there >= meeting.wanted; }))
    failKernel("nobody else came");
}
inline void nap(void *const *b, int64_t, int64_t) {
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  std::memcpy(b[1], b[0], width * sizeof(float));
}

/// Builds programs in the form that the lowering produces.
class Builder {
public:
  explicit Builder(int32_t devices) { p.numPartitions = devices; }

  SlotId slot(ElementType type = ElementType::F32, Shape shape = {width}) {
    Slot s;
    s.type = type;
    s.shape = shape;
    p.slots.push_back(s);
    return p.slots.size() - 1;
  }
  SlotId argument(ElementType type = ElementType::F32, Shape shape = {width}) {
    SlotId s = slot(type, shape);
    p.slots[s].home = Slot::Home::Argument;
    p.slots[s].index = p.arguments.size();
    p.arguments.push_back(s);
    return s;
  }
  SlotId result() {
    SlotId s = slot();
    p.slots[s].home = Slot::Home::Result;
    p.slots[s].index = p.results.size();
    p.results.push_back(s);
    return s;
  }
  int32_t step(StepKind kind, llvm::ArrayRef<SlotId> in,
               llvm::ArrayRef<SlotId> out, int32_t payload = -1) {
    Step s;
    s.kind = kind;
    s.payload = payload;
    s.inputs.assign(in.begin(), in.end());
    s.outputs.assign(out.begin(), out.end());
    p.steps.push_back(s);
    return p.steps.size() - 1;
  }
  int32_t kernel(KernelFn f, llvm::ArrayRef<SlotId> in,
                 llvm::ArrayRef<SlotId> out, int64_t iterations = width,
                 double costNs = 10) {
    p.kernels.push_back({"k", f, iterations, costNs});
    return step(StepKind::Kernel, in, out, p.kernels.size() - 1);
  }
  using Groups = std::vector<llvm::SmallVector<int32_t, 8>>;
  int32_t allReduce(SlotId in, SlotId out, Groups groups = {}) {
    CollectiveSpec c;
    c.kind = CollectiveKind::AllReduce;
    c.type = ElementType::F32;
    c.inputShape = c.outputShape = p.slots[in].shape;
    c.groups = std::move(groups);
    p.collectives.push_back(c);
    int32_t s =
        step(StepKind::Collective, {in}, {out}, p.collectives.size() - 1);
    p.steps[s].location = p.locations.size();
    p.locations.push_back("all_reduce at test:" +
                          std::to_string(p.locations.size()));
    return s;
  }
  int32_t permute(SlotId in, SlotId out,
                  std::vector<std::pair<int32_t, int32_t>> pairs) {
    CollectiveSpec c;
    c.kind = CollectiveKind::CollectivePermute;
    c.type = ElementType::F32;
    c.inputShape = c.outputShape = p.slots[in].shape;
    c.pairs = std::move(pairs);
    p.collectives.push_back(c);
    return step(StepKind::Collective, {in}, {out}, p.collectives.size() - 1);
  }
  /// for (i = 0; i < limit; ++i) body(); each device reads its own `limit`.
  void loop(SlotId limit, llvm::function_ref<void()> body) {
    SlotId i = slot(ElementType::S32, {}), next = slot(ElementType::S32, {}),
           pred = slot(ElementType::Pred, {});
    kernel(setZero, {}, {i}, 1);
    int32_t head = kernel(less, {i, limit}, {pred}, 1);
    int32_t exit = step(StepKind::JumpIfFalse, {pred}, {});
    body();
    kernel(increment, {i}, {next}, 1);
    step(StepKind::Copy, {next}, {i});
    int32_t back = step(StepKind::Jump, {}, {});
    p.steps[back].target = head;
    p.steps[exit].target = p.steps.size();
  }
  /// value = initial; for (i = 0; i < limit; ++i) value = next, where `body`
  /// computes next from value. Returns value.
  SlotId loop(SlotId initial, SlotId limit,
              llvm::function_ref<void(SlotId value, SlotId next)> body) {
    SlotId value = slot(), next = slot();
    step(StepKind::Copy, {initial}, {value});
    loop(limit, [&] {
      body(value, next);
      step(StepKind::Copy, {next}, {value});
    });
    return value;
  }
  /// Returns x + `times`, computed by as many kernels.
  SlotId addOnes(SlotId x, int times) {
    for (int i = 0; i < times; ++i) {
      SlotId y = slot();
      kernel(addOne, {x}, {y});
      x = y;
    }
    return x;
  }
  void branch(SlotId pred, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise) {
    int32_t test = step(StepKind::JumpIfFalse, {pred}, {});
    then();
    int32_t over = step(StepKind::Jump, {}, {});
    p.steps[test].target = p.steps.size();
    otherwise();
    p.steps[over].target = p.steps.size();
  }
  Program finish() {
    step(StepKind::Return, {}, {});
    planMemory(p);
    return std::move(p);
  }
  Program p;
};

/// Makes the partitions of the program replicas.
inline Program asReplicas(Program p) {
  std::swap(p.numReplicas, p.numPartitions);
  return p;
}

/// Buffers of all devices for one run.
struct Arrays {
  std::deque<std::vector<char>> storage;
  std::vector<DeviceBuffers> buffers;

  explicit Arrays(const Program &p) : buffers(p.numDevices()) {
    for (DeviceBuffers &b : buffers) {
      for (SlotId s : p.arguments)
        b.arguments.push_back(add(p.slots[s].bytes()));
      for (SlotId s : p.results)
        b.results.push_back(add(p.slots[s].bytes()));
    }
  }
  void *add(int64_t bytes) {
    storage.emplace_back(bytes + 64, char(0xee));
    auto address = reinterpret_cast<uintptr_t>(storage.back().data());
    return reinterpret_cast<void *>((address + 63) & -64);
  }
  template <typename T> T &argument(int d, int i, int64_t k = 0) {
    return at<T>(buffers[d].arguments[i], k);
  }
  std::vector<float> result(int d, int i = 0) const {
    auto *p = static_cast<float *>(buffers[d].results[i]);
    return {p, p + width};
  }
};

inline std::string messageOf(llvm::Error e) { return toString(std::move(e)); }

/// Sets element k of argument i of device d to d * 10 + k.
inline void count(Arrays &arrays, int i = 0) {
  for (size_t d = 0; d < arrays.buffers.size(); ++d)
    for (int k = 0; k < width; ++k)
      arrays.argument<float>(d, i, k) = d * 10 + k;
}

class Executors : public testing::TestWithParam<int> {
protected:
  ThreadPool pool{GetParam()};
};

} // namespace shardwright::cpu::test

#endif // SHARDWRIGHT_CPU_EXECUTE_EXECUTOR_TEST_UTIL_H
