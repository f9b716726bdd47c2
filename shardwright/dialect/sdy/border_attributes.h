//===- border_attributes.h - attributes of a function's border --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes of all arguments and results of a function, changed and then
// written together. `FunctionOpInterface::setArgAttr` makes a list for all
// arguments with each call, and the context keeps every list: a pass that
// changes each of n arguments so takes n * n time and memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_DIALECT_SDY_BORDER_ATTRIBUTES_H
#define SHARDWRIGHT_DIALECT_SDY_BORDER_ATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shardwright::sdy {

class BorderAttributes {
public:
  /// Reads the attributes that `func` has now. Changes become visible in `func`
  /// by write(), which replaces changes made to it in the meantime.
  explicit BorderAttributes(mlir::FunctionOpInterface func);

  unsigned numArguments() const { return arguments.values.size(); }
  unsigned numResults() const { return results.values.size(); }

  /// Null if there is none.
  mlir::Attribute argument(unsigned i, llvm::StringRef name) const {
    return arguments.get(i, name);
  }
  mlir::Attribute result(unsigned i, llvm::StringRef name) const {
    return results.get(i, name);
  }
  template <typename T> T argumentAs(unsigned i, llvm::StringRef name) const {
    return mlir::dyn_cast_or_null<T>(argument(i, name));
  }
  template <typename T> T resultAs(unsigned i, llvm::StringRef name) const {
    return mlir::dyn_cast_or_null<T>(result(i, name));
  }

  /// Sets the attribute, or removes it if `value` is null.
  void setArgument(unsigned i, llvm::StringRef name, mlir::Attribute value) {
    arguments.set(i, name, value);
  }
  void setResult(unsigned i, llvm::StringRef name, mlir::Attribute value) {
    results.set(i, name, value);
  }

  void write();

private:
  struct List {
    mlir::Attribute get(unsigned i, llvm::StringRef name) const {
      return values[i] ? values[i].get(name) : mlir::Attribute();
    }
    void set(unsigned i, llvm::StringRef name, mlir::Attribute value);

    mlir::MLIRContext *context = nullptr;
    /// Null is an empty dictionary.
    llvm::SmallVector<mlir::DictionaryAttr> values;
    bool isChanged = false;
  };

  mlir::FunctionOpInterface func;
  List arguments, results;
};

} // namespace shardwright::sdy

#endif // SHARDWRIGHT_DIALECT_SDY_BORDER_ATTRIBUTES_H
