//===- kinds.cc - enums and types without parameters, as data -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/vhlo/kinds.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace shardwright::vhlo {

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral directions[] = {"EQ", "NE", "GE",
                                                     "GT", "LE", "LT"};
static constexpr llvm::StringLiteral comparisonTypes[] = {
    "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
static constexpr llvm::StringLiteral apiVersions[] = {
    "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
    "API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED",
    "API_VERSION_TYPED_FFI"};
static constexpr llvm::StringLiteral fftTypes[] = {"FFT", "IFFT", "RFFT",
                                                   "IRFFT"};
static constexpr llvm::StringLiteral precisions[] = {"DEFAULT", "HIGH",
                                                     "HIGHEST"};
static constexpr llvm::StringLiteral algorithms[] = {"DEFAULT", "THREE_FRY",
                                                     "PHILOX"};
static constexpr llvm::StringLiteral distributions[] = {"UNIFORM", "NORMAL"};
static constexpr llvm::StringLiteral transposes[] = {
    "TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
static constexpr llvm::StringLiteral accuracyModes[] = {"DEFAULT", "HIGHEST",
                                                        "TOLERANCE"};

std::optional<uint32_t> EnumInfo::valueOf(StringRef name) const {
  const auto *it = llvm::find(names, name);
  if (it == names.end())
    return std::nullopt;
  return firstValue + (it - names.begin());
}

llvm::ArrayRef<EnumInfo> enumTable() {
  constexpr Version first = kMinimumVersion;
  static const EnumInfo table[] = {
      {EnumKind::ComparisonDirection, 3, "comparison_direction_v1", first, 0,
       directions},
      {EnumKind::ComparisonType, 4, "comparison_type_v1", first, 0,
       comparisonTypes},
      {EnumKind::ApiVersion, 5, "api_version_v1", first, 0, apiVersions},
      {EnumKind::FftType, 7, "fft_type_v1", first, 0, fftTypes},
      {EnumKind::Precision, 11, "precision_v1", first, 0, precisions},
      {EnumKind::RngAlgorithm, 12, "rng_algorithm_v1", first, 0, algorithms},
      {EnumKind::RngDistribution, 13, "rng_distribution_v1", first, 1,
       distributions},
      {EnumKind::Transpose, 16, "transpose_v1", first, 0, transposes},
      {EnumKind::ResultAccuracyMode, 19, "result_accuracy_mode_v1",
       Version{1, 9, 0}, 0, accuracyModes},
  };
  return table;
}

//===----------------------------------------------------------------------===//
// Types without parameters
//===----------------------------------------------------------------------===//

template <typename T> static Type make(MLIRContext *context) {
  return T::get(context);
}
template <unsigned width, IntegerType::SignednessSemantics sign>
static Type makeInteger(MLIRContext *context) {
  return IntegerType::get(context, width, sign);
}

llvm::ArrayRef<PrimitiveInfo> primitiveTable() {
  constexpr Version first = kMinimumVersion;
  constexpr auto s = IntegerType::Signless, u = IntegerType::Unsigned;
  using P = PrimitiveKind;
  static const PrimitiveInfo table[] = {
      {P::Boolean, 0, "bool_v1", first, makeInteger<1, s>},
      {P::BF16, 2, "bf16_v1", first, make<BFloat16Type>},
      {P::F16, 3, "f16_v1", first, make<Float16Type>},
      {P::F32, 4, "f32_v1", first, make<Float32Type>},
      {P::F64, 5, "f64_v1", first, make<Float64Type>},
      {P::F8E4M3FN, 6, "f8E4M3FN_v1", first, make<Float8E4M3FNType>},
      {P::F8E5M2, 7, "f8E5M2_v1", first, make<Float8E5M2Type>},
      {P::Index, 9, "index_v1", first, make<IndexType>},
      {P::I4, 10, "i4_v1", first, makeInteger<4, s>},
      {P::I8, 11, "i8_v1", first, makeInteger<8, s>},
      {P::I16, 12, "i16_v1", first, makeInteger<16, s>},
      {P::I32, 13, "i32_v1", first, makeInteger<32, s>},
      {P::I64, 14, "i64_v1", first, makeInteger<64, s>},
      {P::UI4, 15, "ui4_v1", first, makeInteger<4, u>},
      {P::UI8, 16, "ui8_v1", first, makeInteger<8, u>},
      {P::UI16, 17, "ui16_v1", first, makeInteger<16, u>},
      {P::UI32, 18, "ui32_v1", first, makeInteger<32, u>},
      {P::UI64, 19, "ui64_v1", first, makeInteger<64, u>},
      {P::Token, 22, "token_v1", first, nullptr},
      {P::Witness, 26, "witness_v1", first, nullptr},
      {P::F8E4M3FNUZ, 27, "f8E4M3FNUZ_v1", Version{0, 10, 0},
       make<Float8E4M3FNUZType>},
      {P::F8E5M2FNUZ, 28, "f8E5M2FNUZ_v1", Version{0, 10, 0},
       make<Float8E5M2FNUZType>},
      {P::F8E4M3B11FNUZ, 29, "f8E4M3B11FNUZ_v1", Version{0, 11, 0},
       make<Float8E4M3B11FNUZType>},
      {P::I2, 31, "i2_v1", Version{1, 2, 0}, makeInteger<2, s>},
      {P::UI2, 32, "ui2_v1", Version{1, 2, 0}, makeInteger<2, u>},
      {P::None, 33, "none_v1", Version{1, 6, 0}, make<NoneType>},
      // StableHLO uses this misspelled name.
      {P::TF32, 34, "tf31_v1", Version{1, 6, 0}, make<FloatTF32Type>},
      {P::F8E4M3, 35, "f8E4M3_v1", Version{1, 7, 0}, make<Float8E4M3Type>},
      {P::F8E3M4, 36, "f8E3M4_v1", Version{1, 7, 0}, make<Float8E3M4Type>},
      {P::F4E2M1FN, 37, "f4E2M1FN_v1", Version{1, 8, 0},
       make<Float4E2M1FNType>},
      {P::F6E2M3FN, 38, "f6E2M3FN_v1", Version{1, 8, 0},
       make<Float6E2M3FNType>},
      {P::F6E3M2FN, 39, "f6E3M2FN_v1", Version{1, 8, 0},
       make<Float6E3M2FNType>},
      {P::F8E8M0FNU, 40, "f8E8M0FNU_v1", Version{1, 8, 0},
       make<Float8E8M0FNUType>},
  };
  return table;
}

} // namespace shardwright::vhlo
