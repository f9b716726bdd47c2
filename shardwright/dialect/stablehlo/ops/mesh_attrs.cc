//===- mesh_attrs.cc - text of meshes and replica groups ------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "shardwright/dialect/stablehlo/dialect.h"

using namespace mlir;

namespace shardwright::stablehlo {

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t size;
  if (parser.parseLess() || parser.parseKeyword("name") ||
      parser.parseEqual() || parser.parseString(&name) || parser.parseComma() ||
      parser.parseKeyword("size") || parser.parseEqual() ||
      parser.parseInteger(size) || parser.parseGreater())
    return {};
  return get(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer << "<name = ";
  printer.printString(getName());
  printer << ", size = " << getSize() << '>';
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  DenseIntElementsAttr deviceIds;
  auto parseAxis = [&]() -> ParseResult {
    return parser.parseCustomAttributeWithFallback(axes.emplace_back(), Type{});
  };
  if (parser.parseLess() || parser.parseKeyword("axes") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
    return {};
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("device_ids") || parser.parseEqual() ||
        parser.parseAttribute(deviceIds))
      return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), axes, deviceIds);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<axes=[";
  llvm::interleaveComma(getAxes(), printer, [&](MeshAxisAttr axis) {
    printer.printStrippedAttrOrType(axis);
  });
  printer << ']';
  if (getDeviceIds())
    printer << ", device_ids=" << getDeviceIds();
  printer << '>';
}

// `(1)2`: the sub-axis of size 2, where 1 is the product of the sizes before
// it.
Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  int64_t preSize, size;
  if (parser.parseLParen() || parser.parseInteger(preSize) ||
      parser.parseRParen() || parser.parseInteger(size))
    return {};
  return get(parser.getContext(), preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << '(' << getPreSize() << ')' << getSize();
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SubAxisInfoAttr subAxis;
  if (parser.parseLess() || parser.parseKeyword("name") ||
      parser.parseEqual() || parser.parseString(&name))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("sub_axis_info") || parser.parseEqual())
      return {};
    subAxis = dyn_cast_or_null<SubAxisInfoAttr>(
        SubAxisInfoAttr::parse(parser, Type{}));
    if (!subAxis)
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), name, subAxis);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer << "<name = ";
  printer.printString(getName());
  if (getSubAxisInfo()) {
    printer << ", sub_axis_info = ";
    getSubAxisInfo().print(printer);
  }
  printer << '>';
}

Attribute ReplicaGroupMeshAxesAttr::parse(AsmParser &parser, Type) {
  Attribute mesh;
  ArrayAttr axes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("mesh") ||
      parser.parseEqual() || parser.parseAttribute(mesh) ||
      parser.parseComma() || parser.parseKeyword("axes") ||
      parser.parseEqual() || parser.parseAttribute(axes) ||
      parser.parseGreater())
    return {};
  SmallVector<AxisRefAttr> refs;
  for (Attribute axis : axes) {
    auto ref = dyn_cast<AxisRefAttr>(axis);
    if (!ref) {
      parser.emitError(loc)
          << "axes must be #stablehlo.axis_ref attributes, got " << axis;
      return {};
    }
    refs.push_back(ref);
  }
  auto emitError = [&]() { return parser.emitError(loc); };
  return getChecked(function_ref<InFlightDiagnostic()>(emitError),
                    parser.getContext(), mesh, ArrayRef<AxisRefAttr>(refs));
}

void ReplicaGroupMeshAxesAttr::print(AsmPrinter &printer) const {
  printer << "<mesh = " << getMesh() << ", axes = [";
  llvm::interleaveComma(getAxes(), printer);
  printer << "]>";
}

LogicalResult
ReplicaGroupMeshAxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Attribute mesh, ArrayRef<AxisRefAttr> axes) {
  if (!isa_and_nonnull<FlatSymbolRefAttr, MeshAttr>(mesh))
    return emitError() << "mesh must be a symbol or a #stablehlo.mesh, got "
                       << mesh;
  if (auto inlineMesh = dyn_cast<MeshAttr>(mesh))
    for (AxisRefAttr axis : axes)
      if (llvm::none_of(inlineMesh.getAxes(), [&](MeshAxisAttr a) {
            return a.getName() == axis.getName();
          }))
        return emitError() << "axis '" << axis.getName()
                           << "' not found in mesh definition";
  return success();
}

} // namespace shardwright::stablehlo
