//===- content_key.cc - keys of programs by content -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/jit/content_key.h"

#include "shardwright/frontend/trace/jaxpr.h"
#include "shardwright/frontend/trace/primitive.h"

namespace shardwright::frontend {
namespace {

void appendAddress(std::string &out, const void *address) {
  out += cat("@", reinterpret_cast<uintptr_t>(address), " ");
}

void appendAtom(std::string &out, const Jaxpr &jaxpr, const Atom &atom) {
  if (atom.isVar()) {
    out += cat("%", atom.var, " ");
    return;
  }
  appendContentKey(out, jaxpr.aval(atom));
  Expected<std::vector<std::byte>> bytes = atom.literal.toBytes();
  if (bytes)
    out.append(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  else
    appendAddress(out, atom.literal.handle().get());
}

void appendJaxpr(std::string &out, const Jaxpr &jaxpr) {
  out += cat("{", jaxpr.name, " ", jaxpr.types.size(), " ");
  for (const Aval &type : jaxpr.types)
    appendContentKey(out, type);
  for (size_t i = 0; i < jaxpr.constVars.size(); ++i) {
    out += cat("%", jaxpr.constVars[i]);
    appendAddress(out, jaxpr.consts[i].handle().get());
  }
  out += "(";
  for (int32_t var : jaxpr.ins)
    out += cat("%", var, " ");
  out += ")";
  for (const Eqn &eqn : jaxpr.eqns) {
    out += eqn.primitive->name;
    out += "(";
    for (const Atom &atom : eqn.ins)
      appendAtom(out, jaxpr, atom);
    out += ")";
    for (int32_t var : eqn.outs)
      out += cat("%", var, " ");
    appendContentKey(out, eqn.params);
  }
  out += "->";
  for (const Atom &atom : jaxpr.outs)
    appendAtom(out, jaxpr, atom);
  out += "}";
}

} // namespace

void appendContentKey(std::string &out, const Aval &aval) {
  out += aval.str();
  out += aval.weak ? '~' : ' ';
  if (aval.sharding)
    appendAddress(out, aval.sharding->mesh.identity());
}

void appendContentKey(std::string &out, const Params &params) {
  out += "[";
  for (const auto &[name, value] : params) {
    out += cat(name, "=", value.index(), ":");
    if (const auto *jaxpr = std::get_if<JaxprPtr>(&value); jaxpr && *jaxpr)
      appendJaxpr(out, **jaxpr);
    else if (const auto *list = std::get_if<std::vector<JaxprPtr>>(&value))
      for (const JaxprPtr &each : *list)
        appendJaxpr(out, *each);
    else if (const auto *object =
                 std::get_if<std::shared_ptr<const ParamObject>>(&value);
             object && *object)
      out += (*object)->key();
    else
      out += paramText(value);
    out += "|";
  }
  out += "]";
}

} // namespace shardwright::frontend
