//===- bounded_arrays.cc - arrays with bounded dimensions -----------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/bounded_arrays.h"

#include "shardwright/support/box_copy.h"
#include "shardwright/support/error.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace shardwright;

llvm::ArrayRef<ValueSpec>
shardwright::withoutSizes(llvm::ArrayRef<ValueSpec> values) {
  while (!values.empty() && values.back().sizeOf >= 0)
    values = values.drop_back();
  return values;
}

static bool isBounded(llvm::ArrayRef<ValueSpec> values, size_t index,
                      size_t dim) {
  return llvm::any_of(values, [&](const ValueSpec &v) {
    return v.sizeOf == int32_t(index) && v.sizeOfDim == int32_t(dim);
  });
}

bool shardwright::hasShapeOf(llvm::ArrayRef<ValueSpec> values, size_t index,
                             llvm::ArrayRef<int64_t> shape) {
  const ValueSpec &value = values[index];
  if (shape.size() != value.shape.size())
    return false;
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != value.shape[d] &&
        (shape[d] > value.shape[d] || !isBounded(values, index, d)))
      return false;
  return true;
}

llvm::Error shardwright::checkArguments(
    llvm::ArrayRef<ValueSpec> values, size_t numGiven,
    llvm::function_ref<std::pair<ElementType, llvm::ArrayRef<int64_t>>(size_t)>
        given) {
  llvm::ArrayRef<ValueSpec> visible = withoutSizes(values);
  if (numGiven != visible.size())
    return fail("the program takes ", visible.size(),
                " arguments, but was given ", numGiven);
  for (size_t i = 0; i < numGiven; ++i) {
    auto [type, shape] = given(i);
    const std::string &name = visible[i].name;
    if (type != visible[i].type || !hasShapeOf(values, i, shape))
      return fail("argument ", i, name.empty() ? "" : " (", name,
                  name.empty() ? "" : ")", " is ", str(values, i),
                  ", but was given ", str(type, shape));
  }
  return llvm::Error::success();
}

std::string shardwright::str(llvm::ArrayRef<ValueSpec> values, size_t index) {
  const ValueSpec &value = values[index];
  std::string text = str(value.type).str() + '[';
  for (size_t d = 0; d < value.shape.size(); ++d) {
    text += d ? "," : "";
    text += isBounded(values, index, d) ? "<=" : "";
    text += std::to_string(value.shape[d]);
  }
  return text + ']';
}

/// Copies the elements that both arrays have.
static void copyCommon(Array &to, const Array &from) {
  int64_t width = byteWidth(to.type());
  llvm::SmallVector<int64_t, 4> extent;
  for (auto [x, y] : llvm::zip_equal(to.shape(), from.shape()))
    extent.push_back(std::min(x, y));
  cpu::copyBox(to.data(), cpu::rowMajorStrides(to.shape(), width), from.data(),
               cpu::rowMajorStrides(from.shape(), width), extent, width);
}

llvm::Expected<std::vector<Array>>
shardwright::padded(llvm::ArrayRef<ValueSpec> values,
                    llvm::ArrayRef<Array> arrays) {
  std::vector<Array> all;
  for (auto [array, value] : llvm::zip(arrays, values)) {
    if (array.shape() == llvm::ArrayRef<int64_t>(value.shape)) {
      all.push_back(array);
      continue;
    }
    llvm::Expected<Array> large = Array::allocate(value.type, value.shape);
    if (!large)
      return large.takeError();
    std::memset(large->data(), 0, large->bytes());
    copyCommon(*large, array);
    all.push_back(std::move(*large));
  }
  for (const ValueSpec &value : values.drop_front(arrays.size())) {
    llvm::Expected<Array> size = Array::allocate(ElementType::S32, {});
    if (!size)
      return size.takeError();
    *static_cast<int32_t *>(size->data()) =
        int32_t(arrays[value.sizeOf].shape()[value.sizeOfDim]);
    all.push_back(std::move(*size));
  }
  return all;
}

llvm::Expected<std::vector<llvm::SmallVector<int64_t, 4>>>
shardwright::actualShapes(
    llvm::ArrayRef<ValueSpec> values,
    llvm::function_ref<llvm::Expected<int32_t>(size_t index)> read) {
  size_t count = withoutSizes(values).size();
  std::vector<llvm::SmallVector<int64_t, 4>> shapes;
  for (size_t i = 0; i < count; ++i)
    shapes.emplace_back(values[i].shape);
  for (size_t i = count; i < values.size(); ++i) {
    const ValueSpec &value = values[i];
    llvm::Expected<int32_t> size = read(i);
    if (!size)
      return size.takeError();
    int64_t &bound = shapes[value.sizeOf][value.sizeOfDim];
    if (*size < 0 || *size > bound)
      return llvm::createStringError(
          "result " + llvm::Twine(value.sizeOf) + " has " + llvm::Twine(*size) +
          " elements in dimension " + llvm::Twine(value.sizeOfDim) +
          ", whose bound is " + llvm::Twine(bound));
    bound = *size;
  }
  return shapes;
}

llvm::Expected<std::vector<Array>>
shardwright::cutToSize(llvm::ArrayRef<ValueSpec> values,
                       std::vector<Array> arrays) {
  auto shapes = actualShapes(values, [&](size_t i) -> llvm::Expected<int32_t> {
    return *static_cast<const int32_t *>(arrays[i].data());
  });
  if (!shapes)
    return shapes.takeError();
  arrays.resize(shapes->size());
  for (auto [array, shape] : llvm::zip_equal(arrays, *shapes)) {
    if (array.shape() == llvm::ArrayRef<int64_t>(shape))
      continue;
    llvm::Expected<Array> cut = Array::allocate(array.type(), shape);
    if (!cut)
      return cut.takeError();
    copyCommon(*cut, array);
    array = std::move(*cut);
  }
  return arrays;
}
