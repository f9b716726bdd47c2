//===- frontend_ffi_server.cc - foreign functions of the front end --------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads requests as JSON, one a line, and writes one line of JSON for each:
//
//   register: {name, library, execute, instantiate, .., untyped}, where the
//             stages are symbols of the library
//   type:     {name, library, id, info}: symbols of functions that return the
//             addresses of a type's id and description
//   integer:  {library, symbol}: what a function without arguments returns
//   partitionable: {name}
//   call:     {target, args, results, attributes, ..}: a call of a function,
//             its jaxpr, its module and what it computes, by `how`: eager, jit,
//             vmap (`axes`), shard_map, sharded (`specs`), scan
//   partition: {kind, args, specs, around}: a function that the user partitions
//             (frontend_custom_partitioning.cc)
//   rule:     {rule, operands, results, ..}: a sharding rule
//
// test/oracle/frontend_ffi.py and frontend_custom_partitioning.py write the
// same calls for JAX.
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/frontend.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <iostream>

using namespace shardwright::frontend;
namespace json = llvm::json;

std::function<Tensors(const Tensors &)>
partitionedFunction(const std::string &kind, const std::string &around);
json::Array takePartitionLog();
json::Object ruleAnswer(const json::Object &o);

namespace {

std::string text(const json::Object &o, llvm::StringRef key) {
  return o.getString(key).value_or("").str();
}
Ints ints(const json::Array *list) {
  Ints out;
  if (list)
    for (const json::Value &value : *list)
      out.push_back(value.getAsInteger().value_or(0));
  return out;
}

DType typeNamed(const std::string &wanted) {
  for (int i = 0; i < 40; ++i)
    if (auto type = static_cast<DType>(i); name(type) == wanted)
      return type;
  return DType::F32;
}

/// Elements of less than 8 bits are one byte each.
Tensor arrayFrom(const json::Object &o) {
  std::string bytes;
  llvm::tryGetFromHex(text(o, "hex"), bytes);
  return arrayFromBytes(bytes.data(), typeNamed(text(o, "dtype")),
                        Shape(ints(o.getArray("shape"))));
}
Tensors arraysFrom(const json::Array *list) {
  Tensors out;
  for (const json::Value &value : *list)
    out.push_back(arrayFrom(*value.getAsObject()));
  return out;
}

ffi::Attributes attributesFrom(const json::Object &o);
ffi::Value attributeFrom(const json::Object &o) {
  std::string kind = text(o, "kind");
  if (kind == "text") {
    std::string bytes;
    llvm::tryGetFromHex(text(o, "hex"), bytes);
    return bytes;
  }
  if (kind == "array")
    return arrayFrom(o);
  if (kind == "dictionary")
    return attributesFrom(*o.getObject("fields"));
  DType type = typeNamed(text(o, "dtype"));
  if (auto integer = o.getInteger("value"))
    return {type, *integer};
  if (auto large = o.get("value")->getAsUINT64())
    return {type, *large};
  return {type, o.getNumber("value").value_or(0)};
}
ffi::Attributes attributesFrom(const json::Object &o) {
  ffi::Attributes out;
  for (const auto &[key, value] : o)
    out.insert_or_assign(key.str(), attributeFrom(*value.getAsObject()));
  return out;
}

std::vector<Layout> layoutsFrom(const json::Array *list) {
  std::vector<Layout> out;
  if (list)
    for (const json::Value &value : *list)
      out.push_back(Layout(ints(value.getAsArray())));
  return out;
}

json::Value described(const Tensor &x) {
  std::string bytes;
  if (auto read = x.toBytes())
    bytes.assign(reinterpret_cast<const char *>(read->data()), read->size());
  return json::Object{{"dtype", std::string(name(x.dtype()))},
                      {"shape", json::Array(x.shape())},
                      {"hex", llvm::toHex(bytes, /*LowerCase=*/true)}};
}

/// The function that the request calls, of its arguments.
std::function<Tensors(const Tensors &)> functionOf(const json::Object &o) {
  Tensors results;
  for (const json::Value &value : *o.getArray("results")) {
    const json::Object &type = *value.getAsObject();
    results.push_back(shapeDtypeStruct(ints(type.getArray("shape")),
                                       typeNamed(text(type, "dtype"))));
  }
  ffi::CallOptions options;
  options.hasSideEffect = o.getBoolean("effect").value_or(false);
  options.vmapMethod = text(o, "method");
  options.inputLayouts = layoutsFrom(o.getArray("input_layouts"));
  options.outputLayouts = layoutsFrom(o.getArray("output_layouts"));
  options.customCallApiVersion = o.getInteger("version").value_or(4);
  options.numBatchDims = o.getInteger("batch_dims").value_or(0);
  if (auto config = o.getString("config"))
    options.legacyBackendConfig = config->str();
  if (const json::Object *aliases = o.getObject("aliases"))
    for (const auto &[from, to] : *aliases)
      options.inputOutputAliases[std::stoll(from.str())] =
          to.getAsInteger().value_or(0);
  int64_t plus = o.getInteger("plus").value_or(0);
  return [=, target = text(o, "target"),
          attributes = attributesFrom(*o.getObject("attributes"))](
             const Tensors &given) {
    Tensors args = given;
    for (Tensor &arg : args)
      if (plus)
        arg = arg + plus;
    return ffi::call(target, results, args, attributes, options);
  };
}

json::Object failed(const Error &error) {
  return json::Object{{"error", error.str()},
                      {"kind", std::string(str(error.kind))}};
}

json::Object answerOf(const Expected<Tensors> &outs) {
  if (!outs)
    return failed(outs.error());
  json::Array list;
  for (const Tensor &out : *outs) {
    if (Status ready = out.blockUntilReady(); !ready)
      return failed(ready.error());
    list.push_back(described(out));
  }
  return json::Object{{"results", std::move(list)}};
}

/// `x,y|-`: a spec, dimension by dimension.
PartitionSpec specFrom(const std::string &spec) {
  std::vector<SpecEntry> entries;
  for (llvm::StringRef dim : llvm::split(spec, '|')) {
    SpecEntry &entry = entries.emplace_back();
    for (llvm::StringRef axis : llvm::split(dim, ','))
      if (axis != "-")
        entry.axes.push_back(axis.str());
  }
  return *PartitionSpec::get(entries);
}

using List = std::vector<Tensor>;

/// The function on a mesh of eight devices.
json::Object callOnMesh(const json::Object &o, const FlatFunction &f,
                        Tensors args) {
  Ints sizes = ints(o.getArray("mesh"));
  AxisNames names = {"x", "y"};
  names.resize(sizes.size());
  std::vector<Device> order = devices();
  if (o.getBoolean("reversed").value_or(false))
    std::reverse(order.begin(), order.end());
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  order.resize(count);
  Mesh mesh = *Mesh::get(order, sizes, names);
  const json::Array &specs = *o.getArray("specs");
  if (text(o, "how") == "shard_map") {
    PartitionSpec spec = specFrom(specs[0].getAsString()->str());
    ShardMapOptions options;
    options.mesh = mesh;
    options.in = spec;
    options.out = spec;
    options.checkVma = false;
    auto mapped =
        shardMap([f](List v) -> List { return f(v); }, std::move(options));
    auto outs = jit([=](List v) { return *mapped(v); })(List(args));
    return answerOf(outs ? Expected<Tensors>(*outs) : outs.error());
  }
  for (size_t i = 0; i < args.size(); ++i)
    args[i] = devicePut(
        args[i],
        *Sharding::named(mesh, specFrom(specs[i].getAsString()->str())));
  auto traced = jit([f](List v) -> List { return f(v); }).trace(List(args));
  if (!traced)
    return failed(traced.error());
  auto compiled = traced->lower();
  auto program = compiled ? compiled->compile() : compiled.error();
  if (!program)
    return failed(program.error());
  json::Object answer = answerOf((*program)(List(args)));
  if (auto report = program->report())
    answer["report"] = *report;
  answer["jaxpr"] = traced->str();
  if (auto module = compiled->asText())
    answer["module"] = *module;
  json::Array shardings;
  for (const Sharding &s : program->outputShardings())
    shardings.push_back(s.spec().str());
  answer["specs"] = std::move(shardings);
  return answer;
}

json::Object call(const json::Object &o) {
  FlatFunction f = functionOf(o);
  Tensors args = arraysFrom(o.getArray("args"));
  std::string how = text(o, "how");
  if (how == "shard_map" || how == "sharded")
    return callOnMesh(o, f, args);
  if (how == "vmap") {
    f = [f, axes = ints(o.getArray("axes"))](const Tensors &in) {
      Expected<Tensors> outs = detail::vmap(f, in, axes, {0}, -1, "", {});
      return outs ? *outs : Tensors{Tensor(outs.error())};
    };
    if (!o.getBoolean("jit").value_or(true))
      return answerOf(f(args));
  }
  if (how == "eager")
    return answerOf(f(args));
  if (how == "scan")
    f = [f, steps = o.getInteger("steps").value_or(2)](const Tensors &in) {
      auto outs = scan(
          [f](List carry, Tensor) { return std::pair{carry, List(f(carry))}; },
          List(in), arange(steps, DType::I32));
      return outs ? Tensors(outs->second) : Tensors{Tensor(outs.error())};
    };
  JitOptions options;
  if (o.getBoolean("donate").value_or(false))
    options.donate = {0};
  auto jitted = jit([f](List v) -> List { return f(v); }, options);
  json::Object answer;
  if (o.getBoolean("texts").value_or(false)) {
    auto traced = jitted.trace(List(args));
    if (!traced)
      return failed(traced.error());
    auto lowered = traced->lower();
    if (!lowered)
      return failed(lowered.error());
    answer["jaxpr"] = traced->str();
    answer["module"] = *lowered->asText();
    if (o.getBoolean("trace_only").value_or(false))
      return answer;
  }
  for (int64_t i = o.getInteger("repeat").value_or(1); i > 0; --i) {
    auto outs = jitted(List(args));
    json::Object part =
        answerOf(outs ? Expected<Tensors>(Tensors(*outs)) : outs.error());
    for (auto &[key, value] : part) {
      json::Array *before = answer.getArray(key);
      if (before && value.getAsArray())
        before->insert(before->end(), value.getAsArray()->begin(),
                       value.getAsArray()->end());
      else
        answer[key] = std::move(value);
    }
  }
  return answer;
}

json::Object done(const Status &status) {
  return status ? json::Object{{"done", true}} : failed(status.error());
}

json::Object registerTarget(const json::Object &o) {
  std::string library = text(o, "library");
  ffi::XlaHandlers stages;
  for (auto [stage, function] : {std::pair("instantiate", &stages.instantiate),
                                 std::pair("prepare", &stages.prepare),
                                 std::pair("initialize", &stages.initialize),
                                 std::pair("execute", &stages.execute)}) {
    std::string symbol = text(o, stage);
    if (symbol.empty())
      continue;
    Expected<void *> found = ffi::findSymbol(library, symbol);
    if (!found)
      return failed(found.error());
    *function = reinterpret_cast<ffi::XlaHandler>(*found);
    if (o.getBoolean("untyped").value_or(false))
      return done(ffi::registerUntypedHandler(text(o, "name"), *found));
  }
  return done(ffi::registerXlaHandler(text(o, "name"), stages));
}

template <typename T>
T resultOf(const json::Object &o, llvm::StringRef symbol) {
  Expected<void *> found = ffi::findSymbol(text(o, "library"), text(o, symbol));
  return found ? reinterpret_cast<T (*)()>(*found)() : T();
}

json::Object answerTo(const json::Object &o) {
  std::string what = text(o, "do");
  if (what == "register")
    return registerTarget(o);
  if (what == "type")
    return done(ffi::registerXlaType(
        text(o, "name"), resultOf<XLA_FFI_TypeId *>(o, "id"),
        o.get("info") ? resultOf<const XLA_FFI_TypeInfo *>(o, "info")
                      : nullptr));
  if (what == "integer")
    return json::Object{{"value", resultOf<int64_t>(o, "symbol")}};
  if (what == "partitionable")
    return done(ffi::registerBatchPartitionable(text(o, "name")));
  if (what == "call")
    return call(o);
  if (what == "partition") {
    ScopedConfig<bool> partitioner(config::useShardyPartitioner,
                                   !o.getBoolean("gspmd").value_or(false));
    takePartitionLog();
    json::Object answer =
        callOnMesh(o, partitionedFunction(text(o, "kind"), text(o, "around")),
                   arraysFrom(o.getArray("args")));
    answer["log"] = takePartitionLog();
    return answer;
  }
  if (what == "rule")
    return ruleAnswer(o);
  return json::Object{{"error", "the server does not know '" + what + "'"}};
}

} // namespace

int main() {
  if (!setDeviceCount(8).ok())
    return 1;
  setWarningHandler([](const std::string &) {});
  std::string line;
  while (std::getline(std::cin, line)) {
    auto request = json::parse(line);
    if (!request || !request->getAsObject())
      return llvm::consumeError(request.takeError()), 1;
    std::optional<ScopedConfig<bool>> wide;
    if (request->getAsObject()->getBoolean("x64").value_or(false))
      wide.emplace(config::enableX64, true);
    std::string out;
    llvm::raw_string_ostream(out)
        << json::Value(answerTo(*request->getAsObject()));
    std::cout << out << std::endl;
  }
  return 0;
}
