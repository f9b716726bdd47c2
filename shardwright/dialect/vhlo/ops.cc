//===- ops.cc - op models of the table ------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One model serves all ops, which differ in their row. The properties of an op
// are its inherent attributes in the order of the row, which is also their
// order in bytecode. The address of the row is the op's TypeID.
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/vhlo/vhlo.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

namespace shardwright::vhlo {
namespace {

/// All ops use the same size, so that properties can be copied while an op is
/// built.
struct Properties {
  Attribute values[kMaxAttrs];
};

const OpRow *rowOf(OperationName name) {
  return static_cast<const OpRow *>(name.getTypeID().getAsOpaquePointer());
}

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

struct PropertiesInBytecode
    : mlir::detail::BytecodeOpInterfaceInterfaceTraits::Concept {
  using Interface = BytecodeOpInterface;
  PropertiesInBytecode() : Concept{read, write} {}

  static LogicalResult read(DialectBytecodeReader &reader,
                            OperationState &state) {
    const OpRow *row = rowOf(state.name);
    if (row->attrs.empty())
      return reader.emitError() << state.name << " has no properties";
    auto &properties = state.getOrAddProperties<Properties>();
    for (size_t i = 0, e = row->attrs.size(); i < e; ++i)
      if (failed(reader.readAttribute(properties.values[i])))
        return failure();
    return success();
  }
  static void write(const Concept *, Operation *op,
                    DialectBytecodeWriter &writer) {
    for (Attribute attr : attrsOf(op))
      writer.writeAttribute(attr);
  }
};

//===----------------------------------------------------------------------===//
// Text of the function op
//===----------------------------------------------------------------------===//

constexpr StringLiteral kFunctionType = "function_type";
constexpr StringLiteral kSymName = "sym_name";

void printFunction(Operation *op, OpAsmPrinter &p) {
  auto name = dyn_cast_or_null<StringV1Attr>(attrOf(op, kSymName));
  auto typeAttr = dyn_cast_or_null<TypeV1Attr>(attrOf(op, kFunctionType));
  auto type =
      typeAttr ? dyn_cast<FunctionV1Type>(typeAttr.getValue()) : nullptr;
  Region &body = op->getRegion(0);
  bool matches = type && (body.empty() || llvm::equal(body.getArgumentTypes(),
                                                      type.getInputs()));
  if (!name || !matches) {
    p.printGenericOp(op);
    return;
  }
  p << op->getName() << ' ';
  p.printSymbolName(name.getValue());
  p << '(';
  if (body.empty())
    llvm::interleaveComma(type.getInputs(), p);
  else
    llvm::interleaveComma(body.getArguments(), p, [&](BlockArgument arg) {
      p.printRegionArgument(arg);
    });
  p << ") -> (";
  llvm::interleaveComma(type.getOutputs(), p);
  p << ") ";
  p.printRegion(body, /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/true, /*printEmptyBlock=*/true);
  p.printOptionalAttrDict(op->getAttrs(), {kSymName, kFunctionType});
}

ParseResult parseFunction(OpAsmParser &p, OperationState &state) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> inputs, outputs;
  if (p.parseSymbolName(name) || p.parseLParen())
    return failure();
  if (failed(p.parseOptionalRParen())) {
    do {
      OpAsmParser::Argument argument;
      OptionalParseResult named =
          p.parseOptionalArgument(argument, /*allowType=*/true);
      if (named.has_value()) {
        if (failed(*named))
          return failure();
        inputs.push_back(argument.type);
        arguments.push_back(argument);
      } else if (p.parseType(inputs.emplace_back())) {
        return failure();
      }
    } while (succeeded(p.parseOptionalComma()));
    if (p.parseRParen())
      return failure();
  }
  if (!arguments.empty() && arguments.size() != inputs.size())
    return p.emitError(p.getNameLoc()) << "expected a name for each argument";
  if (p.parseArrow() || p.parseLParen())
    return failure();
  if (failed(p.parseOptionalRParen()))
    if (p.parseTypeList(outputs) || p.parseRParen())
      return failure();
  if (p.parseRegion(*state.addRegion(), arguments) ||
      p.parseOptionalAttrDict(state.attributes))
    return failure();
  MLIRContext *context = p.getContext();
  state.addAttribute(kSymName, StringV1Attr::get(context, name.getValue()));
  state.addAttribute(
      kFunctionType,
      TypeV1Attr::get(context, FunctionV1Type::get(context, inputs, outputs)));
  return success();
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

class OpModel : public OperationName::Impl {
public:
  OpModel(const OpRow &row, Dialect *dialect)
      : Impl("vhlo." + row.mnemonic(), dialect,
             TypeID::getFromOpaquePointer(&row), interfaces()),
        row(row) {}

