//===- ragged_dot.cc - contractions in groups -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/ragged_dot.h"

#include "shardwright/frontend/base/lists.h"
#include "shardwright/frontend/primitives/dot_params.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/precision.h"
#include "shardwright/frontend/primitives/reshard.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

using namespace lax;

/// Prints as JAX: RaggedDotDimensionNumbers(...).
struct RaggedDotParam : ParamObject {
  explicit RaggedDotParam(RaggedDotDims d) : dims(std::move(d)) {}
  std::string str() const override {
    const DotDims &d = dims.dot;
    return cat("RaggedDotDimensionNumbers(dot_dimension_numbers=((",
               tupleText(d.lhsContracting), ", ", tupleText(d.rhsContracting),
               "), (", tupleText(d.lhsBatch), ", ", tupleText(d.rhsBatch),
               ")), lhs_ragged_dimensions=", tupleText(dims.lhsRagged),
               ", rhs_group_dimensions=", tupleText(dims.rhsGroup), ")");
  }
  RaggedDotDims dims;
};
Param dimsParam(RaggedDotDims dims) {
  return objectParam(RaggedDotParam(std::move(dims)));
}
RaggedDotDims raggedDimsOf(const Params &params) {
  const auto *param =
      params.object<RaggedDotParam>("ragged_dot_dimension_numbers");
  return param ? param->dims : RaggedDotDims();
}

const Primitive &raggedDot() {
  static const Primitive &p = *findPrimitive("ragged_dot_general");
  return p;
}

int64_t positionIn(const Ints &list, int64_t value) {
  return std::find(list.begin(), list.end(), value) - list.begin();
}
Ints rangeInts(int64_t from, size_t count) {
  Ints out = iotaInts(static_cast<int64_t>(count));
  for (int64_t &i : out)
    i += from;
  return out;
}
Ints sortedInts(Ints list) {
  std::sort(list.begin(), list.end());
  return list;
}

/// The kinds of dimensions of the operands, and of the ragged one.
struct Ragged {
  Ragged(const RaggedDotDims &d, int64_t lhsRank, int64_t rhsRank)
      : dot(d.dot), group(d.rhsGroup),
        ragged(d.lhsRagged.empty() ? 0 : d.lhsRagged[0]),
        lhsFree(withoutInts(lhsRank,
                            joinedLists(dot.lhsContracting, dot.lhsBatch))),
        rhsFree(withoutInts(
            rhsRank, joinedLists(joinedLists(dot.rhsContracting, dot.rhsBatch),
                                 group))) {}
  bool isContracting() const { return containsInt(dot.lhsContracting, ragged); }
  bool isBatch() const { return containsInt(dot.lhsBatch, ragged); }
  bool isFree() const { return !isContracting() && !isBatch(); }
  /// The dimensions of lhs that those of the group sizes, except the last one,
  /// belong to: batch dimensions and those outside of the ragged one.
  Ints prefix() const {
    Ints out = isBatch() ? Ints() : dot.lhsBatch;
    const Ints &kind = isBatch()         ? dot.lhsBatch
                       : isContracting() ? dot.lhsContracting
                                         : lhsFree;
    for (int64_t d : kind) {
      if (d == ragged)
        break;
      out.push_back(d);
    }
    return out;
  }

  DotDims dot;
  Ints group;
  int64_t ragged;
  Ints lhsFree, rhsFree;
};

