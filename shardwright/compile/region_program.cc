//===- region_program.cc - compiles to the region form --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/compile/region_program.h"

#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/region/region_passes.h"
#include "shardwright/legalize/legalize.h"
#include "shardwright/partition/cost/target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace shardwright {
namespace {

constexpr llvm::StringLiteral aliasName("tf.aliasing_output");
constexpr llvm::StringLiteral donorName("jax.buffer_donor");
constexpr llvm::StringLiteral gspmdName("mhlo.sharding");
constexpr llvm::StringLiteral frontendName("mhlo.frontend_attributes");

/// The attributes without shardings in any notation.
DictionaryAttr withoutShardings(DictionaryAttr attributes) {
  NamedAttrList kept;
  for (NamedAttribute attribute :
       attributes ? attributes.getValue() : ArrayRef<NamedAttribute>()) {
    if (attribute.getName() == sdy::kShardingAttr ||
        attribute.getName() == gspmdName)
      continue;
    auto fields = dyn_cast<DictionaryAttr>(attribute.getValue());
    if (attribute.getName() == frontendName && fields) {
      NamedAttrList others;
      for (NamedAttribute field : fields)
        if (!field.getName().getValue().starts_with("xla.sdy."))
          others.push_back(field);
      if (!others.empty())
        kept.append(frontendName, others.getDictionary(fields.getContext()));
      continue;
    }
    kept.push_back(attribute);
  }
  return attributes ? kept.getDictionary(attributes.getContext()) : attributes;
}

/// The mesh without the axis of the replicas, which is the first: an SPMD
/// partitioner knows the devices of one replica.
Mesh ofOneReplica(const Mesh &mesh, int64_t replicas) {
  if (replicas == 1 || mesh.numAxes() == 0)
    return mesh;
  ArrayRef<int64_t> ids = mesh.deviceIds();
  return Mesh(SmallVector<MeshAxis, 4>(llvm::drop_begin(mesh.axes())),
              SmallVector<int64_t, 0>(ids.take_front(ids.size() / replicas)));
}

/// Adds the meshes to the module, and returns references to them.
SmallVector<FlatSymbolRefAttr> addMeshes(ModuleOp module,
                                         ArrayRef<Mesh> meshes) {
  for (sdy::MeshOp old :
       llvm::make_early_inc_range(module.getOps<sdy::MeshOp>()))
    old.erase();
  SymbolTable symbols(module);
  SmallVector<FlatSymbolRefAttr> refs;
  for (const Mesh &mesh : meshes) {
    OpBuilder b(module.getContext());
    auto op = sdy::MeshOp::create(b, module.getLoc(), "mesh",
                                  sdy::meshToAttr(module.getContext(), mesh));
    refs.push_back(
        FlatSymbolRefAttr::get(symbols.insert(op, module.getBody()->begin())));
  }
  return refs;
}

} // namespace

EntrySignature EntrySignature::of(ModuleOp module) {
  EntrySignature signature;
  func::FuncOp main = sdy::getMainFunc(module);
  if (!main || main.isDeclaration())
    return signature;
  for (BlockArgument argument : main.getArguments())
    signature.arguments.push_back(
        {isa<stablehlo::TokenType>(argument.getType()),
         withoutShardings(main.getArgAttrDict(argument.getArgNumber())),
         argument.getLoc()});
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    signature.results.push_back({isa<stablehlo::TokenType>(type),
                                 withoutShardings(main.getResultAttrDict(i)),
                                 main.getLoc()});
  return signature;
}

