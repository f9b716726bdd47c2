//===- conv.cc - convolution ----------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/helpers.h"
#include "shardwright/frontend/primitives/precision.h"
#include "shardwright/frontend/primitives/reordered_reshape.h"
#include "shardwright/frontend/primitives/reshard.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

using namespace lax;

/// Positions of dimensions: batch and feature (of the kernel: output and input
/// features), then the spatial ones.
struct ConvDims {
  Ints lhs, rhs, out;
};
struct ConvParam : ParamObject {
  explicit ConvParam(ConvDims d) : dims(std::move(d)) {}
  std::string str() const override {
    return cat("ConvDimensionNumbers(lhs_spec=", tupleText(dims.lhs),
               ", rhs_spec=", tupleText(dims.rhs),
               ", out_spec=", tupleText(dims.out), ")");
  }
  const ConvDims dims;
};
Param dimsParam(const ConvDims &dims) { return objectParam(ConvParam(dims)); }
const ConvDims &dimsOf(const Params &params) {
  return params.object<ConvParam>("dimension_numbers")->dims;
}

int64_t dilated(int64_t size, int64_t by) {
  return size ? (size - 1) * by + 1 : 0;
}

/// The numbers of a convolution, as parameters have them.
struct Conv {
  explicit Conv(const Params &p)
      : dims(dimsOf(p)), strides(p.ints("window_strides")),
        lhsDilation(p.ints("lhs_dilation")),
        rhsDilation(p.ints("rhs_dilation")), padding(p.lists("padding")),
        features(p.integer("feature_group_count")),
        batches(p.integer("batch_group_count")),
        precision(*p.find("precision")),
        preferred(*p.find("preferred_element_type")) {}
  Tensor apply(const Tensor &lhs, const Tensor &rhs) const;
  size_t spatial() const { return strides.size(); }
  ConvDims dims;
  Ints strides, lhsDilation, rhsDilation;
  IntsList padding;
  int64_t features, batches;
  Param precision, preferred;
};

Tensor Conv::apply(const Tensor &lhs, const Tensor &rhs) const {
  return bind1(*findPrimitive("conv_general_dilated"), {lhs, rhs},
               {{"window_strides", strides},
                {"padding", padding},
                {"lhs_dilation", lhsDilation},
                {"rhs_dilation", rhsDilation},
                {"dimension_numbers", dimsParam(dims)},
                {"feature_group_count", features},
                {"batch_group_count", batches},
                {"precision", precision},
                {"preferred_element_type", preferred},
                {"out_sharding", std::monostate()}});
}

