//===- axis.cc - axis references and their algebra ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reference is the interval [preSize, nextPreSize) on the multiplicative line
// from 1 to the size of its axis. Most functions compare these two ends.
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/axis.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace shardwright;

bool shardwright::contains(AxisRef x, AxisRef y) {
  return x.axis == y.axis && x.preSize <= y.preSize &&
         x.nextPreSize() >= y.nextPreSize();
}

bool shardwright::isPrefixOf(AxisRef x, AxisRef y) {
  return contains(y, x) && x.preSize == y.preSize;
}

bool shardwright::isSuffixOf(AxisRef x, AxisRef y) {
  return contains(y, x) && x.nextPreSize() == y.nextPreSize();
}

bool shardwright::overlaps(AxisRef x, AxisRef y) {
  if (x.axis != y.axis)
    return false;
  // An axis of size 1 is an empty interval, but overlaps itself.
  return x == y || (x.preSize < y.nextPreSize() && y.preSize < x.nextPreSize());
}

bool shardwright::overlaps(AxisRef x, AxisRefs list) {
  return llvm::any_of(list, [&](AxisRef y) { return overlaps(x, y); });
}

bool shardwright::canCoexist(AxisRef x, AxisRef y) {
  if (x.axis != y.axis)
    return true;
  auto [minPre, maxPre] = std::minmax(x.preSize, y.preSize);
  int64_t nextX = x.nextPreSize(), nextY = y.nextPreSize();
  auto [minNext, maxNext] = std::minmax(nextX, nextY);
  if (minNext > maxPre)
    return maxPre % minPre == 0 && minNext % maxPre == 0 &&
           maxNext % minNext == 0;
  return maxPre % minNext == 0;
}

std::optional<AxisRef> shardwright::overlap(AxisRef x, AxisRef y) {
  if (!overlaps(x, y) || !canCoexist(x, y))
    return std::nullopt;
  int64_t pre = std::max(x.preSize, y.preSize);
  return AxisRef{x.axis, pre, std::min(x.nextPreSize(), y.nextPreSize()) / pre};
}

std::optional<AxisRef> shardwright::prefixWithoutOverlap(AxisRef x, AxisRef y) {
  if (!canCoexist(x, y))
    return std::nullopt;
  if (!overlaps(x, y))
    return x;
  if (x.preSize >= y.preSize)
    return std::nullopt;
  return AxisRef{x.axis, x.preSize, y.preSize / x.preSize};
}

std::optional<AxisRef> shardwright::suffixWithoutOverlap(AxisRef x, AxisRef y) {
  if (!canCoexist(x, y))
    return std::nullopt;
  if (!overlaps(x, y))
    return x;
  if (x.nextPreSize() <= y.nextPreSize())
    return std::nullopt;
  return AxisRef{x.axis, y.nextPreSize(), x.nextPreSize() / y.nextPreSize()};
}

std::optional<AxisRef> shardwright::prefixWithoutOverlap(AxisRef x,
                                                         AxisRefs list) {
  std::optional<AxisRef> left = x;
  for (AxisRef y : list) {
    left = prefixWithoutOverlap(*left, y);
    if (!left)
      break;
  }
  return left;
}

std::optional<AxisRef> shardwright::commonPrefix(AxisRef x, AxisRef y) {
  if (isPrefixOf(x, y))
    return x;
  if (isPrefixOf(y, x))
    return y;
  return std::nullopt;
}

bool shardwright::canMerge(AxisRef x, AxisRef y) {
  // A reference of size 1 is a full axis of size 1, which cannot be continued.
  return x.axis == y.axis && x.size > 1 && y.size > 1 &&
         x.nextPreSize() == y.preSize;
}

AxisRef shardwright::merge(AxisRef x, AxisRef y) {
  return {x.axis, x.preSize, x.size * y.size};
}

int64_t shardwright::totalSize(AxisRefs axes) {
  int64_t product = 1;
  for (AxisRef a : axes)
    if (llvm::MulOverflow(product, a.size, product))
      return std::numeric_limits<int64_t>::max();
  return product;
}

void shardwright::appendMerged(AxisList &axes, AxisRef x) {
  if (!axes.empty() && canMerge(axes.back(), x))
    axes.back() = merge(axes.back(), x);
  else
    axes.push_back(x);
}

void shardwright::appendMerged(AxisList &axes, AxisRefs more) {
  for (AxisRef x : more)
    appendMerged(axes, x);
}

void shardwright::sortAndMerge(AxisList &axes) {
  AxisList sorted = std::move(axes);
  llvm::sort(sorted);
  axes.clear();
  appendMerged(axes, sorted);
}

AxisList shardwright::commonAxes(AxisRefs a, AxisRefs b) {
  AxisList common;
  for (AxisRef x : a)
    for (AxisRef y : b)
      if (std::optional<AxisRef> both = overlap(x, y))
        common.push_back(*both);
  sortAndMerge(common);
  return common;
}

AxisList shardwright::withoutAxes(AxisRefs axes, AxisRefs other) {
  AxisList left(axes);
  for (AxisRef y : other) {
    AxisList next;
    for (AxisRef x : left) {
      if (!overlaps(x, y)) {
        next.push_back(x);
        continue;
      }
      if (std::optional<AxisRef> before = prefixWithoutOverlap(x, y))
        next.push_back(*before);
      if (std::optional<AxisRef> after = suffixWithoutOverlap(x, y))
        next.push_back(*after);
    }
    left = std::move(next);
  }
  sortAndMerge(left);
  return left;
}

ListPrefix shardwright::listPrefix(AxisRefs prefix, AxisRefs of) {
  if (prefix.size() > of.size())
    return ListPrefix::None;
  for (auto [i, x] : llvm::enumerate(prefix)) {
    if (x == of[i])
      continue;
    bool isLast = i + 1 == prefix.size();
    return isLast && isPrefixOf(x, of[i]) ? ListPrefix::Strict
                                          : ListPrefix::None;
  }
  return prefix.size() == of.size() ? ListPrefix::Equal : ListPrefix::Strict;
}
