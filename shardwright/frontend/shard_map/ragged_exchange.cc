//===- ragged_exchange.cc - ragged_all_to_all -----------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/shard_map/collective_helpers.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

using Names = std::vector<std::string>;

/// The operands of the primitive.
enum { Operand, Output, InputOffsets, SendSizes, OutputOffsets, RecvSizes };
const char *const operandNames[] = {"operand",        "output",
                                    "input_offsets",  "send_sizes",
                                    "output_offsets", "recv_sizes"};

const Primitive &raggedExchange() {
  static const Primitive &p = *findPrimitive("ragged_all_to_all");
  return p;
}

/// Devices that communicate with each other.
Expected<int64_t> groupSize(const Params &params) {
  const IntsList &groups = params.lists("axis_index_groups");
  if (!groups.empty())
    return static_cast<int64_t>(groups[0].size());
  return boundSize(params.names("axis_name"));
}

Expected<std::vector<Aval>> inferExchange(const std::vector<Aval> &in,
                                          const Params &params) {
  const std::string name = "ragged_all_to_all";
  for (int i = InputOffsets; i <= RecvSizes; ++i) {
    if (!isInteger(in[i].dtype))
      return valueError(name, " ", operandNames[i], " must be integer type.");
    if (in[i].rank() != 1 || in[i].shape[0] == 0)
      return valueError(name, " ", operandNames[i],
                        " must be rank 1 with positive dimension size, but "
                        "got shape ",
                        tupleText(in[i].shape));
  }
  SW_TRY(checkBound(params.names("axis_name"), name));
  Expected<int64_t> size = groupSize(params);
  if (!size)
    return size.error();
  int64_t slices = in[InputOffsets].shape[0];
  for (int i = SendSizes; i <= RecvSizes; ++i)
    if (in[i].shape[0] != slices)
      return valueError(name, " ", operandNames[i],
                        " must have the size of input_offsets, ", slices,
                        ", but got shape ", tupleText(in[i].shape));
  if (slices % *size)
    return valueError(name, " needs as many slices for each of ", *size,
                      " devices, but got ", slices, " slices");
  auto row = [](const Aval &a) {
    return a.rank() ? Ints(a.shape.begin() + 1, a.shape.end()) : Ints{-1};
  };
  if (in[Operand].rank() == 0 || row(in[Operand]) != row(in[Output]) ||
      in[Operand].dtype != in[Output].dtype)
    return valueError(name,
                      " operand and output must have equal types except for "
                      "their leading dimensions, but got ",
                      in[Operand].longStr(), " and ", in[Output].longStr());
  Aval out{in[Output].dtype, in[Output].shape};
  return std::vector<Aval>{out};
}

Tensor asRow(const Tensor &x) { return lax::expand_dims(x, {0}); }
Tensor asColumn(const Tensor &x) { return lax::expand_dims(x, {1}); }

/// For each slice (rows) and each row of the output (columns): is it in the
/// slice? All operands are 32-bit integers.
Tensor receivedMask(const Tensor &offsets, const Tensor &sizes, int64_t rows) {
  Shape shape{offsets.dim(0), rows};
  Tensor row = lax::iota(DType::I32, shape, 1);
  auto spread = [&](const Tensor &x) {
    return lax::broadcast_in_dim(x, shape, {0});
  };
  return lax::bitwise_and(lax::le(spread(offsets), row),
                          lax::lt(row, spread(lax::add(offsets, sizes))));
}

/// True where a row of the output is received.
Tensor isReceived(const Tensor &offsets, const Tensor &sizes,
                  const Aval &output) {
  auto index = [](const Tensor &x) {
    return lax::convert_element_type(x, DType::I32);
  };
  Tensor any = lax::reduce_or(
      receivedMask(index(offsets), index(sizes), output.shape[0]), {0});
  return lax::broadcast_in_dim(any, output.shape, {0});
}

