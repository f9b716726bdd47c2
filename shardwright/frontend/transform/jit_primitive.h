//===- jit_primitive.h - a program as an equation ---------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_TRANSFORM_JIT_PRIMITIVE_H
#define SHARDWRIGHT_FRONTEND_TRANSFORM_JIT_PRIMITIVE_H

#include "shardwright/frontend/mesh/layout.h"
#include "shardwright/frontend/transform/transform.h"

namespace shardwright::frontend {

/// Options of the compiler by name, with values as text.
struct CompilerOptionsParam final : ParamObject {
  explicit CompilerOptionsParam(std::map<std::string, std::string> v,
                                std::string t)
      : values(std::move(v)), text(std::move(t)) {}
  std::string str() const override { return text; }
  std::map<std::string, std::string> values;
  std::string text; ///< as Python prints them
};
/// The parameter of a jit that holds them.
constexpr const char *kCompilerOptions = "compiler_options_kvs";

/// What the equation of a nested jit says beside its jaxpr. The lists are empty
/// or have one entry for each input or result.
struct JitEqn {
  std::string name;
  std::vector<Sharding> ins = {}, outs = {};
  std::vector<std::optional<Layout>> inLayouts = {}, outLayouts = {};
  std::vector<bool> donated = {};
  bool keepUnused = false;
  /// Null: none. A program that is recorded has none.
  std::shared_ptr<const CompilerOptionsParam> compilerOptions = nullptr;
  /// Says nothing that the equations of the jaxpr do not say.
  bool isPlain() const;
};

/// True for a nested jit that says nothing beside its jaxpr.
bool isPlainJit(const Eqn &eqn);

/// Applies a jaxpr as one equation.
Tensors bindJit(const JaxprPtr &jaxpr, const JitEqn &eqn, const Tensors &args);
inline Tensors bindJit(const JaxprPtr &jaxpr, const std::string &name,
                       const Tensors &args) {
  return bindJit(jaxpr, JitEqn{name}, args);
}

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_TRANSFORM_JIT_PRIMITIVE_H
