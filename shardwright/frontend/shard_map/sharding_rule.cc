//===- sharding_rule.cc - rules in JAX's notation -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/sharding_rule.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

namespace shardwright::frontend {
namespace {

using Mapping = ShardingRule::Mapping;

/// How Python prints the leading dimensions of a value.
const std::string kBatching = "\u2026";

/// The group of `...` or `...1`, or nothing.
std::optional<std::string> batchGroup(const std::string &factor) {
  if (factor.rfind("...", 0) != 0)
    return {};
  std::string digits = factor.substr(3);
  return digits.empty() ? "0" : digits;
}

/// The character that begins at `at`: a letter of any language is one.
std::string characterAt(const std::string &text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() &&
         (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    ++end;
  return text.substr(at, end - at);
}
bool isDigit(const std::string &c) {
  return c.size() == 1 && std::isdigit(static_cast<unsigned char>(c[0]));
}
/// Characters of two bytes are letters from U+00C0 on; of those of three, the
/// blocks of signs (U+2000 to U+2BFF, U+3000 to U+303F) are none.
bool isAlpha(const std::string &c) {
  if (c.size() == 1)
    return std::isalpha(static_cast<unsigned char>(c[0]));
  if (c.size() == 2)
    return c >= "\u00c0" && c != "\u00d7" && c != "\u00f7";
  return c.size() == 3 && !(c >= "\u2000" && c < "\u2c00") &&
         !(c >= "\u3000" && c < "\u3040");
}

Status checkFactor(const std::string &factor) {
  std::string first = characterAt(factor, 0);
  if (!isAlpha(first))
    return valueError("Factor names have to start with a letter, but got '",
                      first, "'");
  for (size_t at = first.size(); at < factor.size();) {
    std::string c = characterAt(factor, at);
    if (c != "_" && !isDigit(c) && !isAlpha(c))
      return valueError("Unknown character '", c, "'");
    at += c.size();
  }
  return {};
}

/// Words, separated by single spaces.
std::string withoutSpaces(const std::string &text) {
  std::string out;
  for (char c : text)
    if (!std::isspace(static_cast<unsigned char>(c)))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  if (!out.empty() && out.back() == ' ')
    out.pop_back();
  return out;
}

/// One side of a rule.
class SideParser {
public:
  explicit SideParser(const std::string &side) : text(withoutSpaces(side)) {}

  Expected<std::vector<Mapping>> run() {
    for (size_t at = 0; at < text.size();) {
      if (text.compare(at, 3, "...") == 0) {
        SW_TRY(ellipsis(at));
        continue;
      }
      std::string c = characterAt(text, at);
      at += c.size();
      SW_TRY(character(c));
    }
    if (compound)
      return valueError("Brackets are not balanced in rule: '", shown(), "'");
    endFactor();
    SW_TRY(endValue());
    return values;
  }

private:
  Status ellipsis(size_t &at) {
    if (!factor.empty() || compound || !value.empty())
      return valueError(
          "Ellipsis can only be used at the beginning of a dimension");
    std::string digits;
    for (at += 3; at < text.size() && isDigit(text.substr(at, 1)); ++at)
      digits += text[at];
    // `...01` is `...1`.
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    value.push_back({"..." + (digits.empty() ? "0" : digits)});
    return {};
  }

  Status character(const std::string &c) {
    if (c == "(" || c == ")" || c == "," || c == " ") {
      endFactor();
      if (c == "(") {
        if (compound)
          return valueError("Compound factors should be one level, nested "
                            "brackets are not allowed");
        compound.emplace();
      } else if (c == ")") {
        if (!compound)
          return valueError("Brackets are not balanced");
        if (compound->size() <= 1)
          return valueError("Brackets should contain at least two factors");
        for (const std::string &name : *compound)
          SW_TRY(checkFactor(name));
        value.push_back(*compound);
        compound.reset();
      } else if (c == ",") {
        return endValue();
      }
      return {};
    }
    if (c != "_" && !isDigit(c) && !isAlpha(c))
      return valueError("Unknown character '", c, "'");
    if (factor.empty() && isDigit(c))
      return valueError("Factor names have to start with a letter, but got '",
                        c, "'");
    factor += c;
    return {};
  }

  Status endValue() {
    for (const ShardingRule::Dim &dim : value)
      if (dim.size() == 1 && !batchGroup(dim[0]))
        SW_TRY(checkFactor(dim[0]));
    values.push_back(std::move(value));
    value.clear();
    return {};
  }

  void endFactor() {
    if (factor.empty())
      return;
    if (compound)
      compound->push_back(factor);
    else
      value.push_back({factor});
    factor.clear();
  }

  std::string shown() const {
    std::string out = text;
    for (size_t at; (at = out.find("...")) != out.npos;)
      out.replace(at, 3, kBatching);
    return out;
  }

  const std::string text;
  std::vector<Mapping> values;
  Mapping value;
  std::string factor;
  std::optional<ShardingRule::Dim> compound;
};

/// `('i', 'j')`.
template <typename List, typename Show>
std::string pythonTuple(const List &list, Show show) {
  std::string out;
  for (const auto &item : list)
    out += cat(out.empty() ? "" : ", ", show(item));
  return cat("(", out, list.size() == 1 ? ",)" : ")");
}
std::string quotedFactor(const std::string &factor) {
  std::optional<std::string> group = batchGroup(factor);
  return cat("'", group ? kBatching + *group : factor, "'");
}
std::string shownDim(const ShardingRule::Dim &dim) {
  return dim.size() == 1 ? quotedFactor(dim[0])
                         : pythonTuple(dim, quotedFactor);
}
std::string shownMappings(const std::vector<Mapping> &mappings) {
  return pythonTuple(mappings, [](const Mapping &mapping) {
    return pythonTuple(mapping, shownDim);
  });
}

} // namespace

Expected<ShardingRule> ShardingRule::get(const std::string &rule,
                                         const RuleFactors &factors) {
  if (rule.find(kBatching) != rule.npos)
    return valueError("Unknown character '", kBatching, "'");
  std::string shown = rule, dots = rule;
  for (size_t at; (at = shown.find("...")) != shown.npos;)
    shown.replace(at, 3, kBatching);
  if (shown.find('.') != shown.npos)
    return valueError("Character '.' must be used inside ellipsis '...'");
  size_t arrow = rule.find("->");
  if (arrow == rule.npos || rule.find("->", arrow + 2) != rule.npos)
    return valueError("There is no -> in rule: '", shown, "'");
  auto operands = SideParser(rule.substr(0, arrow)).run();
  if (!operands)
    return operands.error();
  auto results = SideParser(rule.substr(arrow + 2)).run();
  if (!results)
    return results.error();
  return get(*operands, *results, factors);
}

Expected<ShardingRule> ShardingRule::get(std::vector<Mapping> operands,
                                         std::vector<Mapping> results,
                                         const RuleFactors &factors) {
  ShardingRule rule;
  rule.operands = std::move(operands);
  rule.results = std::move(results);
  rule.factors = factors;
  SW_TRY(rule.check());
  return rule;
}

Status ShardingRule::check() const {
  // Whether the size of a factor is that of a dimension.
  std::vector<std::pair<std::string, bool>> known;
  auto find = [&](const std::string &name) {
    return std::find_if(known.begin(), known.end(),
                        [&](const auto &entry) { return entry.first == name; });
  };
  for (const auto *side : {&operands, &results})
    for (const Mapping &mapping : *side)
      for (size_t d = 0; d < mapping.size(); ++d) {
        const Dim &dim = mapping[d];
        if (dim.empty())
          return valueError(
              "A compound factor should contain at least two factors");
        for (const std::string &factor : dim) {
          if (batchGroup(factor)) {
            if (dim.size() > 1)
              return valueError("Ellipsis can't be used in a compound factor");
            if (d > 0)
              return valueError(
                  "Ellipsis can only be used at the beginning of a dimension");
          } else {
            SW_TRY(checkFactor(factor));
          }
          bool isWhole = dim.size() == 1;
          if (auto found = find(factor); found == known.end())
            known.push_back({factor, isWhole});
          else
            found->second = found->second || isWhole;
        }
      }
  auto hasSize = [&](const std::string &name) {
    return std::any_of(factors.sizes.begin(), factors.sizes.end(),
                       [&](const auto &size) { return size.first == name; });
  };
  for (const auto &[name, size] : factors.sizes)
    if (find(name) == known.end())
      return valueError("Factor ", name,
                        " is not used in the rule, but size is provided");
  for (const auto &[name, isWhole] : known) {
    if (!hasSize(name) && !isWhole)
      return valueError("Factor ", name,
                        " is only used in compound factors; must specify its "
                        "size");
    if (hasSize(name) && isWhole)
      return valueError("Factor ", name,
                        " represents a whole dimension; do not specify its "
                        "size");
  }
  std::set<std::string> special;
  for (auto [kind, list] :
       {std::pair("reduction_factors", &factors.reduction),
        std::pair("need_replication_factors", &factors.needReplication),
        std::pair("permutation_factors", &factors.permutation)}) {
    if (std::set<std::string>(list->begin(), list->end()).size() !=
        list->size())
      return valueError(kind, " contains duplicated factors");
    for (const std::string &name : *list) {
      if (find(name) == known.end())
        return valueError("Factor ", name, " in ", kind,
                          " is not used in the rule");
      if (!special.insert(name).second)
        return valueError("Factor ", name,
                          " can only be in one of the reduction, need "
                          "replication, or permutation factor sets.");
    }
  }
  return {};
}

std::string ShardingRule::str() const {
  std::string sizes, kinds;
  for (const auto &[name, size] : factors.sizes)
    sizes += cat(sizes.empty() ? "'" : ", '", name, "': ", size);
  for (auto [kind, list] :
       {std::pair("reduction_factors", &factors.reduction),
        std::pair("need_replication_factors", &factors.needReplication),
        std::pair("permutation_factors", &factors.permutation)})
    if (!list->empty())
      kinds += cat(" ", kind, "=", pythonTuple(*list, quotedFactor));
  return cat("SdyShardingRule(", shownMappings(operands), ", ",
             shownMappings(results), ", {", sizes, "}", kinds, ")");
}

namespace {

/// Writes the attribute for values of given shapes.
class AttributeWriter {
public:
  AttributeWriter(const RuleFactors &factors, size_t operands)
      : rule(factors), numOperands(operands) {}

