//===- printable.h - escape text for a terminal -----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, locations and messages of a program may hold any bytes. A terminal
// executes escape sequences, which can hide, overwrite or send text.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_PRINTABLE_H
#define SHARDWRIGHT_MESH_PRINTABLE_H

#include "llvm/Support/raw_ostream.h"

#include <string>

namespace shardwright {

/// Writes `text` with control characters, and bytes that are not UTF-8, as
/// `\x1b`; line breaks and tabs stay.
void writePrintable(llvm::StringRef text, llvm::raw_ostream &os);

/// The same as a string, for one line: a line break is `\n`.
std::string printable(llvm::StringRef text);

/// A stream that writes through writePrintable to another one, which must
/// outlive it. It has no buffer.
class PrintableStream : public llvm::raw_ostream {
public:
  explicit PrintableStream(llvm::raw_ostream &to)
      : raw_ostream(/*unbuffered=*/true), to(to) {}

private:
  void write_impl(const char *data, size_t size) override;
  uint64_t current_pos() const override { return 0; }

  llvm::raw_ostream &to;
  /// The first bytes of an incomplete character.
  std::string begun;
};

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_PRINTABLE_H
