//===- llvm_memory.cc - what LLVM's headers need of its library -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Functions of llvm/Support/MemAlloc.h, by which llvm::unique_function gets and
// frees memory, as LLVM's library defines them: a function that the library has
// made is destroyed here, and the other way.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/MemAlloc.h"

#include <new>

void *llvm::allocate_buffer(size_t size, size_t alignment) {
  return ::operator new(size, std::align_val_t(alignment));
}

void llvm::deallocate_buffer(void *memory, size_t size, size_t alignment) {
  ::operator delete(memory, size, std::align_val_t(alignment));
}
