//===- tcp_connect.h - connects processes by TCP ----------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_JOB_TCP_CONNECT_H
#define SHARDWRIGHT_JOB_TCP_CONNECT_H

#include "shardwright/job/engine_module.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace shardwright {

/// A descriptor of a file or socket, closed by the destructor.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number(number) {}
  FileDescriptor(FileDescriptor &&other)
      : number(std::exchange(other.number, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) {
    std::swap(number, other.number);
    return *this;
  }
  ~FileDescriptor() { close(); }
  int get() const { return number; }
  bool isOpen() const { return number >= 0; }
  void close();

private:
  int number = -1;
};

/// Connects this process to all others, within options.startTimeout. Returns a
/// socket for each process, none for this one. A process listens at
/// options.address, and says by options.put at which port; those of higher
/// numbers connect, and show a random number that it has published beside it.
llvm::Expected<std::vector<FileDescriptor>>
connectByTcp(const EngineOptions &options);

} // namespace shardwright

#endif // SHARDWRIGHT_JOB_TCP_CONNECT_H
