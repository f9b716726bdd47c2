//===- ref.cc - references to memory --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/ref.h"

#include "shardwright/frontend/cores/state_primitives.h"
#include "shardwright/frontend/numpy/index_range.h"

namespace shardwright::frontend {

static const ViewPtr &everything() {
  static const auto &view = *new ViewPtr(std::make_shared<const View>());
  return view;
}

Ref::Ref(Tensor reference)
    : Ref(std::move(reference), everything(), Tensors()) {}
Ref::Ref(Tensor reference, ViewPtr view, Tensors positions)
    : whole(std::move(reference)), selected(std::move(view)),
      dynamic(std::move(positions)) {}

Shape Ref::shape() const {
  return selected ? selected->resultShape(whole.shape()) : Shape();
}

namespace {

/// The subscripts with one entry for each dimension.
Expected<std::vector<RefIndex>> expanded(const std::vector<RefIndex> &indices,
                                         const Shape &shape) {
  size_t ellipses = 0;
  for (const RefIndex &i : indices)
    ellipses += !i.part && i.index.kind == Index::Kind::Ellipsis;
  if (ellipses > 1)
    return valueError("Only one ellipsis is supported.");
  if (indices.size() - ellipses > shape.size())
    return valueError("`indices` must not be longer than `shape`: ",
                      indices.size() - ellipses,
                      " indices, shape=", tupleText(shape));
  const std::vector<RefIndex> fill(shape.size() - (indices.size() - ellipses),
                                   RefIndex(slice()));
  std::vector<RefIndex> out;
  for (const RefIndex &i : indices)
    if (!i.part && i.index.kind == Index::Kind::Ellipsis)
      out.insert(out.end(), fill.begin(), fill.end());
    else
      out.push_back(i);
  if (!ellipses)
    out.insert(out.end(), fill.begin(), fill.end());
  return out;
}

/// A scalar integer as a position.
Expected<Tensor> positionOf(const Tensor &x) {
  if (const Error *error = errorIn(x))
    return *error;
  if (!isInteger(x.dtype()))
    return typeError("a reference is subscripted with integers, slices and "
                     "ellipsis, got an index of type ",
                     x.aval().longStr());
  if (x.rank())
    return notImplemented("subscripts of references are scalars and slices, "
                          "got an array of positions of type ",
                          x.aval().longStr(),
                          "; read the elements and subscript those");
  return x;
}

Expected<DimIndex> rangeIndex(const Index &index, int64_t full) {
  if (index.step <= 0)
    return valueError("slices of references need a positive step, got ",
                      index.step);
  ElementRange range = rangeOf(index, full);
  return DimIndex{true, false, range.size ? range.start : 0, range.size,
                  range.step};
}

/// A slice with a start that is known or computed. Appends the operand.
Expected<DimIndex> sliceIndex(const DimSlice &part, int64_t full,
                              Tensors &operands) {
  Expected<Tensor> start = positionOf(part.start);
  if (!start)
    return start.error();
  if (part.size < 0 || part.stride < 1)
    return valueError("a slice needs a size of at least 0 and a stride of at "
                      "least 1, got size=",
                      part.size, ", stride=", part.stride);
  // The span may be too large for an integer.
  int64_t span = 0;
  bool isTooLong =
      __builtin_mul_overflow(part.size - 1, part.stride, &span) || span >= full;
  const ArrayValue *array = asArray(*start);
  if (array && array->isLiteral) {
    Expected<std::shared_ptr<const void>> data = array->host();
    if (!data)
      return data.error();
    int64_t first = readInt(data->get(), start->dtype(), 0);
    if (part.size && (first < 0 || isTooLong || first >= full - span))
      return valueError("Out of bound slice: start=", first,
                        ", size=", part.size, ", stride=", part.stride,
                        ", dim=", full, ".");
    if (start->aval().weak)
      return DimIndex{true, false, first, part.size, part.stride};
  }
  if (part.size && isTooLong)
    return valueError("Out of bound slice: start=", start->aval().longStr(),
                      ", size=", part.size, ", stride=", part.stride,
                      ", dim=", full, ".");
  operands.push_back(*start);
  return DimIndex{true, true, 0, part.size, part.stride};
}

Expected<DimIndex> dimIndex(const RefIndex &given, int64_t full,
                            Tensors &operands) {
  if (given.part)
    return sliceIndex(*given.part, full, operands);
  const Index &index = given.index;
  switch (index.kind) {
  case Index::Kind::Range:
    return rangeIndex(index, full);
  case Index::Kind::At:
    if (index.start >= full || index.start < -full)
      return valueError("Out of bound indexer: idx=", index.start,
                        ", dim=", full, ".");
    operands.push_back(scalarOf(
        index.start < 0 ? index.start + full : index.start, DType::I32));
    break;
  case Index::Kind::Array: {
    Expected<Tensor> position = positionOf(index.array);
    if (!position)
      return position.error();
    operands.push_back(*position);
    break;
  }
  case Index::Kind::NewAxis:
  case Index::Kind::Ellipsis:
    return typeError("a reference cannot be subscripted with newAxis");
  }
  return DimIndex{false, true, 0, 1, 1};
}

} // namespace

Ref Ref::part(const std::vector<RefIndex> &indices) const {
  if (Status valid = checkRef(whole, "ref.at"); !valid)
    return Ref(Tensor(valid.error()));
  const Shape own = shape();
  bool isEllipsis = indices.size() == 1 && !indices[0].part &&
                    indices[0].index.kind == Index::Kind::Ellipsis;
  if (indices.empty() || isEllipsis)
    return *this;
  Expected<std::vector<RefIndex>> all = expanded(indices, own);
  if (!all)
    return Ref(Tensor(all.error()));
  View next = *selected;
  Tensors operands = dynamic;
  Indexer indexer{{}, own};
  for (size_t d = 0; d < own.size(); ++d) {
    Expected<DimIndex> dim =
        dimIndex((*all)[d], own[static_cast<int64_t>(d)], operands);
    if (!dim)
      return Ref(Tensor(dim.error()));
    indexer.dims.push_back(*dim);
  }
  next.indexers.push_back(std::move(indexer));
  return Ref(whole, std::make_shared<const View>(std::move(next)), operands);
}

Tensor Ref::get() const { return bindGet(whole, selected, dynamic); }

/// A number of C++ in the type of the reference, if it is of the same kind.
static Tensor implicitCast(const Tensor &value, const Tensor &ref) {
  if (!value.ok() || !ref.ok() || !value.aval().weak)
    return value;
  DType from = value.dtype(), to = ref.dtype();
  bool isSameKind =
      (isFloat(from) && isFloat(to)) || (isInteger(from) && isInteger(to));
  return isSameKind ? lax::convert_element_type(value, to) : value;
}

Tensor Ref::swap(const Tensor &value) const {
  return bindSwap(whole, implicitCast(value, whole), selected, dynamic);
}
void Ref::set(const Tensor &value) const {
  Tensor before = swap(value);
  if (const Error *error = errorIn(before))
    failRecording(*error);
}
void Ref::addUpdate(const Tensor &value) const {
  if (Status done = bindAddUpdate(whole, value, selected, dynamic); !done)
    failRecording(done.error());
}

} // namespace shardwright::frontend
