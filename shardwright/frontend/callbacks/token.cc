//===- token.cc - tokens --------------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A token has no elements. Programs hold it as one constant element, since no
// operation of the front end waits for tokens: effects have tokens of their
// own.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"

namespace shardwright::frontend {
namespace {

const Aval &tokenType() {
  static const auto &type = *new Aval{DType::Token, {}};
  return type;
}

Primitive makeToken(const char *name) {
  Primitive p;
  p.name = name;
  p.ownManualAxes = true;
  p.infer = [](const std::vector<Aval> &in,
               const Params &) -> Expected<std::vector<Aval>> {
    for (const Aval &type : in)
      if (type.dtype != DType::Token)
        return typeError("Arguments to after_all must be tokens");
    return std::vector<Aval>{tokenType()};
  };
  p.evaluate = [infer = p.infer](const Tensors &in, const Params &params) {
    std::vector<Aval> types;
    for (const Tensor &x : in)
      types.push_back(x.aval());
    Expected<std::vector<Aval>> out = infer(types, params);
    return Tensors{out ? lax::zeros(tokenType()) : Tensor(out.error())};
  };
  p.lower = [](LoweringContext &c) {
    return std::vector<std::string>{c.constant(tokenType(), 0)};
  };
  // Results of functions with a derivative may be tokens.
  p.jvp = [name](const Tensors &in, const MaybeTensors &, const Params &) {
    return oneResult(bind1(*findPrimitive(name), in), {});
  };
  return p;
}

const bool registered =
    registerAll({makeToken("create_token"), makeToken("after_all")});

} // namespace

namespace lax {
Tensor create_token() { return bind1(*findPrimitive("create_token"), {}); }
Tensor after_all(const Tensors &tokens) {
  return bind1(*findPrimitive("after_all"), tokens);
}
} // namespace lax
} // namespace shardwright::frontend
