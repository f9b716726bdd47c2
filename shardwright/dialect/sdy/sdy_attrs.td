//===- sdy_attrs.td - attributes and enums of the sdy dialect -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_SDY_ATTRS_TD
#define SHARDWRIGHT_DIALECT_SDY_SDY_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "shardwright/dialect/sdy/sdy_dialect.td"

// Text is byte-exact, so every attribute writes its own; order of parameters is
// the order of storage and of the bytecode.
class Sdy_Attr<string name, string mnem> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = mnem;
  let hasCustomAssemblyFormat = 1;
}

// Attribute that is one list, `getValue()`: iterates as that list does.
class Sdy_ListAttr<string name, string mnem, string element>
    : Sdy_Attr<name, mnem> {
  let parameters = (ins OptionalArrayRefParameter<element>:$value);
  code listMembers = [{
    auto begin() const { return getValue().begin(); }
    auto end() const { return getValue().end(); }
    bool empty() const { return getValue().empty(); }
    size_t size() const { return getValue().size(); }
    auto operator[](size_t i) const { return getValue()[i]; }
  }];
  let extraClassDeclaration = listMembers;
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def Sdy_PropagationDirection
    : I32EnumAttr<"PropagationDirection", "directions in which a sharding may flow", [
        I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
        I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]> {
  let cppNamespace = "::shardwright::sdy";
}

def Sdy_EdgeNodeType
    : I32EnumAttr<"EdgeNodeType", "side of an op that a value is on", [
        I32EnumAttrCase<"OPERAND", 0, "operand">,
        I32EnumAttrCase<"RESULT", 1, "result">]> {
  let cppNamespace = "::shardwright::sdy";
}

def Sdy_ReductionOp
    : I32EnumAttr<"ReductionOp", "how devices' partial values combine", [
        I32EnumAttrCase<"SUM", 0, "sum">, I32EnumAttrCase<"MAX", 1, "max">,
        I32EnumAttrCase<"MIN", 2, "min">]> {
  let cppNamespace = "::shardwright::sdy";
}

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

def Sdy_ManualAxes : Sdy_ListAttr<"ManualAxes", "manual_axes", "::mlir::StringAttr"> {
  let summary = "names of the axes that are manual in a region";
}

def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "axis of a mesh: `\"x\"=4`";
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "ordered named axes, major to minor, and maybe a device order";
  let description = [{
    Without `device_ids`, a device's id is its row-major linear index. A mesh
    without axes and ids is empty (a placeholder that goes with any mesh); one
    without axes and with one id is maximal: the value lives on that device.
  }];
  let parameters = (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes,
                        OptionalArrayRefParameter<"int64_t">:$device_ids);
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<MeshAxisAttr>":$axes), [{
      return $_get($_ctxt, axes, ::llvm::ArrayRef<int64_t>());
    }]>];
  let extraClassDeclaration = [{
    /// The empty mesh, and the maximal mesh of one device.
    static MeshAttr getEmpty(::mlir::MLIRContext *context);
    static MeshAttr getMaximal(::mlir::MLIRContext *context, int64_t deviceId);
    /// No axes and no ids.
    bool empty() const { return getAxes().empty() && getDeviceIds().empty(); }
    /// No axes and one id.
    bool isMaximal() const { return getAxes().empty() && getDeviceIds().size() == 1; }
    bool isMaximal(int64_t deviceId) const {
      return isMaximal() && getDeviceIds().front() == deviceId;
    }
    /// The id if the mesh is maximal.
    std::optional<int64_t> getMaximalDeviceId() const;
    bool hasAxis(::llvm::StringRef name) const { return findAxis(name).has_value(); }
    /// Position of the axis in mesh order.
    std::optional<int64_t> findAxis(::llvm::StringRef name) const;
    /// Size of an axis that exists; 0 for one that does not.
    int64_t getAxisSize(::llvm::StringRef name) const;
    /// Product of the axis sizes (1 for a mesh without axes). The verifier
    /// refuses meshes for which it overflows.
    int64_t getTotalSize() const;
    /// Same axes, whatever the device order.
    bool equalsOtherThanDeviceIds(MeshAttr other) const { return getAxes() == other.getAxes(); }
  }];
}

def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "part of an axis: `(pre_size)size`";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let extraClassDeclaration = [{
    int64_t getNextPreSize() const { return getPreSize() * getSize(); }
  }];
}

