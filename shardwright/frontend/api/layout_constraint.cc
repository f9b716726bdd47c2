//===- layout_constraint.cc - layouts of values inside programs -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/api/layout_constraint.h"

#include "shardwright/frontend/primitives/gather_params.h"
#include "shardwright/frontend/primitives/helpers.h"

#include <algorithm>
#include <numeric>

namespace shardwright::frontend {
namespace {

struct LayoutParam : ParamObject {
  explicit LayoutParam(Layout l) : layout(std::move(l)) {}
  std::string str() const override { return layout.str(); }
  Layout layout;
};

const Primitive &layoutConstraint() {
  static const Primitive &p = *findPrimitive("layout_constraint");
  return p;
}
Tensor bindLayout(const Tensor &x, const Layout &layout) {
  return bind1(layoutConstraint(), {x},
               {{"layout", objectParam(LayoutParam(layout))}});
}
const Layout &layoutIn(const Params &params) {
  return params.object<LayoutParam>("layout")->layout;
}

const Primitive layoutP = [] {
  Primitive p = sameTypePrimitive("layout_constraint");
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    return oneResult(bindLayout(in[0], layoutIn(params)),
                     bindLayout(*t[0], layoutIn(params)));
  };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &,
                   const std::vector<Aval> &, const Params &params) {
    return MaybeTensors{bindLayout(*ct[0], layoutIn(params))};
  };
  // The batch dimension is the slowest one.
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) -> BatchResult {
    Ints order = layoutIn(params).majorToMinor();
    for (int64_t &d : order)
      d += d >= dims[0];
    order.insert(order.begin(), dims[0]);
    return {{bindLayout(in[0], Layout(order))}, {dims[0]}};
  };
  p.lower = [](LoweringContext &c) {
    Ints order = layoutIn(c.params()).majorToMinor(), given(order.size());
    std::reverse(order.begin(), order.end());
    std::iota(given.begin(), given.end(), 0);
    auto layouts = [](const Ints &dims) {
      return dims.empty() ? std::string("[dense<> : tensor<0xindex>]")
                          : cat("[dense<", bracketList(dims), "> : tensor<",
                                dims.size(), "xindex>]");
    };
    // The operand's layout is what JAX says of every operand; only the result's
    // has a meaning.
    return c.op("stablehlo.custom_call", c.operands(),
                mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
                cat("call_target_name = \"LayoutConstraint\", backend_config = "
                    "\"\", operand_layouts = ",
                    layouts(given), ", result_layouts = ", layouts(order)));
  };
  return p;
}();
const Registered layoutR(layoutP);

} // namespace

Tensor withLayoutConstraint(const Tensor &x, const Layout &layout) {
  if (!x.ok())
    return x;
  if (layout.isAuto())
    return valueError("layouts passed to `with_layout_constraint` must be of "
                      "type `Layout`. Got [",
                      layout.str(), "]");
  if (Status fits = layout.checkCompatible(x.shape()); !fits)
    return valueError("One of with_layout_constraint arguments is incompatible "
                      "with its layout annotation ",
                      layout.str(), ": ", fits.error().text);
  return bindLayout(x, layout);
}

} // namespace shardwright::frontend