/// The output of one device. `all`: the operands of the group's devices, one
/// after another; `from`: offsets in the sender's operand; `to`: in the output.
Tensor received(const Tensor &all, const Tensor &output, const Tensor &from,
                const Tensor &to, const Tensor &sizes, int64_t perDevice) {
  int64_t slices = from.dim(0), rows = output.dim(0);
  if (rows == 0 || all.dim(0) == 0)
    return output;
  auto number = [](int64_t n) { return scalarOf(n, DType::I32); };
  // The last slice that contains the row counts.
  Tensor mask = receivedMask(to, sizes, rows);
  Shape shape{slices, rows};
  Tensor last =
      lax::reduce_max(lax::select(mask, lax::iota(DType::I32, shape, 0),
                                  lax::broadcast_in_dim(number(-1), shape, {})),
                      {0});
  Tensor slice = lax::max(last, number(0));
  // Where slice i begins in `all`, less where it begins in the output.
  Tensor sender =
      lax::div(lax::iota(DType::I32, {slices}, 0), number(perDevice));
  Tensor shift = lax::sub(
      lax::add(from, lax::mul(sender, number(all.dim(0) * perDevice / slices))),
      to);
  auto rowsOf = [](const Tensor &x, const Tensor &indices) {
    Ints sizes = x.shape(), offset;
    sizes[0] = 1;
    for (int64_t d = 1; d < x.rank(); ++d)
      offset.push_back(d);
    return lax::gather(x, asColumn(indices), {offset, {0}, {0}, {}, {}}, sizes,
                       GatherMode::ClipIndices);
  };
  Tensor source =
      lax::add(rowsOf(shift, slice), lax::iota(DType::I32, {rows}, 0));
  Tensor isNew =
      lax::broadcast_in_dim(lax::ge(last, number(0)), output.shape(), {0});
  return lax::select(isNew, rowsOf(all, source), output);
}

/// Every device gathers the operands of its group, and takes its rows.
Names lowerExchange(LoweringContext &c) {
  auto groups = groupsOf(c, c.params().names("axis_name"));
  if (!groups)
    return {"%error"};
  auto size = static_cast<int64_t>(groups->at(0).size());
  std::vector<Aval> types = c.operandTypes();
  for (Aval &type : types) {
    type.varying.clear();
    type.sharding = nullptr;
  }
  int64_t slices = types[InputOffsets].shape[0];
  auto exchanged = [&](int i) {
    std::string type = mlirType(types[i]);
    return c.op("stablehlo.all_to_all", {c.operands()[i]}, {type}, {type},
                cat("concat_dimension = 0 : i64, split_dimension = 0 : i64, "
                    "split_count = ",
                    size, " : i64, ", groupAttributes(*groups, false)))[0];
  };
  Aval all = types[Operand];
  all.shape.at(0) *= size;
  std::string gathered = c.op(
      "stablehlo.all_gather", {c.operands()[Operand]},
      {mlirType(types[Operand])}, {mlirType(all)},
      cat("all_gather_dim = 0 : i64, ", groupAttributes(*groups, true)))[0];
  ScopedMesh none{Mesh()};
  Expected<JaxprPtr> jaxpr = traceToJaxpr(
      [&](const Tensors &in) {
        auto index = [&](int i) {
          return lax::convert_element_type(in[i], DType::I32);
        };
        return Tensors{received(in[0], in[1], index(2), index(3), index(4),
                                slices / size)};
      },
      {all, types[Output], types[InputOffsets], types[OutputOffsets],
       types[RecvSizes]});
  if (!jaxpr) {
    c.fail(jaxpr.error());
    return {"%error"};
  }
  return c.inlineJaxpr(**jaxpr,
                       {gathered, c.operands()[Output], exchanged(InputOffsets),
                        exchanged(OutputOffsets), c.operands()[RecvSizes]});
}

MaybeTensors transposeExchange(const MaybeTensors &ct, const MaybeTensors &in,
                               const std::vector<Aval> &types,
                               const Params &params) {
  Params exchange = params;
  exchange.set("tiled", true);
  exchange.set("split_axis", int64_t(0));
  exchange.set("concat_axis", int64_t(0));
  auto exchanged = [&](int i) {
    return bind1(*findPrimitive("all_to_all"), {*in[i]}, exchange);
  };
  Tensor received = exchanged(OutputOffsets);
  MaybeTensors out(in.size());
  if (!in[Operand])
    out[Operand] = bind1(
        raggedExchange(),
        {*ct[0],
         varyAlong(lax::zeros(Aval{types[Operand].dtype, types[Operand].shape}),
                   params.names("axis_name")),
         received, *in[RecvSizes], exchanged(InputOffsets), *in[SendSizes]},
        params);
  if (!in[Output])
    out[Output] =
        lax::select(isReceived(received, *in[RecvSizes], types[Output]),
                    lax::full_like(*ct[0], 0), *ct[0]);
  return out;
}

