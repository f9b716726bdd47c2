//===- proto_mutator.h - mutates protocol buffers ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_FUZZ_PROTO_MUTATOR_H
#define SHARDWRIGHT_TEST_FUZZ_PROTO_MUTATOR_H

#include <cstddef>
#include <cstdint>

namespace shardwright::fuzz {

/// A mutator of libFuzzer for protocol buffers of any type: changes, removes,
/// repeats, exchanges and copies fields at any depth, and writes the lengths
/// anew. Some mutations, and those of bytes that are no message, are
/// libFuzzer's own of the bytes.
size_t mutateProto(uint8_t *data, size_t size, size_t limit, unsigned seed);

} // namespace shardwright::fuzz

#endif // SHARDWRIGHT_TEST_FUZZ_PROTO_MUTATOR_H
