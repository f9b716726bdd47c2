//===- did_you_mean.h - the nearest known name, for diagnostics -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_MESH_DID_YOU_MEAN_H
#define SHARDWRIGHT_MESH_DID_YOU_MEAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace shardwright {

/// `, did you mean "data"?` for the candidate nearest to `name` by edit
/// distance, ``, known: "data", "model"`` when none is near, empty without
/// candidates.
std::string didYouMean(llvm::StringRef name,
                       llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace shardwright

#endif // SHARDWRIGHT_MESH_DID_YOU_MEAN_H
