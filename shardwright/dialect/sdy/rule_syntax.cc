//===- rule_syntax.cc - text of the op sharding rule --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/sdy.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shardwright::sdy {

namespace {

// Factor 0..17 is `i`..`z`, factor 17+n is `z_n`.
constexpr int64_t kLastLetter = 'z' - 'i';
constexpr StringLiteral kNumbered = "z_";

void printFactor(raw_ostream &os, int64_t factor) {
  if (factor < 0) // only in invalid IR
    os << '?';
  else if (factor <= kLastLetter)
    os << static_cast<char>('i' + factor);
  else
    os << kNumbered << factor - kLastLetter;
}

/// Consumes one factor from the front of `word`.
ParseResult parseFactor(AsmParser &p, SMLoc loc, StringRef &word,
                        int64_t &factor) {
  StringRef number = word;
  if (!number.consume_front(kNumbered)) {
    char letter = word.front();
    if (letter < 'i' || letter > 'z')
      return p.emitError(loc) << "expecting symbol from 'i' to 'z'. Received: '"
                              << letter << "'";
    factor = letter - 'i';
    word = word.drop_front();
    return success();
  }
  StringRef digits = number.take_while(llvm::isDigit);
  if (digits.empty())
    return p.emitError(loc)
           << "expecting integer after 'z_'. Received: '" << word << "'";
  if (digits.front() == '0')
    return p.emitError(loc) << "expecting positive integer without leading "
                               "zeros. Received: '"
                            << digits << "'";
  int64_t n = 0;
  if (digits.getAsInteger(10, n) ||
      n > std::numeric_limits<int64_t>::max() - kLastLetter)
    return p.emitError(loc)
           << "factor number does not fit in 64 bits: '" << digits << "'";
  factor = kLastLetter + n;
  word = number.drop_front(digits.size());
  return success();
}

/// Parses a word that is exactly one factor.
ParseResult parseSingleFactor(AsmParser &p, int64_t &factor) {
  SMLoc loc = p.getCurrentLocation();
  StringRef word;
  if (p.parseKeyword(&word) || parseFactor(p, loc, word, factor))
    return failure();
  if (!word.empty())
    return p.emitError(loc) << "expecting single factor symbol: " << word;
  return success();
}

/// Parses `{i=2, j=4}`, in the order of the factors.
ParseResult parseSizes(AsmParser &p, SmallVectorImpl<int64_t> &sizes) {
  if (failed(p.parseOptionalLBrace()) || succeeded(p.parseOptionalRBrace()))
    return success();
  auto parseSize = [&]() -> ParseResult {
    SMLoc loc = p.getCurrentLocation();
    int64_t factor = 0, expected = sizes.size();
    if (parseSingleFactor(p, factor))
      return failure();
    if (factor != expected)
      return p.emitError(loc)
             << "expecting factor indices to be ordered like an iota "
                "([0,1,2,...], e.g. {i=#, j=#, ...}). Expecting factor index "
                "symbol '"
             << OpShardingRuleAttr::getFactorName(expected) << "', received: '"
             << OpShardingRuleAttr::getFactorName(factor) << "'";
    return failure(p.parseEqual() || p.parseInteger(sizes.emplace_back()));
  };
  return failure(p.parseCommaSeparatedList(parseSize) || p.parseRBrace());
}

/// Parses an optional `NAME={i, k}`.
ParseResult parseFactorSet(AsmParser &p, StringRef name,
                           SmallVectorImpl<int64_t> &factors) {
  if (failed(p.parseOptionalKeyword(name)))
    return success();
  if (p.parseEqual() || p.parseLBrace())
    return failure();
  if (succeeded(p.parseOptionalRBrace()))
    return success();
  auto parseOne = [&] { return parseSingleFactor(p, factors.emplace_back()); };
  return failure(p.parseCommaSeparatedList(parseOne) || p.parseRBrace());
}

ParseResult parseMappings(AsmParser &p,
                          SmallVectorImpl<TensorMappingAttr> &mappings) {
  auto parseOne = [&]() -> ParseResult {
    FailureOr<TensorMappingAttr> mapping =
        FieldParser<TensorMappingAttr>::parse(p);
    if (failed(mapping))
      return failure();
    mappings.push_back(*mapping);
    return success();
  };
  return failure(p.parseLParen() || p.parseCommaSeparatedList(parseOne) ||
                 p.parseRParen());
}

void printFactorSet(raw_ostream &os, StringRef name,
                    ArrayRef<int64_t> factors) {
  if (factors.empty())
    return;
  os << ' ' << name << "={";
  llvm::interleaveComma(factors, os,
                        [&](int64_t factor) { printFactor(os, factor); });
  os << '}';
}

} // namespace