Status checkConv(const Conv &c, const Aval &lhs, const Aval &rhs) {
  size_t n = c.dims.lhs.size();
  if (lhs.dtype != rhs.dtype)
    return typeError("lax.conv_general_dilated requires arguments to have the "
                     "same dtypes, got ",
                     name(lhs.dtype), ", ", name(rhs.dtype), ".");
  if (n < 2 || c.dims.rhs.size() != n || c.dims.out.size() != n ||
      lhs.rank() != static_cast<int64_t>(n) ||
      rhs.rank() != static_cast<int64_t>(n))
    return typeError("convolution dimension_numbers must be of the ranks of "
                     "the arguments, got lhs.shape ",
                     tupleText(lhs.shape), ", rhs.shape ", tupleText(rhs.shape),
                     " and ", ConvParam(c.dims).str());
  for (const Ints *list : {&c.dims.lhs, &c.dims.rhs, &c.dims.out}) {
    Ints sorted = *list;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != iotaInts(static_cast<int64_t>(n)))
      return typeError("convolution dimension_numbers must name each dimension "
                       "once, got ",
                       ConvParam(c.dims).str());
  }
  for (const Ints *list : {&c.strides, &c.lhsDilation, &c.rhsDilation}) {
    if (list->size() != n - 2)
      return typeError("convolution window_strides and dilations must have an "
                       "entry for each of ",
                       n - 2, " spatial dimensions, got ", tupleText(*list));
    for (int64_t v : *list)
      if (v < 1)
        return typeError("convolution window_strides and dilations must be "
                         "positive, got ",
                         tupleText(*list));
  }
  if (c.padding.size() != n - 2)
    return typeError("convolution padding must have a pair for each of ", n - 2,
                     " spatial dimensions, got ", c.padding.size());
  // Sums and products of these do not overflow.
  constexpr int64_t most = int64_t(1) << 31;
  for (const Ints &pair : c.padding)
    if (pair.size() != 2 || std::max(pair[0], pair[1]) >= most ||
        std::min(pair[0], pair[1]) <= -most)
      return typeError("convolution padding must be pairs (low, high) of "
                       "numbers below 2^31, got ",
                       tupleText(pair));
  for (const Ints &list :
       {c.strides, c.lhsDilation, c.rhsDilation, Ints{c.features, c.batches}})
    for (int64_t v : list)
      if (v >= most)
        return typeError("convolution strides, dilations and group counts must "
                         "be below 2^31, got ",
                         tupleText(list));
  for (size_t s = 0; s + 2 < n; ++s)
    if (lhs.shape[c.dims.lhs[s + 2]] > (int64_t(1) << 62) / c.lhsDilation[s] ||
        rhs.shape[c.dims.rhs[s + 2]] > (int64_t(1) << 62) / c.rhsDilation[s])
      return typeError("convolution of shapes ", tupleText(lhs.shape), " and ",
                       tupleText(rhs.shape), " with dilations ",
                       tupleText(c.lhsDilation), " and ",
                       tupleText(c.rhsDilation), " is too large");
  if (c.features < 1 || c.batches < 1 || (c.features > 1 && c.batches > 1))
    return valueError("At most one of batch_group_count and "
                      "feature_group_count may be > 1, got "
                      "batch_group_count=",
                      c.batches, " and feature_group_count=", c.features);
  int64_t in = lhs.shape[c.dims.lhs[1]], own = rhs.shape[c.dims.rhs[1]],
          out = rhs.shape[c.dims.rhs[0]];
  if (in % c.features || in / c.features != own)
    return valueError("conv_general_dilated lhs feature dimension size divided "
                      "by feature_group_count must equal the rhs input feature "
                      "dimension size, but ",
                      in, " // ", c.features, " != ", own, ".");
  if (out % c.features || out % c.batches)
    return valueError("conv_general_dilated rhs output feature dimension size "
                      "must be a multiple of the group counts, but ",
                      out, " is not a multiple of ", c.features * c.batches,
                      ".");
  if (lhs.shape[c.dims.lhs[0]] % c.batches)
    return valueError("conv_general_dilated lhs batch dimension size must be a "
                      "multiple of batch_group_count, but ",
                      lhs.shape[c.dims.lhs[0]], " is not a multiple of ",
                      c.batches, ".");
  return {};
}

/// An error unless sums of this type may have the wider one.
Status checkPreferred(DType type, DType preferred) {
  bool fits = isInteger(type) ? isInteger(preferred) || isFloat(preferred)
              : isFloat(type) ? isFloat(preferred)
                              : isComplex(type) && isComplex(preferred);
  if (!fits)
    return typeError(
        "Input type is incompatible with `preferred_element_type`. "
        "The compatible combinations of (input_type, "
        "preferred_element_type) are (integral, integral), "
        "(integral, floating), (floating, floating), (complex, "
        "complex.");
  if (bitWidth(preferred) < bitWidth(type))
    return typeError("`preferred_element_type` must not be narrower than the "
                     "original type.");
  return {};
}

Expected<std::vector<Aval>> inferConv(const std::vector<Aval> &in,
                                      const Params &params) {
  Conv c(params);
  SW_TRY(checkAccepts("conv_general_dilated", Accepts::Number, in[0].dtype));
  SW_TRY(checkConv(c, in[0], in[1]));
  Shape shape(Ints(c.dims.out.size(), 0));
  shape.at(c.dims.out[0]) = in[0].shape[c.dims.lhs[0]] / c.batches;
  shape.at(c.dims.out[1]) = in[1].shape[c.dims.rhs[0]];
  for (size_t s = 0; s < c.spatial(); ++s) {
    int64_t padded = dilated(in[0].shape[c.dims.lhs[s + 2]], c.lhsDilation[s]) +
                     c.padding[s][0] + c.padding[s][1];
    int64_t window = dilated(in[1].shape[c.dims.rhs[s + 2]], c.rhsDilation[s]);
    shape.at(c.dims.out[s + 2]) =
        padded < window ? 0 : (padded - window) / c.strides[s] + 1;
  }
  if (params.isNone("preferred_element_type"))
    return std::vector<Aval>{Aval{in[0].dtype, shape}};
  DType preferred = params.dtype("preferred_element_type");
  SW_TRY(checkPreferred(in[0].dtype, preferred));
  return std::vector<Aval>{Aval{preferred, shape}};
}

