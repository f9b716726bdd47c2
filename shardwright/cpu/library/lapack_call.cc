//===- lapack_call.cc - shared code of LAPACK's custom calls --------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/library/lapack_call.h"

#include "shardwright/support/shape.h"

#include <climits>

using namespace shardwright;
using namespace shardwright::cpu;

LapackShapes::LapackShapes(const LibraryCall &call, size_t leader)
    : call(call) {
  if (leader >= call.inputs.size() || call.inputs[leader].shape.size() < 2) {
    problem = "requires matrices";
    return;
  }
  batchShape = Shape(llvm::ArrayRef(call.inputs[leader].shape).drop_back(2));
  count = product(batchShape);
}

void LapackShapes::note(llvm::Error error) {
  if (!error)
    return;
  std::string text = toString(std::move(error));
  if (problem.empty())
    problem = text;
}

llvm::Error LapackShapes::takeError() {
  if (problem.empty())
    return llvm::Error::success();
  return llvm::createStringError(problem);
}

int LapackShapes::size(size_t i, size_t rank, size_t d) {
  if (i >= call.inputs.size() || call.inputs[i].shape.size() < rank) {
    note(llvm::createStringError("operand " + llvm::Twine(i) +
                                 " has too few dimensions"));
    return 0;
  }
  const Shape &shape = call.inputs[i].shape;
  int64_t size = shape[shape.size() - rank + d];
  if (size > INT_MAX) {
    note(llvm::createStringError("a matrix is too large for LAPACK"));
    return 0;
  }
  return static_cast<int>(size);
}

void LapackShapes::check(const BufferType &got, ElementType type,
                         llvm::ArrayRef<int64_t> item,
                         const llvm::Twine &what) {
  Shape wanted = batchShape;
  wanted.append(item.begin(), item.end());
  note(checkArray(got, type, wanted, what));
}

void LapackShapes::operand(size_t i, ElementType type,
                           llvm::ArrayRef<int64_t> item) {
  if (i < call.inputs.size())
    check(call.inputs[i], type, item, "operand " + llvm::Twine(i));
}

void LapackShapes::result(size_t i, ElementType type,
                          llvm::ArrayRef<int64_t> item) {
  if (i < call.outputs.size())
    check(call.outputs[i], type, item, "result " + llvm::Twine(i));
}

char LapackShapes::letter(llvm::StringRef attribute, llvm::StringRef allowed) {
  llvm::Expected<int64_t> code = getInteger(call, attribute);
  if (!code) {
    note(code.takeError());
    return allowed[0];
  }
  char c = static_cast<char>(*code);
  if (*code > 0 && *code < 128 && allowed.contains(c))
    return c;
  note(llvm::createStringError("attribute '" + attribute +
                               "' should be the code of one of the letters " +
                               allowed + ", got " + llvm::Twine(*code)));
  return allowed[0];
}

void LapackShapes::arity(size_t operands, size_t results) {
  note(checkArity(call, operands, results));
}
