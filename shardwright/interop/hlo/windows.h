//===- windows.h - windows of convolutions and reductions -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_INTEROP_HLO_WINDOWS_H
#define SHARDWRIGHT_INTEROP_HLO_WINDOWS_H

#include "shardwright/interop/hlo/hlo_module.h"
#include "shardwright/interop/hlo/message_specs.h"

namespace shardwright::hlo {

/// The window of an instruction as StableHLO has it: one entry per dimension.
struct WindowLists {
  explicit WindowLists(const Instruction &instruction) {
    using namespace window_field;
    for (const ProtoMessage &one :
         instruction.fields.message(instruction_field::window)
             .messages(window_field::dimensions)) {
      sizes.push_back(one.integer(size));
      strides.push_back(one.integer(stride));
      padding.push_back(one.integer(padding_low));
      padding.push_back(one.integer(padding_high));
      windowDilations.push_back(one.integer(window_dilation));
      baseDilations.push_back(one.integer(base_dilation));
      isReversed.push_back(one.flag(window_reversal));
    }
  }

  llvm::SmallVector<int64_t> sizes, strides, windowDilations, baseDilations;
  /// Low and high of each dimension.
  llvm::SmallVector<int64_t> padding;
  llvm::SmallVector<bool> isReversed;
};

} // namespace shardwright::hlo

#endif // SHARDWRIGHT_INTEROP_HLO_WINDOWS_H
