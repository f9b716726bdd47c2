//===- einsum_path.cc - the order of contractions of einsum ---------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/numpy/einsum_path.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace shardwright::frontend {
namespace {

using Letters = std::set<char>;
using Sizes = std::map<char, int64_t>;
using Path = std::vector<std::vector<size_t>>;

constexpr const char *kSymbols =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The search grows with the factorial of the number of operands; above, pairs
/// are chosen one after another.
constexpr size_t kMostSearched = 8;

struct Spec {
  std::vector<std::string> terms;
  std::string result;
};

std::vector<std::string> splitTerms(const std::string &text) {
  std::vector<std::string> out{""};
  for (char c : text)
    if (c == ',')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

/// Letters that occur once, in order.
std::string lettersOnce(const std::vector<std::string> &terms) {
  std::map<char, int64_t> counts;
  for (const std::string &term : terms)
    for (char c : term)
      ++counts[c];
  std::string out;
  for (auto [c, count] : counts)
    if (count == 1)
      out += c;
  return out;
}

/// Replaces ellipses by letters that the specification does not use.
Status expandEllipses(Spec &spec, bool hasResult,
                      const std::vector<Shape> &shapes) {
  auto hasDots = [](const std::string &term) {
    return term.find('.') != std::string::npos;
  };
  if (std::none_of(spec.terms.begin(), spec.terms.end(), hasDots) &&
      !hasDots(spec.result))
    return {};
  std::string used = spec.result, unused;
  int64_t most = 0, longest = 0;
  for (size_t i = 0; i < spec.terms.size(); ++i) {
    used += spec.terms[i];
    most = std::max(most, i < shapes.size() ? shapes[i].rank() : 0);
  }
  for (const char *c = kSymbols; *c; ++c)
    if (used.find(*c) == std::string::npos &&
        static_cast<int64_t>(unused.size()) < most)
      unused += *c;
  auto last = [&](int64_t count) {
    return unused.substr(unused.size() - count);
  };
  auto replaced = [&](std::string &term, const std::string &by) {
    size_t at = term.find("...");
    if (at == std::string::npos ||
        std::count(term.begin(), term.end(), '.') != 3)
      return false;
    term.replace(at, 3, by);
    return true;
  };
  for (size_t i = 0; i < spec.terms.size(); ++i) {
    std::string &term = spec.terms[i];
    if (!hasDots(term))
      continue;
    int64_t count = (i < shapes.size() ? shapes[i].rank() : 0) -
                    (static_cast<int64_t>(term.size()) - 3);
    if (count < 0)
      return valueError("Ellipses lengths do not match.");
    if (count > static_cast<int64_t>(unused.size()))
      return valueError("einsum has no letters left for an ellipsis of ", count,
                        " dimensions");
    longest = std::max(longest, count);
    if (!replaced(term, last(count)))
      return valueError("Invalid Ellipses.");
  }
  if (!hasResult) {
    std::string once = lettersOnce(spec.terms);
    spec.result = last(longest);
    for (char c : once)
      if (last(longest).find(c) == std::string::npos)
        spec.result += c;
  } else if (hasDots(spec.result) && !replaced(spec.result, last(longest))) {
    return valueError("Invalid Ellipses.");
  }
  return {};
}

Expected<Spec> parseSpec(std::string text, const std::vector<Shape> &shapes) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  size_t arrow = text.find("->");
  bool hasResult = arrow != std::string::npos;
  auto dashes = std::count(text.begin(), text.end(), '-'),
       points = std::count(text.begin(), text.end(), '>');
  if (dashes > 1 || points > 1 || ((dashes || points) && !hasResult))
    return valueError("Subscripts can only contain one '->'.");
  Spec spec{splitTerms(hasResult ? text.substr(0, arrow) : text),
            hasResult ? text.substr(arrow + 2) : ""};
  bool hadDots = text.find('.') != std::string::npos;
  SW_TRY(expandEllipses(spec, hasResult, shapes));
  if (!hasResult && !hadDots)
    spec.result = lettersOnce(spec.terms);
  std::string all;
  for (const std::string &term : spec.terms)
    all += term;
  for (char c : all + spec.result)
    if (!std::isalpha(static_cast<unsigned char>(c)))
      return valueError("Character '", c,
                        "' is not a valid symbol of an einsum.");
  for (char c : spec.result) {
    if (std::count(spec.result.begin(), spec.result.end(), c) != 1)
      return valueError("Output character '", c,
                        "' appeared more than once in the output.");
    if (all.find(c) == std::string::npos)
      return valueError("Output character '", c,
                        "' did not appear in the input");
  }
  if (spec.terms.size() != shapes.size())
    return valueError("Number of einsum subscripts, ", spec.terms.size(),
                      ", must be equal to the number of operands, ",
                      shapes.size(), ".");
  return spec;
}

Expected<Sizes> sizesOf(const Spec &spec, const std::vector<Shape> &shapes) {
  Sizes sizes;
  for (size_t i = 0; i < spec.terms.size(); ++i) {
    const std::string &term = spec.terms[i];
    if (static_cast<int64_t>(term.size()) != shapes[i].rank())
      return valueError("Einstein sum subscript '", term,
                        "' does not contain the correct number of indices for "
                        "operand ",
                        i, ".");
    for (size_t d = 0; d < term.size(); ++d) {
      auto [entry, isNew] = sizes.try_emplace(term[d], shapes[i][d]);
      if (isNew)
        continue;
      if (entry->second == 1)
        entry->second = shapes[i][d];
      else if (shapes[i][d] != 1 && shapes[i][d] != entry->second)
        return valueError("Size of label '", term[d], "' for operand ", i, " (",
                          entry->second, ") does not match previous terms (",
                          shapes[i][d], ").");
    }
  }
  return sizes;
}

/// The search for the cheapest order of contractions of pairs. Operands are
/// numbered in the order in which they are made.
class PathSearch {
public:
  PathSearch(const Spec &spec, const Sizes &s)
      : sizes(s), output(spec.result.begin(), spec.result.end()) {
    for (const std::string &term : spec.terms)
      terms.emplace_back(term.begin(), term.end());
  }

