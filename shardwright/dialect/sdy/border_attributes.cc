//===- border_attributes.cc - attributes of a function's border -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/dialect/sdy/border_attributes.h"

using namespace mlir;

namespace shardwright::sdy {

BorderAttributes::BorderAttributes(FunctionOpInterface func) : func(func) {
  arguments.context = results.context = func->getContext();
  func.getAllArgAttrs(arguments.values);
  func.getAllResultAttrs(results.values);
}

void BorderAttributes::List::set(unsigned i, StringRef name, Attribute value) {
  if (get(i, name) == value)
    return;
  NamedAttrList list(values[i]);
  if (value)
    list.set(name, value);
  else
    list.erase(name);
  values[i] = list.getDictionary(context);
  isChanged = true;
}

void BorderAttributes::write() {
  if (arguments.isChanged)
    func.setAllArgAttrs(arguments.values);
  if (results.isChanged)
    func.setAllResultAttrs(results.values);
  arguments.isChanged = results.isChanged = false;
}

} // namespace shardwright::sdy
