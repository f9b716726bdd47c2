//===- sort_runtime.cc - what Sort kernels call ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/sort_runtime.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace shardwright::cpu {

using Less = uint8_t (*)(void *const *, int64_t, int64_t);

// Stable merge sort, bottom up: safe with any comparator, also one that is no
// order.
static void sortLine(std::vector<int64_t> &offsets, std::vector<int64_t> &spare,
                     void *const *buffers, Less less) {
  auto n = static_cast<int64_t>(offsets.size());
  constexpr int64_t runLength = 8;
  for (int64_t begin = 0; begin < n; begin += runLength) {
    int64_t end = std::min(begin + runLength, n);
    for (int64_t i = begin + 1; i < end; ++i) {
      int64_t x = offsets[i], j = i;
      for (; j > begin && less(buffers, x, offsets[j - 1]); --j)
        offsets[j] = offsets[j - 1];
      offsets[j] = x;
    }
  }
  for (int64_t width = runLength; width < n; width *= 2) {
    for (int64_t begin = 0; begin < n; begin += 2 * width) {
      int64_t middle = std::min(begin + width, n);
      int64_t end = std::min(begin + 2 * width, n);
      int64_t i = begin, j = middle;
      for (int64_t k = begin; k < end; ++k) {
        bool right =
            i == middle || (j < end && less(buffers, offsets[j], offsets[i]));
        spare[k] = right ? offsets[j++] : offsets[i++];
      }
    }
    offsets.swap(spare);
  }
}

template <typename T, typename OffsetOf>
static void moveLine(const void *from, void *to, int64_t size, int64_t first,
                     int64_t stride, OffsetOf offsetOf) {
  for (int64_t i = 0; i < size; ++i)
    static_cast<T *>(to)[first + i * stride] =
        static_cast<const T *>(from)[offsetOf(i)];
}

/// Elements of a line, in the order of `offsetOf(i)`, to the outputs.
template <typename OffsetOf>
static void writeLine(void *const *buffers, const int64_t *columns,
                      int64_t numColumns, int64_t size, int64_t first,
                      int64_t stride, OffsetOf offsetOf) {
  for (int64_t c = 0; c < numColumns; ++c) {
    const void *from = buffers[columns[3 * c]];
    void *to = buffers[columns[3 * c + 1]];
    switch (columns[3 * c + 2]) {
    case 1:
      moveLine<uint8_t>(from, to, size, first, stride, offsetOf);
      break;
    case 2:
      moveLine<uint16_t>(from, to, size, first, stride, offsetOf);
      break;
    case 4:
      moveLine<uint32_t>(from, to, size, first, stride, offsetOf);
      break;
    case 8:
      moveLine<uint64_t>(from, to, size, first, stride, offsetOf);
      break;
    default:
      moveLine<std::array<uint64_t, 2>>(from, to, size, first, stride,
                                        offsetOf);
    }
  }
}

void sortLines(void *const *buffers, int64_t begin, int64_t end, int64_t size,
               int64_t stride, const int64_t *columns, int64_t numColumns,
               Less less) {
  std::vector<int64_t> offsets(size), spare(size);
  for (int64_t line = begin; line < end; ++line) {
    int64_t first = line / stride * stride * size + line % stride;
    for (int64_t i = 0; i < size; ++i)
      offsets[i] = first + i * stride;
    sortLine(offsets, spare, buffers, less);
    writeLine(buffers, columns, numColumns, size, first, stride,
              [&](int64_t i) { return offsets[i]; });
  }
}

namespace {
/// Position in the line, 32 bits of it, below a key of 32 bits.
struct Packed {
  uint64_t bits;
  Packed() = default;
  Packed(uint64_t key, int64_t position) : bits(key << 32 | position) {}
  uint64_t key() const { return bits >> 32; }
  int64_t position() const { return bits & 0xffffffff; }
  bool operator<(const Packed &other) const { return bits < other.bits; }
};
struct Wide {
  uint64_t bits;
  int64_t at;
  Wide() = default;
  Wide(uint64_t key, int64_t position) : bits(key), at(position) {}
  uint64_t key() const { return bits; }
  int64_t position() const { return at; }
  bool operator<(const Wide &other) const {
    return bits != other.bits ? bits < other.bits : at < other.at;
  }
};
} // namespace

/// By the bytes of the keys, lowest first: each turn keeps the order of equals.
template <typename Item>
static void radixSort(std::vector<Item> &items, std::vector<Item> &spare,
                      int64_t keyBytes) {
  std::array<std::array<uint32_t, 256>, 8> counts;
  std::fill_n(counts.begin(), keyBytes, std::array<uint32_t, 256>{});
  for (const Item &item : items)
    for (int64_t byte = 0; byte < keyBytes; ++byte)
      ++counts[byte][item.key() >> (8 * byte) & 255];
  for (int64_t byte = 0; byte < keyBytes; ++byte) {
    auto &count = counts[byte];
    if (count[items.front().key() >> (8 * byte) & 255] == items.size())
      continue; // all the same
    uint32_t next = 0;
    for (uint32_t &c : count)
      c = std::exchange(next, next + c);
    for (const Item &item : items)
      spare[count[item.key() >> (8 * byte) & 255]++] = item;
    items.swap(spare);
  }
}

template <typename Item>
static void
sortByKey(void *const *buffers, int64_t begin, int64_t end, int64_t size,
          int64_t stride, const int64_t *columns, int64_t numColumns,
          uint64_t (*key)(void *const *, int64_t), int64_t keyBits) {
  // Shorter lines are sorted before a radix sort has counted.
  constexpr int64_t isLong = 160;
  std::vector<Item> items(size), spare(size);
  for (int64_t line = begin; line < end; ++line) {
    int64_t first = line / stride * stride * size + line % stride;
    for (int64_t i = 0; i < size; ++i)
      items[i] = Item(key(buffers, first + i * stride), i);
    if (size < isLong)
      std::sort(items.begin(), items.end());
    else
      radixSort(items, spare, (keyBits + 7) / 8);
    writeLine(buffers, columns, numColumns, size, first, stride,
              [&](int64_t i) { return first + items[i].position() * stride; });
  }
}

void sortLinesByKey(void *const *buffers, int64_t begin, int64_t end,
                    int64_t size, int64_t stride, const int64_t *columns,
                    int64_t numColumns, uint64_t (*key)(void *const *, int64_t),
                    int64_t keyBits) {
  auto sort =
      keyBits <= 32 && size <= UINT32_MAX ? sortByKey<Packed> : sortByKey<Wide>;
  if (size > 0)
    sort(buffers, begin, end, size, stride, columns, numColumns, key, keyBits);
}

} // namespace shardwright::cpu