Status checkRagged(const std::vector<Aval> &in, const RaggedDotDims &d) {
  const std::string name = "ragged_dot_general";
  if (d.lhsRagged.size() != 1)
    return typeError(name, " expects exactly one lhs ragged dimension.");
  if (d.lhsRagged[0] < 0 || d.lhsRagged[0] >= in[0].rank())
    return typeError(
        name,
        " requires lhs ragged dimension numbers to be nonnegative and less "
        "than the number of axes of the lhs value, got ",
        d.lhsRagged[0], " for lhs of rank ", in[0].rank(), ".");
  bool isFree = !containsInt(d.dot.lhsContracting, d.lhsRagged[0]) &&
                !containsInt(d.dot.lhsBatch, d.lhsRagged[0]);
  if (!isFree && !d.rhsGroup.empty())
    return typeError(name, " requires zero group dimensions in the rhs when "
                           "lhs ragged dimension is contracting or batch.");
  if (isFree && d.rhsGroup.size() != 1)
    return typeError(name, " requires exactly one rhs group dimension when "
                           "lhs ragged dimension is noncontracting.");
  for (int64_t g : d.rhsGroup) {
    if (g < 0 || g >= in[1].rank())
      return typeError(
          name,
          " requires rhs group dimension numbers to be nonnegative and less "
          "than the number of axes of the rhs value, got ",
          g, " for rhs of rank ", in[1].rank(), ".");
    if (containsInt(d.dot.rhsContracting, g) || containsInt(d.dot.rhsBatch, g))
      return typeError(name, " requires rhs group dimension numbers to be "
                             "distinct from contracting and batch "
                             "dimensions.");
  }
  if (!isInteger(in[2].dtype))
    return typeError(name, " requires that group_sizes.dtype is subtype of "
                           "np.integer.");
  if (in[2].rank() == 0)
    return typeError(name, " requires group_sizes with one dimension or more, "
                           "got shape ().");
  return {};
}

Expected<std::vector<Aval>> inferRagged(const std::vector<Aval> &in,
                                        const Params &params) {
  RaggedDotDims d = raggedDimsOf(params);
  SW_TRY(checkRagged(in, d));
  int64_t groups = in[2].shape[in[2].rank() - 1];
  if (!d.rhsGroup.empty() && in[1].shape[d.rhsGroup[0]] != groups)
    return typeError("expected rhs group dimension size to be ", groups,
                     ", got ", in[1].shape[d.rhsGroup[0]], ".");
  Expected<Shape> dot = dotShape(in[0], in[1], d.dot, d.rhsGroup);
  if (!dot)
    return dot.error();
  Ragged r(d, in[0].rank(), in[1].rank());
  Ints sizes;
  for (int64_t i : r.prefix())
    sizes.push_back(in[0].shape[i]);
  sizes.push_back(groups);
  if (in[2].rank() > 1 && Ints(in[2].shape) != sizes)
    return typeError("expected group_sizes to have shape ", tupleText(sizes),
                     ", got ", tupleText(in[2].shape), ".");
  Shape shape = *dot;
  if (r.isContracting())
    shape.insert(shape.begin(), groups);
  Expected<DType> type = dotType(in[0].dtype, in[1].dtype, params);
  if (!type)
    return type.error();
  Aval result{*type, shape, in[0].weak && in[1].weak};
  result.sharding = typeShardingIn(params, "out_sharding");
  return std::vector<Aval>{result};
}

Expected<std::vector<PartitionSpec>> raggedSpec(const std::vector<Aval> &,
                                                const std::vector<Aval> &,
                                                const Params &params) {
  if (auto given = typeShardingIn(params, "out_sharding"))
    return std::vector<PartitionSpec>{given->spec};
  return notImplemented("Explicit sharding inference for ragged_dot_general is "
                        "not currently implemented. Please specify "
                        "out_sharding.");
}

/// x in groups along a new leading dimension: the elements of each group, and
/// zero elsewhere. `prefix`: the dimensions of x that the group sizes have,
/// except for their last one.
Tensor inGroups(const Tensor &x, Tensor sizes, int64_t ragged,
                const Ints &prefix) {
  if (bitWidth(sizes.dtype()) < 32)
    sizes = convert_element_type(sizes, DType::I32);
  int64_t last = sizes.rank() - 1, groups = sizes.dim(last);
  Shape shape = x.shape();
  shape.insert(shape.begin(), groups);
  // The group is the leading dimension.
  Ints dims;
  if (last > 0)
    for (int64_t d : prefix)
      dims.push_back(d + 1);
  dims.push_back(0);
  Ints order = iotaInts(sizes.rank());
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  std::sort(dims.begin(), dims.end());
  auto spread = [&](const Tensor &bounds) {
    return lax::broadcast_in_dim(lax::transpose(bounds, order), shape, dims);
  };
  Tensor ends = cumsum(sizes, last);
  std::vector<Ints> shift(last + 1, Ints{0, 0, 0});
  shift[last] = {1, -1, 0};
  Tensor starts =
      groups ? pad(ends, scalarOf(int64_t(0), sizes.dtype()), shift) : ends;
  Tensor position = iota(sizes.dtype(), shape, ragged + 1);
  Tensor inside =
      bitwise_and(le(spread(starts), position), lt(position, spread(ends)));
  Tensor copies =
      lax::broadcast_in_dim(x, shape, rangeInts(1, x.shape().size()));
  return lax::select(inside, copies, zeros(copies.aval()));
}

