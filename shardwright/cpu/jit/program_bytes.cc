//===- program_bytes.cc - serialization of programs with code -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each struct has a `write` and a `read` that list its fields in the same
// order. Changing either changes the format: see formatVersion in
// runtime/serialize.cc.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/program_bytes.h"

#include "shardwright/cpu/jit/linked_code.h"
#include "shardwright/cpu/program/check_program.h"
#include "shardwright/cpu/program/program_code.h"
#include "shardwright/support/host_memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/BLAKE3.h"

#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

template <typename E> static E readEnum(ByteReader &b, E last) {
  return b.integer<E>(0, int64_t(last));
}
static ElementType readType(ByteReader &b) {
  return readEnum(b, ElementType::C128);
}

static void write(ByteWriter &b, const Slot &slot) {
  b.integer(int64_t(slot.home));
  b.integer(slot.index);
  b.integer(slot.offset);
  b.integer(int64_t(slot.type));
  b.integers(slot.shape);
}

static Slot readSlot(ByteReader &b) {
  Slot slot;
  slot.home = readEnum(b, Slot::Home::View);
  slot.index = b.id();
  slot.offset = b.integer();
  slot.type = readType(b);
  b.integers(slot.shape);
  return slot;
}

static void write(ByteWriter &b, const Step &step) {
  b.integer(int64_t(step.kind));
  b.integer(step.payload);
  b.integer(step.target);
  b.integers(step.inputs);
  b.integers(step.outputs);
  b.integer(step.location);
  b.integers(step.fusedLocations);
}

template <typename Vector> static void readIds(ByteReader &b, Vector &ids) {
  b.list(ids, [&] { return b.id(); });
}

static Step readStep(ByteReader &b) {
  Step step;
  step.kind = readEnum(b, StepKind::Return);
  step.payload = b.id();
  step.target = b.id();
  readIds(b, step.inputs);
  readIds(b, step.outputs);
  step.location = b.id();
  readIds(b, step.fusedLocations);
  return step;
}

static void write(ByteWriter &b, const Kernel &kernel) {
  b.string(kernel.symbol);
  b.integer(kernel.iterations);
  b.real(kernel.costNs);
}

static void write(ByteWriter &b, const KernelFacts &facts) {
  b.real(facts.flops);
  b.real(facts.transcendentals);
  b.list(facts.mayShare, [&](std::pair<int32_t, int32_t> pair) {
    b.integer(pair.first);
    b.integer(pair.second);
  });
}

static Kernel readKernel(ByteReader &b) {
  Kernel kernel;
  kernel.symbol = b.string().str();
  kernel.iterations = b.integer();
  kernel.costNs = b.real();
  return kernel;
}

static KernelFacts readFacts(ByteReader &b) {
  KernelFacts facts;
  facts.flops = b.real();
  facts.transcendentals = b.real();
  b.list(facts.mayShare, [&] {
    int32_t output = b.id();
    return std::pair(output, b.id());
  });
  return facts;
}

static void write(ByteWriter &b, const DotSpec &dot) {
  for (ElementType type : {dot.lhsType, dot.rhsType, dot.outType})
    b.integer(int64_t(type));
  for (const Shape *shape : {&dot.batch, &dot.lhsBatchStrides,
                             &dot.rhsBatchStrides, &dot.outBatchStrides})
    b.integers(*shape);
  for (int64_t n :
       {dot.m, dot.n, dot.k, dot.lhsStrideM, dot.lhsStrideK, dot.rhsStrideK,
        dot.rhsStrideN, dot.outStrideM, dot.outStrideN})
    b.integer(n);
}

static DotSpec readDot(ByteReader &b) {
  DotSpec dot;
  for (ElementType *type : {&dot.lhsType, &dot.rhsType, &dot.outType})
    *type = readType(b);
  for (Shape *shape : {&dot.batch, &dot.lhsBatchStrides, &dot.rhsBatchStrides,
                       &dot.outBatchStrides})
    b.integers(*shape);
  for (int64_t *n :
       {&dot.m, &dot.n, &dot.k, &dot.lhsStrideM, &dot.lhsStrideK,
        &dot.rhsStrideK, &dot.rhsStrideN, &dot.outStrideM, &dot.outStrideN})
    *n = b.integer();
  return dot;
}

