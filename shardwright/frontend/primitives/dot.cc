//===- dot.cc - contractions ----------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/dot_params.h"
#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/precision.h"
#include "shardwright/frontend/primitives/reshard.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace shardwright::frontend {
namespace {

using namespace lax;

/// Prints as JAX: (([1], [0]), ([], [])).
struct DotParam : ParamObject {
  explicit DotParam(DotDims d) : dims(std::move(d)) {}
  std::string str() const override {
    auto list = [](const Ints &v) {
      std::string out = "[";
      for (size_t i = 0; i < v.size(); ++i)
        out += cat(i ? ", " : "", v[i]);
      return out + "]";
    };
    return cat("((", list(dims.lhsContracting), ", ", list(dims.rhsContracting),
               "), (", list(dims.lhsBatch), ", ", list(dims.rhsBatch), "))");
  }
  DotDims dims;
};

DotDims dimsOf(const Params &params) {
  const auto *param = params.object<DotParam>("dimension_numbers");
  return param ? param->dims : DotDims();
}

} // namespace

bool lax::hasBatchDims(const Params &params) {
  return !dimsOf(params).lhsBatch.empty();
}

namespace {

Ints freeDims(int64_t rank, const Ints &contracting, const Ints &batch) {
  Ints used = contracting;
  used.insert(used.end(), batch.begin(), batch.end());
  return withoutInts(rank, used);
}

std::string sizesText(const Aval &a, const Ints &dims) {
  Ints sizes;
  for (int64_t d : dims)
    sizes.push_back(a.shape[d]);
  return tupleText(sizes);
}

/// One side's dimension numbers are in range, distinct and disjoint.
Status checkSide(const std::string &side, const Aval &operand,
                 const Ints &batch, const Ints &contracting) {
  for (const Ints *dims : {&batch, &contracting})
    for (int64_t i : *dims)
      if (i < 0 || i >= operand.rank())
        return typeError("dot_general requires ", side,
                         " dimension numbers to be nonnegative and less than "
                         "the number of axes of the ",
                         side, " value, got ", side, "_batch of ",
                         tupleText(batch), " and ", side, "_contracting of ",
                         tupleText(contracting), " for ", side, " of rank ",
                         operand.rank());
  for (const auto &[kind, dims] :
       {std::pair("batch", &batch), {"contracting", &contracting}})
    if (std::set<int64_t>(dims->begin(), dims->end()).size() != dims->size())
      return typeError("dot_general requires ", side, " ", kind,
                       " dimensions to be distinct, got ", side, "_", kind, " ",
                       tupleText(*dims), ".");
  for (int64_t i : batch)
    if (containsInt(contracting, i))
      return typeError("dot_general requires ", side,
                       " batch dimensions to be disjoint from contracting "
                       "dimensions, got ",
                       side, "_batch ", tupleText(batch), " and ", side,
                       "_contracting ", tupleText(contracting), ".");
  return {};
}

/// The type of a product: that of the operand whose type is later in the order
/// of kinds, widths and signs.
DType productType(DType a, DType b) {
  auto order = [](DType t) {
    int kind = t == DType::Bool ? 0 : isInteger(t) ? 1 : isFloat(t) ? 2 : 3;
    return std::tuple(kind, bitWidth(t), isSigned(t), t);
  };
  return order(a) < order(b) ? b : a;
}

Expected<std::vector<Aval>> inferDot(const std::vector<Aval> &in,
                                     const Params &params) {
  Expected<Shape> shape = dotShape(in[0], in[1], dimsOf(params));
  if (!shape)
    return shape.error();
  Expected<DType> type = dotType(in[0].dtype, in[1].dtype, params);
  if (!type)
    return type.error();
  Aval result{*type, *shape, in[0].weak && in[1].weak};
  result.sharding = typeShardingIn(params, "out_sharding");
  return std::vector<Aval>{result};
}

/// Unreduced axes of the result are those of the contracted dimensions.
Status checkUnreduced(const std::set<std::string> &unreduced,
                      const PartitionSpec &lhs, const PartitionSpec &rhs) {
  auto body = [](const PartitionSpec &s) { return s.str().substr(1); };
  if (!(lhs == rhs))
    return makeError(ErrorKind::ShardingType,
                     "lhs and rhs contracting dims should be sharded "
                     "identically when out_sharding provided to dot_general "
                     "mentions unreduced_axes. Got lhs_contracting_spec=",
                     body(lhs), ", rhs_contracting_spec=", body(rhs));
  std::set<std::string> contracted;
  for (const SpecEntry &entry : lhs.entries())
    contracted.insert(entry.axes.begin(), entry.axes.end());
  if (contracted == unreduced)
    return {};
  std::string names;
  for (const std::string &n : unreduced)
    names += cat(names.empty() ? "" : ", ", "'", n, "'");
  return makeError(ErrorKind::ShardingType,
                   "out_sharding's unreduced axes should be equal to the "
                   "contracting specs. Got unreduced axes=frozenset({",
                   names, "}) and contracting spec=", body(lhs));
}

Expected<std::vector<PartitionSpec>> dotSpec(const std::vector<Aval> &in,
                                             const std::vector<Aval> &out,
                                             const Params &params) {
  DotDims d = dimsOf(params);
  PartitionSpec l = in[0].spec(), r = in[1].spec();
  if (!l.unreduced().empty() || !r.unreduced().empty())
    return makeError(ErrorKind::ShardingType,
                     "lhs or rhs passed to dot_general cannot be unreduced. "
                     "Got lhs=ShapedArray(",
                     in[0].longStr(), ") and rhs=ShapedArray(", in[1].longStr(),
                     ")");
  auto pick = [](const PartitionSpec &s, const Ints &dims) {
    std::vector<SpecEntry> entries;
    for (int64_t i : dims)
      entries.push_back(s[i]);
    return *PartitionSpec::get(entries);
  };
  auto body = [](const PartitionSpec &s) { return s.str().substr(1); };
  PartitionSpec lc = pick(l, d.lhsContracting), rc = pick(r, d.rhsContracting);
  if (auto given = typeShardingIn(params, "out_sharding")) {
    if (!given->spec.unreduced().empty())
      SW_TRY(checkUnreduced(given->spec.unreduced(), lc, rc));
    return std::vector<PartitionSpec>{given->spec};
  }
  for (size_t i = 0; i < d.lhsContracting.size(); ++i) {
    const SpecEntry &a = l[d.lhsContracting[i]], &b = r[d.rhsContracting[i]];
    if (a.empty() || b.empty())
      continue;
    if (a == b)
      return makeError(
          ErrorKind::ShardingType,
          "Contracting dimensions are sharded and it is ambiguous how the "
          "output should be sharded. Please specify the output sharding via "
          "the `out_sharding` parameter. Got lhs_contracting_spec=",
          body(lc), " and rhs_contracting_spec=", body(rc));
    return makeError(ErrorKind::ShardingType,
                     "dot_general requires contracting dimensions to have "
                     "consistent sharding, got ",
                     body(lc), " and ", body(rc), ".");
  }
  std::vector<SpecEntry> entries;
  for (size_t i = 0; i < d.lhsBatch.size(); ++i) {
    const SpecEntry &a = l[d.lhsBatch[i]], &b = r[d.rhsBatch[i]];
    if (!a.empty() && !b.empty() && !(a == b))
      return makeError(ErrorKind::ShardingType,
                       "dot_general requires lhs batch dimensions and rhs "
                       "batch dimensions to have the consistent sharding, "
                       "got ",
                       body(pick(l, d.lhsBatch)), " and ",
                       body(pick(r, d.rhsBatch)), ".");
    entries.push_back(a);
  }
  for (int64_t i : freeDims(in[0].rank(), d.lhsContracting, d.lhsBatch))
    entries.push_back(l[i]);
  for (int64_t i : freeDims(in[1].rank(), d.rhsContracting, d.rhsBatch))
    entries.push_back(r[i]);
  std::set<std::string> seen;
  for (const SpecEntry &e : entries)
    for (const std::string &axis : e.axes)
      if (!seen.insert(axis).second) {
        Aval bad = out[0];
        bad.sharding = std::make_shared<const TypeSharding>(
            TypeSharding{(in[0].sharding ? in[0] : in[1]).sharding->mesh,
                         *PartitionSpec::get(entries)});
        return makeError(ErrorKind::ShardingType,
                         "dot_general operation with inputs: ", in[0].str(),
                         ", ", in[1].str(),
                         " produces an illegally sharded result: ", bad.str());
      }
  return std::vector<PartitionSpec>{*PartitionSpec::get(entries)};
}

/// The cotangent of one operand: that of the result contracted with the other
/// operand, transposed into place.
Tensor transposeSide(const Tensor &ct, const Tensor &other, const Aval &type,
                     const Params &given, bool ofLhs) {
  DotDims d = dimsOf(given);
  const Ints &xContract = ofLhs ? d.lhsContracting : d.rhsContracting;
  const Ints &yContract = ofLhs ? d.rhsContracting : d.lhsContracting;
  const Ints &xBatch = ofLhs ? d.lhsBatch : d.rhsBatch;
  const Ints &yBatch = ofLhs ? d.rhsBatch : d.lhsBatch;
  Ints xFree = freeDims(type.rank(), xContract, xBatch);
  Ints yFree = freeDims(other.rank(), yContract, yBatch);
  int64_t batch = static_cast<int64_t>(xBatch.size());
  // Positions of y's free dimensions in the result.
  Ints ctContract;
  int64_t start = batch + (ofLhs ? static_cast<int64_t>(xFree.size()) : 0);
  for (size_t i = 0; i < yFree.size(); ++i)
    ctContract.push_back(start + static_cast<int64_t>(i));
  // Now: batch, x's free dims, y's contracting dims in y's order.
  Ints order = xBatch;
  order.insert(order.end(), xFree.begin(), xFree.end());
  Ints sorted = yContract;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t y : sorted)
    order.push_back(xContract[std::find(yContract.begin(), yContract.end(), y) -
                              yContract.begin()]);
  Params params =
      lax::dotParams({ctContract, yFree, iotaInts(batch), yBatch}, {});
  for (const char *name : {"precision", "preferred_element_type"})
    params.set(name, *given.find(name));
  if (type.sharding) {
    std::vector<SpecEntry> entries;
    for (int64_t d : order)
      entries.push_back(type.sharding->spec[d]);
    params.set(
        "out_sharding",
        typeShardingParam(std::make_shared<const TypeSharding>(TypeSharding{
            type.sharding->mesh,
            *PartitionSpec::get(std::move(entries),
                                type.sharding->spec.reduced(),
                                type.sharding->spec.unreduced())})));
  }
  Tensor out = bind1(*findPrimitive("dot_general"), {ct, other}, params);
  Ints permutation(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    permutation[order[i]] = static_cast<int64_t>(i);
  return convert_element_type(lax::transpose(out, permutation), type.dtype);
}

BatchResult batchDot(const Tensors &in, const Ints &dims,
                     const Params &params) {
  DotDims d = dimsOf(params);
  auto shift = [](Ints &list, int64_t at) {
    for (int64_t &i : list)
      i += i >= at;
  };
  int64_t outDim = 0;
  if (dims[0] >= 0) {
    shift(d.lhsContracting, dims[0]);
    shift(d.lhsBatch, dims[0]);
  }
  if (dims[1] >= 0) {
    shift(d.rhsContracting, dims[1]);
    shift(d.rhsBatch, dims[1]);
  }
  if (dims[0] >= 0 && dims[1] >= 0) {
    d.lhsBatch.insert(d.lhsBatch.begin(), dims[0]);
    d.rhsBatch.insert(d.rhsBatch.begin(), dims[1]);
  } else {
    // The batch dimension is a free dimension of one operand.
    bool left = dims[0] >= 0;
    int64_t rank = in[left ? 0 : 1].rank();
    Ints own = left ? freeDims(rank, d.lhsContracting, d.lhsBatch)
                    : freeDims(rank, d.rhsContracting, d.rhsBatch);
    int64_t at = dims[left ? 0 : 1];
    outDim = static_cast<int64_t>(d.lhsBatch.size()) +
             (std::find(own.begin(), own.end(), at) - own.begin());
    if (!left)
      outDim += static_cast<int64_t>(
          freeDims(in[0].rank(), d.lhsContracting, d.lhsBatch).size());
  }
  Params changed = params;
  changed.set("dimension_numbers", objectParam(DotParam(std::move(d))));
  size_t side = dims[0] >= 0 ? 0 : 1;
  if (Status set = insertBatchEntry(changed, "out_sharding", outDim,
                                    in[side].aval().spec()[dims[side]]);
      !set)
    return {{Tensor(set.error())}, {}};
  return {frontend::bind(*findPrimitive("dot_general"), in, changed), {outDim}};
}

std::string intList(const Ints &values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i)
    out += cat(i ? ", " : "", values[i]);
  return out + "]";
}

