//===- short_texts.h - times and meshes for people --------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_REPORT_SHORT_TEXTS_H
#define SHARDWRIGHT_REPORT_SHORT_TEXTS_H

#include "shardwright/mesh/mesh.h"

#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace shardwright {

/// `1.25 s`, `12.30 ms`, `4.5 us`.
inline std::string durationText(double seconds) {
  if (seconds >= 1)
    return llvm::formatv("{0:f2} s", seconds);
  if (seconds >= 1e-3)
    return llvm::formatv("{0:f2} ms", seconds * 1e3);
  return llvm::formatv("{0:f1} us", seconds * 1e6);
}

/// `data=4,model=2`.
inline std::string meshText(const Mesh &mesh) {
  std::string text;
  for (const MeshAxis &axis : mesh.axes())
    text +=
        (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

} // namespace shardwright

#endif // SHARDWRIGHT_REPORT_SHORT_TEXTS_H
