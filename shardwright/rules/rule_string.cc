//===- rule_string.cc - rule strings in JAX's notation --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/rule_string.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <optional>

namespace shardwright {
namespace {

/// A factor's name, with its offset in the text.
struct Name {
  std::string name;
  size_t at = 0;
};
using Dim = llvm::SmallVector<Name, 2>;

struct Value {
  /// Name of the group of leading dimensions: the digits after `...`.
  std::optional<std::string> leading;
  size_t at = 0;
  std::vector<Dim> dims;
};

class Parser {
public:
  explicit Parser(llvm::StringRef text) : text(text) {}

  std::vector<Value> operands, results;

  llvm::Error run() {
    size_t arrow = text.find("->");
    if (arrow == llvm::StringRef::npos)
      return error(text.size(), "there is no -> in the rule");
    if (size_t second = text.find("->", arrow + 2);
        second != llvm::StringRef::npos)
      return error(second, "there is a second -> in the rule");
    if (llvm::Error e = side(0, arrow, operands))
      return e;
    return side(arrow + 2, text.size(), results);
  }

  /// An error that shows the text and a caret.
  llvm::Error error(size_t at, const llvm::Twine &message) const {
    return llvm::createStringError(message.str() + "\n  " + text.str() +
                                   "\n  " + std::string(at, ' ') + "^");
  }

private:
  llvm::Error side(size_t begin, size_t end, std::vector<Value> &values) {
    while (true) {
      size_t comma = std::min(text.find(',', begin), end);
      Value value;
      value.at = std::min(text.find_first_not_of(" \t\n", begin), comma);
      if (llvm::Error e = parse(begin, comma, value))
        return e;
      values.push_back(std::move(value));
      if (comma >= end)
        return llvm::Error::success();
      begin = comma + 1;
    }
  }

  llvm::Error parse(size_t at, size_t end, Value &value) {
    std::optional<Dim> compound;
    size_t opened = 0;
    while (at < end) {
      char c = text[at];
      if (c == ' ' || c == '\t' || c == '\n') {
        ++at;
      } else if (c == '.') {
        if (text.substr(at, 3) != "...")
          return error(at, "'.' must be part of an ellipsis '...'");
        if (value.leading || !value.dims.empty() || compound)
          return error(at, "an ellipsis must be the first of its value");
        size_t digits = at + 3;
        while (digits < end && llvm::isDigit(text[digits]))
          ++digits;
        value.leading = text.slice(at + 3, digits).str();
        if (value.leading->empty())
          value.leading = "0";
        at = digits;
      } else if (c == '(') {
        if (compound)
          return error(at, "compound factors cannot be nested");
        compound.emplace();
        opened = at++;
      } else if (c == ')') {
        if (!compound)
          return error(at, "this bracket was never opened");
        if (compound->size() < 2)
          return error(opened, "brackets hold two factors at least");
        value.dims.push_back(std::move(*compound));
        compound.reset();
        ++at;
      } else if (llvm::isAlpha(c)) {
        size_t stop = at;
        while (stop < end && (llvm::isAlnum(text[stop]) || text[stop] == '_'))
          ++stop;
        Name name{text.slice(at, stop).str(), at};
        if (compound)
          compound->push_back(name);
        else
          value.dims.push_back({name});
        at = stop;
      } else if (llvm::isDigit(c)) {
        return error(at, "a factor's name begins with a letter");
      } else {
        return error(at, llvm::Twine("unknown character '") +
                             llvm::StringRef(&c, 1) + "'");
      }
    }
    if (compound)
      return error(opened, "this bracket is never closed");
    return llvm::Error::success();
  }

  llvm::StringRef text;
};

class Builder {
public:
  Builder(const Parser &parser, const RuleStringOptions &options)
      : parser(parser), options(options) {}

