//===- translate_shapes.cc - constants, shapes and tuples -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/hlo/literals.h"
#include "shardwright/interop/hlo/translations.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::hlo {

static SmallVector<int64_t> dimensionsOf(const Instruction &instruction) {
  return instruction.fields.integers(instruction_field::dimensions);
}

/// Emits the opcode's op with the list of dimensions as attribute `name`.
static LogicalResult emitWithDimensions(Translator &t,
                                        const Instruction &instruction,
                                        StringRef op, StringRef name) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  return t.emit(instruction, op, *operands,
                {t.array(name, dimensionsOf(instruction))});
}

/// Likewise with a single dimension.
static LogicalResult emitWithDimension(Translator &t,
                                       const Instruction &instruction,
                                       StringRef op, StringRef name) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  FailureOr<int64_t> dimension = t.onlyDimension(instruction);
  if (failed(operands) || failed(dimension))
    return failure();
  return t.emit(instruction, op, *operands, {t.integer(name, *dimension)});
}

LogicalResult constant(Translator &t, const Instruction &instruction) {
  if (!instruction.fields.has(instruction_field::literal))
    return t.fail(instruction, "has no literal");
  auto arrays = readLiteral(
      t.context, instruction.fields.message(instruction_field::literal),
      instruction.shape);
  if (!arrays)
    return t.fail(instruction, llvm::toString(arrays.takeError()));
  if (!instruction.shape.isTuple())
    return t.emit(instruction, "stablehlo.constant", {},
                  {t.attribute("value", arrays->front())});
  SmallVector<Value> leaves;
  for (DenseElementsAttr array : *arrays)
    leaves.push_back(t.create(instruction, "stablehlo.constant",
                              array.getType(), {},
                              {t.attribute("value", array)})
                         ->getResult(0));
  return t.set(instruction, leaves);
}

LogicalResult iota(Translator &t, const Instruction &instruction) {
  return emitWithDimension(t, instruction, "stablehlo.iota", "iota_dimension");
}

LogicalResult broadcast(Translator &t, const Instruction &instruction) {
  return emitWithDimensions(t, instruction, "stablehlo.broadcast_in_dim",
                            "broadcast_dimensions");
}

LogicalResult transpose(Translator &t, const Instruction &instruction) {
  return emitWithDimensions(t, instruction, "stablehlo.transpose",
                            "permutation");
}

LogicalResult reverse(Translator &t, const Instruction &instruction) {
  return emitWithDimensions(t, instruction, "stablehlo.reverse", "dimensions");
}

LogicalResult concatenate(Translator &t, const Instruction &instruction) {
  return emitWithDimension(t, instruction, "stablehlo.concatenate",
                           "dimension");
}

LogicalResult dimensionSize(Translator &t, const Instruction &instruction) {
  return emitWithDimension(t, instruction, instruction.opcode->op, "dimension");
}

LogicalResult slice(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  SmallVector<int64_t> starts, limits, strides;
  for (const ProtoMessage &dimension :
       instruction.fields.messages(instruction_field::slice_dimensions)) {
    starts.push_back(dimension.integer(slice_field::start));
    limits.push_back(dimension.integer(slice_field::limit));
    strides.push_back(dimension.integer(slice_field::stride));
  }
  return t.emit(instruction, "stablehlo.slice", *operands,
                {t.array("start_indices", starts),
                 t.array("limit_indices", limits),
                 t.array("strides", strides)});
}

LogicalResult pad(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  SmallVector<int64_t> low, high, interior;
  for (const ProtoMessage &dimension :
       instruction.fields.message(instruction_field::padding_config)
           .messages(padding_field::dimensions)) {
    low.push_back(dimension.integer(padding_field::edge_padding_low));
    high.push_back(dimension.integer(padding_field::edge_padding_high));
    interior.push_back(dimension.integer(padding_field::interior_padding));
  }
  return t.emit(instruction, "stablehlo.pad", *operands,
                {t.array("edge_padding_low", low),
                 t.array("edge_padding_high", high),
                 t.array("interior_padding", interior)});
}

/// The operands, with a vector of start indices at `first` as scalars, its
/// elements: the form of older clients, among them PyTorch/XLA.
static FailureOr<SmallVector<Value>>
withScalarIndices(Translator &t, const Instruction &instruction, size_t first) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || operands->size() != first + 1)
    return operands;
  auto type = dyn_cast<RankedTensorType>(operands->back().getType());
  auto sliced = dyn_cast<RankedTensorType>(operands->front().getType());
  if (!type || type.getRank() != 1 || !sliced ||
      type.getDimSize(0) != sliced.getRank())
    return operands;
  Value indices = operands->pop_back_val();
  Type element = type.getElementType();
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    Value one =
        t.create(instruction, "stablehlo.slice",
                 RankedTensorType::get({1}, element), indices,
                 {t.array("start_indices", i), t.array("limit_indices", i + 1),
                  t.array("strides", 1)})
            ->getResult(0);
    operands->push_back(t.create(instruction, "stablehlo.reshape",
                                 RankedTensorType::get({}, element), one)
                            ->getResult(0));
  }
  return operands;
}

LogicalResult dynamicSlice(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = withScalarIndices(t, instruction, 1);
  if (failed(operands))
    return failure();
  return t.emit(
      instruction, "stablehlo.dynamic_slice", *operands,
      {t.array("slice_sizes", instruction.fields.integers(
                                  instruction_field::dynamic_slice_sizes))});
}

LogicalResult dynamicUpdateSlice(Translator &t,
                                 const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = withScalarIndices(t, instruction, 2);
  if (failed(operands))
    return failure();
  return t.emit(instruction, "stablehlo.dynamic_update_slice", *operands);
}

