//===- program.h - a compiled per-device program ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The per-device program as flat steps over buffer slots. One Program serves
// all devices, which differ in the device number, the arguments and the control
// flow. The lowering (lowering.h) creates it from local StableHLO, the memory
// plan (memory_plan.h) assigns offsets to arena slots, and the executor
// (executor.h) runs it.
//
// Control flow is jumps between steps; the host reads predicates from slots. A
// *rendezvous* step (collective) is where devices wait for each other; the
// steps between two of them are a segment.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_PROGRAM_PROGRAM_H
#define SHARDWRIGHT_CPU_PROGRAM_PROGRAM_H

#include "shardwright/support/element_type.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>
#include <vector>

namespace shardwright::cpu {

using SlotId = int32_t;
using Shape = llvm::SmallVector<int64_t, 4>;

/// A dense row-major array of one device.
struct Slot {
  enum class Home : uint8_t {
    Arena,    ///< at `offset` of the device's arena (set by the memory plan)
    Argument, ///< buffer `index` of the caller; never written
    Result,   ///< buffer `index` of the caller; written before the program ends
    Constant, ///< Program::constants[index]; shared by all devices
    View,     ///< the bytes of slot `index`, starting `offset` bytes in; owns
              ///< nothing
  };
  Home home = Home::Arena;
  int32_t index = -1;
  int64_t offset = -1;
  ElementType type = ElementType::F32;
  Shape shape;

  int64_t elements() const;
  int64_t bytes() const { return elements() * byteWidth(type); }
};

/// Generated code that computes iterations [begin, end) of its outermost loop.
/// `buffers` holds the inputs, then the outputs of the step.
using KernelFn = void (*)(void *const *buffers, int64_t begin, int64_t end);

struct Kernel {
  std::string symbol; ///< kernels of equal structure have equal symbols
  KernelFn function = nullptr;
  int64_t iterations = 1; ///< independent iterations: may be split over threads
  double costNs = 0; ///< rough estimate for the whole kernel, for scheduling
};

/// Called by a function that a kernel calls (a runtime function, a custom call)
/// if it fails: the run fails with `message` when the kernel returns.
void failKernel(llvm::StringRef message);
/// Returns and clears the failure message of this thread's kernel, or null if
/// it did not fail (cheap).
std::unique_ptr<std::string> takeKernelFailure();

/// out[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n], with operands in
/// any layout that strides can express. Strides in elements.
struct DotSpec {
  ElementType lhsType, rhsType, outType;
  Shape batch; ///< sizes; may be empty
  int64_t m = 1, n = 1, k = 1;
  Shape lhsBatchStrides, rhsBatchStrides, outBatchStrides;
  int64_t lhsStrideM, lhsStrideK, rhsStrideK, rhsStrideN, outStrideM,
      outStrideN;
};

/// Type and shape of a dense array.
struct BufferType {
  ElementType type = ElementType::F32;
  Shape shape;
};

/// A named constant of a library call.
struct LibraryAttribute {
  enum class Kind : uint8_t { Integers, Reals, Text, Dictionary };
  std::string name;
  Kind kind = Kind::Integers;
  /// Numbers: their element type, and whether they are an array or a single
  /// one.
  ElementType type = ElementType::S64;
  bool isArray = false;
  std::vector<int64_t> integers;
  std::vector<double> reals;
  std::string text;
  std::vector<LibraryAttribute> fields;
};

/// A call of a C++ function (library_op.h): its name and operands.
struct LibraryCall {
  /// `stablehlo.fft`, or the target of a custom call.
  std::string name;
  std::vector<LibraryAttribute> attributes;
  /// Shapes as in the operation, whatever the layout of the buffers.
  std::vector<BufferType> inputs, outputs;
  /// (result, operand) pairs that share a buffer.
  std::vector<std::pair<int, int>> aliases;
  /// Scratch memory, which is the last output of the step: size of one copy and
  /// number of copies.
  int64_t scratchBytes = 0, scratchCopies = 0;
};

enum class CollectiveKind : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  CollectivePermute,
  CollectiveBroadcast,
};
constexpr int64_t reduceKernelElements = 512;
enum class ReduceKind : uint8_t { Add, Mul, Max, Min, And, Or, Xor };

struct CollectiveSpec {
  CollectiveKind kind;
  ReduceKind reduce = ReduceKind::Add;
  /// For other reductions, kernels[reduceKernel] combines two arrays of
  /// reduceKernelElements elements, the accumulator first.
  int32_t reduceKernel = -1;
  ElementType type;
  Shape inputShape, outputShape;
  /// all_gather: dimension that grows; reduce_scatter: dimension that shrinks;
  /// all_to_all: split dimension, and concatDim.
  int64_t dim = 0, concatDim = 0;
  /// Groups of devices, members in order; a device is in at most one group
  /// (empty for permute). Devices in no group get zeros.
  std::vector<llvm::SmallVector<int32_t, 8>> groups;
  /// collective_permute: (source, target).
  std::vector<std::pair<int32_t, int32_t>> pairs;
};

enum class StepKind : uint8_t {
  Kernel,     ///< kernels[payload](inputs..., outputs...)
  Dot,        ///< dots[payload]: inputs = {lhs, rhs}, outputs = {out}
  Library,    ///< libraryCalls[payload](inputs..., outputs..., scratch)
  Copy,       ///< outputs[0] := inputs[0], same bytes
  DeviceId,   ///< outputs[0] (ui32 scalar) := partition number of the device
  ReplicaId,  ///< outputs[0] (ui32 scalar) := replica number of the device
  Collective, ///< collectives[payload]: a rendezvous; inputs = {in...}, outputs
              ///< = {out...} pairwise
  Jump,       ///< go to `target`
  JumpIfFalse, ///< inputs = {pred}: go to `target` when the i1 scalar is 0
  Switch, ///< inputs = {i32 index}: go to targets[payload][clamped index]; out
          ///< of range goes to the last
  Return, ///< end of the program
};

struct Step {
  StepKind kind;
  int32_t payload = -1;
  int32_t target = -1;
  llvm::SmallVector<SlotId, 4> inputs, outputs;
  int32_t location =
      -1; ///< index into Program::locations, for errors and profiles
  /// Of a kernel of several ops: the locations of the others, ascending.
  std::vector<int32_t> fusedLocations;
};

/// 64-byte aligned bytes.
struct ConstantData {
  std::shared_ptr<const void> data;
  int64_t bytes = 0;
};

struct ProgramCode;

struct Program {
  std::string name; ///< of the module, like `jit_f`; may be empty
  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<Kernel> kernels;
  std::vector<DotSpec> dots;
  std::vector<LibraryCall> libraryCalls;
  std::vector<CollectiveSpec> collectives;
  std::vector<std::vector<int32_t>> switchTargets;
  std::vector<ConstantData> constants;
  /// Locations of steps: `stablehlo.add at file.py:12:3`.
  std::vector<std::string> locations;
  llvm::SmallVector<SlotId, 8> arguments, results;
  int64_t numReplicas = 1, numPartitions = 1;
  int64_t arenaBytes = 0;
  /// The generated code, which this pointer keeps alive, and metadata of its
  /// kernels (program_code.h). Null for hand-built programs.
  std::shared_ptr<const ProgramCode> code;

  int64_t numDevices() const { return numReplicas * numPartitions; }
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_CPU_PROGRAM_PROGRAM_H