  llvm::Expected<ShardingRule> run(llvm::ArrayRef<Shape> operandShapes,
                                   llvm::ArrayRef<Shape> resultShapes) {
    for (auto [values, shapes, what] :
         {std::tuple(&parser.operands, operandShapes, "operand"),
          std::tuple(&parser.results, resultShapes, "result")}) {
      if (values->size() != shapes.size())
        return parser.error(values->front().at,
                            llvm::Twine("the rule has ") +
                                llvm::Twine(values->size()) + " " + what +
                                "s, but the operation has " +
                                llvm::Twine(shapes.size()));
      for (auto [value, shape] : llvm::zip_equal(*values, shapes))
        if (llvm::Error e = add(value, shape, what))
          return std::move(e);
    }
    if (llvm::Error e = checkProducts(parser.operands, operandShapes))
      return std::move(e);
    if (llvm::Error e = checkProducts(parser.results, resultShapes))
      return std::move(e);
    for (auto &[name, factor] : factors) {
      if (!factor.isKnown)
        return parser.error(factor.at, "factor " + name +
                                           " is only part of dimensions; its "
                                           "size must be given");
      rule.factors[factor.index].size = factor.size;
    }
    for (auto &[name, size] : options.factorSizes)
      if (!factors.count(name))
        return parser.error(0, "factor " + name +
                                   " has a size, but the rule does not use it");
    if (llvm::Error e = mark(options.reduction, FactorKind::Reduction))
      return std::move(e);
    for (const Value &value : parser.results)
      for (const Dim &dim : value.dims)
        for (const Name &name : dim)
          if (rule.factors[factors.find(name.name)->second.index].kind ==
              FactorKind::Reduction)
            return parser.error(name.at,
                                "factor " + name.name +
                                    " is reduced, so no result can hold it");
    if (llvm::Error e =
            mark(options.needReplication, FactorKind::NeedReplication))
      return std::move(e);
    if (llvm::Error e = mark(options.permutation, FactorKind::Permutation))
      return std::move(e);
    rule.isCustom = true;
    return rule;
  }

  /// Of all factors, by index.
  std::vector<std::string> names() const {
    std::vector<std::string> list(rule.factors.size());
    for (auto &[name, factor] : factors)
      list[factor.index] = name;
    return list;
  }

private:
  struct Known {
    int32_t index = 0;
    int64_t size = 0;
    size_t at = 0;
    bool isKnown = false;
    /// The user gave the size.
    bool isGiven = false;
  };

  Known &factorOf(const std::string &name, size_t at) {
    auto [it, isNew] = factors.insert({name, Known()});
    if (isNew) {
      it->second.index = rule.factors.size();
      it->second.at = at;
      rule.factors.emplace_back();
      for (auto &[given, size] : options.factorSizes)
        if (given == name) {
          it->second.size = size;
          it->second.isGiven = it->second.isKnown = true;
        }
    }
    return it->second;
  }

  llvm::Error add(const Value &value, llvm::ArrayRef<int64_t> shape,
                  const char *what) {
    int64_t leading = int64_t(shape.size()) - int64_t(value.dims.size());
    if (leading < 0 || (leading > 0 && !value.leading))
      return parser.error(value.at, llvm::Twine("this ") + what + " has rank " +
                                        llvm::Twine(value.dims.size()) +
                                        " in the rule, but rank " +
                                        llvm::Twine(shape.size()) +
                                        " in the operation");
    TensorMapping mapping;
    llvm::SmallVector<int32_t> used;
    if (value.leading) {
      auto [it, isNew] = ranks.insert({*value.leading, leading});
      if (!isNew && it->second != leading)
        return parser.error(value.at, "the ellipsis stands for " +
                                          llvm::Twine(leading) +
                                          " dimensions here and for " +
                                          llvm::Twine(it->second) + " before");
      for (int64_t d = 0; d < leading; ++d) {
        Known &factor = factorOf(
            "..." + *value.leading + "_" + std::to_string(d), value.at);
        if (factor.isKnown && factor.size != shape[d])
          return parser.error(
              value.at, "leading dimension " + llvm::Twine(d) +
                            " has two sizes: " + llvm::Twine(factor.size) +
                            " and " + llvm::Twine(shape[d]));
        factor.size = shape[d];
        factor.isKnown = true;
        mapping.push_back({factor.index});
      }
    }
    for (auto [d, dim] : llvm::enumerate(value.dims)) {
      DimMapping places;
      for (const Name &name : dim) {
        Known &factor = factorOf(name.name, name.at);
        if (llvm::is_contained(used, factor.index))
          return parser.error(name.at, "factor " + name.name +
                                           " is twice in this " + what);
        used.push_back(factor.index);
        places.push_back(factor.index);
        if (dim.size() > 1)
          continue;
        if (factor.isGiven)
          return parser.error(name.at, "factor " + name.name +
                                           " is a whole dimension; its size "
                                           "must not be given");
        // If sizes differ, only the smallest can be sharded everywhere.
        int64_t size = shape[leading + d];
        factor.size = factor.isKnown ? std::min(factor.size, size) : size;
        factor.isKnown = true;
      }
      mapping.push_back(places);
    }
    if (what[0] == 'o')
      rule.operands.push_back(std::move(mapping));
    else
      rule.results.push_back(std::move(mapping));
    return llvm::Error::success();
  }

