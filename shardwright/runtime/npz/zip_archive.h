//===- zip_archive.h - libzip's archives ------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_NPZ_ZIP_ARCHIVE_H
#define SHARDWRIGHT_RUNTIME_NPZ_ZIP_ARCHIVE_H

#include <memory>
#include <string>
#include <zip.h>

namespace shardwright {

struct ArchiveCloser {
  void operator()(zip_t *z) const { zip_discard(z); }
};
using Archive = std::unique_ptr<zip_t, ArchiveCloser>;

/// The text of a code of libzip.
inline std::string zipErrorText(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_NPZ_ZIP_ARCHIVE_H
