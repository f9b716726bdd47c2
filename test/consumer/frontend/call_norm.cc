//===- call_norm.cc - calls a foreign function of a library ---------------===//
// Part of Shardwright; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <shardwright/frontend.h>

#include <cstdio>

using namespace shardwright::frontend;

int main() {
  if (Status registered = ffi::registerXlaHandlerFrom(NORM_LIBRARY, "Normalize"); !registered)
    return std::puts(registered.error().str().c_str()), 1;
  auto normalize = jit([](Tensor x) { return ffi::call("Normalize", {x}, {x})[0]; });
  auto y = normalize(arrayOf(std::vector<float>{3, 4}));
  if (!y)
    return std::puts(y.error().str().c_str()), 1;
  auto values = y->toVector<float>();
  std::printf("%.3f %.3f\n", (*values)[0], (*values)[1]);
}