/// Splits dimension `d` into `count` parts: a new dimension at `d`.
Tensor splitDim(const Tensor &x, int64_t d, int64_t count) {
  Shape shape = x.shape();
  shape.at(d) /= count;
  shape.insert(shape.begin() + d, count);
  return reshape(x, shape);
}
/// Merges dimension `from` into `to` (a position without it), as the major
/// part.
Tensor mergeDim(const Tensor &x, int64_t from, int64_t to) {
  Ints order = withoutInts(x.rank(), {from});
  order.insert(order.begin() + to, from);
  Shape shape = x.shape();
  shape.erase(shape.begin() + from);
  shape.at(to) *= x.dim(from);
  return reshape(x, shape, order);
}

/// Merges the batch dimension `from` into `to` (a position without it), whose
/// elements are those of groups, as the major part of each group.
Tensor mergeInsideGroups(const Tensor &x, int64_t from, int64_t to,
                         int64_t groups) {
  Tensor split = splitDim(x, to + (from <= to), groups);
  return mergeDim(mergeDim(split, from + (to < from), to + 1), to, to);
}

Ints swapped(Ints spec) {
  std::swap(spec[0], spec[1]);
  return spec;
}

/// A convolution of the cotangent with the reversed kernel.
Tensor transposeLhs(const Tensor &ct, const Tensor &rhs, const Aval &lhs,
                    const Conv &c) {
  Conv back = c;
  back.dims = {c.dims.out, swapped(c.dims.rhs), c.dims.lhs};
  back.strides = c.lhsDilation;
  back.lhsDilation = c.strides;
  Tensor kernel = rhs;
  if (int64_t groups = std::max(c.features, c.batches); groups > 1) {
    kernel = splitDim(kernel, c.dims.rhs[0], groups);
    int64_t in = c.dims.rhs[1];
    // The new dimension is at dims.rhs[0]; the input features follow it.
    kernel = mergeDim(kernel, c.dims.rhs[0], in);
    back.features = groups;
  }
  back.batches = 1;
  Ints spatial(c.dims.rhs.begin() + 2, c.dims.rhs.end());
  for (size_t s = 0; s < c.spatial(); ++s) {
    int64_t window = dilated(rhs.dim(c.dims.rhs[s + 2]), c.rhsDilation[s]);
    int64_t size = dilated(lhs.shape[c.dims.lhs[s + 2]], c.lhsDilation[s]);
    int64_t out = dilated(ct.dim(c.dims.out[s + 2]), c.strides[s]);
    int64_t before = window - c.padding[s][0] - 1;
    back.padding[s] = {before, size + window - 1 - out - before};
  }
  kernel = rev(kernel, spatial);
  if (!std::holds_alternative<std::monostate>(c.preferred))
    kernel = convert_element_type(kernel, ct.dtype());
  Tensor result = back.apply(ct, kernel);
  if (c.batches > 1)
    result = mergeDim(splitDim(result, c.dims.lhs[1], c.batches), c.dims.lhs[1],
                      c.dims.lhs[0]);
  return result;
}

