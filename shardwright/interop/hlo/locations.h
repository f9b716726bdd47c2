//===- locations.h - source locations of HLO instructions -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_LOCATIONS_H
#define SHARDWRIGHT_INTEROP_HLO_LOCATIONS_H

#include "shardwright/interop/hlo/hlo_module.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"

namespace shardwright::hlo {

/// Makes locations as JAX writes them: the name of the op around a file
/// position or around the call stack of the module's table of frames. An
/// instruction without metadata has its own name.
class Locations {
public:
  Locations(const Module &module, mlir::MLIRContext *context);

  mlir::Location of(const Instruction &instruction);

private:
  struct Frame {
    mlir::Location location;
    int64_t parent;
  };
  mlir::Location position(const ProtoMessage &metadata);
  /// The call stack of a frame, counted from 1; null if there is none.
  mlir::LocationAttr stack(int64_t frame);

  mlir::MLIRContext *context;
  std::vector<Frame> frames;
  llvm::DenseMap<int64_t, mlir::LocationAttr> stacks;
};

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_LOCATIONS_H
