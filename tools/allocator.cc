//===- allocator.cc - how a command gets its memory -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executable that links this allocates with jemalloc. A module is millions
// of small objects that are walked many times: in huge pages those walks miss
// the TLB less, and a first touch, which costs more than what is written, comes
// once for 2 MiB. Commands end soon, so nothing is given back in between, and
// large blocks that are free are split for small ones: else every module would
// touch pages of its own.
//
// MALLOC_CONF in the environment has the last word. The library itself does
// not choose an allocator: that is for the program that loads it.
//
//===----------------------------------------------------------------------===//

/// jemalloc reads it before main (jemalloc(3), "TUNING").
extern "C" const char *malloc_conf;
const char *malloc_conf =
    "thp:always,metadata_thp:auto,dirty_decay_ms:-1,muzzy_decay_ms:-1,"
    "lg_extent_max_active_fit:40";
