//===- value.cc - locations and types -------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/read/block_reader.h"
#include "shardwright/dialect/source_frames.h"
#include "shardwright/dialect/stablehlo/element_type.h"

using namespace mlir;

namespace shardwright::cpu {

int32_t LocationTable::add(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (std::optional<SourceFrame> at = userFrame(op->getLoc()))
    text += " at " + at->file + ":" + std::to_string(at->line) + ":" +
            std::to_string(at->column);
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
  // Sizes in bytes must fit into 64 bits, because offsets do.
  int64_t bytes = byteWidth(element);
  for (int64_t s : shape)
    if (llvm::MulOverflow(bytes, s, bytes))
      return op->emitError() << "array " << type << " is too large";
  return success();
}

} // namespace shardwright::cpu
