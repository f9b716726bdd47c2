//===- rule_interface.td - the interface of ops that have a sharding rule -===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_RULES_RULE_INTERFACE_TD
#define SHARDWRIGHT_RULES_RULE_INTERFACE_TD

include "mlir/IR/OpBase.td"

def ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::shardwright";
  let description = [{
    An op that says how its dimensions relate. Propagation, partitioning and the
    cost model know the op by this rule only. A dialect of your own implements it
    in its ODS, or attaches an external model.
  }];
  let methods = [
    InterfaceMethod<[{
      The rule, or none when the op has none under these options. Depends on the
      op's types, attributes and regions (and may look at the ops that define its
      operands), never on shardings.
      }],
      "::std::optional<::shardwright::ShardingRule>", "buildShardingRule",
      (ins "const ::shardwright::RuleOptions &":$options)>,
    InterfaceMethod<"Whether results may only be sharded in equal parts.",
      "bool", "keepOutputShardingsDivisible", (ins), "", "return false;">,
    InterfaceMethod<[{
      What propagation asks of the op beside its rule. Ops with MLIR's Elementwise
      trait count as elementwise anyhow.
      }],
      "::shardwright::PropagationTraits", "getPropagationTraits", (ins), "",
      "return {};">,
    InterfaceMethod<"What the partitioner asks of the op beside its rule.",
      "::shardwright::PartitionTraits", "getPartitionTraits", (ins), "",
      "return {};">,
    InterfaceMethod<[{
      How a warning names the kind of this op when it has no rule: once a kind,
      `KIND is unknown to SDY sharding rule registry`. Empty: no rule is what it
      should have.
      }],
      "::std::string", "getKindWithoutRule", (ins), "",
      "return \"op '\" + $_op->getName().getStringRef().str() + \"'\";">
  ];
}

def MeshUserOpInterface : OpInterface<"MeshUserOpInterface"> {
  let cppNamespace = "::shardwright";
  let description = [{
    An op that names a mesh elsewhere than in a sharding, for instance in the groups
    of a collective.
  }];
  let methods = [
    InterfaceMethod<"The mesh: a FlatSymbolRefAttr or an sdy::MeshAttr; null if none.",
      "::mlir::Attribute", "getUsedMesh", (ins)>,
    InterfaceMethod<"Replaces the mesh, with one of the same kinds.",
      "void", "setUsedMesh", (ins "::mlir::Attribute":$meshOrRef)>
  ];
}

#endif // SHARDWRIGHT_RULES_RULE_INTERFACE_TD
