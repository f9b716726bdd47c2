//===- problem.cc - where shardings can be decided ------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/problem/problem.h"

#include "shardwright/auto/problem/colours.h"
#include "shardwright/auto/problem/signatures.h"
#include "shardwright/dialect/sdy/conversion.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/dialect/sdy/sharding_access.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/partition/ops/trip_count.h"
#include "shardwright/partition/overlap/op_cost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;

namespace shardwright {
namespace {

class ProblemReader {
public:
  ProblemReader(ModuleOp module, AutoProblem &problem)
      : module(module), main(sdy::getMainFunc(module)), problem(problem),
        signatures(module), colours(module) {}

  LogicalResult readMesh();
  void readSites(ArrayRef<int32_t> pairs);
  void numberColours();
  void readContractions();

private:
  void add(Site site, RankedTensorType type, sdy::TensorShardingAttr given,
           uint64_t key, bool isState);
  void addArguments(const std::vector<bool> &isState);
  void addInner(Operation *op);
  void joinArguments();
  uint64_t keyOfInner(Value value, RankedTensorType type);
  int32_t numberOf(Value value, int64_t dim);
  Value valueOf(const Site &site);

  ModuleOp module;
  func::FuncOp main;
  AutoProblem &problem;
  Signatures signatures;
  Colours colours;
  llvm::DenseMap<uint64_t, int32_t> classOfKey;
  llvm::DenseMap<int32_t, int32_t> numbers;
  /// Colours of arguments, as they are before inner values are joined.
  llvm::DenseSet<int32_t> ofArguments;
};

} // namespace

LogicalResult ProblemReader::readMesh() {
  for (sdy::MeshOp op : module.getOps<sdy::MeshOp>())
    if (!op.getMesh().getAxes().empty()) {
      problem.mesh = sdy::meshFromAttr(op.getMesh());
      problem.meshRef = FlatSymbolRefAttr::get(op.getSymNameAttr());
      for (int32_t axis = 0; axis < problem.mesh.numAxes(); ++axis)
        if (problem.mesh.axisSize(axis) > 1)
          problem.axes.push_back(axis);
      return success();
    }
  return module.emitError() << "the module has no mesh";
}

void ProblemReader::add(Site site, RankedTensorType type,
                        sdy::TensorShardingAttr given, uint64_t key,
                        bool isState) {
  if (given)
    key = llvm::hash_combine(key, given);
  key = llvm::hash_combine(key, int(site.kind), isState);
  auto [it, isNew] =
      classOfKey.try_emplace(key, int32_t(problem.classes.size()));
  if (isNew) {
    SiteClass &made = problem.classes.emplace_back();
    made.type = type;
    made.given = TensorSharding::open(type.getRank());
    made.isState = isState;
    made.bytes = bytesOf(type);
    sdy::MeshAttr mesh = given ? sdy::getMeshAttr(module, given.getMeshOrRef())
                               : sdy::MeshAttr();
    if (mesh) {
      made.isGiven = true;
      // A sharding on another mesh stays as it is.
      made.given = sdy::meshFromAttr(mesh) == problem.mesh
                       ? sdy::shardingFromAttr(given, problem.mesh)
                       : TensorSharding::closed(type.getRank());
    }
  }
  problem.classes[it->second].sites.push_back(site);
}

/// Scalars, empty tensors and other types have nothing to shard.
static RankedTensorType shardable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() > 1
             ? tensor
             : RankedTensorType();
}

void ProblemReader::addArguments(const std::vector<bool> &isState) {
  for (BlockArgument argument : main.getArguments()) {
    int32_t i = argument.getArgNumber();
    RankedTensorType type = shardable(argument.getType());
    auto kind = main.getArgAttrOfType<StringAttr>(i, "mhlo.memory_kind");
    if (type && (!kind || kind == "device"))
      add({Site::Kind::Argument, i, argument}, type, sdy::getSharding(argument),
          signatures.of(argument), isState[i]);
  }
}

/// Gives equal arguments equal colours.
void ProblemReader::joinArguments() {
  for (const SiteClass &cls : problem.classes)
    for (const Site &site : cls.sites)
      for (int64_t dim = 0; dim < cls.type.getRank(); ++dim)
        colours.join(colours.of(cls.sites.front().value, dim),
                     colours.of(site.value, dim));
  for (const SiteClass &cls : problem.classes)
    for (int64_t dim = 0; dim < cls.type.getRank(); ++dim)
      ofArguments.insert(colours.of(cls.sites.front().value, dim));
}

/// Inner values of equal surroundings are told apart by the arguments whose
/// dimensions they have: where the hidden size is that of all heads, the
/// projections into heads and out of them look alike.
uint64_t ProblemReader::keyOfInner(Value value, RankedTensorType type) {
  uint64_t key = signatures.of(value);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int32_t colour = colours.of(value, dim);
    key = llvm::hash_combine(key, ofArguments.contains(colour) ? colour : -1);
  }
  return key;
}

