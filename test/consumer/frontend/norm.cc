//===- norm.cc - a foreign function in a library of its own ---------------===//
// Part of Shardwright; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "xla/ffi/api/ffi.h"

#include <cmath>

namespace ffi = xla::ffi;

/// Divides by the length of the vector.
static ffi::Error normalize(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  float sum = 0;
  for (size_t i = 0; i < x.element_count(); ++i)
    sum += x.typed_data()[i] * x.typed_data()[i];
  if (sum == 0)
    return ffi::Error::InvalidArgument("the vector has no direction");
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = x.typed_data()[i] / std::sqrt(sum);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Normalize, normalize,
                              ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());