  /// Adds the factors of a value, in the order in which they appear.
  Status add(size_t value, const Mapping &mapping, const Shape &shape) {
    auto rank = static_cast<int64_t>(shape.size());
    auto own = static_cast<int64_t>(mapping.size());
    int64_t leading = 0;
    std::optional<std::string> group;
    if (!mapping.empty() && mapping[0].size() == 1)
      group = batchGroup(mapping[0][0]);
    if (group) {
      --own;
      leading = std::max<int64_t>(rank - own, 0);
      auto [found, isNew] = ranks.insert({*group, leading});
      if (!isNew && found->second != leading)
        return valueError("Ellipsis represents different number of leading "
                          "dimensions ",
                          found->second, " and ", leading);
    }
    if (own + leading != rank)
      return valueError("Sharding rule ", name(value), " has rank ",
                        own + leading, ", but the operation ", name(value),
                        " has rank ", rank);
    for (int64_t d = 0; d < leading; ++d)
      SW_TRY(addFactor(batchName(*group, d), shape[d]));
    for (int64_t d = 0; d < own; ++d) {
      const ShardingRule::Dim &dim = mapping[d + (group ? 1 : 0)];
      if (dim.size() == 1) {
        SW_TRY(addFactor(dim[0], shape[leading + d]));
        continue;
      }
      for (const std::string &factor : dim) {
        int64_t given = -1;
        for (const auto &[key, size] : rule.sizes)
          if (key == factor)
            given = size;
        SW_TRY(addFactor(factor, given));
      }
    }
    return {};
  }

