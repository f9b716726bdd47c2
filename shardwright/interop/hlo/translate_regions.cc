//===- translate_regions.cc - instructions that apply a computation -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/hlo/translations.h"
#include "shardwright/interop/hlo/windows.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardwright::hlo {

/// Emits an op with one region, the body of the only called computation.
static LogicalResult emitWithRegion(Translator &t,
                                    const Instruction &instruction,
                                    StringRef op,
                                    Translator::Attributes attributes) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || failed(t.needCalled(instruction, 1)))
    return failure();
  FailureOr<std::unique_ptr<Region>> region = t.region(instruction, 0);
  if (failed(region))
    return failure();
  Translator::Regions regions;
  regions.push_back(std::move(*region));
  return t.emit(instruction, op, *operands, std::move(attributes),
                std::move(regions));
}

LogicalResult reduce(Translator &t, const Instruction &instruction) {
  return emitWithRegion(
      t, instruction, "stablehlo.reduce",
      {t.array("dimensions",
               instruction.fields.integers(instruction_field::dimensions))});
}

LogicalResult reduceWindow(Translator &t, const Instruction &instruction) {
  WindowLists window(instruction);
  if (llvm::is_contained(window.isReversed, true))
    return t.fail(instruction,
                  "has a reversed window, which StableHLO does not have");
  return emitWithRegion(t, instruction, "stablehlo.reduce_window",
                        {t.array("window_dimensions", window.sizes),
                         t.array("window_strides", window.strides),
                         t.array("base_dilations", window.baseDilations),
                         t.array("window_dilations", window.windowDilations),
                         t.matrix("padding", window.padding, 2)});
}

LogicalResult selectAndScatter(Translator &t, const Instruction &instruction) {
  FailureOr<SmallVector<Value>> operands = t.values(instruction);
  if (failed(operands) || failed(t.needCalled(instruction, 2)))
    return failure();
  WindowLists window(instruction);
  auto isOne = [](int64_t dilation) { return dilation <= 1; };
  if (!llvm::all_of(window.baseDilations, isOne) ||
      !llvm::all_of(window.windowDilations, isOne) ||
      llvm::is_contained(window.isReversed, true))
    return t.fail(instruction, "has a dilated or reversed window, which "
                               "StableHLO does not have");
  Translator::Regions regions;
  for (size_t called : {0, 1}) {
    FailureOr<std::unique_ptr<Region>> region = t.region(instruction, called);
    if (failed(region))
      return failure();
    regions.push_back(std::move(*region));
  }
  return t.emit(instruction, "stablehlo.select_and_scatter", *operands,
                {t.array("window_dimensions", window.sizes),
                 t.array("window_strides", window.strides),
                 t.matrix("padding", window.padding, 2)},
                std::move(regions));
}

LogicalResult map(Translator &t, const Instruction &instruction) {
  SmallVector<int64_t> dimensions =
      llvm::to_vector(llvm::seq<int64_t>(0, instruction.shape.dims.size()));
  return emitWithRegion(t, instruction, "stablehlo.map",
                        {t.array("dimensions", dimensions)});
}

LogicalResult sort(Translator &t, const Instruction &instruction) {
  FailureOr<int64_t> dimension = t.onlyDimension(instruction);
  if (failed(dimension))
    return failure();
  return emitWithRegion(
      t, instruction, "stablehlo.sort",
      {t.integer("dimension", *dimension),
       t.boolean("is_stable",
                 instruction.fields.flag(instruction_field::is_stable))});
}

LogicalResult scatter(Translator &t, const Instruction &instruction) {
  using namespace scatter_field;
  ProtoMessage numbers =
      instruction.fields.message(instruction_field::scatter_dimension_numbers);
  auto attr = stablehlo::ScatterDimensionNumbersAttr::get(
      t.context, numbers.integers(update_window_dims),
      numbers.integers(inserted_window_dims),
      numbers.integers(input_batching_dims),
      numbers.integers(scatter_indices_batching_dims),
      numbers.integers(scatter_dims_to_operand_dims),
      numbers.integer(index_vector_dim));
  return emitWithRegion(
      t, instruction, "stablehlo.scatter",
      {t.attribute("scatter_dimension_numbers", attr),
       t.boolean(
           "indices_are_sorted",
           instruction.fields.flag(instruction_field::indices_are_sorted)),
       t.boolean("unique_indices",
                 instruction.fields.flag(instruction_field::unique_indices))});
}

/// The last operands and results of a scan are its carries.
LogicalResult scan(Translator &t, const Instruction &instruction) {
  FailureOr<int64_t> dimension = t.onlyDimension(instruction);
  int64_t carries = instruction.fields.integer(instruction_field::num_carries),
          operands = instruction.operands.size(),
          results = instruction.shape.numLeaves(),
          isAssociative =
              instruction.fields.integer(instruction_field::is_associative);
  if (failed(dimension))
    return failure();
  if (carries < 0 || carries > operands || carries > results)
    return t.fail(instruction, "has " + Twine(carries) + " carries, but " +
                                   Twine(operands) + " operands and " +
                                   Twine(results) + " results");
  auto segments = [&](StringRef name, int64_t all) {
    return t.attribute(name, t.builder.getDenseI32ArrayAttr(
                                 {int32_t(all - carries), int32_t(carries)}));
  };
  Translator::Attributes attributes = {
      t.integer("dimension", *dimension),
      t.boolean("is_reverse",
                instruction.fields.flag(instruction_field::is_reverse)),
      segments("operandSegmentSizes", operands),
      segments("resultSegmentSizes", results)};
  // TriState: 0 is unspecified, 1 true, 2 false.
  if (isAssociative == 1 || isAssociative == 2)
    attributes.push_back(t.boolean("is_associative", isAssociative == 1));
  for (size_t i = 0; i < instruction.operands.size(); ++i)
    if (t.operandShape(instruction, i).isTuple())
      return t.fail(instruction, "has a tuple as operand, expected arrays");
  return emitWithRegion(t, instruction, "chlo.scan", std::move(attributes));
}

} // namespace shardwright::hlo
