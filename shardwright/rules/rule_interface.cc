//===- rule_interface.cc - the sharding rule of any op --------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/rules/rule_interface.h"

#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/rules/families.h"
#include "shardwright/rules/rule_attr.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Compiler.h"

#include <mutex>

#include "shardwright/rules/rule_interface.cpp.inc"

using namespace mlir;
using namespace shardwright;

bool shardwright::hasStaticShapes(Operation *op) {
  auto isDynamic = [](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return !tensor.hasStaticShape();
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  return llvm::none_of(op->getOperandTypes(), isDynamic) &&
         llvm::none_of(op->getResultTypes(), isDynamic);
}

/// Rejects rules that do not fit the op's values, on which all users rely.
static bool fits(const ShardingRule &rule, Operation *op) {
  if (rule.operands.size() != op->getNumOperands() ||
      rule.results.size() != op->getNumResults())
    return false;
  auto sameRank = [](auto pair) {
    auto [mapping, type] = pair;
    return mapping.size() == shapeOf(type).size();
  };
  return llvm::all_of(llvm::zip(rule.operands, op->getOperandTypes()),
                      sameRank) &&
         llvm::all_of(llvm::zip(rule.results, op->getResultTypes()), sameRank);
}

std::optional<ShardingRule>
shardwright::getShardingRule(Operation *op, const RuleOptions &options) {
  if (auto attr = dyn_cast_if_present<sdy::OpShardingRuleAttr>(
          op->getDiscardableAttr(kShardingRuleAttrName))) {
    std::optional<ShardingRule> rule = fromAttr(attr);
    if (rule && fits(*rule, op))
      return rule;
    return std::nullopt;
  }
  // Without operands or results, there is nothing to relate.
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return std::nullopt;
  if (auto iface = dyn_cast<ShardingRuleOpInterface>(op)) {
    std::optional<ShardingRule> rule = iface.buildShardingRule(options);
    if (rule && !fits(*rule, op))
      return std::nullopt;
    return rule;
  }
  if (options.extraRules && op->hasTrait<OpTrait::Elementwise>() &&
      hasStaticShapes(op))
    return pointwiseRule(op, options);
  return std::nullopt;
}

namespace {

/// What is known of a class of ops. MLIR finds traits and interfaces of a class
/// by searching in all that it has, which is slow for questions that are asked
/// some hundred times an op.
struct ClassTraits {
  bool isElementwise = false, isTerminator = false, isConstantLike = false;
  /// The ops of the class have the same traits, which are below.
  bool areTraitsOfClass = false;
  PropagationTraits propagation;
  PartitionTraits partition;
};

/// Classes of ops whose traits do not depend on the op.
struct ClassesWithTraits {
  std::mutex mutex;
  llvm::DenseSet<TypeID> ids;
};

} // namespace

static ClassesWithTraits &classesWithTraits() {
  static ClassesWithTraits classes;
  return classes;
}

void shardwright::noteTraitsOfClass(TypeID id) {
  ClassesWithTraits &classes = classesWithTraits();
  std::lock_guard lock(classes.mutex);
  classes.ids.insert(id);
}

static PropagationTraits propagationTraits(Operation *op,
                                           const ClassTraits &cls) {
  PropagationTraits traits;
  if (auto iface = dyn_cast<ShardingRuleOpInterface>(op))
    traits = iface.getPropagationTraits();
  else if (cls.isElementwise && op->getNumRegions() == 0)
    traits.basis = RuleBasis::Properties;
  else if (cls.isConstantLike)
    traits.makesConstant = true;
  if (traits.elementwise || cls.isElementwise) {
    traits.elementwise = traits.preservesConstants = true;
    traits.schedule = Schedule::PassThroughOp;
  }
  return traits;
}

static PartitionTraits partitionTraits(Operation *op, const ClassTraits &cls) {
  PartitionTraits traits;
  bool isElementwise = cls.isElementwise;
  if (isElementwise)
    traits.fusion = Fusion::WithUsers;
  if (auto iface = dyn_cast<ShardingRuleOpInterface>(op)) {
    traits = iface.getPartitionTraits();
    isElementwise = isElementwise || iface.getPropagationTraits().elementwise;
  }
  if (cls.isTerminator || cls.isConstantLike)
    traits.work = Work::None;
  if (isElementwise)
    traits.ignoresPaddingRows = true;
  return traits;
}

/// Reads what the table below keeps.
static ClassTraits readClassTraits(Operation *op) {
  ClassTraits cls;
  cls.isElementwise = op->hasTrait<OpTrait::Elementwise>();
  cls.isTerminator = op->hasTrait<OpTrait::IsTerminator>();
  cls.isConstantLike = op->hasTrait<OpTrait::ConstantLike>();
  if (!isa<ShardingRuleOpInterface>(op))
    return cls;
  ClassesWithTraits &classes = classesWithTraits();
  std::lock_guard lock(classes.mutex);
  cls.areTraitsOfClass = classes.ids.contains(op->getName().getTypeID());
  if (cls.areTraitsOfClass) {
    cls.propagation = propagationTraits(op, cls);
    cls.partition = partitionTraits(op, cls);
  }
  return cls;
}

struct KnownTraits {
  const void *name = nullptr, *id = nullptr;
  ClassTraits traits;
};

/// Not inline: classTraitsOf(), which is called several times for each op,
/// would save registers for it.
LLVM_ATTRIBUTE_NOINLINE
static const ClassTraits &learnTraits(KnownTraits &entry, Operation *op) {
  OperationName name = op->getName();
  entry = {name.getAsOpaquePointer(), name.getTypeID().getAsOpaquePointer(),
           readClassTraits(op)};
  return entry.traits;
}

/// By class and context: names of ops are objects of their context, and another
/// context may lack the rules.
static const ClassTraits &classTraitsOf(Operation *op) {
  constexpr size_t kEntries = 256;
  static constinit thread_local KnownTraits table[kEntries];
  const void *name = op->getName().getAsOpaquePointer();
  const void *id = op->getName().getTypeID().getAsOpaquePointer();
  KnownTraits &entry =
      table[llvm::DenseMapInfo<const void *>::getHashValue(name) % kEntries];
  if (entry.name != name || entry.id != id)
    return learnTraits(entry, op);
  return entry.traits;
}

PropagationTraits shardwright::getPropagationTraits(Operation *op) {
  const ClassTraits &cls = classTraitsOf(op);
  return cls.areTraitsOfClass ? cls.propagation : propagationTraits(op, cls);
}

PartitionTraits shardwright::getPartitionTraits(Operation *op) {
  const ClassTraits &cls = classTraitsOf(op);
  return cls.areTraitsOfClass ? cls.partition : partitionTraits(op, cls);
}

bool shardwright::isElementwise(Operation *op) {
  return getPropagationTraits(op).elementwise;
}

bool shardwright::hasElementwiseTrait(Operation *op) {
  return classTraitsOf(op).isElementwise;
}