  /// `[i, jk]`: the dimensions of a value.
  Expected<std::string> dims(size_t value, const Mapping &mapping,
                             const Shape &shape) const {
    std::vector<std::string> out;
    size_t first = 0;
    if (!mapping.empty() && mapping[0].size() == 1)
      if (auto group = batchGroup(mapping[0][0])) {
        first = 1;
        for (int64_t d = 0; d < ranks.at(*group); ++d)
          out.push_back(letter(batchName(*group, d)));
      }
    for (size_t d = first; d < mapping.size(); ++d) {
      std::string letters;
      int64_t product = 1;
      for (const std::string &factor : mapping[d]) {
        letters += letter(factor);
        product *= factorSizes[indices.at(factor)];
      }
      int64_t size = shape[out.size()];
      if (mapping[d].size() > 1 && product != size)
        return valueError(name(value), " actual size ", size,
                          " doesn't match the size ", product,
                          " derived from the compound factors ",
                          pythonTuple(mapping[d], quotedFactor));
      out.push_back(letters);
    }
    std::string text;
    for (const std::string &dim : out)
      text += (text.empty() ? "" : ", ") + dim;
    return cat("[", text, "]");
  }

  std::string sizes() const {
    std::string out;
    for (size_t i = 0; i < factorSizes.size(); ++i)
      out += cat(out.empty() ? "" : ", ", letter(i), "=", factorSizes[i]);
    return out;
  }
  std::string kinds() const {
    std::string out;
    for (auto [kind, list] :
         {std::pair("reduction", &rule.reduction),
          std::pair("need_replication", &rule.needReplication),
          std::pair("permutation", &rule.permutation)}) {
      std::string letters;
      for (const std::string &factor : *list)
        letters += cat(letters.empty() ? "" : ", ", letter(factor));
      if (!letters.empty())
        out += cat(" ", kind, "={", letters, "}");
    }
    return out;
  }

private:
  static std::string batchName(const std::string &group, int64_t d) {
    return cat("?", group, "_", d);
  }
  std::string name(size_t value) const {
    return value >= numOperands ? cat(value - numOperands, "th result")
                                : cat(value, "th operand");
  }
  /// As the attribute's text names a factor.
  static std::string letter(size_t index) {
    return index < 18 ? std::string(1, static_cast<char>('i' + index))
                      : cat("z_", index - 17);
  }
  std::string letter(const std::string &factor) const {
    return letter(indices.at(factor));
  }
  /// -1: not known yet. Of different sizes the smallest counts.
  Status addFactor(const std::string &factor, int64_t size) {
    auto [found, isNew] = indices.insert({factor, factorSizes.size()});
    if (isNew) {
      factorSizes.push_back(size);
      return {};
    }
    int64_t &known = factorSizes[found->second];
    if (size >= 0 && known >= 0 && size != known && factor[0] == '?')
      return valueError("Batching dimension ", factor.substr(1),
                        " corresponds to two sizes: ", known, " and ", size);
    if (size >= 0 && (known < 0 || size < known))
      known = size;
    return {};
  }

