//===- plugin_layouts.h - layouts and memories of arrays --------*- C++ -*-===//
//-*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_PJRT_CLIENT_PLUGIN_LAYOUTS_H
#define SHARDWRIGHT_PJRT_CLIENT_PLUGIN_LAYOUTS_H

#include "shardwright/backend/array_type.h"
#include "shardwright/backend/device.h"
#include "shardwright/pjrt_client/plugin_client.h"

namespace shardwright::pjrt_client {

/// How an argument or result of a program lies in the memory of a device.
struct Placement {
  MemoryKind memory = MemoryKind::Device;
  /// The layout that the program asks for: `{0,1}`, `auto`, or empty for the
  /// plugin's default.
  std::string layout;
};

/// A layout as the interface takes it.
class MemoryLayout {
public:
  static std::unique_ptr<MemoryLayout> rowMajor(size_t rank);
  /// Reads XLA's text: dimensions from minor to major, and tiles, as in
  /// `{1,0:T(8,128)(2,1)}`. Sizes of elements and numbers of memories, which
  /// the interface does not take, are skipped.
  static llvm::Expected<std::unique_ptr<MemoryLayout>>
  parse(llvm::StringRef text, size_t rank);

  llvm::ArrayRef<int64_t> minorToMajor() const { return order; }
  /// Views this object.
  PJRT_Buffer_MemoryLayout *get() { return &layout; }

private:
  MemoryLayout();
  void finish();

  llvm::SmallVector<int64_t, 6> order, tileDims;
  llvm::SmallVector<size_t, 2> tileRanks;
  PJRT_Buffer_MemoryLayout layout;
};

/// The layouts that a compiled program has for arguments or results, where the
/// program asks for one; empty for all others and for the plugin's default. An
/// empty list: all are empty. Fails if the plugin does not say which layouts it
/// chose, or has chosen others.
llvm::Expected<std::vector<std::string>>
compiledLayouts(const PluginClient &client, PJRT_Executable *executable,
                bool ofArguments, llvm::ArrayRef<Placement> wanted,
                llvm::ArrayRef<ArrayType> types);

/// The layout of a buffer, as text; empty for the plugin's default.
llvm::Expected<std::string> layoutOf(const PluginClient &client,
                                     PJRT_Buffer *buffer,
                                     const ArrayType &type);

/// Checks that the results of a compiled program are in the memories that it
/// asks for, as far as the plugin says.
llvm::Error checkMemories(const PluginClient &client,
                          PJRT_Executable *executable,
                          llvm::ArrayRef<Placement> results);

} // namespace shardwright::pjrt_client

#endif // SHARDWRIGHT_PJRT_CLIENT_PLUGIN_LAYOUTS_H
