//===- program_hash.cc - do two processes run the same program? -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/execute/program_hash.h"

#include "shardwright/cpu/program/program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"

#include <string>

using namespace shardwright;
using namespace shardwright::cpu;

namespace {

class Hasher {
public:
  void add(int64_t value) {
    text.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void add(llvm::StringRef value) {
    add(int64_t(value.size()));
    text += value;
  }
  template <typename T> void addList(const T &values) {
    add(int64_t(values.size()));
    for (int64_t value : values)
      add(value);
  }
  void addShape(ElementType type, const Shape &shape) {
    add(int64_t(type));
    addList(shape);
  }
  const std::string &bytes() const { return text; }
  uint64_t result() const { return llvm::xxh3_64bits(llvm::StringRef(text)); }

private:
  std::string text;
};

void addSteps(Hasher &h, const Program &program) {
  h.add(int64_t(program.steps.size()));
  for (const Step &step : program.steps) {
    for (int64_t value :
         {int64_t(step.kind), int64_t(step.payload), int64_t(step.target)})
      h.add(value);
    h.addList(step.inputs);
    h.addList(step.outputs);
  }
  h.add(int64_t(program.switchTargets.size()));
  for (const std::vector<int32_t> &targets : program.switchTargets)
    h.addList(targets);
}

void addCollective(Hasher &h, const CollectiveSpec &spec) {
  for (int64_t value :
       {int64_t(spec.kind), int64_t(spec.reduce), spec.dim, spec.concatDim})
    h.add(value);
  h.addShape(spec.type, spec.inputShape);
  h.addShape(spec.type, spec.outputShape);
  h.add(int64_t(spec.groups.size()));
  for (const auto &group : spec.groups)
    h.addList(group);
  h.add(int64_t(spec.pairs.size()));
  for (auto [source, target] : spec.pairs) {
    h.add(int64_t(source));
    h.add(int64_t(target));
  }
}

void addCollectives(Hasher &h, const Program &program) {
  h.add(int64_t(program.collectives.size()));
  for (const CollectiveSpec &spec : program.collectives) {
    h.add(int64_t(spec.reduceKernel));
    addCollective(h, spec);
  }
}

/// What a collective step exchanges, as bytes.
std::string exchangeOf(const Program &program, const Step &step) {
  const CollectiveSpec &spec = program.collectives[step.payload];
  Hasher h;
  h.add(int64_t(step.inputs.size()));
  addCollective(h, spec);
  if (spec.reduceKernel >= 0)
    h.add(llvm::StringRef(program.kernels[spec.reduceKernel].symbol));
  return h.bytes();
}

/// Kernels, dots, library calls and constants.
void addComputation(Hasher &h, const Program &program) {
  h.add(int64_t(program.kernels.size()));
  for (const Kernel &kernel : program.kernels) {
    h.add(llvm::StringRef(kernel.symbol));
    h.add(kernel.iterations);
  }
  h.add(int64_t(program.dots.size()));
  for (const DotSpec &dot : program.dots) {
    for (int64_t value :
         {int64_t(dot.lhsType), int64_t(dot.rhsType), int64_t(dot.outType),
          dot.m, dot.n, dot.k, dot.lhsStrideM, dot.lhsStrideK, dot.rhsStrideK,
          dot.rhsStrideN, dot.outStrideM, dot.outStrideN})
      h.add(value);
    for (const Shape *shape : {&dot.batch, &dot.lhsBatchStrides,
                               &dot.rhsBatchStrides, &dot.outBatchStrides})
      h.addList(*shape);
  }
  h.add(int64_t(program.libraryCalls.size()));
  for (const LibraryCall &call : program.libraryCalls) {
    h.add(llvm::StringRef(call.name));
    for (const auto *types : {&call.inputs, &call.outputs})
      for (const BufferType &type : *types)
        h.addShape(type.type, type.shape);
  }
  h.add(int64_t(program.constants.size()));
  for (const ConstantData &constant : program.constants) {
    h.add(constant.bytes);
    h.add(int64_t(llvm::xxh3_64bits(llvm::StringRef(
        static_cast<const char *>(constant.data.get()), constant.bytes))));
  }
}

} // namespace

uint64_t cpu::hashOf(const Program &program) {
  Hasher h;
  h.add(program.numReplicas);
  h.add(program.numPartitions);
  h.add(int64_t(program.slots.size()));
  for (const Slot &slot : program.slots) {
    for (int64_t value : {int64_t(slot.home), int64_t(slot.index), slot.offset})
      h.add(value);
    h.addShape(slot.type, slot.shape);
  }
  h.addList(program.arguments);
  h.addList(program.results);
  addSteps(h, program);
  addCollectives(h, program);
  addComputation(h, program);
  return h.result();
}

std::vector<int32_t> cpu::orderedCollectives(const Program &program) {
  std::vector<std::pair<std::string, int32_t>> found;
  for (auto [index, step] : llvm::enumerate(program.steps))
    if (step.kind == StepKind::Collective)
      found.emplace_back(exchangeOf(program, step), index);
  llvm::sort(found);
  std::vector<int32_t> steps;
  for (const auto &entry : found)
    steps.push_back(entry.second);
  return steps;
}

uint64_t cpu::hashOfCommunication(const Program &program) {
  Hasher h;
  h.add(program.numReplicas);
  h.add(program.numPartitions);
  for (int32_t step : orderedCollectives(program))
    h.add(llvm::StringRef(exchangeOf(program, program.steps[step])));
  return h.result();
}
