//===- library_test_util.h - runs library ops on plain values ---*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_CPU_LIBRARY_LIBRARY_TEST_UTIL_H
#define SHARDWRIGHT_CPU_LIBRARY_LIBRARY_TEST_UTIL_H

#include "shardwright/cpu/library/library_op.h"
#include "shardwright/support/shape.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace shardwright::cpu::test {

using Bytes = std::vector<char>;

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <typename T> std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Runs a call task by task, from the last to the first, on fresh memory.
inline llvm::Expected<std::vector<Bytes>>
run(const LibraryCall &call, const std::vector<Bytes> &operands,
    bool wholeAtOnce = false) {
  llvm::Expected<LibraryOp> op = makeLibraryOp(call);
  if (!op)
    return op.takeError();
  std::vector<Bytes> results;
  std::vector<Bytes> inputsHeld = operands;
  for (const BufferType &type : call.outputs)
    results.emplace_back(product(type.shape) * byteWidth(type.type),
                         char(0x5a));
  for (auto [out, in] : call.aliases)
    results[out] = operands[in];
  std::vector<void *> inputs, outputs;
  for (Bytes &b : inputsHeld)
    inputs.push_back(b.data());
  for (Bytes &b : results)
    outputs.push_back(b.data());
  for (auto [out, in] : call.aliases)
    inputs[in] = outputs[out];
  Bytes scratch(op->scratchBytes + 64, char(0x77));
  auto address = (reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64;
  LibraryBuffers buffers{inputs.data(), outputs.data(),
                         reinterpret_cast<void *>(address)};
  if (wholeAtOnce) {
    if (llvm::Error e = op->run(buffers, 0, op->tasks))
      return e;
    return results;
  }
  for (int64_t task = op->tasks; task-- > 0;)
    if (llvm::Error e = op->run(buffers, task, task + 1))
      return e;
  return results;
}

inline std::string whyNot(const LibraryCall &call) {
  llvm::Expected<LibraryOp> op = makeLibraryOp(call);
  return op ? "" : toString(op.takeError());
}

struct Random {
  std::mt19937 engine;
  explicit Random(uint32_t seed) : engine(seed) {}
  int64_t operator()(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  bool chance(int percent) { return (*this)(1, 100) <= percent; }
};

template <typename T> std::vector<T> randomValues(Random &random, int64_t n) {
  std::vector<T> values;
  for (int64_t i = 0; i < n; ++i)
    values.push_back(T(random(-4, 4)));
  return values;
}

} // namespace shardwright::cpu::test

#endif // SHARDWRIGHT_CPU_LIBRARY_LIBRARY_TEST_UTIL_H