/// The product by masks and a dense dot_general.
Tensor evaluateRagged(const Tensors &in, const Params &params) {
  RaggedDotDims d = raggedDimsOf(params);
  Ragged r(d, in[0].rank(), in[1].rank());
  Tensor lhs = in[0], rhs = in[1];
  DotDims dot = r.dot;
  auto shifted = [](Ints list) {
    for (int64_t &i : list)
      ++i;
    return list;
  };
  if (!r.isBatch()) {
    lhs = inGroups(lhs, in[2], r.ragged, r.prefix());
    dot.lhsContracting = shifted(dot.lhsContracting);
    dot.lhsBatch = shifted(dot.lhsBatch);
  }
  if (r.isFree()) {
    dot.lhsContracting.push_back(0);
    dot.rhsContracting.push_back(r.group[0]);
  }
  if (r.isContracting()) {
    // The dimensions of rhs that belong to the same indices.
    auto partner = [&](int64_t i) {
      return containsInt(r.dot.lhsBatch, i)
                 ? r.dot.rhsBatch[positionIn(r.dot.lhsBatch, i)]
                 : r.dot.rhsContracting[positionIn(r.dot.lhsContracting, i)];
    };
    Ints prefix;
    for (int64_t i : r.prefix())
      prefix.push_back(partner(i));
    // Both are masked: zero times infinity is no zero.
    rhs = inGroups(rhs, in[2], partner(r.ragged), prefix);
    dot.rhsContracting = shifted(dot.rhsContracting);
    dot.rhsBatch = joinedLists({0}, shifted(dot.rhsBatch));
    dot.lhsBatch = joinedLists({0}, dot.lhsBatch);
  }
  Params changed = dotParams(dot, {});
  changed.set("precision", *params.find("precision"));
  if (!params.isNone("preferred_element_type"))
    changed.set("preferred_element_type",
                *params.find("preferred_element_type"));
  return bind1(*findPrimitive("dot_general"), {lhs, rhs}, changed);
}

std::vector<std::string> lowerRagged(LoweringContext &c) {
  // The steps have no shardings of their own.
  std::vector<Aval> types = c.operandTypes();
  for (Aval &type : types) {
    type.varying.clear();
    type.sharding = nullptr;
  }
  ScopedMesh none{Mesh()};
  Expected<JaxprPtr> jaxpr = traceToJaxpr(
      [&](const Tensors &in) {
        return Tensors{evaluateRagged(in, c.params())};
      },
      types);
  if (!jaxpr) {
    c.fail(jaxpr.error());
    return {"%error"};
  }
  return c.inlineJaxpr(**jaxpr, c.operands());
}

/// One more ragged product, whose result has this type.
Tensor product(const Tensor &lhs, const Tensor &rhs, const Tensor &sizes,
               RaggedDotDims dims, const Params &params, DType type) {
  Params changed = params;
  changed.set("ragged_dot_dimension_numbers", dimsParam(std::move(dims)));
  changed.set("out_sharding", std::monostate());
  return convert_element_type(bind1(raggedDot(), {lhs, rhs, sizes}, changed),
                              type);
}

/// x with its dimensions i at places[i] of the result.
Tensor placed(const Tensor &x, const Ints &places) {
  Ints permutation(places.size());
  for (size_t i = 0; i < places.size(); ++i)
    permutation[places[i]] = static_cast<int64_t>(i);
  return lax::transpose(x, permutation);
}

