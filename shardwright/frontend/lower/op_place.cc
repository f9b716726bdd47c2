//===- op_place.cc - where an operation is in the source ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/lower/op_place.h"

#include "shardwright/frontend/lower/sdy_text.h"

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

std::string OpPlace::text() const {
  if (operation.empty())
    return "";
  std::string text = cat("\"", escapedText(operation), "\"");
  if (source.line())
    text += cat("(\"", escapedText(source.file_name()), "\":", source.line(),
                ":", source.column(), ")");
  return cat(" loc(", text, ")");
}

} // namespace shardwright::frontend
