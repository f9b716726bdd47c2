//===- layout.h - orders of elements in memory ------------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_MESH_LAYOUT_H
#define SHARDWRIGHT_FRONTEND_MESH_LAYOUT_H

#include "shardwright/frontend/mesh/sharding.h"

namespace shardwright::frontend {

/// The order in which the dimensions of an array vary, slowest first. These
/// devices keep elements row-major whatever the layout: a layout is reported,
/// compared and saved, and changes no memory. Semantics:
/// jax.experimental.layout.Layout.
class Layout {
public:
  explicit Layout(Ints majorToMinor) : order(std::move(majorToMinor)) {}
  /// The compiler chooses (Layout.AUTO).
  static Layout automatic();
  static Layout rowMajor(int64_t rank);

  bool isAuto() const { return chosenByCompiler; }
  const Ints &majorToMinor() const { return order; }
  bool isRowMajor() const;
  /// An error unless the layout orders exactly `shape`'s dimensions.
  Status checkCompatible(const Shape &shape) const;
  /// As the user wrote it: `tiling=None`. `ofArray`: as an array says it:
  /// `tiling=()`.
  std::string str(bool ofArray = false) const;
  /// `{0,1}`: minor to major, or `auto`, as modules say it.
  std::string modeText() const;
  friend bool operator==(const Layout &, const Layout &) = default;

private:
  Ints order;
  bool chosenByCompiler = false;
};

/// A layout with a sharding; either may be missing. Semantics:
/// jax.experimental.layout.Format.
class Format {
public:
  Format() = default;
  explicit Format(Sharding s) : place(std::move(s)) {}
  /// An error if the layout is not automatic and the sharding has no devices.
  static Expected<Format> get(std::optional<Layout> layout,
                              Sharding sharding = {});

  const std::optional<Layout> &layout() const { return order; }
  const Sharding &sharding() const { return place; }
  std::string str() const;
  /// The format of an array or a compiled program, whose layout prints
  /// `tiling=()`.
  static Format ofArray(Layout layout, Sharding sharding);
  friend bool operator==(const Format &a, const Format &b) {
    return a.order == b.order && a.place == b.place;
  }

private:
  std::optional<Layout> order;
  Sharding place;
  bool isOfArray = false;
};

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_MESH_LAYOUT_H
