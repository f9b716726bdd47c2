//===- layout.cc - orders of elements in memory ---------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/frontend/mesh/layout.h"

#include <algorithm>
#include <numeric>

namespace shardwright::frontend {

Layout Layout::automatic() {
  Layout out{Ints()};
  out.chosenByCompiler = true;
  return out;
}

Layout Layout::rowMajor(int64_t rank) {
  Ints order(std::max<int64_t>(rank, 0));
  std::iota(order.begin(), order.end(), 0);
  return Layout(std::move(order));
}

bool Layout::isRowMajor() const {
  return !isAuto() &&
         *this == rowMajor(static_cast<int64_t>(majorToMinor().size()));
}

Status Layout::checkCompatible(const Shape &shape) const {
  if (isAuto())
    return {};
  if (static_cast<int64_t>(order.size()) != shape.rank())
    return valueError("Length of major_to_minor and the rank of the value "
                      "should match. Got major_to_minor=",
                      tupleText(order), " and shape=", tupleText(shape));
  Ints sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != rowMajor(shape.rank()).order)
    return valueError("major_to_minor must name each dimension once. Got "
                      "major_to_minor=",
                      tupleText(order), " and shape=", tupleText(shape));
  return {};
}

std::string Layout::str(bool ofArray) const {
  if (isAuto())
    return "AUTO";
  return cat("Layout(major_to_minor=", tupleText(order),
             ", tiling=", ofArray ? "()" : "None",
             ", sub_byte_element_size_in_bits=0)");
}

std::string Layout::modeText() const {
  if (isAuto())
    return "auto";
  std::string out;
  for (auto it = order.rbegin(); it != order.rend(); ++it)
    out += cat(out.empty() ? "" : ",", *it);
  return "{" + out + "}";
}

Expected<Format> Format::get(std::optional<Layout> layout, Sharding sharding) {
  bool hasPlace = sharding.isConcrete() ||
                  (sharding.isNamed() && !sharding.abstractMesh().empty());
  if (layout && !layout->isAuto() && !hasPlace)
    return valueError(
        "Sharding has to be concrete when layout is of type <class "
        "'jax._src.layout.Layout'>. Please pass a `jax.sharding.NamedSharding` "
        "or `jax.sharding.SingleDeviceSharding` to the sharding argument. Got "
        "sharding ",
        sharding.isSpecified() ? sharding.str() : "None");
  Format out;
  out.order = std::move(layout);
  out.place = std::move(sharding);
  return out;
}

Format Format::ofArray(Layout layout, Sharding sharding) {
  Format out(std::move(sharding));
  out.order = std::move(layout);
  out.isOfArray = true;
  return out;
}

std::string Format::str() const {
  return cat("Format(layout=", order ? order->str(isOfArray) : "None",
             ", sharding=", place.isSpecified() ? place.str() : "None", ")");
}

} // namespace shardwright::frontend
