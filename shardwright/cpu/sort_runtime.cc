//===- sort_runtime.cc - what Sort kernels call ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/sort_runtime.h"

#include <cstring>
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

void sortLines(void *const *buffers, int64_t begin, int64_t end, int64_t size,
               int64_t stride, const int64_t *columns, int64_t numColumns,
               Less less) {
  std::vector<int64_t> offsets(size), spare(size);
  for (int64_t line = begin; line < end; ++line) {
    int64_t first = line / stride * stride * size + line % stride;
    for (int64_t i = 0; i < size; ++i)
      offsets[i] = first + i * stride;
    sortLine(offsets, spare, buffers, less);
    for (int64_t c = 0; c < numColumns; ++c) {
      auto *from = static_cast<const char *>(buffers[columns[3 * c]]);
      auto *to = static_cast<char *>(buffers[columns[3 * c + 1]]);
      int64_t width = columns[3 * c + 2];
      for (int64_t i = 0; i < size; ++i)
        std::memcpy(to + (first + i * stride) * width,
                    from + offsets[i] * width, width);
    }
  }
}

} // namespace shardwright::cpu
