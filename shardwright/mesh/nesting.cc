//===- nesting.cc - nesting depth of text ---------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/nesting.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace llvm;

namespace shardwright {
namespace {

/// The offset after the string that starts at `begin`. A line break ends it, as
/// in MLIR's lexer, which then reports an error.
size_t endOfString(StringRef text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"' || text[i] == '\n')
      return i + 1;
  }
  return text.size();
}

bool isWordChar(char c) {
  return isAlnum(c) || c == '_' || c == '$' || c == '.';
}
bool isAliasChar(char c) { return isWordChar(c) || c == '-'; }

/// Tracks the nesting of each alias, and of the text around them. A closing
/// bracket never closes one of another kind: the parser rejects such a text.
class MlirScanner {
public:
  explicit MlirScanner(StringRef text) : text(text) {}

  std::optional<NestingExcess> run() {
    while (at < text.size() && !excess)
      step();
    return excess;
  }

private:
  using What = NestingExcess::What;
  /// Expanded size of an alias.
  struct Extent {
    int64_t depth = 0, tokens = 0;
  };

  bool skip();
  void step();
  void open(int64_t &kind);
  void close(int64_t &kind);
  void word();
  void alias();
  void operation() { reach(++operators, What::Operators, maxTextNesting); }
  void reach(int64_t depth, What what, int64_t most) {
    if (depth > most)
      excess = {what, at};
  }
  int64_t depth() const { return round + square + curly + angle; }

  StringRef text;
  size_t at = 0;
  std::optional<NestingExcess> excess;
  /// Number of open brackets.
  int64_t round = 0, square = 0, curly = 0, angle = 0;
  /// Operators of an affine expression since the last comma or bracket other
  /// than `(`.
  int64_t operators = 0;
  /// Dimensions of the current shape so far.
  int64_t dimensions = 0;
  StringMap<Extent> aliases;
  /// The alias that is being defined, and its extent so far.
  StringRef defined;
  Extent extent;
  /// The last non-space character; `A` for an arrow.
  char last = 0;
  /// True after a line break outside of brackets.
  bool isNewLine = false;
};

void MlirScanner::open(int64_t &kind) {
  ++kind;
  ++extent.tokens;
  extent.depth = std::max(extent.depth, depth());
  reach(depth(), What::Brackets, maxTextNesting);
}

void MlirScanner::close(int64_t &kind) {
  kind = std::max<int64_t>(kind - 1, 0);
}

/// Handles `#name` or `!name`: the definition or use of an alias, or an
/// attribute or type of a dialect, whose name has a dot.
void MlirScanner::alias() {
  size_t end = at + 1;
  while (end < text.size() && isAliasChar(text[end]))
    ++end;
  StringRef name = text.slice(at, end);
  StringRef rest = text.drop_front(end).ltrim(" \t\r\n");
  if (depth() == 0 && rest.starts_with("=") && !rest.starts_with("==")) {
    if (!defined.empty())
      aliases[defined] = extent;
    defined = name;
    extent = {};
  } else if (auto it = aliases.find(name); it != aliases.end()) {
    int64_t reached = depth() + it->second.depth;
    extent.depth = std::max(extent.depth, reached);
    reach(reached, What::AliasDepth, maxExpandedNesting);
    // The sum cannot overflow, because an excess ends the scan.
    extent.tokens += it->second.tokens;
    if (!defined.empty() && extent.tokens > maxExpandedTokens)
      excess = {What::AliasSize, at};
  }
  at = end;
}

void MlirScanner::word() {
  size_t begin = at;
  while (at < text.size() && isWordChar(text[at]))
    ++at;
  ++extent.tokens;
  StringRef word = text.slice(begin, at);
  if (isDigit(word[0]) || word[0] == 'x') {
    dimensions += word.count('x');
    reach(dimensions, What::Rank, maxRank);
  }
  if (word == "mod" || word == "floordiv" || word == "ceildiv")
    operation();
}

/// Skips spaces and comments. The definition of an alias ends at a line that
/// can only start an operation.
bool MlirScanner::skip() {
  char c = text[at];
  if (c == '\n' && depth() == 0) {
    isNewLine = true;
    operators = 0;
  }
  if (isSpace(c)) {
    ++at;
    return true;
  }
  if (c == '/' && text.substr(at).starts_with("//")) {
    at = std::min(text.find('\n', at), text.size());
    return true;
  }
  bool beginsOp = std::exchange(isNewLine, false) &&
                  (isAlpha(c) || c == '"' || c == '%') &&
                  !StringRef("=:,A").contains(last);
  if (beginsOp && !defined.empty()) {
    aliases[defined] = extent;
    defined = {};
  }
  return false;
}

void MlirScanner::step() {
  if (skip())
    return;
  StringRef rest = text.substr(at);
  char c = rest[0];
  last = c;
  if (StringRef(",[]{}<>").contains(c))
    operators = 0;
  if (c == '?')
    reach(++dimensions, What::Rank, maxRank);
  else if (!isAlnum(c))
    dimensions = 0;
  switch (c) {
  case '"':
    at = endOfString(text, at);
    ++extent.tokens;
    return;
  case '#':
  case '!':
    return alias();
  case '(':
    open(round);
    break;
  case '[':
    open(square);
    break;
  case '{':
    open(curly);
    break;
  case '<':
    if (!rest.starts_with("<="))
      open(angle);
    break;
  case ')':
    close(round);
    break;
  case ']':
    close(square);
    break;
  case '}':
    close(curly);
    break;
  case '>':
    // `>=` of an affine set is not a bracket.
    if (!rest.starts_with(">="))
      close(angle);
    break;
  case '-':
    if (rest.starts_with("->")) {
      last = 'A';
      ++at;
      break;
    }
    [[fallthrough]];
  case '+':
  case '*':
    operation();
    break;
  default:
    if (isAlnum(c) || c == '_')
      return word();
  }
  ++at;
}

} // namespace

std::optional<NestingExcess> findMlirNestingExcess(StringRef text) {
  return MlirScanner(text).run();
}

std::optional<size_t> findJsonNestingExcess(StringRef text) {
  int64_t depth = 0;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '"') {
      at = endOfString(text, at);
      continue;
    }
    if (c == '[' || c == '{') {
      if (++depth > maxJsonNesting)
        return at;
    } else if (c == ']' || c == '}') {
      --depth;
    }
    ++at;
  }
  return std::nullopt;
}

} // namespace shardwright
