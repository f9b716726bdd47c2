//===- signature_text.cc - signatures of functions as text ----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/lower/signature_text.h"

namespace shardwright::frontend {

std::string join(const Names &words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i)
    out += (i ? ", " : "") + words[i];
  return out;
}

/// Tokens in the signature of a function.
constexpr const char *kTokenAttribute = " {jax.token = true}";
std::string tokenHeader(const Names &tokens) {
  std::string out;
  for (const std::string &name : tokens)
    out +=
        cat(out.empty() ? "" : ", ", name, ": ", kTokenType, kTokenAttribute);
  return out;
}
/// Types of results, of which the first are the tokens of effects.
std::string resultHeader(EffectSet ordered, Names types) {
  for (size_t i = 0; i < ordered.list().size(); ++i)
    types[i] += kTokenAttribute;
  return join(types);
}

Names mlirTypesOf(const std::vector<Aval> &avals) {
  Names out;
  for (const Aval &aval : avals)
    out.push_back(mlirType(aval));
  return out;
}

/// A text that is equal for equal placements.
std::string placementKey(const CallPlacement &placement) {
  std::string key;
  for (const auto *list : {&placement.ins, &placement.outs})
    for (const Sharding &s : *list)
      key += s.str() + ";";
  for (const auto *list : {&placement.inLayouts, &placement.outLayouts})
    for (const auto &layout : *list)
      key += layout ? layout->modeText() : ";";
  return key;
}

/// `{attribute, attribute}` after a blank, or nothing.
std::string attributeList(const Names &attributes) {
  return attributes.empty() ? "" : cat(" {", join(attributes), "}");
}

/// The attribute for a layout, if there is one to say.
void addLayout(Names &attributes,
               const std::vector<std::optional<Layout>> &layouts, size_t i) {
  if (i < layouts.size() && layouts[i] && !layouts[i]->isRowMajor())
    attributes.push_back(
        cat("mhlo.layout_mode = \"", layouts[i]->modeText(), "\""));
}

} // namespace shardwright::frontend
