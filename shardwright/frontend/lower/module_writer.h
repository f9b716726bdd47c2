//===- module_writer.h - the parts of a module being written ----*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_LOWER_MODULE_WRITER_H
#define SHARDWRIGHT_FRONTEND_LOWER_MODULE_WRITER_H

#include "shardwright/frontend/lower/lower.h"
#include "shardwright/frontend/lower/op_place.h"
#include "shardwright/frontend/lower/sdy_text.h"
#include "shardwright/frontend/lower/signature_text.h"
#include "shardwright/frontend/lower/value_names.h"

#include <unordered_map>

namespace shardwright::frontend {

/// The module being written: its meshes and private functions.
class ModuleWriter {
public:
  std::string write(const Jaxpr &jaxpr, const LoweringOptions &options);

  /// The symbol of a mesh.
  std::string meshName(const AbstractMesh &mesh) {
    size_t i = 0;
    while (i < meshes.size() && !(meshes[i].names() == mesh.names() &&
                                  meshes[i].sizes() == mesh.sizes()))
      ++i;
    if (i == meshes.size())
      meshes.push_back(mesh);
    return i == 0 ? "@mesh" : cat("@mesh_", i - 1);
  }
  /// The symbol of a private function that computes the jaxpr.
  std::string functionOf(const JaxprPtr &jaxpr, const std::string &name,
                         const CallPlacement &placement);

  std::string shardingText(const Sharding &sharding, int64_t rank,
                           bool openDims) {
    if (!sharding.isNamed())
      return "";
    return sdySharding(meshName(sharding.abstractMesh()), sharding.spec(), rank,
                       openDims);
  }
  void fail(Error error) {
    if (!failure)
      failure = std::move(error);
  }
  /// The symbol of the mesh of one device; -1: of the mesh without axes.
  std::string deviceMesh(int64_t device) {
    deviceMeshes.insert(device);
    return device < 0 ? "@empty_mesh" : cat("@maximal_mesh_", device);
  }
  std::optional<Error> failure;
  std::vector<std::shared_ptr<const ParamObject>> callbacks;
  ManualAxes manual;
  bool hasLocations = false;

private:
  std::set<int64_t> deviceMeshes;
  std::vector<AbstractMesh> meshes;
  /// By jaxpr, placement and the manual axes around the call.
  std::map<std::pair<const Jaxpr *, std::string>, std::string> functions;
  /// So that addresses in `functions` stay valid.
  std::vector<JaxprPtr> keepAlive;
  std::map<std::string, int64_t> taken;
  std::string functionText;
};

/// Writes the ops of one function.
class BodyWriter {
public:
  explicit BodyWriter(ModuleWriter &module) : module(module) {}

  Names equations(const Jaxpr &jaxpr, const Names &args);
  /// The values with sharding constraints, where shardings are specified.
  Names constrained(Names values, const std::vector<Aval> &avals,
                    const std::vector<Sharding> &shardings);
  Names equation(const Primitive &primitive, const Names &operands,
                 const std::vector<Aval> &types,
                 const std::vector<Aval> &results, const Params &params);
  std::string fresh(const std::string &type) { return values.add(type); }
  const std::string &typeOf(const std::string &name) const {
    return values.typeOf(name);
  }
  Names typesOf(const Names &names) const { return values.typesOf(names); }
  std::string constant(const std::string &dense, const std::string &type) {
    // A constant in a region is not visible outside of it.
    if (regionDepth > 0)
      return define(dense, type);
    auto [entry, isNew] = constants.try_emplace(dense);
    if (isNew)
      entry->second = define(dense, type);
    return entry->second;
  }
  Names tokensOf(EffectSet effects) {
    Names out;
    for (Effect effect : effects.list()) {
      std::string &name = tokens[effect];
      if (name.empty()) {
        name = fresh(kTokenType);
        this->out += cat(name, " = \"stablehlo.after_all\"() : () -> ",
                         kTokenType, "\n");
      }
      out.push_back(name);
    }
    return out;
  }
  void setTokens(EffectSet effects, const Names &names) {
    size_t next = 0;
    for (Effect effect : effects.list())
      tokens[effect] = names[next++];
  }
  /// New arguments that are the tokens of these effects.
  Names tokenArguments(EffectSet effects) {
    Names out;
    for (size_t i = 0; i < effects.list().size(); ++i)
      out.push_back(fresh(kTokenType));
    setTokens(effects, out);
    return out;
  }

  ModuleWriter &module;
  std::string out;
  int64_t regionDepth = 0;
  /// The newest token of each ordered effect.
  std::map<Effect, std::string> tokens;
  ValueNames values;
  /// Of the current equation, if locations are written.
  OpPlace place;

private:
  std::string define(const std::string &dense, const std::string &type) {
    std::string name = fresh(type);
    out += cat(name, " = \"stablehlo.constant\"() {value = ", dense,
               "} : () -> ", type, "\n");
    return name;
  }
  std::unordered_map<std::string, std::string> constants;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_LOWER_MODULE_WRITER_H
