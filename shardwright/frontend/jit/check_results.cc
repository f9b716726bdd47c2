//===- check_results.cc - NaN and infinity in results ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/check_results.h"

#include "shardwright/frontend/array/value.h"
#include "shardwright/frontend/base/config.h"

#include <cmath>

namespace shardwright::frontend {

/// `nan` or `inf`, if the array contains one that is looked for; else null.
static const char *invalidIn(const Tensor &x) {
  const ArrayValue *array = asArray(x);
  // The parts of a sum may be infinite though the sum is not.
  if (!array || !isInexact(x.dtype()) ||
      !x.sharding().spec().unreduced().empty())
    return nullptr;
  Expected<std::shared_ptr<const void>> data = array->host();
  if (!data)
    return nullptr;
  bool nans = config::debugNans.get(), infs = config::debugInfs.get();
  for (int64_t i = 0; i < x.size(); ++i) {
    double re = readDouble(data->get(), x.dtype(), i);
    double im = readImag(data->get(), x.dtype(), i);
    if (nans && (std::isnan(re) || std::isnan(im)))
      return "nan";
    if (infs && (std::isinf(re) || std::isinf(im)))
      return "inf";
  }
  return nullptr;
}

static const char *invalidIn(const Tensors &results) {
  for (const Tensor &x : results)
    if (const char *found = invalidIn(x))
      return found;
  return nullptr;
}

Status checkResults(const Tensors &results, const std::string &where) {
  if (const char *found = invalidIn(results))
    return makeError(ErrorKind::FloatingPoint, "invalid value (", found,
                     ") encountered in ", where);
  return {};
}

Error invalidResult(const std::string &function, const Tensors &results) {
  const char *found = invalidIn(results);
  return makeError(
      ErrorKind::FloatingPoint, "('jit(", function, ")', '",
      found ? found : "nan",
      "'). Because jax_config.debug_nans.value and/or config.jax_debug_infs is "
      "set, the de-optimized function (i.e., the function as if the `jit` "
      "decorator were removed) was called in an attempt to get a more precise "
      "error message. However, the de-optimized function did not produce "
      "invalid values during its execution. This behavior can result from "
      "`jit` optimizations causing the invalid value to be produced. It may "
      "also arise from having nan/inf literals as inputs or outputs, like "
      "`jax.jit(lambda ...: jax.numpy.nan)(...)`. \n\nIt may be possible to "
      "avoid the invalid value by removing the `jit` decorator, at the cost "
      "of losing optimizations. \n\nIf you see this error, consider opening a "
      "bug report at https://github.com/jax-ml/jax.");
}

} // namespace shardwright::frontend
