//===- peak_memory.cc - predicted peak memory of one device ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/partition/overlap/peak_memory.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/partition/overlap/memory_walk.h"
#include "shardwright/support/sort_by.h"

using namespace mlir;

namespace shardwright {

llvm::StringRef str(MemoryClass kind) {
  static const llvm::StringRef names[kMemoryClasses] = {
      "argument", "result", "state", "residual", "gathered", "temporary"};
  return names[int(kind)];
}

std::array<int64_t, kMemoryClasses> PredictedPeak::bytesByClass() const {
  std::array<int64_t, kMemoryClasses> bytes{};
  for (const HeldValue &value : values)
    bytes[int(value.kind)] += value.bytes;
  return bytes;
}

PredictedPeak peakOf(const MemoryWalk &walk) {
  MemoryTimeline::Peak found = walk.timeline.peak();
  PredictedPeak peak;
  peak.bytes = int64_t(std::min(found.bytes, 9e18));
  if (found.moment < 0)
    return peak;
  peak.op = walk.ops[found.moment];
  for (auto [i, buffer] : llvm::enumerate(walk.buffers)) {
    if (buffer.kind == MemoryClass::Argument ||
        buffer.kind == MemoryClass::Result || buffer.bytes == 0 ||
        !walk.timeline.isAlive(int32_t(i), found.moment))
      continue;
    if (!buffer.callee) {
      peak.values.push_back(
          {buffer.value, buffer.kind, buffer.bytes, buffer.index});
      continue;
    }
    llvm::append_range(peak.values, buffer.callee->values);
    if (buffer.callee->op)
      peak.op = buffer.callee->op;
  }
  return peak;
}

namespace {

/// Finds the arguments whose memory their result takes.
class Donation {
public:
  Donation(func::FuncOp func, const MemoryWalk &walk)
      : func(func), walk(walk), resultOf(walk.arguments.size(), -1),
        isTaken(walk.results.size(), false) {}

  /// By argument: the result in its place, or -1.
  std::vector<int32_t> find();

private:
  void pair(int32_t argument, int32_t result);

  func::FuncOp func;
  const MemoryWalk &walk;
  std::vector<int32_t> resultOf;
  std::vector<bool> isTaken;
};

void Donation::pair(int32_t argument, int32_t result) {
  int32_t from = walk.arguments[argument], to = walk.results[result];
  if (isTaken[result] || resultOf[argument] >= 0 ||
      walk.buffers[from].bytes != walk.buffers[to].bytes)
    return;
  // The argument must not be read after the result is written.
  if (walk.timeline.isUsed(from) && walk.timeline.isUsed(to)) {
    int32_t read = walk.timeline.lastUse(from),
            written = walk.timeline.firstUse(to);
    if (read > written ||
        (read == written && walk.conflicts.contains({from, to})))
      return;
  }
  isTaken[result] = true;
  resultOf[argument] = result;
}

std::vector<int32_t> Donation::find() {
  int32_t arguments = int32_t(resultOf.size()),
          results = int32_t(isTaken.size());
  // What the program says comes first.
  for (int32_t i = 0; i < arguments; ++i)
    if (auto alias =
            func.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output"))
      if (int64_t result = alias.getInt(); result >= 0 && result < results)
        pair(i, int32_t(result));
  for (int32_t i = 0; i < arguments; ++i) {
    auto donor = func.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
    if (!donor || !donor.getValue() || func.getArgAttr(i, "tf.aliasing_output"))
      continue;
    for (int32_t r = 0; r < results && resultOf[i] < 0; ++r)
      pair(i, r);
  }
  return resultOf;
}

/// A walk of @main (or the only function).
struct MainWalk {
  explicit MainWalk(ModuleOp local) : function(sdy::getMainFunc(local)) {
    if (function && function.isExternal())
      function = {};
    if (!function)
      return;
    for (auto func : local.getOps<func::FuncOp>())
      called.functions[func.getName()] = func;
    called.peaks[function.getName()] = nullptr;
    walk.run(function);
  }

  func::FuncOp function; ///< null if the module has none with a body
  CalledFunctions called;
  MemoryWalk walk{called};
};

} // namespace

PredictedPeak predictPeak(ModuleOp local) {
  MainWalk main(local);
  if (!main.function)
    return {};
  MemoryWalk &walk = main.walk;
  PredictedPeak peak = peakOf(walk);
  std::vector<HeldValue> temporaries = std::move(peak.values);
  peak.values.clear();
  std::vector<int32_t> resultOf = Donation(main.function, walk).find();
  std::vector<bool> isState(walk.results.size(), false);
  double bytes = double(peak.bytes);
  auto add = [&](const MemoryWalk::BufferInfo &buffer, MemoryClass kind) {
    bytes += double(buffer.bytes);
    if (buffer.bytes > 0)
      peak.values.push_back({buffer.value, kind, buffer.bytes, buffer.index});
  };
  for (auto [i, argument] : llvm::enumerate(walk.arguments)) {
    bool isPaired = resultOf[i] >= 0;
    if (isPaired)
      isState[resultOf[i]] = true;
    add(walk.buffers[argument],
        isPaired ? MemoryClass::State : MemoryClass::Argument);
  }
  for (auto [i, result] : llvm::enumerate(walk.results))
    if (!isState[i])
      add(walk.buffers[result], MemoryClass::Result);
  peak.bytes = int64_t(std::min(bytes, 9e18));
  llvm::append_range(peak.values, temporaries);
  sortBy(peak.values, [](const HeldValue &value) { return -value.bytes; });
  return peak;
}

using BytesByClass = std::array<int64_t, kMemoryClasses>;

int64_t MemoryPoint::bytes() const {
  int64_t sum = 0;
  for (int64_t bytes : bytesByClass)
    sum += bytes;
  return sum;
}

std::vector<MemoryPoint> predictMemoryCurve(ModuleOp local,
                                            const PredictedPeak &peak) {
  MainWalk main(local);
  if (!main.function)
    return {};
  MemoryWalk &walk = main.walk;
  // Arguments and results are alive from the start to the end.
  BytesByClass alive{};
  for (const HeldValue &value : peak.values)
    if (value.kind == MemoryClass::Argument ||
        value.kind == MemoryClass::Result || value.kind == MemoryClass::State)
      alive[int(value.kind)] += value.bytes;
  size_t moments = walk.ops.size();
  std::vector<BytesByClass> written(moments), read(moments);
  for (auto [i, buffer] : llvm::enumerate(walk.buffers)) {
    auto number = MemoryWalk::Buffer(i);
    if (buffer.kind == MemoryClass::Argument ||
        buffer.kind == MemoryClass::Result || buffer.bytes == 0 ||
        !walk.timeline.isUsed(number))
      continue;
    BytesByClass bytes{};
    if (buffer.callee)
      bytes = buffer.callee->bytesByClass();
    else
      bytes[int(buffer.kind)] = buffer.bytes;
    for (int c = 0; c < kMemoryClasses; ++c) {
      written[walk.timeline.firstUse(number)][c] += bytes[c];
      read[walk.timeline.lastUse(number)][c] += bytes[c];
    }
  }
  std::vector<MemoryPoint> points;
  points.reserve(moments);
  for (size_t moment = 0; moment < moments; ++moment) {
    for (int c = 0; c < kMemoryClasses; ++c)
      alive[c] += written[moment][c];
    points.push_back({walk.ops[moment], alive});
    for (int c = 0; c < kMemoryClasses; ++c)
      alive[c] -= read[moment][c];
  }
  return points;
}

} // namespace shardwright