static void write(ByteWriter &b, const LibraryAttribute &a) {
  b.string(a.name);
  b.integer(int64_t(a.kind));
  b.integer(int64_t(a.type));
  b.integer(a.isArray);
  b.integers(a.integers);
  b.list(a.reals, [&](double value) { b.real(value); });
  b.string(a.text);
  b.list(a.fields, [&](const LibraryAttribute &field) { write(b, field); });
}

static LibraryAttribute readAttribute(ByteReader &b, int depth = 0) {
  LibraryAttribute a;
  a.name = b.string().str();
  a.kind = readEnum(b, LibraryAttribute::Kind::Dictionary);
  a.type = readType(b);
  a.isArray = b.boolean();
  b.integers(a.integers);
  b.list(a.reals, [&] { return b.real(); });
  a.text = b.string().str();
  if (depth > 64)
    b.fail();
  b.list(a.fields, [&] { return readAttribute(b, depth + 1); });
  return a;
}

static void write(ByteWriter &b, const LibraryCall &call) {
  b.string(call.name);
  b.list(call.attributes, [&](const LibraryAttribute &a) { write(b, a); });
  for (auto *types : {&call.inputs, &call.outputs})
    b.list(*types, [&](const BufferType &type) {
      b.integer(int64_t(type.type));
      b.integers(type.shape);
    });
  b.list(call.aliases, [&](std::pair<int, int> alias) {
    b.integer(alias.first);
    b.integer(alias.second);
  });
  b.integer(call.scratchBytes);
  b.integer(call.scratchCopies);
}

static LibraryCall readCall(ByteReader &b) {
  LibraryCall call;
  call.name = b.string().str();
  b.list(call.attributes, [&] { return readAttribute(b); });
  for (auto *types : {&call.inputs, &call.outputs})
    b.list(*types, [&] {
      BufferType type;
      type.type = readType(b);
      b.integers(type.shape);
      return type;
    });
  b.list(call.aliases, [&] {
    int first = b.id();
    return std::pair(first, b.id());
  });
  call.scratchBytes = b.integer();
  call.scratchCopies = b.integer();
  return call;
}

static void write(ByteWriter &b, const CollectiveSpec &spec) {
  b.integer(int64_t(spec.kind));
  b.integer(int64_t(spec.reduce));
  b.integer(spec.reduceKernel);
  b.integer(int64_t(spec.type));
  b.integers(spec.inputShape);
  b.integers(spec.outputShape);
  b.integer(spec.dim);
  b.integer(spec.concatDim);
  b.list(spec.groups, [&](auto &group) { b.integers(group); });
  b.list(spec.pairs, [&](std::pair<int32_t, int32_t> pair) {
    b.integer(pair.first);
    b.integer(pair.second);
  });
}

static CollectiveSpec readCollective(ByteReader &b) {
  CollectiveSpec spec;
  spec.kind = readEnum(b, CollectiveKind::CollectiveBroadcast);
  spec.reduce = readEnum(b, ReduceKind::Xor);
  spec.reduceKernel = b.id();
  spec.type = readType(b);
  b.integers(spec.inputShape);
  b.integers(spec.outputShape);
  spec.dim = b.integer();
  spec.concatDim = b.integer();
  b.list(spec.groups, [&] {
    llvm::SmallVector<int32_t, 8> group;
    readIds(b, group);
    return group;
  });
  b.list(spec.pairs, [&] {
    int32_t first = b.id();
    return std::pair(first, b.id());
  });
  return spec;
}

/// Hash of the machine code and of the operand sizes and iteration counts that
/// it was compiled for, which the code does not check.
static std::string codeDigest(const Program &program,
                              llvm::ArrayRef<llvm::StringRef> objects) {
  ByteWriter b;
  for (const Kernel &kernel : program.kernels) {
    b.string(kernel.symbol);
    b.integer(kernel.iterations);
  }
  for (const Step &step : program.steps) {
    if (step.kind != StepKind::Kernel)
      continue;
    b.integer(step.payload);
    for (const auto *operands : {&step.inputs, &step.outputs})
      b.list(*operands,
             [&](SlotId slot) { b.integer(program.slots[slot].bytes()); });
  }
  for (const CollectiveSpec &spec : program.collectives)
    if (spec.reduceKernel >= 0) {
      b.integer(spec.reduceKernel);
      b.integer(byteWidth(spec.type));
    }
  llvm::BLAKE3 hasher;
  hasher.update(b.take());
  for (llvm::StringRef object : objects)
    hasher.update(object);
  auto digest = hasher.final<32>();
  return llvm::toStringRef(llvm::ArrayRef<uint8_t>(digest)).str();
}