std::string OpShardingRuleAttr::getFactorName(int64_t factor) {
  std::string name;
  llvm::raw_string_ostream os(name);
  printFactor(os, factor);
  return name;
}

Attribute DimMappingAttr::parse(AsmParser &p, Type) {
  // Without a word, the mapping is empty, which the rule's verifier rejects.
  SmallVector<int64_t> factors;
  StringRef word;
  SMLoc loc = p.getCurrentLocation();
  if (succeeded(p.parseOptionalKeyword(&word)))
    while (!word.empty())
      if (parseFactor(p, loc, word, factors.emplace_back()))
        return {};
  return get(p.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter &p) const {
  for (int64_t factor : getFactorIndices())
    printFactor(p.getStream(), factor);
}

Attribute TensorMappingAttr::parse(AsmParser &p, Type) {
  SmallVector<DimMappingAttr> dims;
  if (p.parseLSquare())
    return {};
  if (failed(p.parseOptionalRSquare())) {
    auto parseOne = [&]() -> ParseResult {
      FailureOr<DimMappingAttr> dim = FieldParser<DimMappingAttr>::parse(p);
      if (failed(dim))
        return failure();
      dims.push_back(*dim);
      return success();
    };
    if (p.parseCommaSeparatedList(parseOne) || p.parseRSquare())
      return {};
  }
  return get(p.getContext(), dims);
}

void TensorMappingAttr::print(AsmPrinter &p) const {
  p << '[';
  llvm::interleaveComma(getDimMappings(), p.getStream(),
                        [&](DimMappingAttr dim) { dim.print(p); });
  p << ']';
}

Attribute OpShardingRuleAttr::parse(AsmParser &p, Type) {
  SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  SmallVector<TensorMappingAttr> operands, results;
  bool isCustom = false;
  if (p.parseLess() || parseMappings(p, operands) || p.parseArrow() ||
      parseMappings(p, results) || parseSizes(p, sizes) ||
      parseFactorSet(p, "reduction", reduction) ||
      parseFactorSet(p, "need_replication", replication) ||
      parseFactorSet(p, "permutation", permutation) ||
      parseFactorSet(p, "blocked_propagation", blocked))
    return {};
  if (succeeded(p.parseOptionalComma())) {
    if (p.parseKeyword("custom"))
      return {};
    isCustom = true;
  }
  if (p.parseGreater())
    return {};
  return get(p.getContext(), sizes, operands, results, reduction, replication,
             permutation, blocked, isCustom);
}

void OpShardingRuleAttr::print(AsmPrinter &p) const {
  auto printMappings = [&](ArrayRef<TensorMappingAttr> mappings) {
    p << '(';
    llvm::interleaveComma(mappings, p.getStream(),
                          [&](TensorMappingAttr mapping) { mapping.print(p); });
    p << ')';
  };
  raw_ostream &os = p.getStream();
  p << '<';
  printMappings(getOperandMappings());
  p << "->";
  printMappings(getResultMappings());
  if (!getFactorSizes().empty()) {
    p << " {";
    for (auto [factor, size] : llvm::enumerate(getFactorSizes())) {
      os << (factor ? ", " : "");
      printFactor(os, factor);
      os << '=' << size;
    }
    p << '}';
  }
  printFactorSet(os, "reduction", getReductionFactors());
  printFactorSet(os, "need_replication", getNeedReplicationFactors());
  printFactorSet(os, "permutation", getPermutationFactors());
  printFactorSet(os, "blocked_propagation", getBlockedPropagationFactors());
  if (getIsCustomRule())
    p << ", custom";
  p << '>';
}

} // namespace shardwright::sdy
