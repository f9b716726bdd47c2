//===- ffi_call.cc - the primitive ffi_call -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/callbacks/ffi.h"
#include "shardwright/frontend/callbacks/offer_handlers.h"
#include "shardwright/frontend/callbacks/result_types.h"
#include "shardwright/frontend/primitives/helpers.h"

#include <algorithm>

namespace shardwright::frontend {
namespace {

/// `(('a', 1.5), ('b', 'text'))`.
struct AttributesParam final : ParamObject {
  AttributesParam(const ffi::Attributes &attributes, std::string text)
      : dictionary(std::move(text)) {
    for (const auto &[key, value] : attributes)
      shown +=
          cat(shown.empty() ? "(('" : ", ('", key, "', ", value.str(), ")");
    shown += attributes.empty() ? "()" : attributes.size() == 1 ? ",)" : ")";
  }
  std::string str() const override { return shown; }
  std::string key() const override { return dictionary; }
  std::string shown;
  /// As an MLIR attribute.
  const std::string dictionary;
};

Expected<std::vector<Aval>> inferCall(const std::vector<Aval> &in,
                                      const Params &params) {
  for (const Aval &type : in)
    if (type.dtype == DType::Key || isWithoutElements(type.dtype))
      return typeError("ffi_call of '", params.text("target_name"),
                       "' got an operand of type ", type.str(),
                       ", which has no buffer");
  return resultsOf(params);
}

/// `[dense<[1, 0]> : tensor<2xindex>]`.
std::string layoutsText(const IntsList &layouts) {
  std::string out;
  for (const Ints &layout : layouts) {
    std::string order;
    for (int64_t d : layout)
      order += cat(order.empty() ? "" : ", ", d);
    if (layout.size() > 1)
      order = cat("[", order, "]");
    out += cat(out.empty() ? "" : ", ", "dense<", order, "> : tensor<",
               layout.size(), "xindex>");
  }
  return cat("[", out, "]");
}

std::vector<std::string> lowerFfi(LoweringContext &c) {
  const Params &params = c.params();
  std::string aliases;
  auto quoted = [&](const char *name) {
    return *ffi::Value(params.text(name)).attribute();
  };
  std::string attributes = cat("call_target_name = ", quoted("target_name"));
  if (params.flag("has_side_effect"))
    attributes += ", has_side_effect = true";
  int64_t version = params.integer("custom_call_api_version");
  if (version >= 4)
    attributes += cat(", backend_config = \"\", mhlo.backend_config = ",
                      params.object<AttributesParam>("attributes")->dictionary);
  else
    attributes += cat(", api_version = ", version, " : i32, backend_config = ",
                      params.isNone("legacy_backend_config")
                          ? "\"\""
                          : quoted("legacy_backend_config"));
  if (params.has("num_batch_dims") && params.integer("num_batch_dims") > 0)
    attributes += cat(", mhlo.frontend_attributes = {num_batch_dims = \"",
                      params.integer("num_batch_dims"), "\"}");
  bool isTuple = c.resultTypes().size() > 1;
  for (const Ints &pair : params.lists("input_output_aliases"))
    aliases += cat(aliases.empty() ? "" : ", ",
                   "#stablehlo.output_operand_alias<output_tuple_indices = [",
                   isTuple ? cat(pair[1]) : "", "], operand_index = ", pair[0],
                   ", operand_tuple_indices = []>");
  if (!aliases.empty())
    attributes += cat(", output_operand_aliases = [", aliases, "]");
  attributes +=
      cat(", operand_layouts = ", layoutsText(params.lists("input_layouts")),
          ", result_layouts = ", layoutsText(params.lists("output_layouts")));
  return c.op("stablehlo.custom_call", c.operands(),
              mlirTypes(c.operandTypes()), mlirTypes(c.resultTypes()),
              attributes);
}

const Primitive ffiP = [] {
  Primitive p;
  p.name = "ffi_call";
  p.infer = inferCall;
  p.lower = lowerFfi;
  p.hidden = {"num_batch_dims"};
  p.ownManualAxes = true;
  p.effects = [](const Params &params) -> EffectSet {
    return params.flag("has_side_effect") ? EffectSet(Effect::Ffi)
                                          : EffectSet();
  };
  p.jvp = [](const Tensors &, const MaybeTensors &, const Params &params) {
    return failedJvp(valueError(
        "The FFI call to `", params.text("target_name"),
        "` cannot be differentiated. You can use `jax.custom_jvp` or "
        "`jax.custom_jvp` to add support."));
  };
  p.batch = [](const BatchAxis &axis, const Tensors &in, const Ints &dims,
               const Params &params) {
    return batchCall(*findPrimitive("ffi_call"), axis, in, dims, params);
  };
  return p;
}();
const Registered ffiR(ffiP);

/// Minor to major, or an error unless there is one layout for each value and it
/// orders its dimensions. `what`: `input arguments` and `input layouts`.
Expected<IntsList> minorToMajor(const std::vector<Layout> &layouts,
                                const std::vector<Aval> &types,
                                const char *values, const char *name) {
  if (!layouts.empty() && layouts.size() != types.size())
    return valueError("The number of ", values, " (", types.size(),
                      ") must equal the number of ", name, " (", layouts.size(),
                      ").");
  IntsList out;
  for (size_t i = 0; i < types.size(); ++i) {
    Ints order = iotaInts(types[i].rank());
    if (!layouts.empty() && !layouts[i].isAuto()) {
      SW_TRY(layouts[i].checkCompatible(types[i].shape));
      order = layouts[i].majorToMinor();
    }
    std::reverse(order.begin(), order.end());
    out.push_back(order);
  }
  return out;
}

Status checkAliases(const std::map<int64_t, int64_t> &aliases,
                    const std::vector<Aval> &in, const std::vector<Aval> &out) {
  for (const auto &[from, to] : aliases) {
    std::string what =
        cat("input_output_aliases contains the mapping '", from, ":", to, "' ");
    auto isIn = [](int64_t i, size_t n) {
      return i >= 0 && i < static_cast<int64_t>(n);
    };
    if (!isIn(from, in.size()))
      return valueError(what, "with input index ", from,
                        " outside the range [0, ", in.size(), ").");
    if (!isIn(to, out.size()))
      return valueError(what, "with output index ", to,
                        " outside the range [0, ", out.size(), ").");
    if (in[from].shape != out[to].shape || in[from].dtype != out[to].dtype)
      return valueError(what, "referring to an input with abstract value ",
                        in[from].longStr(),
                        " and an output with a different abstract value ",
                        out[to].longStr(), ".");
  }
  return {};
}

/// An error unless so many first dimensions of all values have equal sizes.
Status checkBatch(int64_t count, const std::vector<Aval> &in,
                  const std::vector<Aval> &out) {
  const Aval *first = nullptr;
  for (const std::vector<Aval> *types : {&in, &out})
    for (const Aval &type : *types) {
      if (count < 0 || type.rank() < count)
        return valueError("numBatchDims is ", count,
                          ", but a value of the call has type ",
                          type.longStr());
      if (!first)
        first = &type;
      for (int64_t d = 0; d < count; ++d)
        if (type.shape[d] != first->shape[d])
          return valueError("numBatchDims is ", count, ", but dimension ", d,
                            " has size ", first->shape[d],
                            " in one value of the call and ", type.shape[d],
                            " in another");
    }
  return {};
}

Expected<Params> callParams(const std::string &target,
                            const std::vector<Aval> &results,
                            const std::vector<Aval> &in,
                            const ffi::Attributes &attributes,
                            const ffi::CallOptions &options) {
  const std::string &method = options.vmapMethod;
  const char *methods[] = {"",
                           "sequential",
                           "sequential_unrolled",
                           "expand_dims",
                           "broadcast_all",
                           "legacy_vectorized"};
  if (std::find(std::begin(methods), std::end(methods), method) ==
      std::end(methods))
    return valueError("vmap_method must be on of the allowed methods "
                      "['sequential', 'sequential_unrolled', 'expand_dims', "
                      "'broadcast_all', 'legacy_vectorized', None], but got: ",
                      method);
  int64_t version = options.customCallApiVersion;
  if (options.legacyBackendConfig && version >= 4)
    return valueError("The use of the legacy_backend_config parameter requires "
                      "custom_call_api_version < 4; got ",
                      version, ".");
  if (version < 1 || version > 4 || (version < 4 && !attributes.empty()))
    return valueError("ffi_call of '", target,
                      "' has custom_call_api_version=", version,
                      ": versions are from 1 to 4, and only version 4 has "
                      "attributes");
  SW_TRY(checkAliases(options.inputOutputAliases, in, results));
  SW_TRY(checkBatch(options.numBatchDims, in, results));
  Expected<IntsList> inLayouts = minorToMajor(
      options.inputLayouts, in, "input arguments", "input layouts");
  if (!inLayouts)
    return inLayouts.error();
  Expected<IntsList> outLayouts =
      minorToMajor(options.outputLayouts, results, "outputs", "output layouts");
  if (!outLayouts)
    return outLayouts.error();
  Expected<std::string> dictionary = ffi::Value(attributes).attribute();
  if (!dictionary)
    return dictionary.error();
  IntsList aliases;
  for (const auto &[from, to] : options.inputOutputAliases)
    aliases.push_back({from, to});
  Params params{
      {"attributes", objectParam(AttributesParam(attributes, *dictionary))},
      {"custom_call_api_version", version},
      {"has_side_effect", options.hasSideEffect},
      {"input_layouts", *inLayouts},
      {"input_output_aliases", aliases},
      {"legacy_backend_config", options.legacyBackendConfig
                                    ? Param(*options.legacyBackendConfig)
                                    : Param(std::monostate())},
      {"output_layouts", *outLayouts},
      {"result_avals", resultTypesParam(results)},
      {"target_name", target},
      {"vmap_method", method.empty() ? Param(std::monostate()) : Param(method)},
  };
  // JAX's calls have none.
  if (options.numBatchDims != 0)
    params.set("num_batch_dims", options.numBatchDims);
  return params;
}

} // namespace

namespace ffi {
Tensors call(const std::string &target, const Tensors &results,
             const Tensors &args, const Attributes &attributes,
             const CallOptions &options) {
  offerXlaHandlers();
  Tensors all = args;
  all.insert(all.end(), results.begin(), results.end());
  if (const Error *first = errorIn(all))
    return {Tensor(*first)};
  std::vector<Aval> in, out;
  for (const Tensor &x : args)
    in.push_back(x.aval());
  for (const Tensor &x : results)
    out.push_back(Aval{x.dtype(), x.shape()});
  Expected<Params> params = callParams(target, out, in, attributes, options);
  if (!params)
    return {Tensor(params.error())};
  Tensors outs = frontend::bind(ffiP, args, *params);
  if (const Error *failed = errorIn(outs))
    failRecording(*failed);
  return outs;
}
} // namespace ffi
} // namespace shardwright::frontend