llvm::Error cpu::writeProgram(const Program &program, ByteWriter &b) {
  // Kernels may be in modules of other programs of the process; only modules
  // that hold a kernel of this program are written.
  std::vector<const LinkedCode *> code;
  static const ProgramCode none;
  const ProgramCode &known = program.code ? *program.code : none;
  for (const Kernel &kernel : program.kernels) {
    auto has = [&](const auto &c) { return c->find(kernel.symbol) != nullptr; };
    if (llvm::any_of(code, has))
      continue;
    auto it = llvm::find_if(known.objects, has);
    if (it == known.objects.end())
      return llvm::createStringError("kernel '" + kernel.symbol +
                                     "' has no object file");
    code.push_back(it->get());
  }
  b.string(program.name);
  b.integer(program.numReplicas);
  b.integer(program.numPartitions);
  b.integer(program.arenaBytes);
  b.integers(program.arguments);
  b.integers(program.results);
  auto each = [&](const auto &value) { write(b, value); };
  b.list(program.slots, each);
  b.list(program.steps, each);
  b.list(program.kernels, each);
  b.list(program.dots, each);
  b.list(program.libraryCalls, each);
  b.list(program.collectives, each);
  b.list(program.switchTargets, [&](auto &targets) { b.integers(targets); });
  b.list(program.locations, [&](const std::string &text) { b.string(text); });
  b.list(program.constants, [&](const ConstantData &constant) {
    b.string({static_cast<const char *>(constant.data.get()),
              static_cast<size_t>(constant.bytes)});
  });
  b.list(code, [&](const LinkedCode *c) { b.string(c->object()); });
  b.list(known.kernels, each);
  b.string(codeDigest(program, llvm::map_to_vector(code, [](const auto *c) {
                        return c->object();
                      })));
  return llvm::Error::success();
}

llvm::Expected<Program> cpu::readProgram(ByteReader &b) {
  Program program;
  program.name = b.string().str();
  program.numReplicas = b.integer();
  program.numPartitions = b.integer();
  program.arenaBytes = b.integer();
  readIds(b, program.arguments);
  readIds(b, program.results);
  b.list(program.slots, [&] { return readSlot(b); });
  b.list(program.steps, [&] { return readStep(b); });
  b.list(program.kernels, [&] { return readKernel(b); });
  b.list(program.dots, [&] { return readDot(b); });
  b.list(program.libraryCalls, [&] { return readCall(b); });
  b.list(program.collectives, [&] { return readCollective(b); });
  b.list(program.switchTargets, [&] {
    std::vector<int32_t> targets;
    readIds(b, targets);
    return targets;
  });
  b.list(program.locations, [&] { return b.string().str(); });
  std::vector<llvm::StringRef> constants, objects;
  b.list(constants, [&] { return b.string(); });
  b.list(objects, [&] { return b.string(); });
  auto known = std::make_shared<ProgramCode>();
  b.list(known->kernels, [&] { return readFacts(b); });
  llvm::StringRef digest = b.string();
  if (b.failed())
    return llvm::createStringError("it is truncated or malformed");
  if (llvm::Error e = checkProgram(program, *known))
    return e;
  if (digest != codeDigest(program, objects))
    return llvm::createStringError(
        "its machine code is damaged, or was compiled for other operands");
  for (llvm::StringRef bytes : constants) {
    std::shared_ptr<void> memory = allocateHost(bytes.size());
    if (!memory)
      return llvm::createStringError("not enough memory for its constants");
    if (!bytes.empty())
      std::memcpy(memory.get(), bytes.data(), bytes.size());
    program.constants.push_back({std::move(memory), int64_t(bytes.size())});
  }
  for (llvm::StringRef object : objects) {
    auto code =
        LinkedCode::link(llvm::MemoryBuffer::getMemBufferCopy(object, ""));
    if (!code)
      return code.takeError();
    known->objects.push_back(std::move(*code));
  }
  for (Kernel &kernel : program.kernels) {
    for (const auto &code : known->objects)
      if (void *function = code->find(kernel.symbol))
        kernel.function = reinterpret_cast<KernelFn>(function);
    if (!kernel.function)
      return llvm::createStringError("kernel '" + kernel.symbol +
                                     "' has no object file");
  }
  program.code = std::move(known);
  return program;
}
