//===- server_io.h - requests and replies of test servers -------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_ORACLE_SERVER_IO_H
#define SHARDWRIGHT_TEST_ORACLE_SERVER_IO_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <cstdio>
#include <string>

/// Reads a number of standard input; false at its end.
inline bool read(uint64_t &number) {
  return fread(&number, sizeof number, 1, stdin) == 1;
}

/// Reads a length, and so many bytes.
inline bool read(std::string &text) {
  uint64_t length;
  if (!read(length))
    return false;
  text.resize(length);
  return fread(text.data(), 1, length, stdin) == length;
}

/// Writes a status, and the length and bytes of the payload.
inline void writeReply(uint64_t status, llvm::StringRef payload) {
  uint64_t head[2] = {status, payload.size()};
  fwrite(head, sizeof head, 1, stdout);
  fwrite(payload.data(), 1, payload.size(), stdout);
  fflush(stdout);
}

#endif // SHARDWRIGHT_TEST_ORACLE_SERVER_IO_H
