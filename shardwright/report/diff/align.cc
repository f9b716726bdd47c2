//===- align.cc - aligns two sequences ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/report/diff/align.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

namespace shardwright {
namespace {

using Keys = llvm::ArrayRef<int64_t>;

/// Insertions and deletions up to which the best alignment is searched; the
/// memory for it is quadratic in them.
constexpr int64_t kMostEdits = 1500;

class Aligner {
public:
  explicit Aligner(size_t size) : partner(size, -1) {}

  /// Aligns a[0..] at `aBegin` of the full sequence with b[0..] at `bBegin`.
  void run(Keys a, Keys b, int64_t aBegin, int64_t bBegin);
  std::vector<int64_t> partner;

private:
  bool shortestEdits(Keys a, Keys b, int64_t aBegin, int64_t bBegin);
  void joinUnique(Keys a, Keys b, int64_t aBegin, int64_t bBegin);
};

bool Aligner::shortestEdits(Keys a, Keys b, int64_t aBegin, int64_t bBegin) {
  int64_t n = int64_t(a.size()), m = int64_t(b.size());
  int64_t most = std::min(n + m, kMostEdits);
  // By diagonal a - b, from -most to most: the furthest index of a.
  std::vector<int64_t> furthest(size_t(2 * most + 3), 0);
  auto at = [&](std::vector<int64_t> &v, int64_t diagonal) -> int64_t & {
    return v[size_t(diagonal + most + 1)];
  };
  std::vector<std::vector<int64_t>> steps;
  int64_t edits = 0;
  bool isDone = false;
  for (; edits <= most && !isDone; ++edits) {
    std::vector<int64_t> row;
    for (int64_t k = -edits; k <= edits; k += 2) {
      bool down = k == -edits ||
                  (k != edits && at(furthest, k - 1) < at(furthest, k + 1));
      int64_t x = down ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
      if (edits == 0)
        x = 0;
      int64_t y = x - k;
      while (x < n && y >= 0 && y < m && a[size_t(x)] == b[size_t(y)])
        ++x, ++y;
      at(furthest, k) = x;
      row.push_back(x);
      if (x >= n && y >= m) {
        isDone = true;
        break;
      }
    }
    steps.push_back(std::move(row));
  }
  if (!isDone)
    return false;
  // Back from the end: on each diagonal the equal elements are partners.
  int64_t x = n, y = m;
  for (auto d = int64_t(steps.size()) - 1; d >= 0; --d) {
    int64_t k = x - y, fromX = 0, fromY = 0;
    if (d > 0) {
      const std::vector<int64_t> &before = steps[size_t(d - 1)];
      auto reached = [&](int64_t diagonal) {
        int64_t i = (diagonal + d - 1) / 2;
        return i >= 0 && i < int64_t(before.size()) ? before[size_t(i)]
                                                    : int64_t(-1);
      };
      bool down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
      int64_t previous = down ? k + 1 : k - 1;
      fromX = reached(previous);
      fromY = fromX - previous;
    }
    int64_t startX = d == 0 ? 0 : (x - y < fromX - fromY ? fromX : fromX + 1);
    while (x > startX && y > 0) {
      --x, --y;
      partner[size_t(aBegin + x)] = bBegin + y;
    }
    x = fromX;
    y = fromY;
  }
  return true;
}

void Aligner::joinUnique(Keys a, Keys b, int64_t aBegin, int64_t bBegin) {
  struct Place {
    int64_t inA = -1, inB = -1;
    int countA = 0, countB = 0;
  };
  llvm::DenseMap<int64_t, Place> places;
  for (auto [i, key] : llvm::enumerate(a)) {
    Place &place = places[key];
    place.inA = int64_t(i);
    ++place.countA;
  }
  for (auto [i, key] : llvm::enumerate(b)) {
    Place &place = places[key];
    place.inB = int64_t(i);
    ++place.countB;
  }
  // The longest run of unique keys that ascends in both (patience sorting).
  std::vector<std::pair<int64_t, int64_t>> unique;
  for (int64_t key : a)
    if (const Place &place = places[key];
        place.countA == 1 && place.countB == 1)
      unique.push_back({place.inA, place.inB});
  std::vector<int64_t> tails, before(unique.size(), -1);
  for (auto [i, pair] : llvm::enumerate(unique)) {
    auto it =
        llvm::lower_bound(tails, pair.second, [&](int64_t tail, int64_t value) {
          return unique[size_t(tail)].second < value;
        });
    if (it != tails.begin())
      before[i] = *std::prev(it);
    if (it == tails.end())
      tails.push_back(int64_t(i));
    else
      *it = int64_t(i);
  }
  if (tails.empty()) {
    // No anchor: pair equal keys greedily.
    size_t y = 0;
    for (auto [x, key] : llvm::enumerate(a)) {
      size_t found = y;
      while (found < b.size() && b[found] != key && found - y < 64)
        ++found;
      if (found >= b.size() || b[found] != key)
        continue;
      partner[size_t(aBegin) + x] = bBegin + int64_t(found);
      y = found + 1;
    }
    return;
  }
  std::vector<std::pair<int64_t, int64_t>> anchors;
  for (int64_t i = tails.back(); i >= 0; i = before[size_t(i)])
    anchors.push_back(unique[size_t(i)]);
  std::reverse(anchors.begin(), anchors.end());
  anchors.push_back({int64_t(a.size()), int64_t(b.size())});
  int64_t x = 0, y = 0;
  for (auto [nextX, nextY] : anchors) {
    run(a.slice(size_t(x), size_t(nextX - x)),
        b.slice(size_t(y), size_t(nextY - y)), aBegin + x, bBegin + y);
    if (nextX < int64_t(a.size()))
      partner[size_t(aBegin + nextX)] = bBegin + nextY;
    x = nextX + 1;
    y = nextY + 1;
  }
}

void Aligner::run(Keys a, Keys b, int64_t aBegin, int64_t bBegin) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    partner[size_t(aBegin++)] = bBegin++;
    a = a.drop_front();
    b = b.drop_front();
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    partner[size_t(aBegin) + a.size() - 1] = bBegin + int64_t(b.size()) - 1;
    a = a.drop_back();
    b = b.drop_back();
  }
  if (a.empty() || b.empty() || shortestEdits(a, b, aBegin, bBegin))
    return;
  joinUnique(a, b, aBegin, bBegin);
}

} // namespace

std::vector<int64_t> align(const std::vector<std::string> &a,
                           const std::vector<std::string> &b) {
  llvm::StringMap<int64_t> numbers;
  auto numbered = [&](const std::vector<std::string> &keys) {
    std::vector<int64_t> list;
    for (const std::string &key : keys)
      list.push_back(
          numbers.try_emplace(key, int64_t(numbers.size())).first->second);
    return list;
  };
  std::vector<int64_t> aKeys = numbered(a), bKeys = numbered(b);
  Aligner aligner(a.size());
  aligner.run(aKeys, bKeys, 0, 0);
  return std::move(aligner.partner);
}

} // namespace shardwright
