//===- lapack_threads.cc - who may call OpenBLAS at once ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/lapack.h"

extern "C" {
int openblas_get_parallel();
void openblas_set_num_threads(int threads);
}

bool shardwright::cpu::lapackTakesManyCallers() {
  static const bool takes = [] {
    // 0: built without threads; 1: POSIX threads; 2: OpenMP.
    int flavour = openblas_get_parallel();
    // Devices are side by side already: a call is its caller's work.
    if (flavour != 0)
      openblas_set_num_threads(1);
    return flavour == 1;
  }();
  return takes;
}
