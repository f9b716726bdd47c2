//===- view.cc - parts of references --------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/cores/view.h"

#include "shardwright/frontend/numpy/index.h"

namespace shardwright::frontend {

Shape Indexer::resultShape() const {
  Shape out;
  for (const DimIndex &dim : dims)
    if (dim.isSlice)
      out.push_back(dim.size);
  return out;
}

bool Indexer::isTrivial() const {
  for (size_t d = 0; d < dims.size(); ++d) {
    const DimIndex &dim = dims[d];
    if (!dim.isSlice || dim.isDynamic || dim.start || dim.stride != 1 ||
        dim.size != shape[static_cast<int64_t>(d)])
      return false;
  }
  return true;
}

size_t Indexer::numOperands() const {
  size_t n = 0;
  for (const DimIndex &dim : dims)
    n += dim.isDynamic;
  return n;
}

Ints Indexer::positionDims() const {
  Ints out;
  for (size_t d = 0; d < dims.size(); ++d)
    if (!dims[d].isSlice)
      out.push_back(static_cast<int64_t>(d));
  return out;
}

size_t View::numOperands() const {
  size_t n = 0;
  for (const Indexer &indexer : indexers)
    n += indexer.numOperands();
  return n;
}

Shape View::resultShape(const Shape &shape) const {
  return indexers.empty() ? shape : indexers.back().resultShape();
}

std::string View::str() const {
  std::string out;
  for (const Indexer &indexer : indexers) {
    std::string dims;
    for (const DimIndex &dim : indexer.dims) {
      dims += dims.empty() ? "" : ", ";
      if (!dim.isSlice)
        dims += "int32[]";
      else
        dims += cat("Slice(start=", dim.isDynamic ? "int32[]" : cat(dim.start),
                    ", size=", dim.size, ", stride=", dim.stride, ")");
    }
    out += cat(out.empty() ? "" : ", ", "NDIndexer(indices=(", dims,
               indexer.dims.size() == 1 ? ",)" : ")",
               ", shape=", tupleText(indexer.shape),
               ", int_indexer_shape=(), validate=False)");
  }
  return cat("(", out, indexers.size() == 1 ? ",)" : ")");
}

/// The text of a literal without its type.
static std::string withoutType(const std::string &text) {
  return text.substr(0, text.find(':'));
}

std::string View::subscripts(const Eqn &eqn,
                             const std::vector<std::string> &texts,
                             size_t next) const {
  if (indexers.empty())
    return "[...]";
  std::string out;
  for (const Indexer &indexer : indexers) {
    std::string list;
    for (size_t d = 0; d < indexer.dims.size(); ++d) {
      const DimIndex &dim = indexer.dims[d];
      const int64_t full = indexer.shape[static_cast<int64_t>(d)];
      list += d ? "," : "";
      std::string position;
      bool isVar = false;
      if (dim.isDynamic) {
        isVar = eqn.ins[next].isVar();
        position = withoutType(texts[next++]);
      }
      auto endText = [&](int64_t end) {
        return end == full ? std::string() : cat(end);
      };
      if (!dim.isSlice)
        list += position;
      else if (isVar)
        list += cat(position, ":", position, "+", dim.size);
      else if (dim.isDynamic)
        list += cat("Literal(", position,
                    "):", endText(std::stoll(position) + dim.size));
      else
        list += cat(dim.start ? cat(dim.start) : "", ":",
                    endText(dim.start + dim.size));
    }
    out += "[" + list + "]";
  }
  return out;
}

const View &viewOf(const Params &params, std::string_view name) {
  static const auto &none = *new View;
  const View *view = params.object<View>(name);
  return view ? *view : none;
}

Expected<Aval> viewType(const Aval &reference, const View &view) {
  Aval out = reference;
  out.ref = nullptr;
  out.weak = false;
  const PartitionSpec spec = reference.spec();
  for (const Indexer &indexer : view.indexers) {
    if (indexer.isTrivial())
      continue;
    bool isSharded = false;
    for (int64_t d = 0; d < reference.rank(); ++d) {
      if (spec[d].axes.empty())
        continue;
      isSharded = true;
      const DimIndex &dim = indexer.dims[d];
      if (dim.isSlice && (dim.isDynamic || dim.start || dim.stride != 1 ||
                          dim.size != indexer.shape[d]))
        return valueError("sharded ref (array reference) can only be sliced "
                          "along unsharded axes, but ref of shape ",
                          tupleText(indexer.shape), " was sliced on axis ", d,
                          ", which is sharded like ", namesText(spec[d].axes));
    }
    if (isSharded && !indexer.positionDims().empty())
      return typeError("sharded ref (array reference) can only be indexed by "
                       "slices, not integers");
    auto sharding = isSharded ? out.sharding : nullptr;
    out = out.withShape(indexer.resultShape());
    out.sharding = sharding;
  }
  return out;
}

namespace {

/// The positions where an indexer begins in each dimension.
Tensors startsOf(const Indexer &indexer, const Tensors &positions,
                 size_t &next) {
  Tensors out;
  for (const DimIndex &dim : indexer.dims)
    out.push_back(dim.isDynamic
                      ? lax::convert_element_type(positions[next++], DType::I32)
                      : scalarOf(dim.start, DType::I32));
  return out;
}

/// The number of positions from the first to the last one of a slice.
int64_t spanOf(const DimIndex &dim) {
  if (!dim.isSlice)
    return 1;
  return dim.size ? (dim.size - 1) * dim.stride + 1 : 0;
}

/// An indexer as a contiguous box, and within it a stride for each dimension.
struct Box {
  Tensors starts;
  Ints sizes, strides;
  bool isStrided = false, isStatic = true;
};
Box boxOf(const Indexer &indexer, const Tensors &positions, size_t &next) {
  Box out;
  out.starts = startsOf(indexer, positions, next);
  for (const DimIndex &dim : indexer.dims) {
    out.sizes.push_back(spanOf(dim));
    out.strides.push_back(dim.stride);
    out.isStrided |= dim.isSlice && dim.stride != 1;
    out.isStatic &= !dim.isDynamic;
  }
  return out;
}

Tensor readBox(const Tensor &x, const Indexer &indexer, const Box &box) {
  if (box.isStatic) {
    Ints start, limit;
    for (size_t d = 0; d < indexer.dims.size(); ++d) {
      start.push_back(indexer.dims[d].start);
      limit.push_back(start.back() + box.sizes[d]);
    }
    return lax::slice(x, start, limit, box.strides);
  }
  Tensor span = lax::dynamic_slice(x, box.starts, box.sizes);
  if (box.isStrided)
    span = lax::slice(span, Ints(box.sizes.size(), 0), box.sizes, box.strides);
  Ints dropped = indexer.positionDims();
  return dropped.empty() ? span : lax::squeeze(span, dropped);
}

Tensor writeBox(const Tensor &x, const Indexer &indexer, const Box &box,
                const Tensor &value) {
  Ints dropped = indexer.positionDims();
  Tensor full = dropped.empty() ? value : lax::expand_dims(value, dropped);
  if (box.isStrided) {
    Tensor span = lax::dynamic_slice(x, box.starts, box.sizes);
    std::vector<Index> every;
    for (size_t d = 0; d < box.sizes.size(); ++d)
      every.push_back(slice({}, {}, box.strides[d]));
    full = IndexUpdate(span, every).set(full);
  }
  return lax::dynamic_update_slice(x, full, box.starts);
}

} // namespace

Tensor readView(const Tensor &x, const View &view, const Tensors &positions) {
  Tensor out = x;
  size_t next = 0;
  for (const Indexer &indexer : view.indexers)
    if (!indexer.isTrivial())
      out = readBox(out, indexer, boxOf(indexer, positions, next));
  return out;
}

Tensor writeView(const Tensor &x, const View &view, const Tensors &positions,
                 const Tensor &value) {
  Tensors inside{x};
  std::vector<std::pair<const Indexer *, Box>> boxes;
  size_t next = 0;
  for (const Indexer &indexer : view.indexers)
    if (!indexer.isTrivial()) {
      boxes.emplace_back(&indexer, boxOf(indexer, positions, next));
      inside.push_back(readBox(inside.back(), indexer, boxes.back().second));
    }
  Tensor out = value;
  for (size_t i = boxes.size(); i-- > 0;)
    out = writeBox(inside[i], *boxes[i].first, boxes[i].second, out);
  return out;
}

} // namespace shardwright::frontend
