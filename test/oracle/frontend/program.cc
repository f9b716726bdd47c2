//===- program.cc - reads and evaluates programs --------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "program.h"

#include <cstdlib>
#include <sstream>

namespace shardwright::frontend {

DType typeNamed(const std::string &name) {
  for (int t = 0; t <= static_cast<int>(DType::C128); ++t)
    if (shortName(static_cast<DType>(t)) == name)
      return static_cast<DType>(t);
  return DType::F32;
}

/// `f32 2.0`, `i32 3`, or `weak 2.0`: a number of C++.
static Tensor literalOf(std::istringstream &in) {
  std::string type, number;
  in >> type >> number;
  double value = std::strtod(number.c_str(), nullptr);
  if (type == "weak")
    return Tensor(value);
  if (type == "weak_int")
    return Tensor(static_cast<int64_t>(value));
  return scalarOf(value, typeNamed(type));
}

static Step stepOf(std::istringstream &in) {
  Step step;
  std::string word;
  in >> step.name;
  while (in >> word) {
    size_t equals = word.find('=');
    if (equals == std::string::npos)
      step.args.push_back(std::stoul(word));
    else
      step.keys[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return step;
}

bool BlockReader::read(const std::string &line) {
  std::istringstream in(line);
  std::string command;
  in >> command;
  if (command == "lit") {
    Step step;
    step.name = "lit";
    step.literal = literalOf(in);
    current().steps.push_back(std::move(step));
  } else if (command == "op") {
    current().steps.push_back(stepOf(in));
  } else if (command == "begin") {
    open.push_back({stepOf(in), nullptr});
  } else if (command == "block") {
    if (open.empty())
      return false;
    // Only the last block is open, so that its address is stable.
    open.back().step.blocks.emplace_back();
    open.back().block = &open.back().step.blocks.back();
  } else if (command == "yield") {
    size_t i = 0;
    while (in >> i)
      current().outs.push_back(i);
  } else if (command == "end") {
    if (open.empty())
      return false;
    Step step = std::move(open.back().step);
    open.pop_back();
    current().steps.push_back(std::move(step));
  } else {
    return false;
  }
  return true;
}

static Tensors apply(const Step &step, const Tensors &scope,
                     const Tensors &args) {
  static const auto *meshOps = new std::map<std::string, ::Op>(makeMeshOps());
  if (auto outs = evaluateWithBlocks(step, scope, args))
    return *outs;
  if (auto shared = allOps().find(step.name); shared != allOps().end())
    return shared->second(args, integers(step.keys));
  if (auto op = meshOps->find(step.name); op != meshOps->end())
    return op->second(args, step.keys);
  return {Tensor(notImplemented("the server has no op ", step.name))};
}

Tensors evaluate(const Block &block, const Tensors &scope,
                 const Tensors &args) {
  Tensors values = scope;
  values.insert(values.end(), args.begin(), args.end());
  for (const Step &step : block.steps) {
    if (step.name == "lit") {
      values.push_back(step.literal);
      continue;
    }
    Tensors in;
    for (size_t i : step.args)
      in.push_back(i < values.size() ? values[i] : Tensor());
    Tensors results = apply(step, values, in);
    // An error takes the place of all results.
    if (const Error *error = errorIn(results))
      return Tensors(block.outs.size(), Tensor(*error));
    values.insert(values.end(), results.begin(), results.end());
  }
  Tensors outs;
  for (size_t i : block.outs)
    outs.push_back(i < values.size() ? values[i] : Tensor());
  return outs;
}

} // namespace shardwright::frontend
