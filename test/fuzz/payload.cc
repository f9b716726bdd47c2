//===- payload.cc - a dialect's payload without a container ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "payload.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace shardwright::fuzz {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

InFlightDiagnostic PayloadReader::emitError(const Twine &msg) const {
  return mlir::emitError(UnknownLoc::get(context), msg);
}

LogicalResult PayloadReader::readAttribute(Attribute &result) {
  uint64_t index;
  return success(succeeded(readVarInt(index)) &&
                 succeeded(at(tables.attributes, index, result)));
}

LogicalResult PayloadReader::readOptionalAttribute(Attribute &result) {
  uint64_t index;
  bool present;
  if (failed(readVarIntWithFlag(index, present)))
    return failure();
  return present ? at(tables.attributes, index, result) : success();
}

LogicalResult PayloadReader::readType(Type &result) {
  uint64_t index;
  return success(succeeded(readVarInt(index)) &&
                 succeeded(at(tables.types, index, result)));
}

/// As in MLIR's container: the number of trailing zeros of the first byte is
/// the number of bytes that follow.
LogicalResult PayloadReader::readVarInt(uint64_t &result) {
  if (bytes.empty())
    return emitError("the payload ends");
  uint8_t first = bytes.front();
  size_t more = first ? size_t(__builtin_ctz(first)) : 8;
  if (bytes.size() < more + 1)
    return emitError("the payload ends");
  result = 0;
  if (more == 8) {
    for (size_t i = 0; i < 8; ++i)
      result |= uint64_t(uint8_t(bytes[i + 1])) << (8 * i);
  } else {
    for (size_t i = 0; i <= more; ++i)
      result |= uint64_t(uint8_t(bytes[i])) << (8 * i);
    result >>= more + 1;
  }
  bytes = bytes.drop_front(more + 1);
  return success();
}

LogicalResult PayloadReader::readSignedVarInt(int64_t &result) {
  uint64_t value;
  if (failed(readVarInt(value)))
    return failure();
  result = int64_t(value >> 1) ^ -int64_t(value & 1);
  return success();
}

FailureOr<APInt> PayloadReader::readAPIntWithKnownWidth(unsigned width) {
  if (width <= 8) {
    if (bytes.empty())
      return emitError("the payload ends");
    uint8_t value = bytes.front();
    bytes = bytes.drop_front();
    return APInt(width, value, /*isSigned=*/false, /*implicitTrunc=*/true);
  }
  if (width <= 64) {
    int64_t value;
    if (failed(readSignedVarInt(value)))
      return failure();
    return APInt(width, uint64_t(value), /*isSigned=*/true,
                 /*implicitTrunc=*/true);
  }
  uint64_t words;
  if (failed(readVarInt(words)))
    return failure();
  SmallVector<uint64_t> parts;
  for (uint64_t i = 0; i < words; ++i) {
    int64_t part;
    if (failed(readSignedVarInt(part)))
      return failure();
    parts.push_back(uint64_t(part));
  }
  if (parts.empty())
    return emitError("no words");
  return APInt(width, parts);
}

FailureOr<APFloat> PayloadReader::readAPFloatWithKnownSemantics(
    const llvm::fltSemantics &semantics) {
  FailureOr<APInt> bits =
      readAPIntWithKnownWidth(APFloat::getSizeInBits(semantics));
  if (failed(bits))
    return failure();
  return APFloat(semantics, *bits);
}

LogicalResult PayloadReader::readString(StringRef &result) {
  uint64_t index;
  if (failed(readVarInt(index)))
    return failure();
  if (index >= tables.strings.size())
    return emitError("reference beyond its table");
  result = tables.strings[index];
  return success();
}

LogicalResult PayloadReader::readBlob(ArrayRef<char> &result) {
  uint64_t size;
  if (failed(readVarInt(size)))
    return failure();
  if (size > bytes.size())
    return emitError("the payload ends");
  result = ArrayRef<char>(bytes.data(), size);
  bytes = bytes.drop_front(size);
  return success();
}

LogicalResult PayloadReader::readBool(bool &result) {
  if (bytes.empty())
    return emitError("the payload ends");
  result = bytes.front() != 0;
  bytes = bytes.drop_front();
  return success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename T, typename ValueT>
static uint64_t indexIn(std::vector<T> &table, const ValueT &value) {
  auto found = llvm::find(table, value);
  if (found == table.end())
    found = table.insert(found, T(value));
  return uint64_t(found - table.begin());
}

void PayloadWriter::writeAttribute(Attribute attr) {
  writeVarInt(indexIn(tables.attributes, attr));
}

void PayloadWriter::writeOptionalAttribute(Attribute attr) {
  writeVarIntWithFlag(attr ? indexIn(tables.attributes, attr) : 0, bool(attr));
}

void PayloadWriter::writeType(Type type) {
  writeVarInt(indexIn(tables.types, type));
}

void PayloadWriter::writeVarInt(uint64_t value) {
  size_t more = 0;
  while (more < 8 && value >> (7 * (more + 1)))
    ++more;
  if (more == 8) {
    bytes += '\0';
    for (size_t i = 0; i < 8; ++i)
      bytes += char(value >> (8 * i));
    return;
  }
  uint64_t shifted = ((value << 1) | 1) << more;
  for (size_t i = 0; i <= more; ++i)
    bytes += char(shifted >> (8 * i));
}

void PayloadWriter::writeSignedVarInt(int64_t value) {
  writeVarInt((uint64_t(value) << 1) ^ uint64_t(value >> 63));
}

void PayloadWriter::writeAPIntWithKnownWidth(const APInt &value) {
  if (value.getBitWidth() <= 8) {
    bytes += char(value.getLimitedValue());
  } else if (value.getBitWidth() <= 64) {
    writeSignedVarInt(int64_t(value.getLimitedValue()));
  } else {
    writeVarInt(value.getNumWords());
    for (unsigned i = 0; i < value.getNumWords(); ++i)
      writeSignedVarInt(int64_t(value.getRawData()[i]));
  }
}

void PayloadWriter::writeAPFloatWithKnownSemantics(const APFloat &value) {
  writeAPIntWithKnownWidth(value.bitcastToAPInt());
}

void PayloadWriter::writeOwnedString(StringRef str) {
  writeVarInt(indexIn(tables.strings, str));
}

void PayloadWriter::writeOwnedBlob(ArrayRef<char> blob) {
  writeVarInt(blob.size());
  bytes.append(blob.data(), blob.size());
}

} // namespace shardwright::fuzz