/// A convolution of the input with the cotangent.
Tensor transposeRhs(const Tensor &ct, const Tensor &lhs, const Aval &rhs,
                    const Conv &c) {
  Conv back = c;
  back.dims = {swapped(c.dims.lhs), swapped(c.dims.out), swapped(c.dims.rhs)};
  back.strides = c.rhsDilation;
  back.rhsDilation = c.strides;
  back.features = c.batches;
  back.batches = c.features;
  for (size_t s = 0; s < c.spatial(); ++s) {
    int64_t window = dilated(rhs.shape[c.dims.rhs[s + 2]], c.rhsDilation[s]);
    int64_t size = dilated(lhs.dim(c.dims.lhs[s + 2]), c.lhsDilation[s]);
    int64_t out = dilated(ct.dim(c.dims.out[s + 2]), c.strides[s]);
    int64_t lo = c.padding[s][0];
    back.padding[s] = {lo, out - size + window - lo - 1};
  }
  return back.apply(lhs, ct);
}

BatchResult batchConv(const BatchAxis &axis, const Tensors &in,
                      const Ints &dims, const Params &params) {
  Conv c(params);
  Tensor lhs = in[0], rhs = in[1];
  int64_t left = dims[0], right = dims[1], size = axis.size;
  int64_t outBatch = c.dims.out[0], outFeature = c.dims.out[1];
  if (left >= 0 && right >= 0) {
    bool byBatch = c.batches > 1;
    lhs = mergeDim(lhs, left, c.dims.lhs[byBatch ? 0 : 1]);
    (byBatch ? c.batches : c.features) *= size;
    Tensor out = c.apply(lhs, mergeDim(rhs, right, c.dims.rhs[0]));
    return {{splitDim(out, outFeature, size)}, {outFeature}};
  }
  int64_t groups = std::max(c.features, c.batches);
  if (left >= 0) {
    lhs = c.batches > 1 ? mergeInsideGroups(lhs, left, c.dims.lhs[0], groups)
                        : mergeDim(lhs, left, c.dims.lhs[0]);
    return {{splitDim(c.apply(lhs, rhs), outBatch, size)}, {outBatch}};
  }
  if (groups == 1) {
    Tensor out = c.apply(lhs, mergeDim(rhs, right, c.dims.rhs[0]));
    return {{splitDim(out, outFeature, size)}, {outFeature}};
  }
  Tensor out =
      c.apply(lhs, mergeInsideGroups(rhs, right, c.dims.rhs[0], groups));
  out = splitDim(splitDim(out, outFeature, groups), outFeature + 1, size);
  return {{mergeDim(out, outFeature, outFeature + 1)}, {outFeature}};
}

/// `[b, 0, 1, f]`: the meaning of each dimension.
std::string layoutText(const Ints &spec, const char *first,
                       const char *second) {
  std::vector<std::string> names(spec.size());
  names[spec[0]] = first;
  names[spec[1]] = second;
  for (size_t s = 2; s < spec.size(); ++s)
    names[spec[s]] = cat(s - 2);
  std::string out;
  for (const std::string &n : names)
    out += cat(out.empty() ? "[" : ", ", n);
  return out + "]";
}

std::vector<std::string> lowerConv(LoweringContext &ctx) {
  Conv c(ctx.params());
  std::string padding;
  for (const Ints &p : c.padding)
    padding += cat(padding.empty() ? "[" : ", ", "[", p[0], ", ", p[1], "]");
  padding = c.padding.empty() ? "dense<> : tensor<0x2xi64>"
                              : cat("dense<", padding, "]> : tensor<",
                                    c.padding.size(), "x2xi64>");
  return ctx.op("stablehlo.convolution", ctx.operands(),
                mlirTypes(ctx.operandTypes()), mlirTypes(ctx.resultTypes()),
                cat(arrayAttr("window_strides", c.strides), ", padding = ",
                    padding, ", ", arrayAttr("lhs_dilation", c.lhsDilation),
                    ", ", arrayAttr("rhs_dilation", c.rhsDilation),
                    ", dimension_numbers = #stablehlo.conv<",
                    layoutText(c.dims.lhs, "b", "f"), "x",
                    layoutText(c.dims.rhs, "o", "i"), "->",
                    layoutText(c.dims.out, "b", "f"),
                    ">, feature_group_count = ", c.features,
                    " : i64, batch_group_count = ", c.batches, " : i64, ",
                    precisionAttr(ctx.params())));
}

