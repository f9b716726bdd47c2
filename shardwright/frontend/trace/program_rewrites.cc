//===- program_rewrites.cc - equations that are lowered together ----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/trace/program_rewrites.h"

#include "shardwright/frontend/trace/primitive.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

struct Entry {
  std::vector<std::string> primitives;
  ProgramRewrite rewrite;
};
std::vector<Entry> &entries() {
  static auto *list = new std::vector<Entry>();
  return *list;
}

bool needs(const Jaxpr &jaxpr, const Entry &entry) {
  return std::any_of(jaxpr.eqns.begin(), jaxpr.eqns.end(), [&](const Eqn &eqn) {
    return std::find(entry.primitives.begin(), entry.primitives.end(),
                     eqn.primitive->name) != entry.primitives.end();
  });
}

} // namespace

bool addProgramRewrite(std::vector<std::string> primitives,
                       ProgramRewrite rewrite) {
  entries().push_back({std::move(primitives), std::move(rewrite)});
  return true;
}

Expected<JaxprPtr> rewrittenProgram(const Jaxpr &jaxpr) {
  JaxprPtr out;
  for (const Entry &entry : entries()) {
    const Jaxpr &current = out ? *out : jaxpr;
    if (!needs(current, entry))
      continue;
    Expected<JaxprPtr> made = entry.rewrite(current);
    if (!made)
      return made;
    out = *made;
  }
  return out;
}

} // namespace shardwright::frontend
