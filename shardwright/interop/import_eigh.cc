//===- import_eigh.cc - import XLA's eigenvalue call ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/import_eigh.h"

using namespace mlir;

namespace shardwright {
namespace {

/// The types of eigenvectors and eigenvalues.
struct EighTypes {
  RankedTensorType vectors, values;
};

/// The letter of LAPACK's name for matrices of this element type; 0 if it has
/// none.
char letterOf(Type element) {
  if (element.isF32())
    return 's';
  if (element.isF64())
    return 'd';
  auto complex = dyn_cast<ComplexType>(element);
  if (complex && complex.getElementType().isF32())
    return 'c';
  return complex && complex.getElementType().isF64() ? 'z' : 0;
}

FailureOr<EighTypes> typesOf(stablehlo::CustomCallOp call) {
  SmallVector<Type> results(call.getResultTypes());
  if (results.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(results[0]))
      results.assign(tuple.getTypes().begin(), tuple.getTypes().end());
  EighTypes types;
  if (call.getInputs().size() == 1 && results.size() == 2) {
    types.vectors = dyn_cast<RankedTensorType>(results[0]);
    types.values = dyn_cast<RankedTensorType>(results[1]);
  }
  if (types.vectors && types.values && types.vectors.hasStaticShape() &&
      types.vectors == call.getInputs()[0].getType()) {
    ArrayRef<int64_t> shape = types.vectors.getShape();
    Type element = types.vectors.getElementType(), real = element;
    if (auto complex = dyn_cast<ComplexType>(element))
      real = complex.getElementType();
    if (letterOf(element) && shape.size() >= 2 &&
        shape.back() == shape[shape.size() - 2] &&
        types.values == RankedTensorType::get(shape.drop_back(), real))
      return types;
  }
  return call.emitError()
         << "custom call @Eigh expects a square matrix of f32, f64 or complex "
            "numbers, and gives its eigenvectors and eigenvalues";
}

/// The triangle that the call reads.
FailureOr<bool> readsLower(stablehlo::CustomCallOp call) {
  auto config = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
  SmallVector<StringRef> parts;
  if (config)
    config.getValue().split(parts, ',');
  int lower = 0, sorts = 0;
  // Accuracy is LAPACK's, whatever the iterations and tolerance.
  if (parts.size() == 4 && !parts[0].trim().getAsInteger(10, lower) &&
      !parts[1].trim().getAsInteger(10, sorts))
    return lower != 0;
  return call.emitError() << "custom call @Eigh has backend_config "
                          << (config
                                  ? Attribute(config)
                                  : Attribute(UnitAttr::get(call.getContext())))
                          << ", expected \"lower,sort,iterations,tolerance\"";
}

/// `value` where `isFine` (of the batch dimensions), else NaN.
Value orNan(OpBuilder &b, Location loc, Value value, Value isFine) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> batch;
  for (int64_t i = 0, n = cast<RankedTensorType>(isFine.getType()).getRank();
       i < n; ++i)
    batch.push_back(i);
  Value mask = stablehlo::BroadcastInDimOp::create(
      b, loc, type.clone(b.getI1Type()), isFine, batch);
  Type element = type.getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  auto part = cast<FloatType>(complex ? complex.getElementType() : element);
  APFloat nan = APFloat::getNaN(part.getFloatSemantics());
  auto fill =
      complex ? DenseElementsAttr::get(type, std::complex<APFloat>(nan, nan))
              : DenseElementsAttr::get(type, nan);
  Value nans = stablehlo::ConstantOp::create(b, loc, type, fill);
  return stablehlo::SelectOp::create(b, loc, mask, value, nans);
}

/// Column-major matrices, as LAPACK has them; other dimensions row-major.
Attribute columnMajor(OpBuilder &b, int64_t rank, int64_t matrixDims) {
  SmallVector<int64_t> order;
  if (matrixDims == 2)
    order = {rank - 2, rank - 1};
  for (int64_t d = rank - 1 - int64_t(order.size()); d >= 0; --d)
    order.push_back(d);
  return b.getIndexTensorAttr(order);
}

} // namespace

LogicalResult importEigh(stablehlo::CustomCallOp call) {
  FailureOr<EighTypes> types = typesOf(call);
  if (failed(types))
    return failure();
  FailureOr<bool> lower = readsLower(call);
  if (failed(lower))
    return failure();
  OpBuilder b(call);
  Location loc = call.getLoc();
  int64_t rank = types->vectors.getRank();
  char letter = letterOf(types->vectors.getElementType());
  auto info = RankedTensorType::get(types->vectors.getShape().drop_back(2),
                                    b.getI32Type());
  OperationState state(loc, stablehlo::CustomCallOp::getOperationName());
  state.addOperands(call.getInputs());
  state.addTypes({types->vectors, types->values, info});
  auto character = [&](char c) {
    return b.getIntegerAttr(b.getIntegerType(8, /*isSigned=*/false), c);
  };
  std::string target = std::string("lapack_") + letter +
                       (letter == 's' || letter == 'd' ? "syevd" : "heevd") +
                       "_ffi";
  state.addAttribute("call_target_name", b.getStringAttr(target));
  state.addAttribute(
      "api_version",
      stablehlo::CustomCallApiVersionAttr::get(
          b.getContext(),
          stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI));
  state.addAttribute(
      "backend_config",
      b.getDictionaryAttr(
          {b.getNamedAttr("mode", character('V')),
           b.getNamedAttr("uplo", character(*lower ? 'L' : 'U'))}));
  state.addAttribute("operand_layouts",
                     b.getArrayAttr(columnMajor(b, rank, 2)));
  state.addAttribute(
      "result_layouts",
      b.getArrayAttr({columnMajor(b, rank, 2), columnMajor(b, rank - 1, 1),
                      columnMajor(b, rank - 2, 0)}));
  state.addAttribute(
      "mhlo.frontend_attributes",
      b.getDictionaryAttr(b.getNamedAttr(
          "num_batch_dims", b.getStringAttr(std::to_string(rank - 2)))));
  Operation *lapack = b.create(state);
  Value zeros = stablehlo::ConstantOp::create(
      b, loc, info, DenseElementsAttr::get(info, b.getI32IntegerAttr(0)));
  Value isFine = stablehlo::CompareOp::create(
      b, loc, lapack->getResult(2), zeros,
      stablehlo::ComparisonDirectionAttr::get(
          b.getContext(), stablehlo::ComparisonDirection::EQ),
      stablehlo::ComparisonTypeAttr());
  SmallVector<Value> found = {orNan(b, loc, lapack->getResult(0), isFine),
                              orNan(b, loc, lapack->getResult(1), isFine)};
  if (call->getNumResults() == 2) {
    call.replaceAllUsesWith(found);
  } else {
    for (Operation *user : llvm::make_early_inc_range(call->getUsers()))
      if (auto element = dyn_cast<stablehlo::GetTupleElementOp>(user)) {
        element.getResult().replaceAllUsesWith(found[element.getIndex()]);
        element.erase();
      }
    if (!call->use_empty())
      call->getResult(0).replaceAllUsesWith(stablehlo::TupleOp::create(
          b, loc, call->getResult(0).getType(), found));
  }
  call.erase();
  return success();
}

} // namespace shardwright
