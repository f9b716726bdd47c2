//===- program.h - programs of the front end as text -----------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TEST_ORACLE_FRONTEND_PROGRAM_H
#define SHARDWRIGHT_TEST_ORACLE_FRONTEND_PROGRAM_H

#include "../frontend_mesh_ops.h"

namespace shardwright::frontend {

/// The element type with that short name, as `f32`.
DType typeNamed(const std::string &name);

struct Step;
/// Steps on the values of the scope around it and on its own arguments.
struct Block {
  std::vector<Step> steps;
  std::vector<size_t> outs;
};
/// An operation by name, or a literal, or a function with blocks as bodies.
struct Step {
  std::string name;
  std::vector<size_t> args;
  ::Keys keys;
  Tensor literal;
  std::vector<Block> blocks;
};

/// The results of a block for arguments. Values are numbered: those of the
/// scope, the arguments, then the results of each step.
Tensors evaluate(const Block &block, const Tensors &scope, const Tensors &args);

/// The result of a step with blocks (block_ops.cc); nothing if the step has
/// another name.
std::optional<Tensors>
evaluateWithBlocks(const Step &step, const Tensors &scope, const Tensors &args);

/// Reads `lit`, `op` and `begin` .. `end` lines into the innermost open block.
class BlockReader {
public:
  /// False if the line is none of these.
  bool read(const std::string &line);
  Block main;

private:
  Block &current() { return open.empty() ? main : *open.back().block; }
  struct Open {
    Step step;
    Block *block = nullptr;
  };
  std::vector<Open> open;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_TEST_ORACLE_FRONTEND_PROGRAM_H
