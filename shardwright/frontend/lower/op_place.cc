//===- op_place.cc - where an operation is in the source ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/lower/op_place.h"

#include "shardwright/frontend/base/config.h"
#include "shardwright/frontend/lower/sdy_text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

namespace shardwright::frontend {

OpPlace OpPlace::of(const Eqn &eqn) const {
  auto inside = [](const std::string &a, const std::string &b) {
    return a.empty() || b.empty() ? a + b : cat(a, "/", b);
  };
  const std::string &primitive = eqn.primitive->name;
  OpPlace out = *this;
  out.operation =
      inside(inside(around, detail::nameText(eqn.names)),
             primitive == "jit" ? cat("jit(", eqn.params.text("name"), ")")
                                : primitive);
  // The body of a shardMap is a program of its own.
  out.around = primitive == "shard_map" ? "" : out.operation;
  if (std::source_location own = detail::placeOf(eqn.names); own.line())
    out.source = own;
  return out;
}

Status checkFilePattern() {
  std::string pattern = config::hloSourceFileCanonicalizationRegex.get();
  std::string problem;
  if (pattern.empty() || llvm::Regex(pattern).isValid(problem))
    return {};
  return valueError("hlo_source_file_canonicalization_regex '", pattern,
                    "' is not a regular expression: ", problem);
}

/// Without what the setting's regular expression matches.
static std::string canonicalFile(std::string file) {
  std::string pattern = config::hloSourceFileCanonicalizationRegex.get();
  if (pattern.empty())
    return file;
  llvm::Regex regex(pattern);
  std::string out;
  llvm::StringRef rest = file;
  llvm::SmallVector<llvm::StringRef, 1> found;
  while (regex.match(rest, &found) && !found[0].empty()) {
    out += rest.take_front(found[0].data() - rest.data());
    rest = rest.drop_front(found[0].end() - rest.data());
  }
  return out + rest.str();
}

std::string OpPlace::text() const {
  if (operation.empty())
    return "";
  std::string text = cat("\"", escapedText(operation), "\"");
  if (source.line())
    text += cat("(\"", escapedText(canonicalFile(source.file_name())),
                "\":", source.line(), ":", source.column(), ")");
  return cat(" loc(", text, ")");
}

} // namespace shardwright::frontend
