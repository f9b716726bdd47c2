//===- callback_ops.cc - host functions, contractions, options of loops ---===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ops.h"

#include <cmath>

namespace shardwright::frontend {
namespace {

Tensor sines(const Tensor &x) {
  auto values = *x.toVector<float>();
  for (float &v : values)
    v = std::sin(v);
  return arrayOf(values, x.shape());
}
/// The result is given where the arguments have more dimensions, too.
Tensor sineOfSum(const Tensor &x, const Tensor &y) {
  return sines(lax::add(x, y));
}

constexpr const char *kMethods[] = {"sequential", "sequential_unrolled",
                                    "expand_dims", "broadcast_all",
                                    "legacy_vectorized"};
constexpr const char *kContractions[] = {
    "ij,kj,kl->il", "ij,kj,kl,il->",       "ij,ij,ij->i",
    "ij,kj,il->kl", "...j,...j,...j->...", "ij,kj,kl,ml->im"};

CheckpointPolicy policyOf(int64_t number) {
  switch (number) {
  case 0:
    return policies::everythingSaveable();
  case 1:
    return policies::nothingSaveable();
  case 2:
    return policies::dotsSaveable();
  case 3:
    return policies::saveOnlyTheseNames({"y"});
  case 4:
    return policies::saveAnythingExceptTheseNames({"y"});
  case 5:
    return policies::saveAndOffloadOnlyTheseNames({"z"}, {"y"});
  case 6:
    return policies::saveAndOffloadOnlyTheseNames({"y"}, {"z"});
  case 7:
    return policies::offloadDotWithNoBatchDims();
  default:
    return {};
  }
}

Tensor twoLayers(const Tensor &x) {
  Tensor y = lax::checkpointName(lax::sin(x), "y");
  Tensor z = lax::checkpointName(lax::sin(y), "z");
  Ints last{y.rank() - 1};
  return lax::sin(lax::dot_general(z, x, {last, last, {}, {}}));
}

} // namespace

void addCallbacks(Ops &ops) {
  OP("callback_pure",
     pureCallback(sines, shapeDtypeStruct(a[0].shape(), DType::F32),
                  PureCallbackOptions{kMethods[one(k, "method")], {}}, a[0]))
  OP("callback_pair",
     pureCallback(sineOfSum, shapeDtypeStruct(a[0].shape(), DType::F32),
                  PureCallbackOptions{kMethods[one(k, "method")], {}}, a[0],
                  a[1]))
  OP("callback_io",
     ioCallback(sines, shapeDtypeStruct(a[0].shape(), DType::F32),
                IoCallbackOptions{one(k, "ordered") != 0, {}}, a[0]))
  ops["callback_debug"] = [](const Args &a, const Keys &k) -> Tensors {
    debugCallback(
        DebugOptions{.ordered = one(k, "ordered") != 0}, [](Tensor) {}, a[0]);
    return {lax::mul(a[0], scalarOf(2.0, DType::F32))};
  };
  ops["contract"] = [](const Args &a, const Keys &k) -> Tensors {
    return {einsum(kContractions[one(k, "spec")], a)};
  };
  ops["scan_unroll"] = [](const Args &a, const Keys &k) -> Tensors {
    Tensor first = a[0][0];
    auto body = [](Tensor c, Tensor x) {
      Tensor next = lax::mul(lax::sin(c), x);
      return std::pair{next, lax::add(c, x)};
    };
    auto out = scan(body, first, a[0],
                    {.reverse = one(k, "reverse") != 0,
                     .unroll = one(k, "unroll"),
                     .splitTranspose = one(k, "split") != 0});
    if (!out)
      return {Tensor(out.error()), Tensor(out.error())};
    return {out->first, out->second};
  };
  OP("map_batch", map([](Tensor x) { return lax::sin(x); }, a[0],
                      {.batchSize = one(k, "size")}))
  OP("checkpoint_policy",
     checkpoint(twoLayers, {.policy = policyOf(one(k, "policy"))})(a[0]))
}

} // namespace shardwright::frontend
