//===- rule_command.cc - shardwright rule: check a sharding rule ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command_line.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/rule_attr.h"
#include "shardwright/rules/rule_string.h"

#include "mlir/AsmParser/AsmParser.h"
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

/// Prints the dimensions that have each factor.
void printFactors(const ShardingRule &rule) {
  if (rule.factors.empty())
    return;
  out() << "\nFactors\n";
  size_t width = 0;
  for (auto [i, factor] : enumerate(rule.factors))
    width = std::max(width, factorName(i).size());
  for (auto [i, factor] : enumerate(rule.factors)) {
    out() << "  " << left_justify(factorName(i), width) << "  "
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
    return badInput(message.empty() ? "this is no sharding rule" : message,
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
  auto rule =
      parseRuleString(options.text, options.operands, options.results, rest);
  if (!rule)
    return badInput(toString(rule.takeError()), kRemedy);
  out() << toAttr(*rule, &context) << "\n";
  printFactors(*rule);
  return exitFine;
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
    if (rest.contains('x') && !rest.starts_with("complex"))
      return createStringError(option.str() +
                               ": expected types as in 4x8xf32,f32, found '" +
                               type.trim().str() + "'");
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
