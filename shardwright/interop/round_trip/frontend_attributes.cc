//===- frontend_attributes.cc - attributes as strings ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/round_trip/frontend_attributes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace shardwright {

DictionaryAttr withFrontendAttribute(DictionaryAttr attributes, StringRef name,
                                     Attribute value) {
  MLIRContext *context = value.getContext();
  auto text = dyn_cast<StringAttr>(value);
  if (!text) {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    value.print(os);
    text = StringAttr::get(context, printed);
  }
  NamedAttrList list(attributes);
  list.set(name, text);
  return list.getDictionary(context);
}

void setFrontendAttribute(Operation *op, StringRef name, Attribute value) {
  op->setAttr(
      kFrontendAttributes,
      withFrontendAttribute(
          op->getAttrOfType<DictionaryAttr>(kFrontendAttributes), name, value));
}

/// Removes `name` from `attributes`, which becomes null if it is empty then.
static FailureOr<Attribute> take(DictionaryAttr &attributes, StringRef name,
                                 Location where) {
  Attribute value = attributes ? attributes.get(name) : Attribute();
  if (!value)
    return Attribute();
  NamedAttrList list(attributes);
  list.erase(name);
  attributes =
      list.empty() ? DictionaryAttr() : list.getDictionary(value.getContext());
  auto text = dyn_cast<StringAttr>(value);
  if (!text)
    return value; // older writers store the attribute itself
  // The parser reports positions in the string, so add the attribute's name.
  std::string why;
  Attribute parsed;
  {
    ScopedDiagnosticHandler handler(value.getContext(), [&](Diagnostic &d) {
      if (why.empty())
        why = d.str();
      return success();
    });
    parsed = parseAttribute(text.getValue(), value.getContext());
  }
  if (!parsed)
    return emitError(where)
           << name << ": " << why << ", in '" << text.getValue() << "'";
  return parsed;
}

FailureOr<Attribute> takeFrontendAttribute(Operation *op, StringRef name) {
  auto attributes = op->getAttrOfType<DictionaryAttr>(kFrontendAttributes);
  if (!attributes || !attributes.contains(name))
    return Attribute();
  FailureOr<Attribute> value = take(attributes, name, op->getLoc());
  if (attributes)
    op->setAttr(kFrontendAttributes, attributes);
  else
    op->removeAttr(kFrontendAttributes);
  return value;
}

FailureOr<Attribute> takeArgFrontendAttribute(sdy::BorderAttributes &border,
                                              unsigned i, StringRef name,
                                              Location where) {
  auto attributes = border.argumentAs<DictionaryAttr>(i, kFrontendAttributes);
  if (!attributes || !attributes.contains(name))
    return Attribute();
  FailureOr<Attribute> value = take(attributes, name, where);
  border.setArgument(i, kFrontendAttributes, attributes);
  return value;
}

} // namespace shardwright
