//===- dot.cc - matrix products -------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/dot/dot.h"

#include "shardwright/cpu/dot/dot_product.h"
#include "shardwright/support/error.h"

#include <algorithm>
#include <cstring>

using namespace shardwright;
using namespace shardwright::cpu;

/// 1 + the largest index that these sizes and strides reach; 0 if a size is 0;
/// -1 if the index overflows or a size or stride is negative.
static int64_t extentOf(llvm::ArrayRef<int64_t> sizes,
                        llvm::ArrayRef<int64_t> strides) {
  int64_t last = 0;
  bool empty = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0)
      return -1;
    empty |= sizes[i] == 0;
    int64_t reach;
    if (sizes[i] > 1 &&
        (strides[i] < 0 ||
         __builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
         __builtin_add_overflow(last, reach, &last)))
      return -1;
  }
  if (last > INT64_MAX / 32)
    return -1;
  return empty ? 0 : last + 1;
}

static Shape with(llvm::ArrayRef<int64_t> batch, int64_t a, int64_t b) {
  Shape all(batch);
  all.push_back(a);
  all.push_back(b);
  return all;
}

llvm::Expected<DotPlan> DotPlan::create(const DotSpec &given) {
  DotPlan plan;
  plan.spec = given;
  DotSpec &s = plan.spec;
  if (s.lhsBatchStrides.size() != s.batch.size() ||
      s.rhsBatchStrides.size() != s.batch.size() ||
      s.outBatchStrides.size() != s.batch.size())
    return fail("its batch sizes and strides differ in number");
  if (!accumulatorFor(s.lhsType, s.rhsType, s.outType))
    return fail("no product of ", str(s.lhsType), " and ", str(s.rhsType),
                " as ", str(s.outType));
  plan.extents[0] =
      extentOf(with(s.batch, s.m, s.k),
               with(s.lhsBatchStrides, s.lhsStrideM, s.lhsStrideK));
  plan.extents[1] =
      extentOf(with(s.batch, s.k, s.n),
               with(s.rhsBatchStrides, s.rhsStrideK, s.rhsStrideN));
  plan.extents[2] =
      extentOf(with(s.batch, s.m, s.n),
               with(s.outBatchStrides, s.outStrideM, s.outStrideN));
  for (int64_t extent : plan.extents)
    if (extent < 0)
      return fail("negative or overflowing sizes or strides");

  // Merge batch dimensions that are contiguous in all three arrays.
  Shape sizes, lhs, rhs, out;
  for (size_t i = 0; i < s.batch.size(); ++i) {
    if (__builtin_mul_overflow(plan.batches, s.batch[i], &plan.batches))
      return fail("negative or overflowing sizes or strides");
    if (s.batch[i] == 1)
      continue;
    int64_t size = s.batch[i];
    if (!sizes.empty() && lhs.back() == s.lhsBatchStrides[i] * size &&
        rhs.back() == s.rhsBatchStrides[i] * size &&
        out.back() == s.outBatchStrides[i] * size) {
      sizes.back() *= size;
      lhs.back() = s.lhsBatchStrides[i];
      rhs.back() = s.rhsBatchStrides[i];
      out.back() = s.outBatchStrides[i];
      continue;
    }
    sizes.push_back(size);
    lhs.push_back(s.lhsBatchStrides[i]);
    rhs.push_back(s.rhsBatchStrides[i]);
    out.push_back(s.outBatchStrides[i]);
  }
  if (sizes.empty()) {
    sizes.push_back(1);
    lhs.push_back(0);
    rhs.push_back(0);
    out.push_back(0);
  }
  s.batch = sizes;
  s.lhsBatchStrides = lhs;
  s.rhsBatchStrides = rhs;
  s.outBatchStrides = out;
  return plan;
}

double DotPlan::costNs() const {
  double work = double(batches) * spec.m * spec.n * spec.k;
  double bytes =
      double(batches) * (double(spec.m) * spec.k * byteWidth(spec.lhsType) +
                         double(spec.k) * spec.n * byteWidth(spec.rhsType) +
                         double(spec.m) * spec.n * byteWidth(spec.outType));
  bool isFast = isFloat(spec.lhsType) && spec.lhsType != ElementType::F64;
  return 300 + work * (isFast ? 0.025 : 0.15) + bytes * 0.03;
}

DotPlan::Cut DotPlan::cutFor(int64_t tasks) const {
  if (spec.batch[0] >= tasks)
    return Cut::Batch;
  return spec.m >= spec.n ? Cut::M : Cut::N;
}

