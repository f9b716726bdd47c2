//===- translate_module.cc - functions and attributes of the module -------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/gspmd/gspmd_shardings.h"
#include "shardwright/interop/hlo/translator.h"
#include "shardwright/interop/round_trip/frontend_attributes.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <limits>

using namespace mlir;

namespace shardwright::hlo {

static constexpr llvm::StringLiteral aliasName("tf.aliasing_output");
static constexpr llvm::StringLiteral donorName("jax.buffer_donor");

Translator::Translator(const Module &module, Location file)
    : context(file.getContext()), builder(file.getContext()), module(module),
      file(file), locations(module, file.getContext()) {}

/// True if StableHLO calls the computations of this opcode by name.
static bool callsFunctions(const Opcode &opcode) {
  return opcode.name == "call" || opcode.name == "custom-call";
}

/// Names the functions of computations that calls refer to, among those that
/// the entry reaches.
LogicalResult Translator::findFunctions() {
  size_t count = module.computations.size();
  std::vector<bool> isReached(count, false), isFunction(count, false);
  isReached[module.entry] = true;
  // Callers come after what they call.
  for (size_t c = count; c-- > 0;) {
    if (!isReached[c])
      continue;
    for (const Instruction &instruction : module.computations[c].instructions)
      for (int32_t called : instruction.called) {
        isReached[called] = true;
        if (callsFunctions(*instruction.opcode))
          isFunction[called] = true;
      }
  }
  llvm::StringSet<> taken;
  taken.insert("main");
  functionNames.resize(count);
  for (size_t c = 0; c < count; ++c) {
    if (!isFunction[c])
      continue;
    StringRef wanted = module.computations[c].name;
    std::string name = wanted.empty() ? "computation" : wanted.str();
    for (int suffix = 0; !taken.insert(name).second; ++suffix)
      name = (wanted + "_" + Twine(suffix)).str();
    functionNames[c] = std::move(name);
  }
  functionNames[module.entry] = "main";
  return success();
}

LogicalResult Translator::emitFunction(size_t index) {
  const Computation &computation = module.computations[index];
  bool isEntry = index == size_t(module.entry);
  SmallVector<Type> arguments;
  SmallVector<Location> argumentLocations;
  for (size_t i = 0; i < computation.parameters.size(); ++i) {
    const Instruction &parameter = computation.parameter(i);
    llvm::append_range(arguments, leafTypes(context, parameter.shape));
    argumentLocations.resize(arguments.size(), locations.of(parameter));
  }
  SmallVector<Type> results =
      leafTypes(context, computation.rootInstruction().shape);
  auto function = func::FuncOp::create(
      builder, locations.of(computation.rootInstruction()),
      functionNames[index], builder.getFunctionType(arguments, results));
  function.setVisibility(isEntry ? SymbolTable::Visibility::Public
                                 : SymbolTable::Visibility::Private);
  Block *block = new Block;
  function.getBody().push_back(block);
  block->addArguments(arguments, argumentLocations);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block);
  FailureOr<SmallVector<Value>> root =
      body(computation, SmallVector<Value>(block->getArguments()));
  if (failed(root))
    return failure();
  func::ReturnOp::create(builder, function.getLoc(), *root);
  ArgumentAttributes attributes(arguments.size());
  if (failed(describeParameters(computation, attributes)) ||
      failed(describeResults(computation, function)) ||
      (isEntry && failed(describeAliases(attributes))))
    return failure();
  function.setAllArgAttrs(
      llvm::map_to_vector(attributes, [&](NamedAttrList &list) {
        return list.getDictionary(context);
      }));
  return success();
}

LogicalResult Translator::describeParameters(const Computation &computation,
                                             ArgumentAttributes &attributes) {
  unsigned argument = 0;
  for (size_t i = 0; i < computation.parameters.size(); ++i) {
    const Instruction &parameter = computation.parameter(i);
    unsigned count = parameter.shape.numLeaves();
    FailureOr<SmallVector<StringAttr>> texts =
        leafShardings(computation, parameter);
    if (failed(texts))
      return failure();
    for (auto [leaf, text] : llvm::enumerate(*texts))
      attributes[argument + leaf].set(kMhloSharding, text);
    // Attributes of a tuple are not those of its elements.
    DictionaryAttr frontend = frontendAttributes(
        parameter.fields, instruction_field::frontend_attributes);
    if (frontend && !parameter.shape.isTuple())
      attributes[argument].set(kFrontendAttributes, frontend);
    argument += count;
  }
  return success();
}

