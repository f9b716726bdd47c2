//===- text_diff.cc - comparison of two lines of text ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/text_diff.h"

#include <unordered_map>

namespace shardwright::frontend {
namespace {

/// Equal runs of characters of two strings.
struct Match {
  size_t a = 0, b = 0, size = 0;
};

bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// The longest equal run of a[aLow, aHigh) and b[bLow, bHigh) that begins and
/// ends without blanks, with the equal characters beside it; the first of
/// several.
Match longestMatch(const std::string &a, const std::string &b, size_t aLow,
                   size_t aHigh, size_t bLow, size_t bHigh) {
  Match best{aLow, bLow, 0};
  // Lengths of equal runs that end at a position of b.
  std::unordered_map<size_t, size_t> lengths;
  for (size_t i = aLow; i < aHigh; ++i) {
    std::unordered_map<size_t, size_t> next;
    for (size_t j = bLow; j < bHigh; ++j) {
      if (a[i] != b[j] || isBlank(b[j]))
        continue;
      auto before = j > 0 ? lengths.find(j - 1) : lengths.end();
      size_t k = next[j] = (before == lengths.end() ? 0 : before->second) + 1;
      if (k > best.size)
        best = {i + 1 - k, j + 1 - k, k};
    }
    lengths = std::move(next);
  }
  for (bool blanks : {false, true}) {
    while (best.a > aLow && best.b > bLow && a[best.a - 1] == b[best.b - 1] &&
           isBlank(b[best.b - 1]) == blanks)
      --best.a, --best.b, ++best.size;
    while (best.a + best.size < aHigh && best.b + best.size < bHigh &&
           a[best.a + best.size] == b[best.b + best.size] &&
           isBlank(b[best.b + best.size]) == blanks)
      ++best.size;
  }
  return best;
}

/// All equal runs in order.
void appendMatches(const std::string &a, const std::string &b, size_t aLow,
                   size_t aHigh, size_t bLow, size_t bHigh,
                   std::vector<Match> &out) {
  Match match = longestMatch(a, b, aLow, aHigh, bLow, bHigh);
  if (!match.size)
    return;
  appendMatches(a, b, aLow, match.a, bLow, match.b, out);
  out.push_back(match);
  appendMatches(a, b, match.a + match.size, aHigh, match.b + match.size, bHigh,
                out);
}

void appendMarks(std::vector<std::string> &lines, std::string marks) {
  marks.erase(marks.find_last_not_of(' ') + 1);
  if (!marks.empty())
    lines.push_back("? " + marks + "\n");
}

} // namespace

std::vector<std::string> diffLines(const std::string &a, const std::string &b) {
  if (a == b)
    return {"  " + a};
  std::vector<Match> matches;
  appendMatches(a, b, 0, a.size(), 0, b.size(), matches);
  size_t equal = 0;
  for (const Match &match : matches)
    equal += match.size;
  if (8 * equal < 3 * (a.size() + b.size()))
    return {"- " + a, "+ " + b};
  std::string inA, inB;
  size_t i = 0, j = 0;
  matches.push_back({a.size(), b.size(), 0});
  for (const Match &match : matches) {
    size_t onlyA = match.a - i, onlyB = match.b - j;
    inA.append(onlyA, onlyB ? '^' : '-');
    inB.append(onlyB, onlyA ? '^' : '+');
    inA.append(match.size, ' ');
    inB.append(match.size, ' ');
    i = match.a + match.size;
    j = match.b + match.size;
  }
  std::vector<std::string> lines{"- " + a};
  appendMarks(lines, std::move(inA));
  lines.push_back("+ " + b);
  appendMarks(lines, std::move(inB));
  return lines;
}

} // namespace shardwright::frontend
