//===- npz_archive.h - an npz file that is being read -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_NPZ_NPZ_ARCHIVE_H
#define SHARDWRIGHT_RUNTIME_NPZ_NPZ_ARCHIVE_H

#include "shardwright/runtime/array.h"
#include "shardwright/runtime/npz/npy_header.h"
#include "shardwright/runtime/npz/zip_archive.h"

#include <vector>

namespace shardwright {

struct MemberCloser {
  void operator()(zip_file_t *f) const { zip_fclose(f); }
};

/// A member whose header has been read and whose elements are next.
struct OpenMember {
  std::unique_ptr<zip_file_t, MemberCloser> file;
  NpyHeader header;
  uint64_t dataBytes = 0;

  /// Reads the next `size` bytes.
  llvm::Error read(char *to, uint64_t size);
  /// Checks that the member ends here, and its CRC.
  llvm::Error readEnd();
};

/// An open archive. Errors name the file and the member.
class NpzArchive {
public:
  static llvm::Expected<NpzArchive> open(llvm::StringRef path);

  llvm::StringRef path() const { return name; }
  int64_t count() const { return zip_get_num_entries(archive.get(), 0); }
  /// The name without `.npy`.
  llvm::StringRef nameOf(int64_t index) const;
  /// The members PREFIX0, PREFIX1, ... PREFIX(count-1); the last ones of equal
  /// names, as in numpy. Fails if one is missing or there are more.
  llvm::Expected<std::vector<int64_t>> numbered(llvm::StringRef prefix,
                                                int64_t count) const;
  llvm::Expected<OpenMember> member(int64_t index) const;
  llvm::Expected<Array> array(int64_t index, OpenMember member) const;
  /// An error of a member.
  llvm::Error inMember(int64_t index, llvm::Error e) const;

private:
  llvm::Expected<OpenMember> tryMember(int64_t index) const;
  static llvm::Expected<Array> tryArray(OpenMember member);

  std::string name;
  uint64_t fileBytes = 0;
  Archive archive;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_NPZ_NPZ_ARCHIVE_H