LogicalResult Translator::describeResults(const Computation &computation,
                                          func::FuncOp function) {
  FailureOr<SmallVector<StringAttr>> texts =
      leafShardings(computation, computation.rootInstruction());
  if (failed(texts))
    return failure();
  if (texts->empty())
    return success();
  function.setAllResultAttrs(llvm::map_to_vector(*texts, [&](StringAttr text) {
    return builder.getDictionaryAttr(builder.getNamedAttr(kMhloSharding, text));
  }));
  return success();
}

/// Writes which arguments results may reuse, and which are donated.
LogicalResult Translator::describeAliases(ArgumentAttributes &attributes) {
  const Computation &entry = module.computations[module.entry];
  SmallVector<int64_t> firstArgument;
  int64_t count = 0;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    firstArgument.push_back(count);
    count += entry.parameter(i).shape.numLeaves();
  }
  auto argumentAt = [&](int64_t number,
                        ArrayRef<int64_t> index) -> std::optional<int64_t> {
    if (number < 0 || number >= int64_t(entry.parameters.size()))
      return std::nullopt;
    std::optional<int64_t> leaf = entry.parameter(number).shape.leafAt(index);
    if (!leaf)
      return std::nullopt;
    return *leaf + firstArgument[number];
  };
  for (const ProtoMessage &alias :
       module.fields.message(module_field::input_output_alias)
           .messages(alias_field::entries)) {
    using namespace alias_entry_field;
    int64_t number = alias.integer(parameter_number);
    std::optional<int64_t> argument =
        argumentAt(number, alias.integers(parameter_shape_index));
    std::optional<int64_t> output = entry.rootInstruction().shape.leafAt(
        alias.integers(output_shape_index));
    if (!argument)
      return emitError(file)
             << "the aliases of the module name parameter " << number
             << " or an element of it, but the entry computation has none such";
    if (!output)
      return emitError(file) << "the aliases of the module name a result that "
                                "the entry computation does not have";
    attributes[*argument].set(aliasName,
                              builder.getI32IntegerAttr(int32_t(*output)));
  }
  for (const ProtoMessage &donor :
       module.fields.message(module_field::buffer_donor)
           .messages(alias_field::entries)) {
    using namespace donor_entry_field;
    int64_t number = donor.integer(parameter_number);
    std::optional<int64_t> argument =
        argumentAt(number, donor.integers(parameter_shape_index));
    if (!argument)
      return emitError(file)
             << "the buffer donors of the module name parameter " << number
             << " or an element of it, but the entry computation has none such";
    attributes[*argument].set(donorName, builder.getBoolAttr(true));
  }
  return success();
}

void Translator::describeModule() {
  ModuleOp op = *result;
  if (!module.name.empty())
    op.setSymName(module.name);
  auto count = [&](StringRef name, int64_t value) {
    if (value > 0 && value <= std::numeric_limits<int32_t>::max())
      op->setAttr(name, builder.getI32IntegerAttr(int32_t(value)));
  };
  count("mhlo.num_partitions", module.counts.partitions);
  count("mhlo.num_replicas", module.counts.replicas);
  if (DictionaryAttr attributes = frontendAttributes(
          module.fields, module_field::frontend_attributes)) {
    op->setAttr(kFrontendAttributes, attributes);
    hasSdyShardings = attributes.contains(kXlaMeshes);
  }
}

/// Verifies the module. The error of the verifier becomes that of the
/// instruction whose op it is.
LogicalResult Translator::verifyResult() {
  std::string why;
  auto origin = origins.end();
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (why.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        why = diagnostic.str();
      return success();
    });
    if (succeeded(verify(*result)))
      return success();
    result->walk([&](Operation *op) {
      auto found = origins.find(op);
      if (found == origins.end() || succeeded(verify(op, false)))
        return WalkResult::advance();
      origin = found;
      return WalkResult::interrupt();
    });
  }
  if (origin == origins.end())
    return emitError(file) << "the module is not valid: " << why;
  return failAt(*origin->second.first, *origin->second.second, why);
}

OwningOpRef<ModuleOp> Translator::run() {
  result = ModuleOp::create(file);
  builder.setInsertionPointToEnd(result->getBody());
  describeModule();
  if (failed(findFunctions()))
    return {};
  for (size_t c = 0; c < module.computations.size(); ++c)
    if (!functionNames[c].empty() && failed(emitFunction(c)))
      return {};
  if (succeeded(verifyResult()))
    return std::move(result);
  return {};
}

} // namespace shardwright::hlo