const Primitive dotP = [] {
  Primitive p;
  p.name = "dot_general";
  p.hidden = {"out_sharding"};
  p.hiddenIfNone = {"precision", "preferred_element_type"};
  p.infer = inferDot;
  p.sharding = dotSpec;
  p.batch = [](const BatchAxis &, const Tensors &in, const Ints &dims,
               const Params &params) { return batchDot(in, dims, params); };
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    const Primitive &self = *findPrimitive("dot_general");
    return oneResult(
        bind1(self, in, params),
        addTangents(t[0] ? MaybeTensor(bind1(self, {*t[0], in[1]}, params))
                         : MaybeTensor(),
                    t[1] ? MaybeTensor(bind1(self, {in[0], *t[1]}, params))
                         : MaybeTensor()));
  };
  p.isBilinear = true;
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &types, const Params &params) {
    MaybeTensors out(2);
    if (!in[0])
      out[0] = transposeSide(*ct[0], *in[1], types[0], params, true);
    else
      out[1] = transposeSide(*ct[0], *in[0], types[1], params, false);
    return out;
  };
  p.lower = [](LoweringContext &c) {
    DotDims d = dimsOf(c.params());
    std::vector<std::string> operands = c.operands(), types;
    DType common =
        productType(c.operandTypes()[0].dtype, c.operandTypes()[1].dtype);
    for (size_t i = 0; i < 2; ++i) {
      const Aval &own = c.operandTypes()[i];
      types.push_back(mlirType(own.withType(common)));
      if (own.dtype != common)
        operands[i] = c.op("stablehlo.convert", {operands[i]}, {mlirType(own)},
                           {types[i]})[0];
    }
    return c.op(
        "stablehlo.dot_general", operands, types, mlirTypes(c.resultTypes()),
        cat("dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions "
            "= ",
            intList(d.lhsBatch),
            ", rhs_batching_dimensions = ", intList(d.rhsBatch),
            ", lhs_contracting_dimensions = ", intList(d.lhsContracting),
            ", rhs_contracting_dimensions = ", intList(d.rhsContracting), ">, ",
            precisionAttr(c.params())));
  };
  return p;
}();
const Registered dotR(dotP);

} // namespace

