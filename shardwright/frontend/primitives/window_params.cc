//===- window_params.cc - windows as parameters ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/primitives/window_params.h"

namespace shardwright::frontend {

static Ints onesIfEmpty(const Ints &values, int64_t n) {
  return values.empty() ? Ints(n, 1) : values;
}

Params windowParams(const Window &w, int64_t rank, bool dilated) {
  Params out{
      {"window_dimensions", w.dims},
      {"window_strides", onesIfEmpty(w.strides, rank)},
      {"padding", w.padding.empty() ? IntsList(rank, Ints{0, 0}) : w.padding}};
  if (dilated) {
    out.set("base_dilation", onesIfEmpty(w.baseDilation, rank));
    out.set("window_dilation", onesIfEmpty(w.windowDilation, rank));
  }
  return out;
}
Window windowOf(const Params &params) {
  return {params.ints("window_dimensions"), params.ints("window_strides"),
          params.lists("padding"), params.ints("base_dilation"),
          params.ints("window_dilation")};
}

int64_t dilatedSize(int64_t size, int64_t by) {
  return size ? (size - 1) * by + 1 : 0;
}

/// An error unless the lists of a window fit an operand of this shape. Numbers
/// are bounded, so that sums and products of them do not overflow.
static Status checkWindow(const std::string &name, const Shape &shape,
                          const Window &w) {
  auto rank = static_cast<size_t>(shape.rank());
  constexpr int64_t most = int64_t(1) << 31;
  auto isSmall = [](int64_t v) { return v > -most && v < most; };
  for (const Ints *list : {&w.baseDilation, &w.windowDilation}) {
    if (list->empty())
      continue;
    if (list->size() != rank)
      return typeError(name, " expects a dilation for each of ", rank,
                       " dimensions, got ", tupleText(*list));
    for (int64_t v : *list)
      if (v < 1 || v >= most)
        return typeError(name, " dilations must be from 1 to 2^31 - 1, got ",
                         tupleText(*list));
  }
  for (const Ints &pair : w.padding)
    if (pair.size() != 2 || !isSmall(pair[0]) || !isSmall(pair[1]))
      return typeError(name,
                       " padding must be pairs (low, high) of numbers below "
                       "2^31, got ",
                       tupleText(pair));
  for (const Ints *list : {&w.dims, &w.strides})
    for (int64_t v : *list)
      if (!isSmall(v))
        return typeError(name, " sizes and strides must be below 2^31, got ",
                         tupleText(*list));
  for (size_t d = 0; d < w.baseDilation.size(); ++d)
    if (shape[static_cast<int64_t>(d)] > (int64_t(1) << 62) / w.baseDilation[d])
      return typeError(name, " with dilation ", w.baseDilation[d],
                       " of an operand of shape ", tupleText(shape),
                       " is too large");
  return {};
}

/// The number of positions of the window along each dimension.
Expected<Shape> windowShape(const std::string &name, const Shape &shape,
                            const Params &params) {
  Window w = windowOf(params);
  auto rank = static_cast<size_t>(shape.rank());
  for (const Ints *list : {&w.dims, &w.strides})
    if (list->size() != rank)
      return typeError(name,
                       " expects window_dimensions and window_strides of the "
                       "operand's rank ",
                       rank, ", got ", tupleText(*list));
  if (w.padding.size() != rank)
    return typeError(name, " expects a padding pair for each of ", rank,
                     " dimensions, got ", w.padding.size());
  SW_TRY(checkWindow(name, shape, w));
  Shape out;
  for (size_t d = 0; d < rank; ++d) {
    if (w.dims[d] < 1 || w.strides[d] < 1)
      return typeError(name,
                       " window dimensions and strides must be positive, "
                       "got ",
                       tupleText(w.dims), " and ", tupleText(w.strides));
    int64_t base =
        dilatedSize(shape[static_cast<int64_t>(d)],
                    d < w.baseDilation.size() ? w.baseDilation[d] : 1);
    int64_t window = dilatedSize(
        w.dims[d], d < w.windowDilation.size() ? w.windowDilation[d] : 1);
    int64_t padded = base + w.padding[d][0] + w.padding[d][1];
    out.push_back(padded < window ? 0 : (padded - window) / w.strides[d] + 1);
  }
  return out;
}

static std::string paddingText(const IntsList &padding) {
  std::string list;
  for (const Ints &p : padding)
    list += cat(list.empty() ? "" : ", ", "[", p[0], ", ", p[1], "]");
  if (padding.empty())
    return "padding = dense<> : tensor<0x2xi64>";
  return cat("padding = dense<[", list, "]> : tensor<", padding.size(),
             "x2xi64>");
}

std::string windowAttributes(const Params &params) {
  std::string out =
      cat(arrayAttr("window_dimensions", params.ints("window_dimensions")),
          ", ", arrayAttr("window_strides", params.ints("window_strides")),
          ", ", paddingText(params.lists("padding")));
  if (params.has("base_dilation"))
    out += cat(", ", arrayAttr("base_dilations", params.ints("base_dilation")),
               ", ",
               arrayAttr("window_dilations", params.ints("window_dilation")));
  return out;
}

/// Inserts a dimension of windows of size 1.
Params withWindowBatch(const Params &params, int64_t at) {
  Params out = params;
  for (const char *name : {"window_dimensions", "window_strides",
                           "base_dilation", "window_dilation"})
    if (params.has(name)) {
      Ints values = params.ints(name);
      values.insert(values.begin() + at, 1);
      out.set(name, values);
    }
  IntsList padding = params.lists("padding");
  padding.insert(padding.begin() + at, Ints{0, 0});
  out.set("padding", padding);
  return out;
}

} // namespace shardwright::frontend
