//===- matrix.cc - matrices in rules of derivatives -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/linalg/matrix.h"

namespace shardwright::frontend {

using namespace lax;

Tensor matrixProduct(const Tensor &a, const Tensor &b) {
  if (!a.ok() || !b.ok())
    return a.ok() ? b : a;
  Ints batch = iotaInts(a.rank() - 2);
  return dot_general(a, b, {{a.rank() - 1}, {b.rank() - 2}, batch, batch});
}

Tensor transposeMatrix(const Tensor &x) {
  if (!x.ok())
    return x;
  Ints permutation = iotaInts(x.rank());
  std::swap(permutation[x.rank() - 1], permutation[x.rank() - 2]);
  return lax::transpose(x, permutation);
}

Tensor adjoint(const Tensor &x) {
  Tensor t = transposeMatrix(x);
  return t.ok() && isComplex(t.dtype()) ? conj(t) : t;
}

/// True on and below diagonal `k` of the last two dimensions.
static Tensor lowerMask(const Tensor &x, int64_t k) {
  Shape matrix{x.dim(x.rank() - 2), x.dim(x.rank() - 1)};
  Tensor rows = add(iota(DType::I32, matrix, 0), scalarOf(k, DType::I32));
  Tensor mask = ge(rows, iota(DType::I32, matrix, 1));
  return broadcast_in_dim(mask, x.shape(), {x.rank() - 2, x.rank() - 1});
}

Tensor lowerPart(const Tensor &x, int64_t k) {
  return x.ok() ? select(lowerMask(x, k), x, full_like(x, 0)) : x;
}
Tensor upperPart(const Tensor &x, int64_t k) {
  return x.ok() ? select(lowerMask(x, k - 1), full_like(x, 0), x) : x;
}

Tensor identityLike(const Tensor &x) {
  if (!x.ok())
    return x;
  Shape matrix{x.dim(x.rank() - 2), x.dim(x.rank() - 1)};
  Tensor eye = convert_element_type(
      eq(iota(DType::I32, matrix, 0), iota(DType::I32, matrix, 1)), x.dtype());
  return broadcast_in_dim(eye, x.shape(), {x.rank() - 2, x.rank() - 1});
}

Tensor diagonalOf(const Tensor &x) {
  return reduce_sum(mul(x, identityLike(x)), {x.rank() - 1});
}

Tensor asRow(const Tensor &x, const Shape &shape) {
  if (!x.ok())
    return x;
  Ints dims = iotaInts(x.rank());
  dims.back() = shape.rank() - 1;
  return broadcast_in_dim(x, shape, dims);
}
Tensor asColumn(const Tensor &x, const Shape &shape) {
  return x.ok() ? broadcast_in_dim(x, shape, iotaInts(x.rank())) : x;
}

Tensor diagonalMatrix(const Tensor &x) {
  if (!x.ok())
    return x;
  Shape shape = x.shape();
  shape.push_back(shape[-1]);
  Tensor wide = asRow(x, shape);
  return mul(wide, identityLike(wide));
}

Aval batchOf(const Aval &x, DType type, const Ints &item) {
  Shape shape(Ints(x.shape.begin(), x.shape.end() - 2));
  for (int64_t n : item)
    shape.push_back(n);
  return Aval{type, shape};
}
std::string letter(const char *attribute, char value) {
  return cat(attribute, " = ", static_cast<int>(value), " : ui8");
}

Tensor solveLeft(const Tensor &a, const Tensor &b, bool lower, bool unit) {
  return linalg::triangular_solve(a, b, {true, lower, false, false, unit});
}
Tensor solveRight(const Tensor &a, const Tensor &b, bool lower, bool adjointA) {
  return linalg::triangular_solve(
      a, b, {false, lower, adjointA, adjointA && isComplex(a.dtype()), false});
}

Tensor permuteRows(const Tensor &x, const Tensor &order) {
  int64_t batch = x.rank() - 2;
  GatherDims d;
  d.operandBatchingDims = d.startIndicesBatchingDims = iotaInts(batch);
  d.collapsedSliceDims = d.startIndexMap = {batch};
  d.offsetDims = {batch + 1};
  Ints sizes(x.rank(), 1);
  sizes.back() = x.dim(batch + 1);
  return lax::gather(x, lax::expand_dims(order, {order.rank()}), d, sizes,
                     GatherMode::PromiseInBounds);
}
Tensor resize(const Tensor &x, int64_t rows, int64_t columns) {
  if (!x.ok())
    return x;
  std::vector<Ints> config(x.rank(), Ints{0, 0, 0});
  config[x.rank() - 2][1] = rows - x.dim(x.rank() - 2);
  config[x.rank() - 1][1] = columns - x.dim(x.rank() - 1);
  return pad(x, scalarOf(0.0, x.dtype()), config);
}

/// Dimensions from the one that changes fastest: matrices by columns.
static std::string layoutOf(int64_t rank, int64_t item) {
  if (!rank)
    return "dense<> : tensor<0xindex>";
  Ints order;
  for (int64_t d = rank - 1; d >= 0; --d)
    order.push_back(d);
  if (item == 2)
    std::swap(order[0], order[1]);
  return cat("dense<[", commaText(order), "]> : tensor<", rank, "xindex>");
}

static std::string layoutsOf(const std::vector<Aval> &types,
                             const Ints &ranks) {
  std::string out;
  for (size_t i = 0; i < types.size(); ++i)
    out += cat(i ? ", " : "", layoutOf(types[i].rank(), ranks[i]));
  return "[" + out + "]";
}

/// The factor of this number: `i`, `j`, .., `z`, `z_1`, ...
static std::string factorName(int64_t n) {
  return n < 18 ? std::string(1, static_cast<char>('i' + n))
                : cat("z_", n - 17);
}

/// The rule of a call on matrices: batch dimensions correspond.
static std::string batchRule(const std::vector<Aval> &types,
                             const std::vector<Aval> &results, int64_t batch) {
  std::string sizes;
  int64_t next = 0;
  auto newFactor = [&](int64_t size) {
    sizes += cat(sizes.empty() ? "" : ", ", factorName(next), "=", size);
    return factorName(next++);
  };
  std::vector<std::string> shared;
  for (int64_t d = 0; d < batch; ++d)
    shared.push_back(newFactor(types[0].shape[d]));
  auto list = [&](const std::vector<Aval> &values) {
    std::string out;
    for (const Aval &value : values) {
      out += out.empty() ? "[" : ", [";
      for (int64_t d = 0; d < value.rank(); ++d)
        out += cat(d ? ", " : "",
                   d < batch ? shared[d] : newFactor(value.shape[d]));
      out += "]";
    }
    return out;
  };
  std::string operands = list(types), outs = list(results);
  return cat("#sdy.op_sharding_rule<(", operands, ")->(", outs, ") {", sizes,
             "}, custom>");
}

std::vector<std::string>
callLapack(LoweringContext &c, const std::string &real,
           const std::string &complex, const std::vector<std::string> &args,
           const std::vector<Aval> &types, const std::vector<Aval> &results,
           const Ints &argRanks, const Ints &resultRanks,
           const std::string &config,
           const std::vector<std::pair<int, int>> &aliases) {
  DType type = types[0].dtype;
  const char *letter = type == DType::F32   ? "s"
                       : type == DType::F64 ? "d"
                       : type == DType::C64 ? "c"
                                            : "z";
  std::string aliasText;
  for (auto [result, operand] : aliases)
    aliasText +=
        cat(aliasText.empty() ? "" : ", ",
            "#stablehlo.output_operand_alias<output_tuple_indices = [",
            results.size() > 1 ? cat(result) : "",
            "], operand_index = ", operand, ", operand_tuple_indices = []>");
  return c.op("stablehlo.custom_call", args, mlirTypes(types),
              mlirTypes(results),
              cat("call_target_name = \"lapack_", letter,
                  isComplex(type) ? complex : real,
                  "_ffi\", backend_config = \"\", mhlo.backend_config = {",
                  config, "}, mhlo.frontend_attributes = {num_batch_dims = \"",
                  types[0].rank() - argRanks[0],
                  "\"}, operand_layouts = ", layoutsOf(types, argRanks),
                  ", output_operand_aliases = [", aliasText,
                  "], result_layouts = ", layoutsOf(results, resultRanks),
                  ", sdy.sharding_rule = ",
                  batchRule(types, results, types[0].rank() - argRanks[0])));
}

std::string checkedByInfo(LoweringContext &c, const std::string &value,
                          const Aval &type, const std::string &info,
                          int64_t batchRank, bool orPositive) {
  Aval batch{DType::I32,
             Shape(Ints(type.shape.begin(), type.shape.begin() + batchRank))};
  Aval flag = batch.withType(DType::Bool);
  std::string ok =
      c.op("stablehlo.compare", {info, c.constant(batch, 0)},
           {mlirType(batch), mlirType(batch)}, {mlirType(flag)},
           cat("comparison_direction = #stablehlo<comparison_direction ",
               orPositive ? "GE" : "EQ",
               ">, compare_type = #stablehlo<comparison_type SIGNED>"))[0];
  Aval mask = type.withType(DType::Bool);
  if (type.rank() > batchRank)
    ok = c.op("stablehlo.broadcast_in_dim", {ok}, {mlirType(flag)},
              {mlirType(mask)},
              arrayAttr("broadcast_dimensions", iotaInts(batchRank)))[0];
  return c.op("stablehlo.select", {ok, value, c.constant(type, NAN)},
              {mlirType(mask), mlirType(type), mlirType(type)},
              {mlirType(type)})[0];
}

Status checkMatrix(const std::string &name, const Aval &x, bool square,
                   size_t position) {
  if (x.rank() < 2)
    return typeError(
        "Input ", position, " to ", name,
        " must have rank at least 2, but got shape=", tupleText(x.shape));
  if (!isInexact(x.dtype))
    return typeError(name, " does not accept dtype ", frontend::name(x.dtype),
                     " at position ", position,
                     ". Accepted dtypes at position ", position,
                     " are subtypes of floating, complexfloating.");
  if (x.dtype != DType::F32 && x.dtype != DType::F64 && !isComplex(x.dtype))
    return typeError(name, " does not accept dtype ", frontend::name(x.dtype),
                     ". Accepted dtypes are float32, float64, complex64 and "
                     "complex128.");
  if (square && x.shape[x.rank() - 1] != x.shape[x.rank() - 2])
    return valueError("Argument to ", name,
                      " must have shape [..., n, n], got shape ",
                      tupleText(x.shape), ".");
  return {};
}

/// The spec of the leading `count` dimensions.
static std::vector<SpecEntry> leading(const Aval &x, int64_t count) {
  std::vector<SpecEntry> entries = x.spec().entries();
  entries.resize(count);
  return entries;
}
static std::string batchText(const std::vector<SpecEntry> &entries) {
  std::string list;
  for (const SpecEntry &e : entries) {
    std::string one = e.axes.empty()       ? "None"
                      : e.axes.size() == 1 ? cat("'", e.axes[0], "'")
                                           : namesText(e.axes);
    list += cat(list.empty() ? "" : ", ", one);
  }
  return cat("(", list, entries.size() == 1 ? "," : "", ")");
}

std::function<Expected<std::vector<PartitionSpec>>(
    const std::vector<Aval> &, const std::vector<Aval> &, const Params &)>
matrixSharding(std::string name) {
  return [name](const std::vector<Aval> &in, const std::vector<Aval> &out,
                const Params &) -> Expected<std::vector<PartitionSpec>> {
    int64_t batch = in[0].rank() - 2;
    for (size_t i = 0; i < in.size(); ++i)
      for (int64_t d = batch; d < in[i].rank(); ++d)
        if (!in[i].spec()[d].empty())
          return makeError(ErrorKind::ShardingType, "Input ", i, " to ", name,
                           " must be unsharded on non-batch dimensions, but "
                           "got ",
                           in[i].spec().str(), ".");
    std::vector<SpecEntry> first = leading(in[0], batch);
    for (const Aval &x : in)
      if (leading(x, batch) != first)
        return makeError(ErrorKind::ShardingType, "All inputs to ", name,
                         " must have the same batch sharding, but got ",
                         batchText(first), " and ",
                         batchText(leading(x, batch)), ".");
    Expected<PartitionSpec> spec = PartitionSpec::get(first);
    if (!spec)
      return spec.error();
    std::vector<PartitionSpec> specs;
    for (const Aval &x : out)
      specs.push_back(spec->normalized(x.rank()));
    return specs;
  };
}

BatchResult batchMatrix(const Primitive &primitive, const BatchAxis &axis,
                        const Tensors &in, const Ints &dims,
                        const Params &params, size_t results) {
  Tensors moved;
  for (size_t i = 0; i < in.size(); ++i)
    moved.push_back(batchToFront(in[i], dims[i], axis));
  return {bindMany(primitive, results, moved, params), {0}};
}

} // namespace shardwright::frontend