namespace lax {
Expected<Shape> dotShape(const Aval &lhs, const Aval &rhs, const DotDims &d,
                         const Ints &rhsGroup) {
  SW_TRY(checkSide("lhs", lhs, d.lhsBatch, d.lhsContracting));
  SW_TRY(checkSide("rhs", rhs, d.rhsBatch, d.rhsContracting));
  if (d.lhsBatch.size() != d.rhsBatch.size())
    return typeError("dot_general requires equal numbers of lhs_batch and "
                     "rhs_batch dimensions, got lhs_batch ",
                     tupleText(d.lhsBatch), " and rhs_batch ",
                     tupleText(d.rhsBatch), ".");
  if (sizesText(lhs, d.lhsBatch) != sizesText(rhs, d.rhsBatch))
    return typeError("dot_general requires lhs batch dimensions and rhs batch "
                     "dimensions to have the same shape, got ",
                     sizesText(lhs, d.lhsBatch), " and ",
                     sizesText(rhs, d.rhsBatch), ".");
  if (sizesText(lhs, d.lhsContracting) != sizesText(rhs, d.rhsContracting))
    return typeError("dot_general requires contracting dimensions to have the "
                     "same shape, got ",
                     sizesText(lhs, d.lhsContracting), " and ",
                     sizesText(rhs, d.rhsContracting), ".");
  Shape shape;
  for (int64_t i : d.lhsBatch)
    shape.push_back(lhs.shape[i]);
  for (int64_t i : freeDims(lhs.rank(), d.lhsContracting, d.lhsBatch))
    shape.push_back(lhs.shape[i]);
  for (int64_t i : freeDims(rhs.rank(), d.rhsContracting, d.rhsBatch))
    if (!containsInt(rhsGroup, i))
      shape.push_back(rhs.shape[i]);
  return shape;
}

Expected<DType> dotType(DType lhs, DType rhs, const Params &params) {
  for (DType type : {lhs, rhs})
    if (type == DType::Key || isWithoutElements(type))
      return typeError("dot_general does not accept dtype ", name(type), ".");
  DType type = productType(lhs, rhs);
  if (params.isNone("preferred_element_type"))
    return type;
  DType preferred = params.dtype("preferred_element_type");
  if (!isFloat(type) &&
      bitWidth(realType(preferred)) < bitWidth(realType(type)))
    return typeError("`preferred_element_type` must not be narrower than the "
                     "original type, got preferred_element_type of ",
                     name(preferred), " for result type of ", name(type), ".");
  return preferred;
}

Params dotParams(const DotDims &dims, std::optional<DType> preferred) {
  Params params{{"dimension_numbers", objectParam(DotParam(dims))},
                {"precision", precisionParam()},
                {"out_sharding", std::monostate()}};
  params.set("preferred_element_type",
             preferred ? Param(*preferred) : Param(std::monostate()));
  return params;
}

Tensor dot_general(const Tensor &x, const Tensor &y, const DotDims &dims,
                   std::optional<DType> preferred) {
  return bind1(dotP, {x, y}, dotParams(dims, preferred));
}
} // namespace lax
} // namespace shardwright::frontend
