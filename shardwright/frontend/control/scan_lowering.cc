//===- scan_lowering.cc - scan as a StableHLO loop ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/control/scan.h"

namespace shardwright::frontend {
namespace {

using Names = std::vector<std::string>;

/// Writes the iterations of a scan. The state is the carry, then the stacked
/// results.
class ScanWriter {
public:
  explicit ScanWriter(LoweringContext &c)
      : c(c), s(c.params()), ordered(s.jaxpr->effects.ordered()),
        ins(s.jaxpr->inAvals()), outs(s.jaxpr->outAvals()),
        counter(mlirType(counterType)) {}

  Names write() {
    Names state(c.operands().begin() + s.consts,
                c.operands().begin() + s.consts + s.carry);
    for (size_t i = s.carry; i < c.resultTypes().size(); ++i)
      state.push_back(c.constant(c.resultTypes()[i], 0));
    // A body that never runs cannot slice its empty operands.
    if (!s.length)
      return state;
    int64_t unroll = std::max<int64_t>(s.unroll, 1);
    bool loops = unroll == 1 || s.length > unroll;
    int64_t rounds = loops ? s.length / unroll : 0;
    if (rounds)
      state = loop(state, unroll, rounds * unroll);
    for (int64_t i = rounds * unroll; i < s.length; ++i)
      state = iteration(number(s.reverse ? s.length - 1 - i : i), state);
    return state;
  }

private:
  std::string number(int64_t value) {
    return c.constant(counterType, static_cast<double>(value));
  }
  std::string compute(const char *op, const std::string &a,
                      const std::string &b) {
    return c.op(op, {a, b}, {counter, counter}, {counter})[0];
  }

  /// The first `length` iterations, `unroll` of them in each round.
  Names loop(const Names &state, int64_t unroll, int64_t length) {
    Names init = joinedNames({number(0)}, state);
    Names types = joinedNames({counter}, mlirTypes(c.resultTypes()));
    init = joinedNames(c.tokens(ordered), init);
    types = joinedNames(tokenTypes(ordered), types);
    size_t first = tokenTypes(ordered).size();
    c.enterRegion("cond");
    std::string condition = c.regionOf(types, [&](const Names &args) {
      return c.op("stablehlo.compare", {args[first], number(length)},
                  {counter, counter}, {mlirType(Aval{DType::Bool, {}})},
                  "comparison_direction = #stablehlo<comparison_direction LT>, "
                  "compare_type = #stablehlo<comparison_type SIGNED>");
    });
    c.enterRegion("body");
    std::string body = c.regionOf(types, [&](const Names &args) {
      Names own = takeTokens(c, ordered, args);
      std::string at = own[0];
      Names now(own.begin() + 1, own.end());
      for (int64_t k = 0; k < unroll; ++k) {
        std::string where = at;
        if (s.reverse) {
          where = compute("stablehlo.subtract", number(s.length), at);
          where = compute("stablehlo.subtract", where, number(1));
        }
        now = iteration(where, now);
        at = compute("stablehlo.add", at, number(1));
      }
      return joinedNames(c.tokens(ordered), joinedNames({at}, now));
    });
    Names results = takeTokens(
        c, ordered,
        c.op("stablehlo.while", init, types, types, "", {condition, body}));
    return Names(results.begin() + 1, results.end());
  }

  /// A position along the leading axis, and zeros.
  void addStarts(Names &operands, Names &types, const std::string &at,
                 const Aval &whole) {
    int64_t rank = whole.rank() + (whole.dtype == DType::Key);
    for (int64_t d = 0; d < rank; ++d) {
      operands.push_back(d ? number(0) : at);
      types.push_back(counter);
    }
  }

  std::string slice(size_t operand, const std::string &at) {
    const Aval &whole = c.operandTypes()[operand];
    Aval part = stacked(ins[operand], 1);
    Ints sizes = part.shape;
    if (whole.dtype == DType::Key)
      sizes.push_back(2);
    Names operands{c.operands()[operand]}, types{mlirType(whole)};
    addStarts(operands, types, at, whole);
    std::string row =
        c.op("stablehlo.dynamic_slice", operands, types, {mlirType(part)},
             arrayAttr("slice_sizes", sizes))[0];
    return c.op("stablehlo.reshape", {row}, {mlirType(part)},
                {mlirType(ins[operand])})[0];
  }

  std::string update(size_t result, const std::string &whole,
                     const std::string &value, const std::string &at) {
    const Aval &type = c.resultTypes()[result];
    Aval part = stacked(outs[result], 1);
    std::string row = c.op("stablehlo.reshape", {value},
                           {mlirType(outs[result])}, {mlirType(part)})[0];
    Names operands{whole, row}, types{mlirType(type), mlirType(part)};
    addStarts(operands, types, at, type);
    return c.op("stablehlo.dynamic_update_slice", operands, types,
                {mlirType(type)})[0];
  }

  /// The body on the slices at a position.
  Names iteration(const std::string &at, const Names &state) {
    Names args(c.operands().begin(), c.operands().begin() + s.consts);
    args.insert(args.end(), state.begin(), state.begin() + s.carry);
    for (size_t i = 0; i < s.xs; ++i)
      args.push_back(slice(s.consts + s.carry + i, at));
    Names results = c.inlineJaxpr(*s.jaxpr, args);
    for (size_t i = s.carry; i < results.size(); ++i)
      results[i] = update(i, state[i], results[i], at);
    return results;
  }

  LoweringContext &c;
  const Scan s;
  const EffectSet ordered;
  const Aval counterType{DType::I32, {}};
  const std::vector<Aval> ins, outs;
  const std::string counter;
};

} // namespace

std::vector<std::string> lowerScan(LoweringContext &c) {
  return ScanWriter(c).write();
}

} // namespace shardwright::frontend