/// The sharding of the images stays, if the kernel is replicated and no device
/// has a part of the features.
Expected<std::vector<PartitionSpec>> convSharding(const std::vector<Aval> &in,
                                                  const std::vector<Aval> &out,
                                                  const Params &params) {
  ConvDims dims = Conv(params).dims;
  PartitionSpec lhs = in[0].spec();
  bool isReplicated = in[1].spec() == P().normalized(in[1].rank());
  if (!isReplicated || !lhs[dims.lhs[1]].empty())
    return makeError(ErrorKind::ShardingType,
                     "Please specify the output sharding via `out_sharding` "
                     "parameter of `conv_general_dilated`");
  return resizedSpec("conv_general_dilated", in[0], out[0]);
}

const Primitive convP = [] {
  Primitive p;
  p.name = "conv_general_dilated";
  p.infer = inferConv;
  p.sharding = convSharding;
  p.lower = lowerConv;
  p.batch = batchConv;
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    Conv c(params);
    return oneResult(
        c.apply(in[0], in[1]),
        addTangents(t[0] ? MaybeTensor(c.apply(*t[0], in[1])) : MaybeTensor(),
                    t[1] ? MaybeTensor(c.apply(in[0], *t[1])) : MaybeTensor()));
  };
  p.isBilinear = true;
  p.transpose = [](const MaybeTensors &ct, const MaybeTensors &in,
                   const std::vector<Aval> &types, const Params &params) {
    Conv c(params);
    bool isPreferred = !params.isNone("preferred_element_type");
    auto converted = [&](const Tensor &x, DType type) {
      return isPreferred ? convert_element_type(x, type) : x;
    };
    MaybeTensors out(2);
    if (!in[0])
      out[0] =
          converted(transposeLhs(*ct[0], *in[1], types[0], c), types[0].dtype);
    else
      out[1] = converted(
          transposeRhs(*ct[0], converted(*in[0], ct[0]->dtype()), types[1], c),
          types[1].dtype);
    return out;
  };
  return p;
}();
const Registered convR(convP);

/// Positions of the letters `first` and `second`, then of the spatial letters
/// in the order of `spatial`. Empty if a letter is missing.
Ints specOf(const std::string &layout, char first, char second,
            const std::string &spatial) {
  Ints out;
  for (char letter : cat(first, second, spatial)) {
    size_t at = layout.find(letter);
    if (at == std::string::npos)
      return {};
    out.push_back(static_cast<int64_t>(at));
  }
  return out;
}

} // namespace

namespace lax {
Tensor conv_general_dilated(const Tensor &lhs, const Tensor &rhs,
                            const ConvOptions &options) {
  std::string spatial;
  for (char letter : options.layout.rhs)
    if (letter != 'O' && letter != 'I')
      spatial += letter;
  ConvDims dims{specOf(options.layout.lhs, 'N', 'C', spatial),
                specOf(options.layout.rhs, 'O', 'I', spatial),
                specOf(options.layout.out, 'N', 'C', spatial)};
  if (dims.lhs.empty() || dims.rhs.empty() || dims.out.empty())
    return valueError("convolution layouts must have the letters N and C (lhs, "
                      "out), O and I (rhs), and the same spatial letters; got ",
                      options.layout.lhs, ", ", options.layout.rhs, ", ",
                      options.layout.out);
  auto n = spatial.size();
  auto ones = [&](const Ints &v) { return v.empty() ? Ints(n, 1) : v; };
  return bind1(convP, {lhs, rhs},
               {{"window_strides", ones(options.strides)},
                {"padding", options.padding.empty() ? IntsList(n, Ints{0, 0})
                                                    : options.padding},
                {"lhs_dilation", ones(options.lhsDilation)},
                {"rhs_dilation", ones(options.rhsDilation)},
                {"dimension_numbers", dimsParam(dims)},
                {"feature_group_count", options.featureGroups},
                {"batch_group_count", options.batchGroups},
                {"precision", precisionParam()},
                {"preferred_element_type",
                 options.preferred ? Param(canonicalType(*options.preferred))
                                   : Param(std::monostate())},
                {"out_sharding", std::monostate()}});
}
} // namespace lax
} // namespace shardwright::frontend
