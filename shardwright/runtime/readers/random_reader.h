//===- random_reader.h - reproducible random inputs in parts ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RUNTIME_READERS_RANDOM_READER_H
#define SHARDWRIGHT_RUNTIME_READERS_RANDOM_READER_H

#include "shardwright/runtime/random.h"
#include "shardwright/runtime/readers/array_reader.h"

namespace shardwright {

/// Makes the elements of randomArray that are read.
class RandomReader final : public ArrayReader {
public:
  RandomReader(ElementType type, llvm::ArrayRef<int64_t> shape, uint64_t seed,
               uint64_t stream)
      : ArrayReader(type, shape), seed(seed), stream(stream) {}
  llvm::Error read(const Box &box, void *to,
                   llvm::ArrayRef<int64_t> strides) override {
    return forEachRun(shape(), box, byteWidth(type()), to, strides,
                      [&](int64_t first, int64_t count, char *at) {
                        fillRandom(type(), seed, stream, first, count, at);
                        return llvm::Error::success();
                      });
  }

private:
  const uint64_t seed, stream;
};

} // namespace shardwright

#endif // SHARDWRIGHT_RUNTIME_READERS_RANDOM_READER_H
