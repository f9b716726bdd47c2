//===- per_instruction_partitioning.cc - localize single ops --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass sdy-per-instruction-partitioning, a debugging aid to find the op that a
// partitioner handles wrongly: outlines each selected op to a function of its
// own, runs the passes to the program of one device on it, and inlines the
// result as the body of a manual computation. Uneven operands are padded, and
// uneven results sliced, outside of it.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/stablehlo/used_channels.h"
#include "shardwright/partition/shardy/halo.h"
#include "shardwright/partition/shardy/passes.h"
#include "shardwright/partition/shardy/pipelines.h"

#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/support/tensor_types.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/RegionUtils.h"

#include <limits>

using namespace mlir;

namespace shardwright {

using sdy::TensorShardingAttr;

#define GEN_PASS_DEF_PERINSTRUCTIONPARTITIONING
#include "shardwright/partition/shardy/passes.h.inc"

namespace {

/// Selects ops: `selectLow=N`, `selectHigh=N` (numbers of candidates, both
/// inclusive) and substrings of names, separated by commas.
struct Filter {
  int64_t low = 0, high = std::numeric_limits<int64_t>::max();
  SmallVector<StringRef> names;

  static Filter parse(StringRef text, ModuleOp module) {
    Filter filter;
    text = text.trim();
    for (char quote : {'"', '\''})
      if (text.size() > 1 && text.front() == quote && text.back() == quote)
        text = text.drop_front().drop_back();
    SmallVector<StringRef> tokens;
    text.split(tokens, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef token : tokens) {
      token = token.trim();
      StringRef number = token;
      int64_t *bound = number.consume_front("selectLow=")    ? &filter.low
                       : number.consume_front("selectHigh=") ? &filter.high
                                                             : nullptr;
      int64_t value;
      if (!bound)
        filter.names.push_back(token);
      else if (!number.getAsInteger(10, value))
        *bound = value;
      else
        module.emitWarning("filter of sdy-per-instruction-partitioning expects "
                           "a number, and ignores '")
            << token << "'";
    }
    return filter;
  }

  bool selects(int64_t number, Operation *op) const {
    StringRef name = op->getName().getStringRef();
    return low <= number && number <= high &&
           (names.empty() || llvm::any_of(names, [&](StringRef part) {
              return name.contains(part);
            }));
  }
};

/// True for ops that are local or collectives already, or only annotate values.
bool isNoCandidate(Operation *op) {
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return llvm::is_contained({"Sharding", "mhlo.sharding"},
                              call.getCallTargetName());
  return op->hasTrait<OpTrait::IsTerminator>() ||
         isa<sdy::CollectiveOpInterface, sdy::ManualComputationOp,
             sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp, sdy::MeshOp,
             sdy::PropagationBarrierOp, sdy::ShardingConstraintOp,
             sdy::ShardingGroupOp>(op);
}

/// The functions that `from` refers to by name.
SmallVector<func::FuncOp> functionsOf(Operation *from, SymbolTable &symbols) {
  llvm::SetVector<Operation *> found;
  AttrTypeWalker walker;
  walker.addWalk([&](FlatSymbolRefAttr ref) {
    if (auto func = symbols.lookup<func::FuncOp>(ref.getAttr()))
      found.insert(func);
  });
  from->walk([&](Operation *op) { walker.walk(op->getAttrDictionary()); });
  return llvm::map_to_vector(
      found, [](Operation *op) { return cast<func::FuncOp>(op); });
}

/// Renames the functions that `in` refers to.
void renameFunctions(Operation *in,
                     const llvm::DenseMap<StringAttr, StringAttr> &names) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr ref) {
    StringAttr name = names.lookup(ref.getAttr());
    return name ? FlatSymbolRefAttr::get(name) : ref;
  });
  replacer.recursivelyReplaceElementsIn(in);
}

class Outliner {
public:
  Outliner(ModuleOp module, MeshTable &meshes)
      : module(module), meshes(meshes),
        scratch(ModuleOp::create(module.getLoc())), symbols(module),
        scratchSymbols(scratch) {
    module.push_back(scratch);
    for (auto mesh : module.getOps<sdy::MeshOp>())
      scratchSymbols.insert(mesh->clone());
    lastChannel = stablehlo::UsedChannels(module).firstUnused() - 1;
  }

  /// True if the op is one of those that are numbered.
  bool isCandidate(Operation *op) const;
  /// The mesh of the op's sharded values. Fails with a diagnostic if there are
  /// several.
  FailureOr<Attribute> meshOf(Operation *op) const;
  void outline(Operation *op, Attribute meshOrRef);
  /// The module of the outlined functions.
  ModuleOp functions() const { return scratch; }
  /// Inlines the local functions into the program.
  void inlineAll();

private:
  struct Outlined {
    Operation *op;
    Attribute meshOrRef;
    SmallVector<TensorShardingAttr> in, out;
    func::FuncOp func;
  };