  llvm::Error checkProducts(const std::vector<Value> &values,
                            llvm::ArrayRef<Shape> shapes) const {
    for (auto [value, shape] : llvm::zip_equal(values, shapes)) {
      size_t leading = shape.size() - value.dims.size();
      for (auto [d, dim] : llvm::enumerate(value.dims)) {
        if (dim.size() < 2)
          continue;
        int64_t product = 1;
        bool isKnown = true;
        for (const Name &name : dim) {
          const Known &factor = factors.find(name.name)->second;
          isKnown &= factor.isKnown;
          if (factor.isKnown && factor.size == 1)
            return parser.error(name.at,
                                "factor " + name.name +
                                    " of size 1 must stand alone, not be part "
                                    "of a dimension");
          if (isKnown && llvm::MulOverflow(product, factor.size, product))
            return parser.error(dim.front().at,
                                "the product of these factors overflows");
        }
        if (isKnown && product != shape[leading + d])
          return parser.error(dim.front().at,
                              "the factors make " + llvm::Twine(product) +
                                  ", but the dimension has size " +
                                  llvm::Twine(shape[leading + d]));
      }
    }
    return llvm::Error::success();
  }

  llvm::Error mark(const std::vector<std::string> &names, FactorKind kind) {
    for (const std::string &name : names) {
      auto it = factors.find(name);
      if (it == factors.end())
        return parser.error(0, "factor " + name +
                                   " has a kind, but the rule does not use it");
      Factor &factor = rule.factors[it->second.index];
      if (factor.kind != FactorKind::PassThrough)
        return parser.error(it->second.at,
                            "factor " + name +
                                " can be of one kind only: reduction, need "
                                "replication or permutation");
      factor.kind = kind;
    }
    return llvm::Error::success();
  }

  const Parser &parser;
  const RuleStringOptions &options;
  ShardingRule rule;
  llvm::MapVector<std::string, Known, std::map<std::string, unsigned>> factors;
  std::map<std::string, int64_t> ranks;
};

} // namespace

std::string factorName(int32_t factor) {
  return factor < 18 ? std::string(1, char('i' + factor))
                     : "z_" + std::to_string(factor - 17);
}

llvm::Expected<ShardingRule> parseRuleString(llvm::StringRef text,
                                             llvm::ArrayRef<Shape> operands,
                                             llvm::ArrayRef<Shape> results,
                                             const RuleStringOptions &options,
                                             std::vector<std::string> *names) {
  Parser parser(text);
  if (llvm::Error e = parser.run())
    return std::move(e);
  Builder builder(parser, options);
  llvm::Expected<ShardingRule> rule = builder.run(operands, results);
  if (rule && names)
    *names = builder.names();
  return rule;
}

std::string ruleString(const ShardingRule &rule) {
  auto side = [](llvm::ArrayRef<TensorMapping> tensors) {
    return llvm::join(
        llvm::map_range(tensors,
                        [](const TensorMapping &tensor) {
                          std::vector<std::string> dims;
                          for (const DimMapping &dim : tensor) {
                            std::vector<std::string> names;
                            for (int32_t factor : dim)
                              names.push_back(factorName(factor));
                            std::string list = llvm::join(names, " ");
                            dims.push_back(dim.size() > 1 ? "(" + list + ")"
                                                          : list);
                          }
                          return llvm::join(dims, " ");
                        }),
        ", ");
  };
  return side(rule.operands) + " -> " + side(rule.results);
}

} // namespace shardwright