/// The ragged dimension is no contracting one: the result's dimensions are
/// batch, lhs's free and rhs's free ones.
MaybeTensors transposeOuter(const Tensor &ct, const MaybeTensors &in,
                            const std::vector<Aval> &types, const Ragged &r,
                            const Params &params) {
  size_t nb = r.dot.lhsBatch.size(), nl = r.lhsFree.size();
  Ints batch = rangeInts(0, nb), left = rangeInts(nb, nl),
       right = rangeInts(nb + nl, r.rhsFree.size());
  int64_t ragged = r.isBatch() ? positionIn(r.dot.lhsBatch, r.ragged)
                               : left[positionIn(r.lhsFree, r.ragged)];
  MaybeTensors out(3);
  if (!in[0]) {
    Ints order = joinedLists(r.dot.lhsBatch, r.lhsFree);
    for (int64_t k : sortedInts(r.dot.rhsContracting))
      order.push_back(
          r.dot.lhsContracting[positionIn(r.dot.rhsContracting, k)]);
    out[0] = placed(
        product(ct, *in[1], *in[2],
                {{right, r.rhsFree, batch, r.dot.rhsBatch}, {ragged}, r.group},
                params, types[0].dtype),
        order);
  } else {
    Ints order = joinedLists(r.group, r.dot.rhsBatch);
    for (int64_t k : sortedInts(r.dot.lhsContracting))
      order.push_back(
          r.dot.rhsContracting[positionIn(r.dot.lhsContracting, k)]);
    order = joinedLists(order, r.rhsFree);
    out[1] = placed(
        product(*in[0], ct, *in[2],
                {{r.lhsFree, left, r.dot.lhsBatch, batch}, {r.ragged}, {}},
                params, types[1].dtype),
        order);
  }
  return out;
}

/// The ragged dimension is a contracting one: the cotangent has one part for
/// each group, and the other operand takes the rows of the group.
MaybeTensors transposeInner(const Tensor &ct, const MaybeTensors &in,
                            const std::vector<Aval> &types, const Ragged &r,
                            const Params &params) {
  size_t nb = r.dot.lhsBatch.size(), nk = r.dot.lhsContracting.size(),
         nl = r.lhsFree.size();
  Ints left = rangeInts(1 + nb, nl),
       right = rangeInts(1 + nb + nl, r.rhsFree.size());
  bool ofLhs = !in[0];
  const Ints &batch = ofLhs ? r.dot.rhsBatch : r.dot.lhsBatch;
  const Ints &contracting = ofLhs ? r.dot.rhsContracting : r.dot.lhsContracting;
  const Ints &free = ofLhs ? r.rhsFree : r.lhsFree;
  // The other operand with batch, contracting and free dimensions in order.
  Tensor other =
      lax::transpose(ofLhs ? *in[1] : *in[0],
                     joinedLists(joinedLists(batch, contracting), free));
  int64_t ragged =
      static_cast<int64_t>(nb) + positionIn(r.dot.lhsContracting, r.ragged);
  Tensor made = product(other, ct, *in[2],
                        {{rangeInts(nb + nk, free.size()), ofLhs ? right : left,
                          rangeInts(0, nb), rangeInts(1, nb)},
                         {ragged},
                         {0}},
                        params, types[ofLhs ? 0 : 1].dtype);
  MaybeTensors out(3);
  if (ofLhs)
    out[0] = placed(
        made, joinedLists(joinedLists(r.dot.lhsBatch, r.dot.lhsContracting),
                          r.lhsFree));
  else
    out[1] = placed(
        made, joinedLists(joinedLists(r.dot.rhsBatch, r.dot.rhsContracting),
                          r.rhsFree));
  return out;
}

/// Group sizes (with a batch dimension at `dim`, or without: -1) that have it
/// at `to`, and all dimensions of `prefix` sizes beside it.
Tensor batchedSizes(const Tensor &sizes, int64_t dim, int64_t size, int64_t to,
                    const Ints &prefix) {
  int64_t rank = sizes.rank() - (dim >= 0);
  if (rank > 1 || (dim >= 0 && prefix.empty()))
    return dim >= 0 ? moveBatch(sizes, dim, to)
                    : moveBatch(batchToFront(sizes, -1, size), 0, to);
  if (dim < 0)
    return sizes;
  Tensor front = moveBatch(sizes, dim, 0);
  Shape shape(prefix);
  shape.insert(shape.begin() + to, size);
  shape.push_back(front.dim(1));
  return lax::broadcast_in_dim(front, shape, {to, shape.rank() - 1});
}

