//===- allocator.cc - the allocator of the commands -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executable that links this file allocates with jemalloc. A module consists
// of millions of small objects that are walked many times. Huge pages reduce
// the TLB misses of these walks, and the cost of first touches, which is higher
// than the cost of the writes: one page fault covers 2 MiB.
//
// Commands run only briefly. So no memory is returned to the system in between,
// and small allocations split large free blocks instead of touching new pages.
//
// MALLOC_CONF in the environment overrides these options. The library itself
// does not choose an allocator; the program that loads it does.
//
//===----------------------------------------------------------------------===//

/// jemalloc reads this before main (jemalloc(3), "TUNING").
extern "C" const char *malloc_conf;
const char *malloc_conf =
    "thp:always,metadata_thp:auto,dirty_decay_ms:-1,muzzy_decay_ms:-1,"
    "lg_extent_max_active_fit:40";
