//===- onednn.cc - shared code of oneDNN's users --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/onednn.h"

using namespace shardwright;
using namespace shardwright::cpu;

// Debian's oneDNN depends on GNU OpenMP. If OpenMP is not loaded, there are no
// threads to limit.
extern "C" {
__attribute__((weak)) void omp_set_num_threads(int);
__attribute__((weak)) int omp_get_max_threads();
}

onednn::OneThread::OneThread() {
  if (omp_set_num_threads && omp_get_max_threads) {
    before = omp_get_max_threads();
    if (before != 1)
      omp_set_num_threads(1);
  }
}

onednn::OneThread::~OneThread() {
  if (before > 1)
    omp_set_num_threads(before);
}

dnnl_engine_t onednn::engine() {
  // Lives as long as the process: primitives on other threads use it.
  static Engine *engine = [] {
    auto *e = new Engine();
    dnnl_engine_create(e->out(), dnnl_cpu, 0);
    return e;
  }();
  return engine->get();
}

dnnl_stream_t onednn::stream() {
  thread_local Stream stream = [] {
    Stream s;
    dnnl_stream_create(s.out(), engine(), dnnl_stream_default_flags);
    return s;
  }();
  return stream.get();
}

dnnl_data_type_t onednn::dataType(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return dnnl_f32;
  case ElementType::BF16:
    return dnnl_bf16;
  case ElementType::S8:
    return dnnl_s8;
  case ElementType::U8:
    return dnnl_u8;
  case ElementType::S32:
    return dnnl_s32;
  default:
    return dnnl_data_type_undef;
  }
}
