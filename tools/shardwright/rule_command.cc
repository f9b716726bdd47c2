//===- rule_command.cc - shardwright rule: check a sharding rule ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command_line.h"
#include "terminal.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/rule_attr.h"
#include "shardwright/rules/rule_string.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardwright {
namespace {

constexpr StringRef kRemedy =
    "write it as in \"i k, k j -> i j\", with the types of all values as in "
    "--operands 4x8xf32,8x16xf32 --results 4x16xf32";

StringRef kindOf(const Factor &factor) {
  switch (factor.kind) {
  case FactorKind::PassThrough:
    return "pass-through";
  case FactorKind::Reduction:
    return "reduction";
  case FactorKind::NeedReplication:
    return "need replication";
  case FactorKind::Permutation:
    return "permutation";
  }
  return "";
}

/// The user's name, with that of the attribute in brackets if it differs.
std::string nameOf(size_t factor, ArrayRef<std::string> given) {
  std::string name = factorName(factor);
  if (given.empty() || given[factor] == name)
    return name;
  return given[factor] + " (" + name + ")";
}

/// Prints the dimensions that have each factor. `given`: the user's names, by
/// factor; may be empty.
void printFactors(const ShardingRule &rule, ArrayRef<std::string> given = {}) {
  if (rule.factors.empty())
    return;
  out() << "\nFactors\n";
  size_t width = 0;
  for (auto [i, factor] : enumerate(rule.factors))
    width = std::max(width, nameOf(i, given).size());
  for (auto [i, factor] : enumerate(rule.factors)) {
    out() << "  " << left_justify(nameOf(i, given), width) << "  "
          << right_justify(std::to_string(factor.size), 6) << "  "
          << left_justify(kindOf(factor), 16) << " ";
    ListSeparator comma;
    auto print = [&](ArrayRef<TensorMapping> tensors, StringRef what) {
      for (auto [t, tensor] : enumerate(tensors))
        for (auto [d, dim] : enumerate(tensor))
          if (is_contained(dim, int32_t(i)))
            out() << StringRef(comma) << what << " " << t << " dimension " << d
                  << (dim.size() > 1 ? " (a part)" : "");
    };
    print(rule.operands, "operand");
    print(rule.results, "result");
    out() << "\n";
  }
}

/// Warns of dimensions whose size is not that of their factors. JAX takes such
/// rules: only the smallest of the sizes can be sharded everywhere.
void warnOfSizes(const ShardingRule &rule, const RuleOptionsCli &options,
                 ArrayRef<std::string> names) {
  auto check = [&](ArrayRef<TensorMapping> tensors, ArrayRef<Shape> shapes,
                   StringRef what) {
    for (auto [t, tensor] : enumerate(tensors))
      for (auto [d, dim] : enumerate(tensor)) {
        if (dim.size() != 1 || rule.factors[dim.front()].size == shapes[t][d])
          continue;
        printKind("warning");
        err() << what << " " << t << " dimension " << d << " has size "
              << shapes[t][d] << ", but factor " << names[dim.front()]
              << " has size " << rule.factors[dim.front()].size
              << " elsewhere, as the rule says\n";
      }
  };
  check(rule.operands, options.operands, "operand");
  check(rule.results, options.results, "result");
}

/// Converts the attribute back to the string.
int readAttribute(StringRef text, mlir::MLIRContext &context) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    message += (message.empty() ? "" : "; ") + d.str();
    return mlir::success();
  });
  auto attr = dyn_cast_if_present<sdy::OpShardingRuleAttr>(
      mlir::parseAttribute(text, &context));
  std::optional<ShardingRule> rule =
      attr ? fromAttr(attr) : std::optional<ShardingRule>();
  if (!rule)
    return badInput(message.empty() ? "this is not a sharding rule" : message,
                    "write it as in sdy.sharding_rule: "
                    "#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) "
                    "{i=4, j=16, k=8} reduction={k}>");
  out() << ruleString(*rule) << "\n";
  printFactors(*rule);
  return exitFine;
}

} // namespace

int ruleCommand(const RuleOptionsCli &options) {
  mlir::MLIRContext context;
  context.loadDialect<sdy::SdyDialect>();
  if (StringRef(options.text).trim().starts_with("#sdy."))
    return readAttribute(StringRef(options.text).trim(), context);
  RuleStringOptions rest;
  rest.factorSizes = options.sizes;
  rest.reduction = options.reduction;
  rest.needReplication = options.needReplication;
  rest.permutation = options.permutation;
  std::vector<std::string> names;
  auto rule = parseRuleString(options.text, options.operands, options.results,
                              rest, &names);
  if (!rule)
    return badInput(toString(rule.takeError()), kRemedy);
  warnOfSizes(*rule, options, names);
  out() << toAttr(*rule, &context) << "\n";
  printFactors(*rule, names);
  return exitFine;
}

/// True for what may end a tensor type: `f32`, `complex<f64>`, `ui8`.
static bool isElementType(StringRef text) {
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::Type type = mlir::parseType(text, &context);
  return type && (type.isIntOrIndexOrFloat() || isa<mlir::ComplexType>(type));
}

Expected<std::vector<SmallVector<int64_t, 4>>> parseTypes(StringRef option,
                                                          StringRef text) {
  std::vector<SmallVector<int64_t, 4>> shapes;
  SmallVector<StringRef> types;
  text.split(types, ',');
  for (StringRef type : types) {
    SmallVector<int64_t, 4> &shape = shapes.emplace_back();
    StringRef rest = type.trim();
    if (rest.consume_front("tensor<"))
      rest.consume_back(">");
    int64_t elements = 1;
    // Sizes, then an element type, which rules ignore.
    while (!rest.empty() && isDigit(rest.front())) {
      int64_t size;
      if (rest.consumeInteger(10, size) ||
          !(rest.empty() || rest.consume_front("x")) ||
          MulOverflow(elements, std::max<int64_t>(size, 1), elements))
        return createStringError(option.str() +
                                 ": expected types as in 4x8xf32,f32, found '" +
                                 type.trim().str() + "'");
      shape.push_back(size);
    }
    if (!rest.empty() && !isElementType(rest))
      return createStringError(
          option.str() + ": expected types as in 4x8xf32,f32, found '" +
          type.trim().str() + "', of element type '" + rest.str() + "'");
  }
  return shapes;
}

Expected<std::pair<std::string, int64_t>> parseFactorSize(StringRef text) {
  auto [name, size] = text.split('=');
  int64_t value;
  if (name.trim().empty() || size.trim().getAsInteger(10, value) || value < 1)
    return createStringError("--sizes: expected FACTOR=SIZE with a size of 1 "
                             "or more, as in j=2,k=4, found '" +
                             text.str() + "'");
  return std::make_pair(name.trim().str(), value);
}

} // namespace shardwright
