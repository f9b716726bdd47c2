//===- constant_data.cc - constants of a module as buffers ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/read/constant_data.h"

#include "shardwright/cpu/read/shared_blob.h"
#include "shardwright/support/host_memory.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Alignment.h"

#include <algorithm>
#include <cstring>

using namespace mlir;

namespace shardwright::cpu {
namespace {

/// Smaller resources are copied, so that equal ones are merged.
constexpr int64_t minShared = 1 << 16;
constexpr uint64_t bufferAlign = 64;

/// A byte of an attribute in buffer format: a narrow element is sign-extended
/// or zero-extended.
char adjusted(char byte, ElementType type) {
  if (type == ElementType::Pred)
    return byte != 0;
  int unused = 8 - bitWidth(type);
  auto high = static_cast<uint8_t>(static_cast<uint8_t>(byte) << unused);
  return isSignedInteger(type)
             ? static_cast<char>(static_cast<int8_t>(high) >> unused)
             : static_cast<char>(high >> unused);
}

void copyBytes(ArrayRef<char> from, ElementType type, char *to) {
  if (bitWidth(type) >= 8)
    std::copy(from.begin(), from.end(), to);
  else
    for (auto [i, byte] : llvm::enumerate(from))
      to[i] = adjusted(byte, type);
}

/// Returns the packed element bytes of the attribute. Fails for dense
/// attributes of predicates, which have no such bytes.
FailureOr<ArrayRef<char>> bytesOf(Attribute value, ElementType type,
                                  int64_t elements) {
  ArrayRef<char> bytes;
  // A splat attribute holds an element even if its tensor has none.
  if (elements == 0)
    return bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return failure();
    bytes = blob->getData();
  } else if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(value)) {
    bytes = dense.getRawData();
  }
  if (static_cast<int64_t>(bytes.size()) != elements * byteWidth(type))
    return failure();
  return bytes;
}

} // namespace

FailureOr<ConstantData> readConstant(Attribute value, ElementType type,
                                     int64_t elements) {
  ConstantData result;
  result.bytes = elements * byteWidth(type);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  bool packed = dense && type == ElementType::Pred;
  if (dense && dense.getNumElements() != elements)
    return failure();
  FailureOr<ArrayRef<char>> bytes = ArrayRef<char>();
  if (!packed && failed(bytes = bytesOf(value, type, elements)))
    return failure();

  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    if (result.bytes >= minShared && bitWidth(type) >= 8 &&
        llvm::isAddrAligned(llvm::Align(bufferAlign), bytes->data()) &&
        (result.data = shareBlob(*resource.getRawHandle().getResource())))
      return result;

  std::shared_ptr<void> copy = allocateHost(result.bytes);
  if (!copy)
    return failure();
  auto *to = static_cast<char *>(copy.get());
  if (packed)
    for (bool bit : dense.getValues<bool>())
      *to++ = bit;
  else
    copyBytes(*bytes, type, to);
  result.data = std::move(copy);
  return result;
}

LogicalResult readSplat(Attribute value, Node &node) {
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(value);
  int64_t elements = node.elements();
  if (!dense || elements == 0 || (!dense.isSplat() && elements != 1))
    return failure();
  char element[16] = {};
  if (node.type == ElementType::Pred) {
    element[0] = *dense.value_begin<bool>();
  } else {
    FailureOr<ArrayRef<char>> bytes = bytesOf(value, node.type, 1);
    if (failed(bytes))
      return failure();
    copyBytes(*bytes, node.type, element);
  }
  node.op = Op::Constant;
  std::memcpy(&node.bits, element, 8);
  std::memcpy(&node.highBits, element + 8, 8);
  return success();
}

} // namespace shardwright::cpu
