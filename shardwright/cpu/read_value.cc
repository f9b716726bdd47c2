//===- read_value.cc - locations, types and constants ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/block_reader.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace shardwright::cpu {

//===----------------------------------------------------------------------===//
// Locations and types
//===----------------------------------------------------------------------===//

static FileLineColLoc sourceLocation(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file;
  if (auto named = dyn_cast<NameLoc>(location))
    return sourceLocation(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return sourceLocation(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc found = sourceLocation(part))
        return found;
  return nullptr;
}

int32_t LocationTable::add(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (FileLineColLoc at = sourceLocation(op->getLoc()))
    text += " at " + at.getFilename().str() + ":" +
            std::to_string(at.getLine()) + ":" + std::to_string(at.getColumn());
  auto [it, inserted] =
      ids.try_emplace(text, static_cast<int32_t>(texts.size()));
  if (inserted)
    texts.push_back(text);
  return it->second;
}

LogicalResult readType(Operation *op, Type type, ElementType &element,
                       Shape &shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return op->emitError() << "type " << type
                           << " is not supported by the cpu backend yet";
  if (!tensor.hasStaticShape())
    return op->emitError() << "shape of " << type
                           << " is not static, which the cpu backend needs";
  std::optional<ElementType> known =
      elementTypeFromMLIR(tensor.getElementType());
  if (!known)
    return op->emitError() << "element type " << tensor.getElementType()
                           << " is not supported by the cpu backend yet";
  element = *known;
  shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  // Offsets are 64-bit, and so must sizes in bytes be.
  int64_t bytes = byteWidth(element);
  for (int64_t s : shape)
    if (llvm::MulOverflow(bytes, s, bytes))
      return op->emitError() << "array " << type << " is too large";
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static void putElement(std::vector<char> &bytes, const APInt &bits,
                       int64_t width) {
  uint64_t v = bits.getZExtValue();
  const char *p = reinterpret_cast<const char *>(&v);
  bytes.insert(bytes.end(), p, p + width);
}

FailureOr<std::vector<char>> constantBytes(Attribute value, ElementType type,
                                           int64_t elements) {
  std::vector<char> bytes;
  int64_t width = byteWidth(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob ||
        static_cast<int64_t>(blob->getData().size()) != elements * width)
      return failure();
    bytes.assign(blob->getData().begin(), blob->getData().end());
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || dense.getNumElements() != elements)
    return failure();
  bytes.reserve(elements * width);
  Type element = dense.getElementType();
  if (isComplex(type)) {
    for (std::complex<APFloat> c : dense.getValues<std::complex<APFloat>>()) {
      putElement(bytes, c.real().bitcastToAPInt(), width / 2);
      putElement(bytes, c.imag().bitcastToAPInt(), width / 2);
    }
  } else if (isa<FloatType>(element)) {
    for (APFloat f : dense.getValues<APFloat>())
      putElement(bytes, f.bitcastToAPInt(), width);
  } else if (isa<IntegerType>(element)) {
    bool isSigned = isSignedInteger(type);
    for (APInt i : dense.getValues<APInt>())
      putElement(bytes, isSigned ? i.sextOrTrunc(64) : i.zextOrTrunc(64),
                 width);
  } else {
    return failure();
  }
  return bytes;
}

LogicalResult readSplat(Attribute value, Node &node) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  int64_t elements = node.elements();
  if (!dense || elements == 0 || (!dense.isSplat() && elements != 1))
    return failure();
  FailureOr<std::vector<char>> bytes =
      constantBytes(dense.isSplat() && elements != 1
                        ? dense.resizeSplat(dense.getType().clone({1}))
                        : dense,
                    node.type, 1);
  if (failed(bytes))
    return failure();
  node.op = Op::Constant;
  node.bits = node.highBits = 0;
  std::memcpy(&node.bits, bytes->data(), std::min<size_t>(bytes->size(), 8));
  if (bytes->size() > 8)
    std::memcpy(&node.highBits, bytes->data() + 8, bytes->size() - 8);
  return success();
}

} // namespace shardwright::cpu