int64_t DotPlan::tasks(int64_t devices) const {
  // Number of threads that one step of all devices can keep busy; more tasks
  // would slow down machines with fewer threads.
  constexpr int64_t mostAtOnce = 32;
  // Each task packs all of the operand that is not split.
  constexpr int64_t leastRows = 64;
  constexpr double leastNs = 50000;
  int64_t most = std::max<int64_t>(mostAtOnce / devices, 1);
  int64_t tasks = int64_t(std::min(costNs() / leastNs, double(most)));
  if (tasks > 1 && cutFor(tasks) != Cut::Batch)
    tasks = std::min(tasks, std::max(spec.m, spec.n) / leastRows);
  return std::max<int64_t>(tasks, 1);
}

/// Sets every element of the result to 0, whatever the strides.
static void fillZero(const Product &p) {
  // Zero is all zero bits in every type except f8E8M0FNU, which has no zero.
  int64_t width = byteWidth(p.c.type);
  for (int64_t b = 0; b < p.batches; ++b)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j)
        std::memset(p.c.data + (b * p.c.batchStride + i * p.c.rowStride +
                                j * p.c.colStride) *
                                   width,
                    0, width);
}

static llvm::Error multiply(const Product &p) {
  if (p.batches == 0 || p.m == 0 || p.n == 0)
    return llvm::Error::success();
  if (p.k == 0) {
    fillZero(p);
    return llvm::Error::success();
  }
  if (hasVectorProduct(p))
    return vectorProduct(p);
  if (hasLibraryProduct(p))
    return libraryProduct(p);
  return genericProduct(p, *accumulatorFor(p.a.type, p.b.type, p.c.type));
}

llvm::Error DotPlan::run(const void *lhs, const void *rhs, void *out,
                         int64_t task, int64_t tasks) const {
  if (batches == 0)
    return llvm::Error::success();
  int64_t outer = spec.batch[0], m = spec.m, n = spec.n;
  Cut where = cutFor(tasks);
  int64_t *cut = where == Cut::Batch ? &outer : where == Cut::M ? &m : &n;
  int64_t begin = *cut * task / tasks, end = *cut * (task + 1) / tasks;
  *cut = end - begin;
  auto offset = [&](int64_t ofBatch, int64_t ofM, int64_t ofN) {
    return begin * (cut == &outer ? ofBatch : cut == &m ? ofM : ofN);
  };
  Product p;
  p.batches = 1;
  p.m = m;
  p.n = n;
  p.k = spec.k;
  p.a = {const_cast<char *>(static_cast<const char *>(lhs)), spec.lhsType,
         spec.lhsStrideM, spec.lhsStrideK, 0};
  p.b = {const_cast<char *>(static_cast<const char *>(rhs)), spec.rhsType,
         spec.rhsStrideK, spec.rhsStrideN, 0};
  p.c = {static_cast<char *>(out), spec.outType, spec.outStrideM,
         spec.outStrideN, 0};
  p.a = p.a.advanced(offset(spec.lhsBatchStrides[0], spec.lhsStrideM, 0));
  p.b = p.b.advanced(offset(spec.rhsBatchStrides[0], 0, spec.rhsStrideN));
  p.c = p.c.advanced(
      offset(spec.outBatchStrides[0], spec.outStrideM, spec.outStrideN));

  Shape sizes(spec.batch);
  sizes[0] = outer;
  if (m && n && spec.k && isSmallBatch(p, sizes)) {
    llvm::Error e = smallBatchProduct(
        p, sizes,
        {spec.lhsBatchStrides, spec.rhsBatchStrides, spec.outBatchStrides});
    trimScratch();
    return e;
  }
  // The library handles the innermost batch dimension; the others are loops.
  size_t last = sizes.size() - 1;
  p.batches = sizes[last];
  p.a.batchStride = spec.lhsBatchStrides[last];
  p.b.batchStride = spec.rhsBatchStrides[last];
  p.c.batchStride = spec.outBatchStrides[last];
  int64_t loops = 1;
  for (size_t i = 0; i < last; ++i)
    loops *= sizes[i];
  for (int64_t loop = 0; loop < loops; ++loop) {
    int64_t rest = loop, a = 0, b = 0, c = 0;
    for (size_t i = last; i-- > 0;) {
      int64_t index = rest % sizes[i];
      rest /= sizes[i];
      a += index * spec.lhsBatchStrides[i];
      b += index * spec.rhsBatchStrides[i];
      c += index * spec.outBatchStrides[i];
    }
    Product q = p;
    q.a = p.a.advanced(a);
    q.b = p.b.advanced(b);
    q.c = p.c.advanced(c);
    if (llvm::Error e = multiply(q))
      return e;
  }
  trimScratch();
  return llvm::Error::success();
}
