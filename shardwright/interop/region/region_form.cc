//===- region_form.cc - the region form of a program ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/border_attributes.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/region/common_mesh.h"
#include "shardwright/interop/region/region_passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardwright {
namespace {

/// The type of the whole value whose shards have type `local`; null if a size
/// overflows.
RankedTensorType globalType(RankedTensorType local,
                            sdy::TensorShardingAttr attr, const Mesh &mesh) {
  TensorSharding sharding = sdy::shardingFromAttr(attr, mesh);
  SmallVector<int64_t> shape(local.getShape());
  for (auto [size, dim] : llvm::zip(shape, sharding.dims))
    if (llvm::MulOverflow(size, dim.shards(), size))
      return nullptr;
  return local.clone(ArrayRef<int64_t>(shape));
}

/// The signature of the entry function in region form.
struct Border {
  SmallVector<Type> arguments, results; ///< global types, with tokens
  /// Positions of the tensors among them.
  SmallVector<unsigned> tensorArguments, tensorResults;
  SmallVector<sdy::TensorShardingAttr> in, out; ///< of the tensors
};

/// Adds the type of one argument or result.
LogicalResult addValue(func::FuncOp main, const Twine &what, Type type,
                       sdy::TensorShardingAttr sharding, const Mesh &mesh,
                       SmallVectorImpl<Type> &types,
                       SmallVectorImpl<unsigned> &tensors,
                       SmallVectorImpl<sdy::TensorShardingAttr> &shardings) {
  if (isa<stablehlo::TokenType>(type)) {
    types.push_back(type);
    return success();
  }
  auto local = dyn_cast<RankedTensorType>(type);
  if (!local || !local.hasStaticShape())
    return main.emitError() << what << " has type " << type
                            << ", expected a tensor of static shape or a token";
  if (sharding.getRank() != local.getRank())
    return main.emitError()
           << what << " of rank " << local.getRank() << " has the sharding "
           << sharding << " of rank " << sharding.getRank();
  RankedTensorType global = globalType(local, sharding, mesh);
  if (!global)
    return main.emitError()
           << what << " of type " << local << " has too large a global shape";
  tensors.push_back(types.size());
  types.push_back(global);
  shardings.push_back(sharding);
  return success();
}

FailureOr<Border> findBorder(func::FuncOp main, const BorderShardings &known) {
  sdy::MeshOp op = known.mesh;
  Mesh mesh = sdy::meshFromAttr(op.getMesh());
  Border border;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    if (failed(addValue(main, "argument #" + Twine(i), type, known.arguments[i],
                        mesh, border.arguments, border.tensorArguments,
                        border.in)))
      return failure();
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    if (failed(addValue(main, "result #" + Twine(i), type, known.results[i],
                        mesh, border.results, border.tensorResults,
                        border.out)))
      return failure();
  return border;
}

/// Checks that tokens pass the function unused.
LogicalResult checkTokens(func::FuncOp main) {
  Operation *end = main.getBody().front().getTerminator();
  for (BlockArgument argument : main.getArguments())
    if (isa<stablehlo::TokenType>(argument.getType()))
      for (Operation *user : argument.getUsers())
        if (user != end)
          return user->emitOpError()
                 << "uses the token argument #" << argument.getArgNumber()
                 << ", expected that the entry function only returns it";
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (isa<stablehlo::TokenType>(value.getType()) &&
        !isa<BlockArgument>(value))
      return main.emitError() << "result #" << i
                              << " is a token that the program makes, expected "
                                 "a token argument";
  return success();
}

/// Moves the body into a manual computation.
void wrapBody(func::FuncOp main, const Border &border, const Mesh &mesh) {
  MLIRContext *context = main.getContext();
  Block *body = &main.getBody().front();
  Operation *end = body->getTerminator();
  auto *entry = new Block;
  main.getBody().push_front(entry);
  SmallVector<Value> operands;
  for (auto [type, argument] :
       llvm::zip(border.arguments, body->getArguments()))
    entry->addArgument(type, argument.getLoc());
  for (unsigned i : border.tensorArguments)
    operands.push_back(entry->getArgument(i));

  OpBuilder b = OpBuilder::atBlockEnd(entry);
  SmallVector<StringAttr> axes;
  for (const MeshAxis &axis : mesh.axes())
    axes.push_back(b.getStringAttr(axis.name));
  SmallVector<Type> resultTypes;
  for (unsigned i : border.tensorResults)
    resultTypes.push_back(border.results[i]);
  auto manual = sdy::ManualComputationOp::create(
      b, main.getLoc(), resultTypes, operands,
      sdy::TensorShardingPerValueAttr::get(context, border.in),
      sdy::TensorShardingPerValueAttr::get(context, border.out),
      sdy::ManualAxesAttr::get(context, axes));

  SmallVector<Value> inside, returned(border.results.size());
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (isa<stablehlo::TokenType>(value.getType()))
      returned[i] =
          entry->getArgument(cast<BlockArgument>(value).getArgNumber());
  for (auto [i, result] :
       llvm::zip(border.tensorResults, manual.getResults())) {
    inside.push_back(end->getOperand(i));
    returned[i] = result;
  }
  func::ReturnOp::create(b, end->getLoc(), returned);
  b.setInsertionPoint(end);
  sdy::ReturnOp::create(b, end->getLoc(), inside);
  end->erase();
  for (unsigned i = body->getNumArguments(); i-- > 0;)
    if (isa<stablehlo::TokenType>(body->getArgument(i).getType()))
      body->eraseArgument(i);
  body->moveBefore(&manual.getBody(), manual.getBody().end());
  main.setType(FunctionType::get(context, border.arguments, border.results));
}

} // namespace

