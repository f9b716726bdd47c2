//===- collectives.cc - collectives between devices of one process --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/collectives/collectives.h"

#include "shardwright/support/box_copy.h"
#include "shardwright/support/error.h"
#include "shardwright/support/shape.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <map>
#include <numeric>

using namespace shardwright;
using namespace shardwright::cpu;

/// Bytes that one task reads of each member: enough to pay for starting the
/// task, few enough for the cache and an even distribution.
static constexpr int64_t unitBytes = 1 << 16;
/// Bytes reduced before the result is copied to the other members.
static constexpr int64_t cacheBytes = 1 << 14;

llvm::StringRef cpu::str(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::CollectivePermute:
    return "collective_permute";
  case CollectiveKind::CollectiveBroadcast:
    return "collective_broadcast";
  }
  return "?";
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static char *at(void *p, int64_t bytes) {
  return static_cast<char *>(p) + bytes;
}
static const char *at(const void *p, int64_t bytes) {
  return static_cast<const char *>(p) + bytes;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Infers the output shape from the input shape and the group size.
static llvm::Expected<Shape> expectedOutput(const CollectiveSpec &spec,
                                            int64_t members) {
  Shape shape = spec.inputShape;
  auto dimOk = [&](int64_t dim) {
    return dim >= 0 && dim < int64_t(shape.size());
  };
  auto divides = [&]() -> llvm::Error {
    if (shape[spec.dim] % members != 0)
      return fail("dimension ", spec.dim, " of size ", shape[spec.dim],
                  " does not divide by its group of ", members);
    return llvm::Error::success();
  };
  switch (spec.kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::CollectivePermute:
  case CollectiveKind::CollectiveBroadcast:
    return shape;
  case CollectiveKind::AllGather:
    if (!dimOk(spec.dim))
      return fail("there is no dimension ", spec.dim);
    shape[spec.dim] *= members;
    return shape;
  case CollectiveKind::ReduceScatter:
    if (!dimOk(spec.dim))
      return fail("there is no dimension ", spec.dim);
    if (llvm::Error e = divides())
      return e;
    shape[spec.dim] /= members;
    return shape;
  case CollectiveKind::AllToAll:
    if (!dimOk(spec.dim) || !dimOk(spec.concatDim))
      return fail("there is no dimension ",
                  dimOk(spec.dim) ? spec.concatDim : spec.dim);
    if (llvm::Error e = divides())
      return e;
    shape[spec.dim] /= members;
    shape[spec.concatDim] *= members;
    return shape;
  }
  return fail("unknown kind of collective");
}

llvm::Error CollectivePlan::placeDevices(int64_t numDevices) {
  auto inRange = [&](int32_t device) {
    return device >= 0 && device < numDevices;
  };
  if (isPermute()) {
    for (auto [source, target] : spec.pairs) {
      if (!inRange(source) || !inRange(target))
        return fail(str(spec.kind), ": there is no device ",
                    inRange(source) ? target : source, "; the program runs on ",
                    numDevices);
      if (place[target].source >= 0)
        return fail(str(spec.kind), ": device ", target, " has two sources");
      place[target].source = source;
      targets[source].push_back(target);
    }
  } else {
    if (!spec.pairs.empty())
      return fail(str(spec.kind), ": it has pairs of source and target, which "
                                  "only a collective_permute has");
    if (spec.groups.empty()) { // one group of all devices
      spec.groups.emplace_back(numDevices);
      std::iota(spec.groups[0].begin(), spec.groups[0].end(), 0);
    }
    size_t members = spec.groups[0].size();
    bool mayVary = spec.kind == CollectiveKind::AllReduce ||
                   spec.kind == CollectiveKind::CollectiveBroadcast;
    for (auto [g, group] : llvm::enumerate(spec.groups)) {
      if (group.empty())
        return fail(str(spec.kind), ": group ", g, " is empty");
      if (!mayVary && group.size() != members)
        return fail(str(spec.kind), ": groups of different size");
      for (auto [position, device] : llvm::enumerate(group)) {
        if (!inRange(device))
          return fail(str(spec.kind), ": there is no device ", device,
                      "; the program runs on ", numDevices);
        if (place[device].group >= 0)
          return fail(str(spec.kind), ": device ", device,
                      " occurs twice in the groups");
        place[device].group = g;
        place[device].position = position;
      }
      auto &order = ascending.emplace_back(group.size());
      std::iota(order.begin(), order.end(), 0);
      llvm::sort(order,
                 [&](int32_t a, int32_t b) { return group[a] < group[b]; });
    }
  }
  return llvm::Error::success();
}

llvm::Expected<CollectivePlan>
CollectivePlan::create(const CollectiveSpec &given, int64_t numDevices,
                       llvm::ArrayRef<Kernel> kernels,
                       const Placement &placement) {
  CollectivePlan plan;
  plan.spec = given;
  CollectiveSpec &spec = plan.spec;
  plan.place.resize(numDevices);
  plan.targets.resize(numDevices);
  plan.width = byteWidth(spec.type);
  for (int64_t size : spec.inputShape)
    if (size < 0)
      return fail(str(spec.kind), ": negative size in its shape");
  plan.inBytes = product(spec.inputShape) * plan.width;
  plan.outBytes = product(spec.outputShape) * plan.width;

  if (llvm::Error e = plan.placeDevices(numDevices))
    return e;
  int64_t members = plan.isPermute() ? 1 : spec.groups[0].size();
  llvm::Expected<Shape> output = expectedOutput(spec, members);
  if (!output)
    return fail(str(spec.kind), ": ", toString(output.takeError()));
  if (*output != spec.outputShape)
    return fail(str(spec.kind), ": its output shape does not fit its input");

  if (spec.kind == CollectiveKind::AllReduce ||
      spec.kind == CollectiveKind::ReduceScatter) {
    if (spec.reduceKernel >= 0) {
      if (size_t(spec.reduceKernel) >= kernels.size() ||
          !kernels[spec.reduceKernel].function)
        return fail(str(spec.kind), ": its reduction has no code");
      plan.reduction =
          Reduction::withKernel(spec.type, kernels[spec.reduceKernel]);
    } else {
      llvm::Expected<Reduction> r = Reduction::create(spec.type, spec.reduce);
      if (!r)
        return fail(str(spec.kind), ": ", toString(r.takeError()));
      plan.reduction = *r;
    }
  }

  llvm::ArrayRef<int64_t> in = spec.inputShape;
  int64_t rows = 1, cols = product(in);
  if (spec.kind == CollectiveKind::AllGather) {
    rows = product(in.take_front(spec.dim));
    cols = product(in.drop_front(spec.dim));
  } else if (spec.kind == CollectiveKind::ReduceScatter) {
    rows = product(in.take_front(spec.dim));
    cols = product(in.drop_front(spec.dim)) / members;
  } else if (spec.kind == CollectiveKind::AllToAll) {
    // One part: whole rows of its first dimension.
    Shape part(in);
    part[spec.dim] /= members;
    rows = part[0];
    cols = product(llvm::ArrayRef(part).drop_front());
  }
  plan.blocks = cutIntoBlocks(rows, cols, plan.width);
  if (spec.kind == CollectiveKind::AllToAll) {
    plan.blocks.colStep = std::max<int64_t>(cols, 1);
    plan.blocks.perPart = cols == 0 ? 0 : ceilDiv(rows, plan.blocks.rowStep);
  }
  plan.ownProcess = placement.ownProcess();
  plan.splitByProcess(placement);
  return plan;
}

void CollectivePlan::addGroup(int32_t group, llvm::ArrayRef<int32_t> members,
                              const Placement &placement) {
  SharedGroup result{group, {}, {}};
  std::map<int32_t, llvm::SmallVector<int32_t, 8>> remote;
  for (int32_t member : members)
    (placement.isLocal(member) ? result.localMembers
                               : remote[placement.owner(member)])
        .push_back(member);
  if (result.localMembers.empty())
    return;
  for (auto &[process, owned] : remote)
    result.peers.push_back({process, std::move(owned)});
  if (!result.peers.empty())
    shared.push_back(std::move(result));
  else if (!isPermute())
    local.push_back(group);
}

void CollectivePlan::splitByProcess(const Placement &placement) {
  for (auto [source, target] : spec.pairs)
    addGroup(target, {source, target}, placement);
  for (auto [g, group] : llvm::enumerate(spec.groups))
    addGroup(g, group, placement);
  if (shared.empty())
    return;
  sharedIndex.assign(isPermute() ? place.size() : spec.groups.size(), -1);
  for (auto [i, group] : llvm::enumerate(shared))
    sharedIndex[group.group] = int32_t(i);
}

CollectivePlan::Blocks CollectivePlan::cutIntoBlocks(int64_t rows, int64_t cols,
                                                     int64_t width) {
  Blocks b;
  b.rows = rows;
  b.cols = cols;
  int64_t rowBytes = cols * width;
  b.colStep = std::max<int64_t>(1, std::min(cols, unitBytes / width));
  b.rowStep = rowBytes > unitBytes || rowBytes == 0
                  ? 1
                  : std::max<int64_t>(1, std::min(rows, unitBytes / rowBytes));
  b.perPart = ceilDiv(rows, b.rowStep) * ceilDiv(cols, b.colStep);
  return b;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

int64_t CollectivePlan::tasks(int32_t group) const {
  int64_t members = spec.groups[group].size();
  switch (spec.kind) {
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
    return members * blocks.perPart;
  case CollectiveKind::AllToAll:
    return members * members * blocks.perPart;
  default:
    return blocks.perPart;
  }
}

void CollectivePlan::run(int32_t group, const void *const *inputs,
                         void *const *outputs, int64_t task) const {
  int64_t members = spec.groups[group].size();
  switch (spec.kind) {
  case CollectiveKind::AllReduce:
    return runAllReduce(group, inputs, outputs, task);
  case CollectiveKind::AllGather:
    return runAllGather(members, inputs, outputs, task);
  case CollectiveKind::ReduceScatter:
    return runReduceScatter(group, inputs, outputs, task);
  case CollectiveKind::AllToAll:
    return runAllToAll(members, inputs, outputs, task);
  case CollectiveKind::CollectiveBroadcast:
    return runBroadcast(members, inputs, outputs, task);
  case CollectiveKind::CollectivePermute:
    return;
  }
}

void CollectivePlan::runAllReduce(int32_t group, const void *const *inputs,
                                  void *const *outputs, int64_t task) const {
  int64_t members = spec.groups[group].size();
  llvm::SmallVector<const void *, 16> operands;
  for (int32_t index : ascending[group])
    operands.push_back(inputs[index]);
  int64_t begin = task * blocks.colStep;
  int64_t end = std::min(blocks.cols, begin + blocks.colStep);
  int64_t step = cacheBytes / width;
  for (int64_t i = begin; i < end; i += step) {
    int64_t n = std::min(step, end - i);
    reduction->run(operands.data(), members, outputs[0], i, i + n);
    for (int64_t m = 1; m < members; ++m)
      std::memcpy(at(outputs[m], i * width), at(outputs[0], i * width),
                  n * width);
  }
}

void CollectivePlan::runBroadcast(int64_t members, const void *const *inputs,
                                  void *const *outputs, int64_t task) const {
  int64_t begin = task * blocks.colStep;
  int64_t n = std::min(blocks.cols - begin, blocks.colStep);
  for (int64_t m = 0; m < members; ++m)
    std::memcpy(at(outputs[m], begin * width), at(inputs[0], begin * width),
                n * width);
}

void CollectivePlan::runAllGather(int64_t members, const void *const *inputs,
                                  void *const *outputs, int64_t task) const {
  int64_t source = task / blocks.perPart;
  int64_t colBlocks = ceilDiv(blocks.cols, blocks.colStep);
  int64_t row = task % blocks.perPart / colBlocks * blocks.rowStep;
  int64_t col = task % colBlocks * blocks.colStep;
  int64_t rows = std::min(blocks.rowStep, blocks.rows - row);
  int64_t cols = std::min(blocks.colStep, blocks.cols - col);
  int64_t inRow = blocks.cols * width, outRow = members * inRow;
  const char *from = at(inputs[source], row * inRow + col * width);
  // Read once and write to every member while the data is in the cache.
  for (int64_t m = 0; m < members; ++m)
    copyBox(at(outputs[m], row * outRow + source * inRow + col * width),
            {outRow, width}, from, {inRow, width}, {rows, cols}, width);
}

void CollectivePlan::runReduceScatter(int32_t group, const void *const *inputs,
                                      void *const *outputs,
                                      int64_t task) const {
  llvm::ArrayRef<int32_t> order = ascending[group];
  int64_t members = order.size();
  int64_t receiver = task / blocks.perPart;
  int64_t colBlocks = ceilDiv(blocks.cols, blocks.colStep);
  int64_t row = task % blocks.perPart / colBlocks * blocks.rowStep;
  int64_t col = task % colBlocks * blocks.colStep;
  int64_t rows = std::min(blocks.rowStep, blocks.rows - row);
  int64_t cols = std::min(blocks.colStep, blocks.cols - col);
  int64_t outRow = blocks.cols * width, inRow = members * outRow;
  llvm::SmallVector<const void *, 16> parts(members);
  auto inputOffset = [&](int64_t r) {
    return r * inRow + receiver * outRow + col * width;
  };

  if (cols * width >= 256 || members == 1) {
    for (int64_t r = row; r < row + rows; ++r) {
      for (int64_t m = 0; m < members; ++m)
        parts[m] = at(inputs[order[m]], inputOffset(r));
      reduction->run(parts.data(), members,
                     at(outputs[receiver], r * outRow + col * width), 0, cols);
    }
    return;
  }
  // Pack short rows first. They are full rows of the output, which is
  // contiguous.
  constexpr int64_t packBytes = 2048;
  alignas(64) char packed[16 * packBytes];
  std::vector<char> large;
  char *pack = packed;
  if (members > 16) {
    large.resize(members * packBytes);
    pack = large.data();
  }
  int64_t step = packBytes / (cols * width);
  for (int64_t r = row; r < row + rows; r += step) {
    int64_t n = std::min(step, row + rows - r);
    for (int64_t m = 0; m < members; ++m) {
      parts[m] = pack + m * packBytes;
      copyBox(pack + m * packBytes, {cols * width, width},
              at(inputs[order[m]], inputOffset(r)), {inRow, width}, {n, cols},
              width);
    }
    reduction->run(parts.data(), members, at(outputs[receiver], r * outRow), 0,
                   n * cols);
  }
}

void CollectivePlan::runAllToAll(int64_t members, const void *const *inputs,
                                 void *const *outputs, int64_t task) const {
  int64_t block = task % blocks.perPart;
  int64_t source = task / blocks.perPart / members;
  int64_t receiver = task / blocks.perPart % members;
  Shape part(spec.inputShape);
  part[spec.dim] /= members;
  auto inStrides = rowMajorStrides(spec.inputShape, width);
  auto outStrides = rowMajorStrides(spec.outputShape, width);
  int64_t row = block * blocks.rowStep;
  int64_t from =
      receiver * part[spec.dim] * inStrides[spec.dim] + row * inStrides[0];
  int64_t to = source * part[spec.concatDim] * outStrides[spec.concatDim] +
               row * outStrides[0];
  part[0] = std::min(blocks.rowStep, blocks.rows - row);
  copyBox(at(outputs[receiver], to), outStrides, at(inputs[source], from),
          inStrides, part, width);
}
