//===- byte_stream.h - serialization of plain values ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_SUPPORT_BYTE_STREAM_H
#define SHARDWRIGHT_SUPPORT_BYTE_STREAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/LEB128.h"

#include <algorithm>
#include <string>

namespace shardwright::cpu {

/// Integers are signed LEB128, floats have eight bytes, strings follow their
/// length.
class ByteWriter {
public:
  void integer(int64_t value) {
    uint8_t bytes[16];
    unsigned n = llvm::encodeSLEB128(value, bytes);
    text.append(reinterpret_cast<const char *>(bytes), n);
  }
  void real(double value) {
    auto bits = llvm::bit_cast<uint64_t>(value);
    for (int i = 0; i < 64; i += 8)
      text.push_back(static_cast<char>(bits >> i));
  }
  void string(llvm::StringRef value) {
    integer(value.size());
    text += value;
  }
  template <typename Range> void integers(const Range &values) {
    integer(values.size());
    for (auto value : values)
      integer(static_cast<int64_t>(value));
  }
  /// Writes the number of elements, then each with `write`.
  template <typename Range, typename Write>
  void list(const Range &values, Write write) {
    integer(values.size());
    for (const auto &value : values)
      write(value);
  }
  /// Returns the bytes written and clears the writer.
  std::string take() { return std::move(text); }

private:
  std::string text;
};

/// Reads what ByteWriter wrote. After the first value that is missing or out of
/// range, `failed` is true and all values read are zero or empty.
class ByteReader {
public:
  explicit ByteReader(llvm::StringRef bytes) : rest(bytes) {}

  bool failed() const { return isBad; }
  bool atEnd() const { return rest.empty(); }
  void fail() {
    isBad = true;
    rest = {};
  }

  int64_t integer() {
    // 64 bits take at most 10 bytes of 7 bits. Of longer encodings, which the
    // writer never makes, decodeSLEB128 would shift by more than 63 bits.
    constexpr size_t maxBytes = 10;
    unsigned n = 0;
    const char *problem = nullptr;
    auto *begin = reinterpret_cast<const uint8_t *>(rest.data());
    auto *end = begin + std::min(rest.size(), maxBytes);
    int64_t value =
        rest.empty() ? 0 : llvm::decodeSLEB128(begin, &n, end, &problem);
    if (n == 0 || problem) {
      fail();
      return 0;
    }
    rest = rest.drop_front(n);
    return value;
  }
  /// An integer in [least, most].
  template <typename T = int64_t> T integer(int64_t least, int64_t most) {
    int64_t value = integer();
    if (value >= least && value <= most)
      return static_cast<T>(value);
    fail();
    return static_cast<T>(least);
  }
  int32_t id() { return integer<int32_t>(INT32_MIN, INT32_MAX); }
  bool boolean() { return integer(0, 1); }
  double real() {
    if (rest.size() < 8) {
      fail();
      return 0;
    }
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i)
      bits |= uint64_t(uint8_t(rest[i])) << (8 * i);
    rest = rest.drop_front(8);
    return llvm::bit_cast<double>(bits);
  }
  /// A string, which refers to the input bytes.
  llvm::StringRef string() {
    size_t size = count();
    llvm::StringRef value = rest.take_front(size);
    rest = rest.drop_front(size);
    return value;
  }
  /// All unread bytes; refers to the input bytes.
  llvm::StringRef takeRest() {
    llvm::StringRef value = rest;
    rest = {};
    return value;
  }
  /// A length; every following element has at least one byte.
  size_t count() {
    int64_t n = integer();
    if (n >= 0 && size_t(n) <= rest.size())
      return size_t(n);
    fail();
    return 0;
  }
  template <typename Vector> void integers(Vector &values) {
    size_t n = count();
    values.reserve(n);
    for (size_t i = 0; i < n && !isBad; ++i)
      values.push_back(integer());
  }
  /// Reads a length, then each element with `read`.
  template <typename Vector, typename Read>
  void list(Vector &values, Read read) {
    size_t n = count();
    for (size_t i = 0; i < n && !isBad; ++i)
      values.push_back(read());
  }

private:
  llvm::StringRef rest;
  bool isBad = false;
};

} // namespace shardwright::cpu

#endif // SHARDWRIGHT_SUPPORT_BYTE_STREAM_H