  const RuleFactors &rule;
  const size_t numOperands;
  std::map<std::string, size_t> indices;
  std::vector<int64_t> factorSizes;
  std::map<std::string, int64_t> ranks;
};

} // namespace

Expected<std::string>
ShardingRule::attribute(const std::vector<Shape> &operandShapes,
                        const std::vector<Shape> &resultShapes) const {
  if (operands.size() != operandShapes.size())
    return valueError("Sharding rule has ", operands.size(),
                      " operands, but the operation has ", operandShapes.size(),
                      " operands");
  if (results.size() != resultShapes.size())
    return valueError("Sharding rule has ", results.size(),
                      " results, but the operation has ", resultShapes.size(),
                      " results");
  AttributeWriter writer(factors, operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    SW_TRY(writer.add(i, operands[i], operandShapes[i]));
  for (size_t i = 0; i < results.size(); ++i)
    SW_TRY(writer.add(operands.size() + i, results[i], resultShapes[i]));
  std::string sides[2];
  for (size_t i = 0; i < operands.size() + results.size(); ++i) {
    bool isResult = i >= operands.size();
    size_t k = isResult ? i - operands.size() : i;
    Expected<std::string> dims =
        isResult ? writer.dims(i, results[k], resultShapes[k])
                 : writer.dims(i, operands[k], operandShapes[k]);
    if (!dims)
      return dims;
    sides[isResult] += (k ? ", " : "") + *dims;
  }
  std::string sizes = writer.sizes();
  return cat("#sdy.op_sharding_rule<(", sides[0], ")->(", sides[1], ")",
             sizes.empty() ? "" : cat(" {", sizes, "}"), writer.kinds(),
             ", custom>");
}

} // namespace shardwright::frontend