  /// Its operands, also if they are equal, and then what its regions use.
  static SmallVector<Value> operandsOf(Operation *op) {
    SmallVector<Value> values(op->getOperands());
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      if (!llvm::is_contained(op->getOperands(), value))
        values.push_back(value);
    return values;
  }
  TensorShardingAttr shardingOf(Value value, Attribute meshOrRef) const {
    TensorShardingAttr sharding = sdy::getSharding(value);
    return sharding && (!sharding.emptyAxes() ||
                        !sharding.getUnreducedAxes().empty())
               ? sharding.getClosedLike().withMesh(meshOrRef)
               : TensorShardingAttr::getFullyClosed(
                     meshOrRef.getContext(), dimsOf(value.getType()).size(),
                     meshOrRef);
  }
  /// Adds the functions that the op calls to the scratch module.
  void copyCallees(Operation *copy);
  Type paddedType(Type type, TensorShardingAttr sharding) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.clone(ArrayRef<int64_t>(
                        paddedShape(meshes, sharding, tensor.getShape())))
                  : type;
  }
  static Value resized(OpBuilder &builder, Value value,
                       TensorShardingAttr sharding, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape()
               ? resizeAtEnd(builder, value.getLoc(), value, sharding,
                             tensor.getShape())
               : value;
  }

  ModuleOp module;
  MeshTable &meshes;
  ModuleOp scratch;
  SymbolTable symbols, scratchSymbols;
  int64_t lastChannel = 0;
  SmallVector<Outlined, 0> outlined;
};

bool Outliner::isCandidate(Operation *op) const {
  if (isNoCandidate(op))
    return false;
  auto isSharded = [](Value value) {
    TensorShardingAttr sharding = sdy::getSharding(value);
    return sharding && !sharding.emptyAxes();
  };
  return llvm::any_of(op->getOperands(), isSharded) ||
         llvm::any_of(op->getResults(), isSharded);
}

FailureOr<Attribute> Outliner::meshOf(Operation *op) const {
  SmallVector<Value> values = operandsOf(op);
  llvm::append_range(values, op->getResults());
  Attribute mesh;
  for (Value value : values) {
    TensorShardingAttr sharding = sdy::getSharding(value);
    if (!sharding)
      continue;
    int32_t id = meshes.idOf(sharding.getMeshOrRef());
    if (id >= 0 && sharding.emptyAxes() && sharding.getUnreducedAxes().empty())
      continue;
    if (id < 0 || (mesh && meshes.idOf(mesh) != id))
      return op->emitOpError(
          "has operands and results on several meshes, so it has no local "
          "form of its own; select other ops with the filter");
    if (!mesh)
      mesh = sharding.getMeshOrRef();
  }
  return mesh;
}

void Outliner::copyCallees(Operation *copy) {
  llvm::DenseMap<StringAttr, StringAttr> names;
  SmallVector<Operation *> made{copy};
  for (size_t i = 0; i < made.size(); ++i)
    for (func::FuncOp callee : functionsOf(made[i], symbols))
      if (names.try_emplace(callee.getSymNameAttr()).second) {
        func::FuncOp clone = callee.clone();
        clone.setPrivate();
        names[callee.getSymNameAttr()] = scratchSymbols.insert(clone);
        made.push_back(clone);
      }
  for (Operation *op : made)
    if (!names.empty())
      renameFunctions(op, names);
}

void Outliner::outline(Operation *op, Attribute meshOrRef) {
  MLIRContext *context = module.getContext();
  Outlined one{op, meshOrRef, {}, {}, nullptr};
  SmallVector<Value> values = operandsOf(op);
  SmallVector<Type> argTypes, resultTypes;
  for (Value operand : values) {
    one.in.push_back(shardingOf(operand, meshOrRef));
    argTypes.push_back(paddedType(operand.getType(), one.in.back()));
  }
  for (Value result : op->getResults()) {
    one.out.push_back(shardingOf(result, meshOrRef));
    resultTypes.push_back(paddedType(result.getType(), one.out.back()));
  }
  one.func = func::FuncOp::create(
      op->getLoc(), "op", FunctionType::get(context, argTypes, resultTypes));
  scratchSymbols.insert(one.func);
  Block *body = one.func.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  IRMapping mapping;
  SmallVector<Value> inside;
  for (auto [operand, arg, sharding] :
       llvm::zip(values, body->getArguments(), one.in)) {
    one.func.setArgAttr(arg.getArgNumber(), sdy::kShardingAttr, sharding);
    inside.push_back(resized(builder, arg, sharding, operand.getType()));
    mapping.map(operand, inside.back());
  }
  Operation *copy = builder.clone(*op, mapping);
  copy->setOperands(ArrayRef(inside).take_front(op->getNumOperands()));
  copyCallees(copy);
  SmallVector<Value> results;
  for (auto [i, result] : llvm::enumerate(copy->getResults())) {
    sdy::setFuncResultSharding(one.func, i, one.out[i]);
    results.push_back(resized(builder, result, one.out[i], resultTypes[i]));
  }
  func::ReturnOp::create(builder, op->getLoc(), results);
  outlined.push_back(std::move(one));
}