  /// Pairs of numbers.
  Path run() {
    std::vector<size_t> remaining;
    for (size_t i = 0; i < terms.size(); ++i)
      remaining.push_back(i);
    if (terms.size() <= kMostSearched)
      search(remaining, 0);
    else
      choosePairs(remaining);
    return best;
  }

private:
  struct Pair {
    Letters letters; ///< of the result
    double flops;
  };
  Pair contract(const std::vector<size_t> &remaining, size_t i,
                size_t j) const {
    Letters either = terms[i], keep = output;
    either.insert(terms[j].begin(), terms[j].end());
    for (size_t k : remaining)
      if (k != i && k != j)
        keep.insert(terms[k].begin(), terms[k].end());
    Pair out{{}, 1};
    bool isInner = false;
    for (char c : either) {
      out.flops *= static_cast<double>(sizes.at(c));
      if (keep.count(c))
        out.letters.insert(c);
      else
        isInner |= terms[i].count(c) && terms[j].count(c);
    }
    if (isInner)
      out.flops *= 2;
    return out;
  }
  static std::vector<size_t> without(const std::vector<size_t> &list, size_t i,
                                     size_t j, size_t added) {
    std::vector<size_t> out;
    for (size_t k : list)
      if (k != i && k != j)
        out.push_back(k);
    out.push_back(added);
    return out;
  }
  void search(const std::vector<size_t> &remaining, double flops) {
    if (remaining.size() == 1) {
      bestFlops = flops;
      best = path;
      return;
    }
    for (size_t a = 0; a < remaining.size(); ++a)
      for (size_t b = a + 1; b < remaining.size(); ++b) {
        size_t i = remaining[a], j = remaining[b];
        Pair pair = contract(remaining, i, j);
        if (flops + pair.flops >= bestFlops)
          continue;
        std::vector<size_t> next = without(remaining, i, j, terms.size());
        terms.push_back(pair.letters);
        path.push_back({i, j});
        search(next, flops + pair.flops);
        path.pop_back();
        terms.pop_back();
      }
  }
  void choosePairs(std::vector<size_t> remaining) {
    while (remaining.size() > 1) {
      size_t bestI = 0, bestJ = 1;
      Pair cheapest{{}, std::numeric_limits<double>::infinity()};
      for (size_t a = 0; a < remaining.size(); ++a)
        for (size_t b = a + 1; b < remaining.size(); ++b) {
          Pair pair = contract(remaining, remaining[a], remaining[b]);
          if (pair.flops < cheapest.flops) {
            cheapest = pair;
            bestI = remaining[a];
            bestJ = remaining[b];
          }
        }
      best.push_back({bestI, bestJ});
      remaining = without(remaining, bestI, bestJ, terms.size());
      terms.push_back(cheapest.letters);
    }
  }

  const Sizes &sizes;
  const Letters output;
  std::vector<Letters> terms;
  Path path, best;
  double bestFlops = std::numeric_limits<double>::infinity();
};

/// Numbers of operands as positions in the list of those that are left.
Path positions(const Path &numbers, size_t operands) {
  std::vector<size_t> left;
  for (size_t i = 0; i < operands; ++i)
    left.push_back(i);
  Path out;
  for (const std::vector<size_t> &step : numbers) {
    std::vector<size_t> places;
    for (size_t number : step)
      places.push_back(std::find(left.begin(), left.end(), number) -
                       left.begin());
    std::sort(places.rbegin(), places.rend());
    for (size_t place : places)
      left.erase(left.begin() + place);
    left.push_back(operands++);
    out.push_back(places);
  }
  return out;
}

} // namespace

Expected<std::vector<EinsumStep>> einsumPath(const std::string &text,
                                             const std::vector<Shape> &shapes) {
  Expected<Spec> spec = parseSpec(text, shapes);
  if (!spec)
    return spec.error();
  Expected<Sizes> sizes = sizesOf(*spec, shapes);
  if (!sizes)
    return sizes.error();
  size_t count = spec->terms.size();
  Path path = count == 1   ? Path{{0}}
              : count == 2 ? Path{{1, 0}}
                           : positions(PathSearch(*spec, *sizes).run(), count);
  std::vector<std::string> terms = spec->terms;
  std::vector<EinsumStep> out;
  for (const std::vector<size_t> &places : path) {
    EinsumStep step;
    step.operands = places;
    for (size_t place : places) {
      step.terms.push_back(terms[place]);
      terms.erase(terms.begin() + place);
    }
    Letters keep(spec->result.begin(), spec->result.end());
    for (const std::string &term : terms)
      keep.insert(term.begin(), term.end());
    std::string inputs;
    for (const std::string &term : step.terms)
      inputs += term;
    for (char c : inputs)
      if (keep.count(c) && step.result.find(c) == std::string::npos)
        step.result += c;
    Letters removed(inputs.begin(), inputs.end());
    for (char c : removed)
      if (!keep.count(c))
        step.contracted += c;
    if (out.size() + 1 == path.size())
      step.result = spec->result;
    terms.push_back(step.result);
    out.push_back(std::move(step));
  }
  return out;
}

} // namespace shardwright::frontend