BatchResult batchExchange(const BatchAxis &axis, const Tensors &in,
                          const Ints &dims, const Params &params) {
  if (withoutMapped(params.names("axis_name"), axis))
    return {{Tensor(notImplemented(
                "ragged_all_to_all along an axis of vmap is not implemented"))},
            {}};
  bool mapsIndices = std::any_of(dims.begin() + InputOffsets, dims.end(),
                                 [](int64_t d) { return d >= 0; });
  Tensors args;
  if (!mapsIndices) {
    // Rows with one more dimension.
    for (int i = Operand; i <= RecvSizes; ++i)
      args.push_back(i > Output ? in[i]
                                : moveBatch(batchToFront(in[i], dims[i], axis),
                                            0, in[i].rank() - (dims[i] >= 0)));
    Tensor out = bind1(raggedExchange(), args, params);
    return {{out}, {out.ok() ? out.rank() - 1 : 0}};
  }
  // The examples' rows one after another; each has slices of its own.
  for (int i = Operand; i <= Output; ++i) {
    Tensor x = batchToFront(in[i], dims[i], axis);
    if (!x.ok())
      return {{x}, {}};
    Shape shape(Ints(x.shape().begin() + 1, x.shape().end()));
    shape.at(0) *= axis.size;
    args.push_back(lax::reshape(x, shape));
  }
  for (int i = InputOffsets; i <= RecvSizes; ++i) {
    Tensor x = moveBatch(batchToFront(in[i], dims[i], axis), 0, 1);
    if (!x.ok())
      return {{x}, {}};
    if (i == InputOffsets || i == OutputOffsets) {
      int64_t rows =
          args[i == InputOffsets ? Operand : Output].dim(0) / axis.size;
      Tensor first = lax::mul(lax::iota(x.dtype(), {axis.size}, 0),
                              scalarOf(rows, x.dtype()));
      x = lax::add(x, asRow(first));
    }
    args.push_back(lax::reshape(x, {x.size()}));
  }
  Tensor out = bind1(raggedExchange(), args, params);
  if (!out.ok())
    return {{out}, {}};
  Shape shape = out.shape();
  shape.at(0) /= axis.size;
  shape.insert(shape.begin(), axis.size);
  return {{lax::reshape(out, shape)}, {0}};
}

const Primitive exchangeP = [] {
  Primitive p;
  p.name = "ragged_all_to_all";
  p.hidden = {"axis_mesh"};
  p.usesAxisNames = true;
  p.infer = inferExchange;
  p.lower = lowerExchange;
  p.isLinearIn = [](size_t i) { return i < 2; };
  p.transpose = transposeExchange;
  p.batch = batchExchange;
  p.jvp = [](const Tensors &in, const MaybeTensors &t, const Params &params) {
    Tensors tangents = in;
    for (int i = Operand; i <= Output; ++i)
      tangents[i] = instantiate(t[i], in[i].aval());
    return oneResult(bind1(raggedExchange(), in, params),
                     bind1(raggedExchange(), tangents, params));
  };
  return p;
}();
const Registered exchangeR(exchangeP);

} // namespace

namespace lax {
Tensor ragged_all_to_all(const Tensor &operand, const Tensor &output,
                         const RaggedSlices &slices, const CollectiveAxes &axes,
                         const AxisIndexGroups &groups) {
  Tensors args{operand,
               output,
               slices.inputOffsets,
               slices.sendSizes,
               slices.outputOffsets,
               slices.recvSizes};
  if (const Error *error = errorIn(args))
    return *error;
  if (Status bound = checkBound(axes.names, "ragged_all_to_all"); !bound)
    return bound.error();
  Expected<int64_t> size = boundSize(axes.names);
  if (Status fits = checkGroups(groups, *size); !fits)
    return fits.error();
  for (Tensor &arg : args)
    arg = varyAlong(arg, axes.names);
  Params params = collectiveParams(groups);
  params.set("axis_name", axes.names);
  return bind1(exchangeP, args, params);
}
} // namespace lax
} // namespace shardwright::frontend