def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "a full axis `\"x\"` or a sub-axis `\"x\":(2)4`";
  let parameters = (ins StringRefParameter<>:$name,
                        OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name), [{
      return $_get($_ctxt, name, SubAxisInfoAttr());
    }]>,
    AttrBuilder<(ins "::llvm::StringRef":$name, "int64_t":$preSize, "int64_t":$size), [{
      return $_get($_ctxt, name, SubAxisInfoAttr::get($_ctxt, preSize, size));
    }]>];
  let extraClassDeclaration = [{
    bool isFullAxis() const { return !getSubAxisInfo(); }
    /// As in IR: `"x":(2)4`.
    std::string toString() const;
    /// Size of the (sub-)axis.
    int64_t getSize(MeshAttr mesh) const;
  }];
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "how one dimension is split: `{\"x\", ?}p1`";
  let description = [{
    Axes split the dimension major to minor; an open dimension (`?`) may be
    split further by propagation. Lower priorities propagate first.
  }];
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes, "bool":$is_closed,
                        OptionalParameter<"std::optional<int64_t>">:$priority);
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<AxisRefAttr>":$axes, "bool":$isClosed), [{
      return $_get($_ctxt, axes, isClosed, std::nullopt);
    }]>];
  let extraClassDeclaration = [{
    auto begin() const { return getAxes().begin(); }
    auto end() const { return getAxes().end(); }
    bool emptyAxes() const { return getAxes().empty(); }
    /// The priority, 0 if there is none.
    int64_t getPriorityOrDefault() const { return getPriority().value_or(0); }
    /// Product of the axes' sizes.
    int64_t getShardedSize(MeshAttr mesh) const;
  }];
}

def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "sharding of a tensor: `<@mesh, [{\"x\"}, {?}], unreduced=max{\"y\"}>`";
  let description = [{
    `reduction_op` is the kind of all unreduced axes, and `sum` if there are none.
  }];
  let parameters = (ins "::mlir::Attribute":$mesh_or_ref,
                        OptionalArrayRefParameter<"DimensionShardingAttr">:$dim_shardings,
                        OptionalArrayRefParameter<"AxisRefAttr">:$replicated_axes,
                        OptionalArrayRefParameter<"AxisRefAttr">:$unreduced_axes,
                        DefaultValuedParameter<"ReductionOp", "ReductionOp::SUM">:$reduction_op);
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$meshName,
                     "::llvm::ArrayRef<DimensionShardingAttr>":$dimShardings,
                     "::llvm::ArrayRef<AxisRefAttr>":$replicatedAxes,
                     "::llvm::ArrayRef<AxisRefAttr>":$unreducedAxes,
                     CArg<"ReductionOp", "ReductionOp::SUM">:$reductionOp), [{
      return $_get($_ctxt, ::mlir::FlatSymbolRefAttr::get($_ctxt, meshName),
                   dimShardings, replicatedAxes, unreducedAxes, reductionOp);
    }]>];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimShardings().size(); }
    bool hasInlinedMesh() const { return ::llvm::isa<MeshAttr>(getMeshOrRef()); }
    /// The symbol, if the mesh is not inlined.
    ::mlir::FlatSymbolRefAttr getMeshSymName() const {
      return ::llvm::dyn_cast<::mlir::FlatSymbolRefAttr>(getMeshOrRef());
    }
    DimensionShardingAttr getDimSharding(int64_t dim) const { return getDimShardings()[dim]; }
    /// No axis on any dimension, whether open or closed; other lists are ignored.
    bool emptyAxes() const;
    /// All dimensions empty and closed (resp. open), no replicated or unreduced axes.
    static TensorShardingAttr getFullyClosed(::mlir::MLIRContext *context, int64_t rank,
                                             ::mlir::Attribute meshOrRef);
    static TensorShardingAttr getFullyOpen(::mlir::MLIRContext *context, int64_t rank,
                                           ::mlir::Attribute meshOrRef);
    /// Copies that differ in the fields named; the kind stays.
    TensorShardingAttr withMesh(::mlir::Attribute meshOrRef) const;
    TensorShardingAttr withDimShardings(::llvm::ArrayRef<DimensionShardingAttr> dims) const;
    TensorShardingAttr withReplicatedAxes(::llvm::ArrayRef<AxisRefAttr> axes) const;
    TensorShardingAttr withUnreducedAxes(::llvm::ArrayRef<AxisRefAttr> axes) const;
    TensorShardingAttr withUnreducedAxes(::llvm::ArrayRef<AxisRefAttr> axes,
                                         ReductionOp kind) const;
    /// All dimensions closed and replicated axes dropped; priorities and unreduced axes kept.
    TensorShardingAttr getClosedLike() const;
    /// Same layout: same mesh, axes per dimension and (unless ignored) unreduced
    /// axes, whatever is open, replicated, of which priority or kind. A sharding that
    /// splits and leaves unreduced nothing is equivalent to any other such and to
    /// a missing one, on any mesh.
    bool isEquivalent(TensorShardingAttr other, bool ignoreUnreducedAxes = false) const;
    /// `type` divided by the sharded sizes, rounded up. Types that are no ranked
    /// tensors, and dynamic dimensions, are returned as they are.
    ::mlir::Type getLocalType(::mlir::Type type, MeshAttr mesh) const;
  }];
}

