//===- hlo_module.h - a HloModuleProto in memory ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The computations and instructions of a module, with ids resolved to
// positions. Everything views the bytes that were read. As XLA demands,
// computations come after those that they call, and instructions after their
// operands, so that there are no cycles.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_HLO_MODULE_H
#define SHARDWRIGHT_INTEROP_HLO_HLO_MODULE_H

#include "shardwright/interop/hlo/opcodes.h"
#include "shardwright/interop/hlo/shape.h"

namespace shardwright::hlo {

struct Instruction {
  ProtoMessage fields;
  llvm::StringRef name;
  const Opcode *opcode = nullptr;
  Shape shape;
  /// Positions in the computation.
  llvm::SmallVector<int32_t, 3> operands;
  /// Positions in the module.
  llvm::SmallVector<int32_t, 1> called;
};

struct Computation {
  llvm::StringRef name;
  std::vector<Instruction> instructions;
  int32_t root = 0;
  /// Positions of the parameters by their number.
  std::vector<int32_t> parameters;

  const Instruction &rootInstruction() const { return instructions[root]; }
  const Instruction &parameter(size_t number) const {
    return instructions[parameters[number]];
  }
};

/// How many replicas a program has, each of so many partitions; 0: unknown.
struct DeviceCounts {
  int64_t replicas = 0, partitions = 0;
};

struct Module {
  ProtoMessage fields;
  llvm::StringRef name;
  std::vector<Computation> computations;
  int32_t entry = 0;
  /// From the caller, else from the configuration, else from the device
  /// assignment.
  DeviceCounts counts;
  /// Backend configurations, to which instructions refer by number.
  llvm::SmallVector<llvm::StringRef, 0> payloads;
};

/// How a module is wrapped.
enum class Wrapping {
  None,       ///< HloModuleProto
  WithConfig, ///< HloModuleProtoWithConfig
  Any,        ///< also HloProto and HloSnapshot, as XLA dumps them: by content
};

/// True if the bytes are an HLO module, wrapped or not.
bool isHloModule(llvm::StringRef bytes);

/// Errors name the computation and the instruction. The bytes must outlive the
/// module.
llvm::Expected<Module> parseHloModule(llvm::StringRef bytes, Wrapping wrapping);

/// An error about an instruction: "instruction 'add.1' (add) of computation
/// 'main': MESSAGE".
std::string describeInstruction(const Computation &computation,
                                const Instruction &instruction);

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_HLO_MODULE_H
