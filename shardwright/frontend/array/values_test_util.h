//===- values_test_util.h - elements of results in tests --------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_ARRAY_VALUES_TEST_UTIL_H
#define SHARDWRIGHT_FRONTEND_ARRAY_VALUES_TEST_UTIL_H

#include "shardwright/frontend/array/tensor.h"

#include <gtest/gtest.h>

namespace shardwright::frontend {

using Floats = std::vector<float>;

/// The elements of an f32 array; none, and a failure of the test, for an error.
inline Floats values(const Expected<Tensor> &x) {
  EXPECT_TRUE(x.ok()) << x.error().str();
  auto v = x ? x->toVector<float>() : Expected<Floats>(Floats());
  EXPECT_TRUE(v.ok()) << v.error().str();
  return v ? *v : Floats();
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_ARRAY_VALUES_TEST_UTIL_H
