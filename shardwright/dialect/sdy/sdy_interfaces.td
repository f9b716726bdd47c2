//===- sdy_interfaces.td - interfaces of ops that carry or move shardings -===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_SDY_INTERFACES_TD
#define SHARDWRIGHT_DIALECT_SDY_SDY_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Sdy_ShardableDataFlowOpInterface : OpInterface<"ShardableDataFlowOpInterface"> {
  let cppNamespace = "::shardwright::sdy";
  let description = [{
    An op through whose regions values flow unchanged. An *edge* joins sources
    (operands of the op or of its regions' terminators) with targets (its results
    or block arguments); all of them are sharded alike. One target is the edge's
    *owner*: the edge's sharding is stored for it.
  }];
  let methods = [
    InterfaceMethod<"Owners that are block arguments.",
      "::mlir::ArrayRef<::mlir::BlockArgument>", "getBlockArgumentEdgeOwners", (ins), "",
      "return {};">,
    InterfaceMethod<"Owners that are results.",
      "::mlir::ResultRange", "getOpResultEdgeOwners">,
    InterfaceMethod<"One sharding per block argument owner; empty if there are none.",
      "::llvm::SmallVector<::shardwright::sdy::TensorShardingAttr>", "getBlockArgumentEdgeOwnerShardings", (ins), "",
      "return {};">,
    InterfaceMethod<"Sets the shardings of all block argument owners.",
      "void", "setBlockArgumentEdgeOwnerShardings",
      (ins "::mlir::ArrayRef<::shardwright::sdy::TensorShardingAttr>":$shardings), "", "(void)shardings;">,
    InterfaceMethod<"One sharding per result owner; empty if there are none.",
      "::llvm::SmallVector<::shardwright::sdy::TensorShardingAttr>", "getOpResultEdgeOwnerShardings", (ins), "", [{
        return ::shardwright::sdy::detail::getDiscardableShardings($_op.getOperation());
      }]>,
    InterfaceMethod<"Sets the shardings of all result owners.",
      "void", "setOpResultEdgeOwnerShardings",
      (ins "::mlir::ArrayRef<::shardwright::sdy::TensorShardingAttr>":$shardings), "", [{
        ::shardwright::sdy::detail::setDiscardableShardings($_op.getOperation(), shardings);
      }]>,
    InterfaceMethod<"The operands (of the op or of terminators) that flow into an owner.",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getEdgeSources", (ins "::mlir::Value":$owner)>,
    InterfaceMethod<"The owner of the edge that has `target`, null if none.",
      "::mlir::Value", "getEdgeOwnerFromTarget", (ins "::mlir::Value":$target)>,
    InterfaceMethod<"The owner of the edge that has `source`, null if none.",
      "::mlir::Value", "getEdgeOwnerFromSource", (ins "::mlir::OpOperand &":$source)>,
    InterfaceMethod<"Targets of the owner's edge other than the owner.",
      "::llvm::SmallVector<::mlir::Value>", "getNonEdgeOwnerTargets",
      (ins "::mlir::Value":$owner), "", "(void)owner; return {};">,
    InterfaceMethod<[{
      Converts the sharding of `target` between the view stored on the edge and the
      view of its sources: called before the edge propagates and, with the result,
      after. Identity unless inside and outside see different shardings.
      }], "::shardwright::sdy::TensorShardingAttr", "transformTargetSharding",
      (ins "::mlir::Value":$target, "::shardwright::sdy::TensorShardingAttr":$sharding,
           "::shardwright::sdy::DataFlowShardingTransformType":$type), "",
      "(void)target; (void)type; return sharding;">,
    InterfaceMethod<"Whether propagation must keep the owners' dimensions divisible.",
      "bool", "shouldKeepEdgeOwnerShardingsDivisible", (ins), "", "return false;">
  ];
  let extraSharedClassDeclaration = [{
    /// The stored sharding of the edge owner, null if none.
    ::shardwright::sdy::TensorShardingAttr getEdgeOwnerSharding(::mlir::Value owner) {
      return ::shardwright::sdy::detail::getEdgeOwnerSharding($_op.getOperation(), owner);
    }
    /// Sets it; if the op had none at all, its other owners of the same kind
    /// become fully open on the same mesh.
    void setEdgeOwnerSharding(::mlir::Value owner, ::shardwright::sdy::TensorShardingAttr sharding) {
      ::shardwright::sdy::detail::setEdgeOwnerSharding($_op.getOperation(), owner, sharding);
    }
  }];
}

def Sdy_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::shardwright::sdy";
  let description = [{
    An op that moves one tensor from its operand's sharding to `out_sharding`.
  }];
  let methods = [
    InterfaceMethod<"Sharding of the result.", "::shardwright::sdy::TensorShardingAttr", "getOutSharding">,
    InterfaceMethod<"Replaces the sharding of the result.", "void", "setOutShardingAttr",
                    (ins "::shardwright::sdy::TensorShardingAttr":$sharding)>,
    InterfaceMethod<"The operand.", "::mlir::TypedValue<::mlir::ShapedType>", "getTensor">,
    InterfaceMethod<"Type of the result.", "::mlir::Type", "getType">,
    InterfaceMethod<"Whether operand and result may be on different meshes.",
                    "bool", "allowDifferentMeshes", (ins), "", "return false;">,
    InterfaceMethod<"Whether an operand without sharding counts as replicated.",
                    "bool", "allowMissingInputSharding", (ins), "", "return false;">
  ];
  let verify = "return ::shardwright::sdy::detail::verifyCollectiveOp($_op);";
}

#endif // SHARDWRIGHT_DIALECT_SDY_SDY_INTERFACES_TD