  LogicalResult foldHook(Operation *, ArrayRef<Attribute>,
                         SmallVectorImpl<OpFoldResult> &) final {
    return failure();
  }
  void getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) final {}
  bool hasTrait(TypeID trait) final {
    return (row.name == "return" &&
            trait == TypeID::get<OpTrait::IsTerminator>()) ||
           (row.name == "func" &&
            trait == TypeID::get<OpTrait::IsIsolatedFromAbove>());
  }
  OperationName::ParseAssemblyFn getParseAssemblyFn() final {
    if (row.name == "func")
      return parseFunction;
    return [](OpAsmParser &parser, OperationState &) -> ParseResult {
      return parser.emitError(parser.getNameLoc())
             << "has no custom assembly form";
    };
  }
  void populateDefaultAttrs(const OperationName &, NamedAttrList &) final {}
  void printAssembly(Operation *op, OpAsmPrinter &printer, StringRef) final {
    if (row.name == "func" && op->getNumRegions() == 1)
      printFunction(op, printer);
    else
      printer.printGenericOp(op);
  }
  LogicalResult verifyInvariants(Operation *op) final {
    for (auto [spec, attr] : llvm::zip(row.attrs, attrsOf(op)))
      if (!attr)
        return op->emitOpError("requires attribute '") << spec.name << "'";
    if (row.name == "func" && op->getNumRegions() != 1)
      return op->emitOpError("requires one region");
    if (row.name == "return" &&
        (op->getNumRegions() != 0 || op->getNumResults() != 0))
      return op->emitOpError("requires zero regions and zero results");
    return success();
  }
  LogicalResult verifyRegionInvariants(Operation *op) final {
    if (row.name == "func")
      return OpTrait::impl::verifyIsIsolatedFromAbove(op);
    return success();
  }

  std::optional<Attribute> getInherentAttr(Operation *op,
                                           StringRef name) final {
    if (std::optional<size_t> index = indexOf(name))
      return attrsOf(op)[*index];
    return std::nullopt;
  }
  void setInherentAttr(Operation *op, StringAttr name, Attribute value) final {
    if (std::optional<size_t> index = indexOf(name.getValue()))
      attrsOf(op)[*index] = value;
  }
  void populateInherentAttrs(Operation *op, NamedAttrList &attrs) final {
    for (auto [name, attr] : llvm::zip(getAttributeNames(), attrsOf(op)))
      if (attr)
        attrs.append(name, attr);
  }
  LogicalResult verifyInherentAttrs(OperationName, NamedAttrList &,
                                    function_ref<InFlightDiagnostic()>) final {
    return success();
  }

  int getOpPropertyByteSize() final {
    return row.attrs.empty() ? 0 : sizeof(Properties);
  }
  void initProperties(OperationName, OpaqueProperties storage,
                      OpaqueProperties init) final {
    if (row.attrs.empty())
      return;
    auto *values = new (storage.as<void *>()) Properties();
    if (init)
      *values = *init.as<const Properties *>();
  }
  void deleteProperties(OpaqueProperties) final {}
  void populateDefaultProperties(OperationName, OpaqueProperties) final {}
  LogicalResult
  setPropertiesFromAttr(OperationName, OpaqueProperties properties,
                        Attribute attr,
                        function_ref<InFlightDiagnostic()> emitError) final {
    auto dictionary = dyn_cast<DictionaryAttr>(attr);
    if (!dictionary) {
      if (emitError)
        emitError() << "expected DictionaryAttr to set properties";
      return failure();
    }
    if (row.attrs.empty())
      return success();
    auto *values = properties.as<Properties *>()->values;
    for (auto [i, name] : llvm::enumerate(getAttributeNames()))
      values[i] = dictionary.get(name);
    return success();
  }
  Attribute getPropertiesAsAttr(Operation *op) final {
    NamedAttrList list;
    populateInherentAttrs(op, list);
    return list.empty() ? Attribute() : list.getDictionary(op->getContext());
  }
  void copyProperties(OpaqueProperties to, OpaqueProperties from) final {
    if (!row.attrs.empty())
      *to.as<Properties *>() = *from.as<const Properties *>();
  }
  bool compareProperties(OpaqueProperties a, OpaqueProperties b) final {
    return row.attrs.empty() || llvm::equal(valuesOf(a), valuesOf(b));
  }
  llvm::hash_code hashProperties(OpaqueProperties properties) final {
    if (row.attrs.empty())
      return llvm::hash_code(0);
    return llvm::hash_combine_range(valuesOf(properties));
  }

private:
  static mlir::detail::InterfaceMap interfaces() {
    mlir::detail::InterfaceMap map;
    map.insertModels<PropertiesInBytecode>();
    return map;
  }
  std::optional<size_t> indexOf(StringRef name) const {
    for (auto [i, spec] : llvm::enumerate(row.attrs))
      if (spec.name == name)
        return i;
    return std::nullopt;
  }
  ArrayRef<Attribute> valuesOf(OpaqueProperties properties) const {
    return {properties.as<const Properties *>()->values, row.attrs.size()};
  }

  const OpRow &row;
};

} // namespace

void VhloDialect::registerOps() {
  for (const OpRow &row : opTable()) {
    SmallVector<StringRef> names;
    for (const AttrSpec &spec : row.attrs)
      names.push_back(spec.name);
    RegisteredOperationName::insert(std::make_unique<OpModel>(row, this),
                                    names);
  }
}

const OpRow *rowOf(Operation *op) {
  if (!op->isRegistered() || !isa<VhloDialect>(op->getDialect()))
    return nullptr;
  return rowOf(op->getName());
}

MutableArrayRef<Attribute> attrsOf(Operation *op) {
  const OpRow *row = rowOf(op->getName());
  if (row->attrs.empty())
    return {};
  return {op->getPropertiesStorage().as<Properties *>()->values,
          row->attrs.size()};
}

Attribute attrOf(Operation *op, StringRef name) {
  const OpRow *row = rowOf(op);
  if (!row)
    return {};
  for (auto [spec, attr] : llvm::zip(row->attrs, attrsOf(op)))
    if (spec.name == name)
      return attr;
  return {};
}

} // namespace shardwright::vhlo
