//===- lapack_table.cc - LAPACK's custom calls by name --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The targets `lapack_TROUTINE_ffi`, with T one of s, d, c, z, that JAX emits
// on the CPU, and the targets that it uses on platforms without LAPACK.
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/families.h"
#include "shardwright/cpu/library/lapack_call.h"

using namespace shardwright;
using namespace shardwright::cpu;

namespace {
using Aliases = llvm::ArrayRef<std::pair<int, int>>;
constexpr std::pair<int, int> firstIsFirst[] = {{0, 0}};
constexpr std::pair<int, int> firstIsSecond[] = {{0, 1}};
constexpr std::pair<int, int> firstIsThird[] = {{0, 2}};
constexpr std::pair<int, int> twoAreFirst[] = {{0, 0}, {1, 1}};
constexpr std::pair<int, int> fourAreFirst[] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};

struct Routine {
  llvm::StringLiteral real, complex;
  LibraryFactory factories[4]; ///< s, d, c, z
  /// Layouts of the real and of the complex routine: see LibraryEntry.
  llvm::StringLiteral realLayouts, complexLayouts;
  Aliases aliases;
};

#define FACTORIES(make)                                                        \
  {make<float>, make<double>, make<std::complex<float>>,                       \
   make<std::complex<double>>}

const Routine routines[] = {
    {"potrf", "potrf", FACTORIES(makePotrf), "m>mv", "m>mv", firstIsFirst},
    {"getrf", "getrf", FACTORIES(makeGetrf), "m>mvv", "m>mvv", firstIsFirst},
    {"geqrf", "geqrf", FACTORIES(makeGeqrf), "m>mv", "m>mv", firstIsFirst},
    {"geqp3", "geqp3", FACTORIES(makeGeqp3), "mv>mvv", "mv>mvv", twoAreFirst},
    {"orgqr", "ungqr", FACTORIES(makeOrgqr), "mv>m", "mv>m", firstIsFirst},
    {"ormqr", "unmqr", FACTORIES(makeOrmqr), "mvm>m", "mvm>m", firstIsThird},
    {"syevd", "heevd", FACTORIES(makeSyevd), "m>mvv", "m>mvv", firstIsFirst},
    {"geev", "geev", FACTORIES(makeGeev), "m>vvmmv", "m>vmmv", {}},
    {"gesdd", "gesdd", FACTORIES(makeGesdd), "m>mvmmv", "m>mvmmv",
     firstIsFirst},
    {"gesvd", "gesvd", FACTORIES(makeGesvd), "m>mvmmv", "m>mvmmv",
     firstIsFirst},
    {"gees", "gees", FACTORIES(makeGees), "m>mmvvvv", "m>mmvvv", firstIsFirst},
    {"gehrd", "gehrd", FACTORIES(makeGehrd), "m>mvv", "m>mvv", firstIsFirst},
    {"sytrd", "hetrd", FACTORIES(makeSytrd), "m>mvvvv", "m>mvvvv",
     firstIsFirst},
    {"trsm", "trsm", FACTORIES(makeTrsm), "mm>m", "mm>m", firstIsSecond},
    {"gtsv", "gtsv", FACTORIES(makeGtsv), "vvvm>vvvmv", "vvvm>vvvmv",
     fourAreFirst},
};

/// A routine without a type in its name; the first operand determines the type.
template <LibraryFactory... factories>
llvm::Expected<LibraryOp> makeByType(const LibraryCall &call) {
  constexpr LibraryFactory list[] = {factories...};
  switch (call.inputs.empty() ? ElementType::S32 : call.inputs[0].type) {
  case ElementType::F32:
    return list[0](call);
  case ElementType::F64:
    return list[1](call);
  case ElementType::C64:
    return list[2](call);
  case ElementType::C128:
    return list[3](call);
  default:
    return llvm::createStringError(
        "requires matrices of f32, f64, complex<f32> or complex<f64>");
  }
}

#define MAKE_BY_TYPE(make)                                                     \
  makeByType<make<float>, make<double>, make<std::complex<float>>,             \
             make<std::complex<double>>>
} // namespace

std::optional<LibraryEntry> cpu::findLapackEntry(llvm::StringRef target) {
  if (target == "Qr")
    return LibraryEntry{MAKE_BY_TYPE(makeGeqrf), nullptr, "m>mv", firstIsFirst};
  if (target == "ProductOfElementaryHouseholderReflectors")
    return LibraryEntry{MAKE_BY_TYPE(makeOrgqr), nullptr, "mv>m", firstIsFirst};
  if (target == "tridiagonal_solve_perturbed_ffi")
    return LibraryEntry{makePerturbedTridiagonal};
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") ||
      target.empty())
    return std::nullopt;
  size_t type = llvm::StringRef("sdcz").find(target[0]);
  if (type == llvm::StringRef::npos)
    return std::nullopt;
  bool isComplex = type >= 2;
  for (const Routine &r : routines)
    if ((isComplex ? r.complex : r.real) == target.drop_front())
      return LibraryEntry{r.factories[type], nullptr,
                          isComplex ? r.complexLayouts : r.realLayouts,
                          r.aliases};
  return std::nullopt;
}
