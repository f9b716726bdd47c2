//===- tensor_bytecode.cc - tensors of elements in bytecode --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/vhlo/tensor_bytecode.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace shardwright::vhlo {

unsigned elementBits(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return elementBits(complex.getElementType());
  if (element.isIndex())
    return IndexType::kInternalStorageBitWidth;
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

/// Returns the bytes of an element in a blob. A complex number is two numbers,
/// each padded to a multiple of 8 bits.
static int64_t byteSize(Type element) {
  return llvm::divideCeil(elementBits(element), 8) *
         (isa<ComplexType>(element) ? 2 : 1);
}

/// Decodes booleans: packed bits, one byte for all (a splat) or, in old files,
/// one byte each.
static Attribute decodePredicates(DialectBytecodeReader &r,
                                  RankedTensorType type, int64_t count,
                                  ArrayRef<char> blob) {
  int64_t size = blob.size(), packed = llvm::divideCeil(count, 8);
  if (count > 0 && size == 1 && blob[0] == char(0xff))
    return DenseElementsAttr::get(type, true);
  if (size != packed && size != count && size != 1) {
    r.emitError() << "expected " << packed << " bytes of elements for " << type
                  << ", got " << size;
    return {};
  }
  if (size == 1 && size != packed && size != count && count > 0)
    return DenseElementsAttr::get(type, blob[0] != 0);
  SmallVector<bool> values(count);
  bool isPacked = size == packed && packed != count;
  for (int64_t i = 0; i < count; ++i)
    values[i] = isPacked ? (blob[i / 8] >> (i % 8)) & 1 : blob[i] != 0;
  return DenseElementsAttr::get(type, values);
}

static SmallVector<char> encodePredicates(DenseElementsAttr value) {
  int64_t count = value.getNumElements();
  if (value.isSplat() && count > 1)
    return {value.getSplatValue<bool>() ? char(0xff) : char(0)};
  SmallVector<char> bytes(llvm::divideCeil(count, 8), 0);
  for (auto [i, bit] : llvm::enumerate(value.getValues<bool>()))
    bytes[i / 8] |= char(bit) << (i % 8);
  return bytes;
}

Attribute readTensor(DialectBytecodeReader &r, MLIRContext *context) {
  RankedTensorV1Type vhloType;
  ArrayRef<char> blob;
  if (failed(r.readType(vhloType)) || failed(r.readBlob(blob)))
    return {};
  Type element = builtinElement(vhloType.getElementType());
  unsigned bits = element ? elementBits(element) : 0;
  if (bits == 0 || vhloType.getEncoding()) {
    r.emitError() << "tensor_v1 attribute cannot have type " << vhloType;
    return {};
  }
  int64_t count = 1;
  for (int64_t dim : vhloType.getShape()) {
    std::optional<int64_t> product =
        dim < 0 ? std::nullopt : llvm::checkedMul(count, dim);
    if (!product) {
      r.emitError() << "tensor_v1 attribute cannot have type " << vhloType;
      return {};
    }
    count = *product;
  }
  auto type = RankedTensorType::get(vhloType.getShape(), element);
  if (element.isInteger(1)) {
    Attribute value = decodePredicates(r, type, count, blob);
    return value ? TensorV1Attr::get(context, cast<DenseElementsAttr>(value))
                 : Attribute();
  }
  int64_t width = byteSize(element);
  int64_t size = blob.size();
  // Arrays without elements may be splats, too.
  bool isSplat = size == width;
  std::optional<int64_t> expected = llvm::checkedMul(count, width);
  if (!isSplat && expected != size) {
    r.emitError() << "expected " << width << " bytes for each element of "
                  << type << " or of one for all, got " << size << " bytes";
    return {};
  }
  // Clear unused bits above elements of less than a byte.
  SmallVector<char> masked;
  if (bits < 8) {
    masked.assign(blob.begin(), blob.end());
    for (char &byte : masked)
      byte &= (1 << bits) - 1;
    blob = masked;
  }
  return TensorV1Attr::get(context,
                           DenseElementsAttr::getFromRawBuffer(type, blob));
}

LogicalResult writeTensor(uint64_t code, TensorV1Attr attr,
                          DialectBytecodeWriter &w) {
  DenseElementsAttr value = attr.getValue();
  auto type = dyn_cast<RankedTensorType>(attr.getElements().getType());
  Type element = type ? elementFromBuiltin(type.getElementType()) : Type();
  ArrayRef<char> blob;
  if (value)
    blob = value.getRawData();
  else if (auto resource =
               dyn_cast<DenseResourceElementsAttr>(attr.getElements()))
    if (AsmResourceBlob *found = resource.getRawHandle().getBlob())
      blob = found->getData();
  if (!element || (value && !isa<DenseIntOrFPElementsAttr>(value)))
    return failure();
  // The bytes of a resource are written unchanged, so their number must fit.
  if (!value && (elementBits(type.getElementType()) < 8 ||
                 static_cast<int64_t>(blob.size()) !=
                     type.getNumElements() * byteSize(type.getElementType())))
    return failure();
  w.writeVarInt(code);
  w.writeType(RankedTensorV1Type::get(attr.getContext(), type.getShape(),
                                      element, Attribute()));
  if (type.getElementType().isInteger(1)) {
    SmallVector<char> bytes = encodePredicates(value);
    // The writer stores the address; the StringAttr keeps the bytes alive as
    // long as the context.
    auto owned = StringAttr::get(attr.getContext(),
                                 StringRef(bytes.data(), bytes.size()));
    w.writeOwnedBlob({owned.data(), owned.size()});
  } else {
    w.writeOwnedBlob(blob);
  }
  return success();
}

} // namespace shardwright::vhlo