BatchResult batchRagged(const BatchAxis &axis, const Tensors &in,
                        const Ints &dims, const Params &params) {
  RaggedDotDims d = raggedDimsOf(params);
  Ragged r(d, in[0].rank() - (dims[0] >= 0), in[1].rank() - (dims[1] >= 0));
  // Rows of all examples with the same matrices: one more free dimension.
  bool joinsRows = dims[1] < 0 && r.isFree();
  auto shift = [](Ints &list) {
    for (int64_t &i : list)
      ++i;
  };
  Tensor lhs = batchToFront(in[0], dims[0], axis);
  Tensor rhs = joinsRows ? in[1] : batchToFront(in[1], dims[1], axis);
  Ints prefix;
  for (int64_t i : r.prefix())
    prefix.push_back(lhs.dim(i + 1));
  auto numBatch = static_cast<int64_t>(d.dot.lhsBatch.size());
  int64_t at = joinsRows ? numBatch : 0;
  for (Ints *list : {&d.dot.lhsContracting, &d.dot.lhsBatch, &d.lhsRagged})
    shift(*list);
  if (!joinsRows) {
    for (Ints *list : {&d.dot.rhsContracting, &d.dot.rhsBatch, &d.rhsGroup})
      shift(*list);
    d.dot.lhsBatch.insert(d.dot.lhsBatch.begin(), 0);
    d.dot.rhsBatch.insert(d.dot.rhsBatch.begin(), 0);
  }
  Tensor sizes = batchedSizes(in[2], dims[2], axis.size, at, prefix);
  Params changed = params;
  changed.set("ragged_dot_dimension_numbers", dimsParam(d));
  int64_t out = at + r.isContracting();
  if (Status set = insertBatchEntry(changed, "out_sharding", out, SpecEntry());
      !set)
    return {{Tensor(set.error())}, {}};
  return {frontend::bind(raggedDot(), {lhs, rhs, sizes}, changed), {out}};
}

const Primitive raggedP = [] {
  Primitive p;
  p.name = "ragged_dot_general";
  p.infer = inferRagged;
  p.sharding = raggedSpec;
  p.lower = lowerRagged;
  p.batch = batchRagged;
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    Tensor out = bind1(raggedDot(), in, params);
    MaybeTensor tangent;
    if (t[0])
      tangent = bind1(raggedDot(), {*t[0], in[1], in[2]}, params);
    if (t[1]) {
      Tensor right = bind1(raggedDot(), {in[0], *t[1], in[2]}, params);
      tangent = tangent ? add(*tangent, right) : right;
    }
    return oneResult(out, tangent);
  };
  p.isBilinear = true;
  p.isLinearIn = [](size_t i) { return i < 2; };
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &types, const Params &params) {
    Ragged r(raggedDimsOf(params), types[0].rank(), types[1].rank());
    return r.isContracting() ? transposeInner(*ct[0], in, types, r, params)
                             : transposeOuter(*ct[0], in, types, r, params);
  };
  return p;
}();
const Registered raggedR(raggedP);

} // namespace

namespace lax {
Params raggedDotParams(const RaggedDotDims &dims,
                       std::optional<DType> preferred) {
  Params params{{"ragged_dot_dimension_numbers", dimsParam(dims)},
                {"precision", precisionParam()},
                {"group_offset", std::monostate()},
                {"out_sharding", std::monostate()}};
  params.set("preferred_element_type",
             preferred ? Param(*preferred) : Param(std::monostate()));
  return params;
}

Tensor ragged_dot_general(const Tensor &lhs, const Tensor &rhs,
                          const Tensor &groupSizes, const RaggedDotDims &dims,
                          std::optional<DType> preferred) {
  return bind1(raggedP, {lhs, rhs, groupSizes},
               raggedDotParams(dims, preferred));
}

Tensor ragged_dot(const Tensor &lhs, const Tensor &rhs,
                  const Tensor &groupSizes, std::optional<DType> preferred) {
  return ragged_dot_general(lhs, rhs, groupSizes,
                            {{{1}, {1}, {}, {}}, {0}, {0}}, preferred);
}
} // namespace lax
} // namespace shardwright::frontend
