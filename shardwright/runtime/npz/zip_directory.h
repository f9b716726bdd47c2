//===- zip_directory.h - where a zip file stores its members ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_NPZ_ZIP_DIRECTORY_H
#define SHARDWRIGHT_RUNTIME_NPZ_ZIP_DIRECTORY_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace shardwright {

/// The bytes of an uncompressed member. libzip does not tell where they are.
struct StoredMember {
  uint64_t offset = 0, size = 0;
};

/// Finds member `index` of the zip file whose bytes are given, as the central
/// directory lists it (PKWARE's APPNOTE.TXT, 4.3 and 4.5: also with 64-bit
/// sizes). None if it is compressed or encrypted, or if the directory is not
/// understood. Reads only the directory and the member's header.
std::optional<StoredMember> findStoredMember(llvm::StringRef file,
                                             int64_t index);

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_NPZ_ZIP_DIRECTORY_H