void Outliner::inlineAll() {
  MLIRContext *context = module.getContext();
  // Channel handles in the functions count from 1.
  scratch.walk([&](Operation *op) {
    if (auto handle =
            op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle"))
      op->setAttr(
          "channel_handle",
          stablehlo::ChannelHandleAttr::get(
              context, handle.getHandle() + lastChannel, handle.getType()));
  });
  SmallVector<sdy::ManualComputationOp> manuals;
  for (Outlined &one : outlined) {
    OpBuilder builder(one.op);
    SmallVector<StringAttr> axes;
    for (const auto &axis : meshes.mesh(meshes.idOf(one.meshOrRef)).axes())
      axes.push_back(StringAttr::get(context, axis.name));
    SmallVector<Value> operands;
    SmallVector<Type> types;
    // Operands from other outlined ops are results of manual computations by
    // now.
    for (auto [operand, sharding] : llvm::zip(operandsOf(one.op), one.in))
      operands.push_back(resized(builder, operand, sharding,
                                 paddedType(operand.getType(), sharding)));
    for (auto [result, sharding] : llvm::zip(one.op->getResults(), one.out))
      types.push_back(paddedType(result.getType(), sharding));
    auto manual = sdy::ManualComputationOp::create(
        builder, one.op->getLoc(), types, operands,
        sdy::TensorShardingPerValueAttr::get(context, one.in),
        sdy::TensorShardingPerValueAttr::get(context, one.out),
        sdy::ManualAxesAttr::get(context, axes));
    Operation *end = one.func.getBody().front().getTerminator();
    OpBuilder inner(end);
    sdy::ReturnOp::create(inner, end->getLoc(), end->getOperands());
    end->erase();
    manual.getBody().takeBody(one.func.getBody());
    manuals.push_back(manual);
    SmallVector<Value> results;
    for (auto [old, made, sharding] :
         llvm::zip(one.op->getResults(), manual->getResults(), one.out))
      results.push_back(resized(builder, made, sharding, old.getType()));
    one.op->replaceAllUsesWith(results);
    one.op->erase();
    one.func.erase();
  }
  // The functions that they call.
  llvm::DenseMap<StringAttr, StringAttr> names;
  SmallVector<func::FuncOp> callees(scratch.getOps<func::FuncOp>());
  for (func::FuncOp callee : callees) {
    StringAttr name = callee.getSymNameAttr();
    callee->remove();
    names[name] = symbols.insert(callee);
  }
  if (!names.empty()) {
    for (sdy::ManualComputationOp manual : manuals)
      renameFunctions(manual, names);
    for (func::FuncOp callee : callees)
      renameFunctions(callee, names);
  }
  scratch.erase();
}

struct PerInstructionPartitioningPass
    : impl::PerInstructionPartitioningBase<PerInstructionPartitioningPass> {
  using PerInstructionPartitioningBase::PerInstructionPartitioningBase;

  void runOnOperation() override {
    if (failed(partition(getOperation())))
      signalPassFailure();
  }

  LogicalResult partition(ModuleOp module) {
    Filter wanted = Filter::parse(filter, module);
    FailureOr<MeshTable> meshes = MeshTable::create(module);
    if (failed(meshes))
      return failure();
    SmallVector<func::FuncOp> funcs(module.getOps<func::FuncOp>());
    Outliner outliner(module, *meshes);
    int64_t number = 0;
    bool isFine = true;
    for (func::FuncOp func : funcs)
      for (Operation &op : func.getBody().getOps()) {
        if (!outliner.isCandidate(&op) || !wanted.selects(number++, &op))
          continue;
        FailureOr<Attribute> mesh = outliner.meshOf(&op);
        isFine &= succeeded(mesh);
        if (isFine)
          outliner.outline(&op, *mesh);
      }
    OpPassManager pm(ModuleOp::getOperationName());
    addLocalizationPasses(pm, {enableHaloExchange, rngBitGeneratorUnsafe,
                               replicaCount, partitionCount, shardy});
    if (!isFine || failed(runPipeline(pm, outliner.functions()))) {
      outliner.functions().erase();
      return failure();
    }
    outliner.inlineAll();
    return success();
  }
};

} // namespace
} // namespace shardwright