def Sdy_TensorShardingPerValue
    : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "one sharding for each operand or result of an op";
  let parameters = (ins OptionalArrayRefParameter<"TensorShardingAttr">:$shardings);
  let extraClassDeclaration = [{
    auto begin() const { return getShardings().begin(); }
    auto end() const { return getShardings().end(); }
    bool empty() const { return getShardings().empty(); }
    size_t size() const { return getShardings().size(); }
    TensorShardingAttr getSharding(size_t i) const { return getShardings()[i]; }
    /// Copy in which entry `i` is `sharding`.
    TensorShardingPerValueAttr withSharding(size_t i, TensorShardingAttr sharding) const;
    /// Fully open shardings on one mesh for `types` (rank 0 for types without rank).
    static TensorShardingPerValueAttr getFullyOpen(::mlir::MLIRContext *context,
                                                   ::mlir::TypeRange types,
                                                   ::mlir::Attribute meshOrRef);
  }];
}

//===----------------------------------------------------------------------===//
// Sharding rules
//===----------------------------------------------------------------------===//

def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "factors of one dimension, major to minor: `ij`";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_indices);
}

def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "factors of each dimension of a tensor: `[ij, k]`";
  let parameters = (ins OptionalArrayRefParameter<"DimMappingAttr">:$dim_mappings);
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimMappings().size(); }
  }];
}

def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "how the dimensions of an op's operands and results relate";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_sizes,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$operand_mappings,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$result_mappings,
                        OptionalArrayRefParameter<"int64_t">:$reduction_factors,
                        OptionalArrayRefParameter<"int64_t">:$need_replication_factors,
                        OptionalArrayRefParameter<"int64_t">:$permutation_factors,
                        OptionalArrayRefParameter<"int64_t">:$blocked_propagation_factors,
                        DefaultValuedParameter<"bool", "false">:$is_custom_rule);
  let extraClassDeclaration = [{
    int64_t getNumFactors() const { return getFactorSizes().size(); }
    bool isCustom() const { return getIsCustomRule(); }
    /// `i`..`z` for factors 0..17, then `z_1`, `z_2`, ...
    static std::string getFactorName(int64_t factor);
  }];
}

//===----------------------------------------------------------------------===//
// Parameters of collectives
//===----------------------------------------------------------------------===//

def Sdy_AxisRefList : Sdy_ListAttr<"AxisRefList", "axis_ref_list", "AxisRefAttr"> {
  let summary = "`{\"x\", \"y\":(1)2}`";
}

def Sdy_ListOfAxisRefLists
    : Sdy_ListAttr<"ListOfAxisRefLists", "list_of_axis_ref_lists", "AxisRefListAttr"> {
  let summary = "one list of axes for each dimension: `[{\"x\"}, {}]`";
}

def Sdy_AllToAllParam : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "axes that move from one dimension to another: `{\"x\"}: 0->1`";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes, "int64_t":$src_dim,
                        "int64_t":$tgt_dim);
}

def Sdy_AllToAllParamList
    : Sdy_ListAttr<"AllToAllParamList", "all_to_all_param_list", "AllToAllParamAttr"> {
  let summary = "moves of an all-to-all, sorted by source dimension";
}

//===----------------------------------------------------------------------===//
// Debug record of propagation
//===----------------------------------------------------------------------===//

def Sdy_EdgeValueRef : Sdy_Attr<"EdgeValueRef", "edge_value_ref"> {
  let summary = "operand or result of an op, by index: `operand-0`";
  let parameters = (ins "EdgeNodeType":$type, "int64_t":$index);
}

def Sdy_AxisToPropagationDetails
    : Sdy_Attr<"AxisToPropagationDetails", "axis_to_propagation_details"> {
  let summary = "where an axis came from and went to in one step";
  let parameters = (ins "AxisRefAttr":$axis_name, "EdgeValueRefAttr":$source,
                        OptionalArrayRefParameter<"EdgeValueRefAttr">:$targets);
}

def Sdy_PropagationOneStep : Sdy_Attr<"PropagationOneStep", "propagation_one_step"> {
  let summary = "axes that one step of propagation moved";
  let parameters = (ins "int64_t":$step_index,
                        OptionalArrayRefParameter<"AxisToPropagationDetailsAttr">:$axis_entries);
}

def Sdy_PropagationEdges
    : Sdy_ListAttr<"PropagationEdges", "propagation_edges", "PropagationOneStepAttr"> {
  let summary = "steps of propagation that changed the shardings around an op";
  let genVerifyDecl = 1;
}

#endif // SHARDWRIGHT_DIALECT_SDY_SDY_ATTRS_TD
