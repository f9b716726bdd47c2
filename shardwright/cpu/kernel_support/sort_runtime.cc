//===- sort_runtime.cc - runtime of Sort kernels --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/kernel_support/sort_runtime.h"

#include "shardwright/cpu/program/program.h"
#include "shardwright/support/host_memory.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace shardwright::cpu {

using Less = uint8_t (*)(void *const *, int64_t, int64_t);

namespace {
/// The items of a line and spare memory of the same size. Generated code cannot
/// be unwound, so an allocation failure makes the kernel fail instead of
/// throwing.
template <typename T> class Lines {
public:
  explicit Lines(int64_t size) {
    int64_t bytes;
    if (!__builtin_mul_overflow(size, int64_t(2 * sizeof(T)), &bytes))
      memory = allocateHost(bytes);
    if (!memory) {
      failKernel("not enough memory to sort " + std::to_string(size) +
                 " elements");
      return;
    }
    items = {static_cast<T *>(memory.get()), size_t(size)};
    spare = {items.end(), size_t(size)};
  }
  explicit operator bool() const { return memory != nullptr; }

  llvm::MutableArrayRef<T> items, spare;

private:
  std::shared_ptr<void> memory;
};
} // namespace

// Bottom-up stable merge sort. It is safe with any comparator, even one that is
// not an order.
static void sortLine(Lines<int64_t> &line, void *const *buffers, Less less) {
  auto &offsets = line.items, &spare = line.spare;
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
    std::swap(offsets, spare);
  }
}

template <typename T, typename OffsetOf>
static void moveLine(const void *from, void *to, int64_t size, int64_t first,
                     int64_t stride, OffsetOf offsetOf) {
  for (int64_t i = 0; i < size; ++i)
    static_cast<T *>(to)[first + i * stride] =
        static_cast<const T *>(from)[offsetOf(i)];
}

/// Writes the elements of a line to the outputs in the order of `offsetOf(i)`.
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
  Lines<int64_t> lines(size);
  if (!lines)
    return;
  for (int64_t line = begin; line < end; ++line) {
    int64_t first = line / stride * stride * size + line % stride;
    for (int64_t i = 0; i < size; ++i)
      lines.items[i] = first + i * stride;
    sortLine(lines, buffers, less);
    writeLine(buffers, columns, numColumns, size, first, stride,
              [&](int64_t i) { return lines.items[i]; });
  }
}

namespace {
/// A 32-bit key above a 32-bit position in the line.
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

/// Stable radix sort by the bytes of the keys, lowest byte first.
template <typename Item>
static void radixSort(Lines<Item> &line, int64_t keyBytes) {
  auto &items = line.items, &spare = line.spare;
  std::array<std::array<uint32_t, 256>, 8> counts;
  std::fill_n(counts.begin(), keyBytes, std::array<uint32_t, 256>{});
  for (const Item &item : items)
    for (int64_t byte = 0; byte < keyBytes; ++byte)
      ++counts[byte][item.key() >> (8 * byte) & 255];
  for (int64_t byte = 0; byte < keyBytes; ++byte) {
    auto &count = counts[byte];
    if (count[items.front().key() >> (8 * byte) & 255] == items.size())
      continue; // all keys have the same byte
    uint32_t next = 0;
    for (uint32_t &c : count)
      c = std::exchange(next, next + c);
    for (const Item &item : items)
      spare[count[item.key() >> (8 * byte) & 255]++] = item;
    std::swap(items, spare);
  }
}

template <typename Item>
static void
sortByKey(void *const *buffers, int64_t begin, int64_t end, int64_t size,
          int64_t stride, const int64_t *columns, int64_t numColumns,
          uint64_t (*key)(void *const *, int64_t), int64_t keyBits) {
  // For shorter lines a comparison sort is faster than a radix sort.
  constexpr int64_t isLong = 160;
  Lines<Item> lines(size);
  if (!lines)
    return;
  auto &items = lines.items;
  for (int64_t line = begin; line < end; ++line) {
    int64_t first = line / stride * stride * size + line % stride;
    for (int64_t i = 0; i < size; ++i)
      items[i] = Item(key(buffers, first + i * stride), i);
    if (size < isLong)
      std::sort(items.begin(), items.end());
    else
      radixSort(lines, (keyBits + 7) / 8);
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