/// Values of which propagation from arguments and results alone says too
/// little: what loops carry, and the results of ops that communicate.
void ProblemReader::addInner(Operation *op) {
  if (!isa<stablehlo::WhileOp>(op) && !mayCommunicate(op))
    return;
  // Axes of a manual computation are not free, and reducers have no devices.
  for (Operation *at = op->getParentOp(); at != module; at = at->getParentOp())
    if (!isa<func::FuncOp, stablehlo::WhileOp, stablehlo::CaseOp,
             stablehlo::IfOp>(at))
      return;
  for (OpResult result : op->getResults())
    if (RankedTensorType type = shardable(result.getType()))
      add({Site::Kind::Inner, -1, result}, type, sdy::getSharding(result),
          keyOfInner(result, type), false);
}

void ProblemReader::readSites(ArrayRef<int32_t> pairs) {
  std::vector<bool> isState(main.getNumArguments());
  for (int32_t argument : pairs)
    if (argument >= 0)
      isState[argument] = true;
  addArguments(isState);
  joinArguments();
  llvm::DenseMap<int32_t, int32_t> classOfArgument;
  for (auto [c, cls] : llvm::enumerate(problem.classes))
    for (const Site &site : cls.sites)
      classOfArgument[site.index] = c;
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    RankedTensorType tensor = shardable(type);
    if (!tensor)
      continue;
    Site site{Site::Kind::Result, int32_t(i), Value()};
    auto it =
        pairs[i] >= 0 ? classOfArgument.find(pairs[i]) : classOfArgument.end();
    sdy::TensorShardingAttr given = sdy::getFuncResultSharding(main, i);
    if (it != classOfArgument.end() && !given) {
      problem.classes[it->second].sites.push_back(site);
      continue;
    }
    add(site, tensor, given, signatures.of(valueOf(site)), false);
  }
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { addInner(op); });
}

Value ProblemReader::valueOf(const Site &site) {
  if (site.kind != Site::Kind::Result)
    return site.value;
  return main.getBody().front().getTerminator()->getOperand(site.index);
}

int32_t ProblemReader::numberOf(Value value, int64_t dim) {
  auto [it, isNew] = numbers.try_emplace(colours.of(value, dim),
                                         int32_t(problem.colours.size()));
  if (isNew)
    problem.colours.emplace_back();
  return it->second;
}

void ProblemReader::numberColours() {
  // Equal sites have one layout, hence one colour.
  for (SiteClass &cls : problem.classes)
    for (const Site &site : cls.sites)
      for (int64_t dim = 0; dim < cls.type.getRank(); ++dim)
        colours.join(colours.of(valueOf(cls.sites.front()), dim),
                     colours.of(valueOf(site), dim));
  for (SiteClass &cls : problem.classes)
    for (int64_t dim = 0; dim < cls.type.getRank(); ++dim)
      cls.colours.push_back(numberOf(valueOf(cls.sites.front()), dim));
  readContractions();
  problem.classesOf.resize(problem.colours.size());
  for (auto [c, cls] : llvm::enumerate(problem.classes))
    for (int32_t colour : cls.colours) {
      std::vector<int32_t> &list = problem.classesOf[colour];
      if (list.empty() || list.back() != int32_t(c))
        list.push_back(c);
      if (cls.kind() != Site::Kind::Argument)
        continue;
      problem.colours[colour].argumentBytes += cls.bytes * cls.sites.size();
      problem.colours[colour].isInState |= cls.isState;
    }
}

void ProblemReader::readContractions() {
  llvm::DenseMap<Operation *, double> timesOf;
  auto times = [&](Operation *op) {
    double n = 1;
    for (Operation *at = op->getParentOp(); at != module;
         at = at->getParentOp())
      if (isa<stablehlo::WhileOp>(at)) {
        auto [it, isNew] = timesOf.try_emplace(at, 1);
        if (isNew)
          it->second = double(knownTripCount(at).value_or(1));
        n *= it->second;
      }
    return n;
  };
  module.walk([&](stablehlo::DotGeneralOp dot) {
    Value lhs = dot.getOperand(0), result = dot.getResult();
    auto type = dyn_cast<RankedTensorType>(lhs.getType());
    auto out = shardable(result.getType());
    if (!type || !type.hasStaticShape() || !out)
      return;
    ArrayRef<int64_t> summed =
        dot.getDotDimensionNumbers().getLhsContractingDimensions();
    double flops = 2.0 * out.getNumElements() * times(dot);
    for (int64_t dim : summed)
      flops *= double(type.getDimSize(dim));
    for (int64_t dim : summed)
      problem.colours[numberOf(lhs, dim)].summed += flops;
    for (int64_t dim = 0; dim < out.getRank(); ++dim)
      problem.colours[numberOf(result, dim)].kept += flops;
  });
}

FailureOr<AutoProblem> readProblem(ModuleOp imported,
                                   const PairOptions &options) {
  FailureOr<std::vector<int32_t>> pairs = pairResults(imported, options);
  if (failed(pairs))
    return failure();
  AutoProblem problem;
  ProblemReader reader(imported, problem);
  if (failed(reader.readMesh()))
    return failure();
  reader.readSites(*pairs);
  reader.numberColours();
  return problem;
}

bool hasManualComputations(ModuleOp module) {
  return module
      .walk([](sdy::ManualComputationOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

} // namespace shardwright
