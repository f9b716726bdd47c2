//===- lapack_threads.cc - thread safety of OpenBLAS ----------------------===//
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
    // Devices run in parallel already: OpenBLAS must not start threads.
    if (flavour != 0)
      openblas_set_num_threads(1);
    return flavour == 1;
  }();
  return takes;
}
