//===- frontend_mesh_ops.h - operations of programs on meshes --*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_ORACLE_FRONTEND_MESH_OPS_H
#define SHARDWRIGHT_TEST_ORACLE_FRONTEND_MESH_OPS_H

#include "frontend/all_ops.h"

using Args = shardwright::frontend::Tensors;
using Keys = std::map<std::string, std::string>;
using Op =
    std::function<shardwright::frontend::Tensors(const Args &, const Keys &)>;

/// Words between separators, and numbers between commas.
shardwright::frontend::AxisNames split(const std::string &text, char by);
shardwright::frontend::Ints intsOf(const std::string &text);
/// The parameters of an operation of frontend/ops.h.
std::map<std::string, shardwright::frontend::Ints> integers(const Keys &keys);
/// `x|-^y~z`: P('x', None, unreduced={'y'}, reduced={'z'}).
shardwright::frontend::PartitionSpec specOf(const std::string &text);
/// A parameter as text, or its first number.
std::string word(const Keys &keys, const char *name);
int64_t one(const Keys &keys, const char *name);
/// What the calls of `look` since the last time were given, sorted: an array
/// with the shape and the elements for each.
Args takeSeen();
/// The operations of frontend_mesh.py by name.
std::map<std::string, Op> makeMeshOps();

#endif // SHARDWRIGHT_TEST_ORACLE_FRONTEND_MESH_OPS_H