LogicalResult convertToRegionForm(ModuleOp module) {
  FailureOr<func::FuncOp> found = sdy::requireMainFunc(module);
  if (failed(found))
    return failure();
  func::FuncOp main = *found;
  if (!main.getBody().hasOneBlock())
    return main.emitError()
           << "the entry function has " << main.getBody().getBlocks().size()
           << " blocks, expected one";
  FailureOr<BorderShardings> shardings = findBorderShardings(module, main);
  if (failed(shardings) || failed(checkTokens(main)))
    return failure();
  FailureOr<Border> border = findBorder(main, *shardings);
  if (failed(border))
    return failure();
  guardIndices(module);
  wrapBody(main, *border, sdy::meshFromAttr(shardings->mesh.getMesh()));
  sdy::BorderAttributes attributes(main);
  for (auto [i, sharding] : llvm::zip(border->tensorArguments, border->in))
    attributes.setArgument(i, sdy::kShardingAttr, sharding);
  for (auto [i, sharding] : llvm::zip(border->tensorResults, border->out))
    attributes.setResult(i, sdy::kShardingAttr, sharding);
  attributes.write();
  return success();
}

namespace {

struct SplitCollectivesPass
    : PassWrapper<SplitCollectivesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitCollectivesPass)

  SplitCollectivesPass() = default;
  SplitCollectivesPass(const SplitCollectivesPass &other)
      : PassWrapper(other) {}

  StringRef getArgument() const final { return "sw-split-collectives"; }
  StringRef getDescription() const final {
    return "Split collectives of several operands into collectives of one";
  }
  void runOnOperation() final { splitCollectives(getOperation(), packedBytes); }

  Option<double> packedBytes{
      *this, "packed-bytes",
      llvm::cl::desc("Largest results of an all_gather, in bytes, whose "
                     "operands are packed into one")};
};

struct RegionFormPass : PassWrapper<RegionFormPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RegionFormPass)

  StringRef getArgument() const final { return "sw-region-form"; }
  StringRef getDescription() const final {
    return "Wrap a per-device program in one manual computation of global "
           "signature";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<sdy::SdyDialect>();
  }
  void runOnOperation() final {
    if (failed(convertToRegionForm(getOperation())))
      signalPassFailure();
  }
};

} // namespace

void registerRegionPasses() {
  PassRegistration<SplitCollectivesPass>();
  PassRegistration<RegionFormPass>();
}

} // namespace shardwright