LogicalResult gather(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands))
    return failure();
  using namespace gather_field;
  ProtoMessage numbers =
      instruction.fields.message(instruction_field::gather_dimension_numbers);
  auto attr = stablehlo::GatherDimensionNumbersAttr::get(
      t.context, numbers.integers(offset_dims),
      numbers.integers(collapsed_slice_dims),
      numbers.integers(operand_batching_dims),
      numbers.integers(start_indices_batching_dims),
      numbers.integers(start_index_map), numbers.integer(index_vector_dim));
  return t.emit(
      instruction, "stablehlo.gather", *operands,
      {t.attribute("dimension_numbers", attr),
       t.array("slice_sizes", instruction.fields.integers(
                                  instruction_field::gather_slice_sizes)),
       t.boolean(
           "indices_are_sorted",
           instruction.fields.flag(instruction_field::indices_are_sorted))});
}

LogicalResult dynamicReshape(Translator &t, const Instruction &instruction) {
  FailureOr<Value> operand = t.value(instruction, 0);
  FailureOr<SmallVector<Value>> sizes = t.values(instruction, 1);
  if (failed(operand) || failed(sizes))
    return failure();
  auto one = RankedTensorType::get({1}, t.builder.getI32Type());
  auto all =
      RankedTensorType::get({int64_t(sizes->size())}, t.builder.getI32Type());
  SmallVector<Value> ones;
  for (Value size : *sizes) {
    auto type = dyn_cast<RankedTensorType>(size.getType());
    if (!type || type.getRank() != 0 || !type.getElementType().isInteger(32))
      return t.fail(instruction,
                    "the sizes of the new shape must be scalars of type s32");
    ones.push_back(
        t.create(instruction, "stablehlo.reshape", one, size)->getResult(0));
  }
  Value shape =
      ones.empty()
          ? t.create(instruction, "stablehlo.constant", all, {},
                     {t.attribute("value", DenseElementsAttr::get(
                                               all, ArrayRef<int32_t>()))})
                ->getResult(0)
          : t.create(instruction, "stablehlo.concatenate", all, ones,
                     {t.integer("dimension", 0)})
                ->getResult(0);
  return t.emit(instruction, "stablehlo.dynamic_reshape", {*operand, shape});
}

/// Dimensions from the slowest to the fastest in memory.
static SmallVector<int64_t> majorToMinor(const Shape &shape) {
  SmallVector<int64_t> order(llvm::reverse(shape.minorToMajor));
  if (order.empty())
    for (size_t d = 0; d < shape.dims.size(); ++d)
      order.push_back(d);
  return order;
}

/// A bitcast keeps the bytes in memory: the elements in the order of the
/// operand's layout, taken in the order of the result's.
LogicalResult bitcast(Translator &t, const Instruction &instruction) {
  FailureOr<Value> operand = t.value(instruction, 0);
  if (failed(t.needOperands(instruction, 1)) || failed(operand))
    return failure();
  const Shape &from = t.operandShape(instruction, 0), &to = instruction.shape;
  if (from.isToken() || to.isToken() || to.isTuple() ||
      !from.isDynamic.empty() || !to.isDynamic.empty())
    return t.fail(instruction, "expected arrays of static shapes");
  Type fromElement = elementType(t.context, from.type),
       toElement = elementType(t.context, to.type);
  auto transposed = [&](Value value, ArrayRef<int64_t> order) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    if (llvm::is_sorted(order))
      return value;
    SmallVector<int64_t> dims;
    for (int64_t d : order)
      dims.push_back(type.getDimSize(d));
    return t
        .create(instruction, "stablehlo.transpose",
                RankedTensorType::get(dims, type.getElementType()), value,
                {t.array("permutation", order)})
        ->getResult(0);
  };
  Value value = transposed(*operand, majorToMinor(from));
  SmallVector<int64_t> order = majorToMinor(to), dims, inverse(order.size());
  for (auto [position, d] : llvm::enumerate(order)) {
    dims.push_back(to.dims[d]);
    inverse[d] = position;
  }
  auto flat = RankedTensorType::get(dims, fromElement);
  if (value.getType() != flat)
    value =
        t.create(instruction, "stablehlo.reshape", flat, value)->getResult(0);
  if (fromElement != toElement)
    value = t.create(instruction, "stablehlo.bitcast_convert",
                     RankedTensorType::get(dims, toElement), value)
                ->getResult(0);
  return t.setAlias(instruction, transposed(value, inverse));
}

LogicalResult tuple(Translator &t, const Instruction &instruction) {
  SmallVector<Value> leaves;
  for (size_t i = 0; i < instruction.operands.size(); ++i)
    llvm::append_range(leaves, t.leaves(instruction, i));
  // Its sharding is that of its elements, where they are used.
  return t.set(instruction, leaves);
}

LogicalResult getTupleElement(Translator &t, const Instruction &instruction) {
  if (failed(t.needOperands(instruction, 1)))
    return failure();
  const Shape &shape = t.operandShape(instruction, 0);
  int64_t index = instruction.fields.integer(instruction_field::tuple_index);
  if (!shape.isTuple() || index < 0 || index >= int64_t(shape.elements.size()))
    return t.fail(instruction, "takes element " + Twine(index) + " of " +
                                   shape.str() + ", which has none");
  return t.setAlias(
      instruction,
      SmallVector<Value>(t.leaves(instruction, 0)
                             .slice(shape.firstLeaf[index],
                                    shape.elements[index].numLeaves())));
}

} // namespace shardwright::hlo
