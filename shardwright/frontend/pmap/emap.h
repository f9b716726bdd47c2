//===- emap.h - pmap without jit --------------------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_PMAP_EMAP_H
#define SHARDWRIGHT_FRONTEND_PMAP_EMAP_H

#include "shardwright/frontend/pmap/pmap.h"

namespace shardwright::frontend {

namespace detail {
/// What emap does not take.
Status checkEmapOptions(const PmapOptions &options);
} // namespace detail

/// The results of pmap, by operations: each is a program of its own over all
/// devices, and the function may print values that differ between devices.
/// While config::disableJit is set, pmap does the same. JAX: pmap under
/// jax.disable_jit.
template <typename F> auto emap(F function, PmapOptions options = {}) {
  Status valid = detail::checkEmapOptions(options);
  Pmapped<F> mapped = pmap(std::move(function), std::move(options));
  return [mapped, valid](const auto &...args) -> decltype(mapped(args...)) {
    if (!valid)
      return valid.error();
    ScopedConfig scope(config::disableJit, true);
    return mapped(args...);
  };
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_PMAP_EMAP_H