LogicalResult EntrySignature::restore(func::FuncOp main,
                                      const Compiled &compiled) const {
  auto isTensor = [](const Value &value) { return !value.isToken; };
  size_t numArguments = llvm::count_if(arguments, isTensor);
  size_t numResults = llvm::count_if(results, isTensor);
  if (numArguments != compiled.arguments.size() ||
      numResults != compiled.results.size())
    return main.emitError()
           << "the program has " << compiled.arguments.size()
           << " arguments and " << compiled.results.size()
           << " results after import, expected " << numArguments << " and "
           << numResults
           << ": tuples and bounded dimensions have no region form";
  ModuleOp module = main->getParentOfType<ModuleOp>();
  MLIRContext *context = main.getContext();
  SmallVector<Mesh, 1> given;
  for (const Mesh &mesh : compiled.meshes)
    given.push_back(ofOneReplica(mesh, countReplicas(module)));
  SmallVector<FlatSymbolRefAttr> meshes = addMeshes(module, given);
  auto attributes = [&](const Value &value, const ValueSpec &spec) {
    NamedAttrList list(value.attributes);
    if (spec.mesh >= 0)
      list.set(sdy::kShardingAttr,
               sdy::shardingToAttr(context, spec.sharding,
                                   compiled.meshes[spec.mesh],
                                   meshes[spec.mesh]));
    return list;
  };
  /// The results without tokens that `tf.aliasing_output` numbers with tokens.
  auto canAlias = [&](const ValueSpec &argument, int64_t result) {
    if (result < 0 || result >= int64_t(results.size()) ||
        results[result].isToken)
      return false;
    const ValueSpec &other = compiled.results[llvm::count_if(
        llvm::ArrayRef(results).take_front(result), isTensor)];
    return argument.type == other.type && argument.shape == other.shape &&
           argument.mesh == other.mesh &&
           argument.sharding.isEquivalent(other.sharding);
  };

  Type token = stablehlo::TokenType::get(context);
  size_t next = 0;
  SmallVector<unsigned> tokens;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (argument.isToken) {
      if (failed(main.insertArgument(i, token, argument.attributes,
                                     argument.location)))
        return main.emitError() << "cannot add the token argument #" << i;
      tokens.push_back(i);
      continue;
    }
    const ValueSpec &spec = compiled.arguments[next++];
    NamedAttrList list = attributes(argument, spec);
    auto alias = dyn_cast_or_null<IntegerAttr>(list.get(aliasName));
    if (alias && !canAlias(spec, alias.getInt())) {
      list.erase(aliasName);
      list.set(donorName, BoolAttr::get(context, true));
    }
    main.setArgAttrs(i, list);
  }
  Operation *end = main.getBody().front().getTerminator();
  next = 0;
  size_t nextToken = 0;
  for (auto [i, result] : llvm::enumerate(results)) {
    if (!result.isToken) {
      main.setResultAttrs(
          i,
          attributes(result, compiled.results[next++]).getDictionary(context));
      continue;
    }
    if (nextToken == tokens.size())
      return main.emitError() << "result #" << i
                              << " is a token without a token argument, "
                                 "expected as many of them as of arguments";
    if (failed(main.insertResult(i, token, result.attributes)))
      return main.emitError() << "cannot add the token result #" << i;
    end->insertOperands(i, {main.getArgument(tokens[nextToken++])});
  }
  return success();
}

/// Expresses ops that not every backend of XLA has by others.
static LogicalResult legalizeForXla(ModuleOp module, int64_t devices) {
  int64_t replicas = countReplicas(module), partitions = devices / replicas;
  SmallVector<Operation *> rooted;
  module.walk([&](Operation *op) {
    if (isa<stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp>(
            op))
      rooted.push_back(op);
  });
  for (Operation *op : rooted) {
    auto broadcast = dyn_cast<stablehlo::CollectiveBroadcastOp>(op);
    LogicalResult done =
        broadcast ? legalize::legalizeBroadcast(broadcast, replicas, partitions)
                  : legalize::legalizeCollectiveReduce(
                        cast<stablehlo::CollectiveReduceOp>(op), replicas,
                        partitions);
    if (failed(done))
      return failure();
  }
  return success();
}

LogicalResult
EntrySignature::convertToRegion(ModuleOp local, const Compiled &compiled,
                                const PartitionOptions &options) const {
  FailureOr<func::FuncOp> main = sdy::requireMainFunc(local);
  if (failed(main) || failed(restore(*main, compiled)))
    return failure();
  if (failed(legalizeForXla(local, compiled.report.devices)))
    return failure();
  splitCollectives(
      local,
      joinLimitsFor(options.target, options.machine.value_or(MachineModel()))
          .gathered);
  if (failed(convertToRegionForm(local)))
    return failure();
  return verify(local);
}

} // namespace shardwright
