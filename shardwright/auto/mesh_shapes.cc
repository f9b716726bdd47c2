//===- mesh_shapes.cc - meshes of a number of devices ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/mesh_shapes.h"

#include "shardwright/auto/ordered.h"

using namespace mlir;

namespace shardwright {

/// Meshes on which more than recipes are tried.
constexpr size_t kMostSearched = 4;

std::vector<SmallVector<MeshAxis, 4>> meshShapes(int64_t devices) {
  std::vector<SmallVector<MeshAxis, 4>> shapes;
  auto add = [&](const SmallVector<int64_t, 3> &sizes) {
    static constexpr llvm::StringLiteral names[] = {"data", "model", "expert"};
    SmallVector<MeshAxis, 4> axes;
    for (auto [size, name] : llvm::zip(sizes, names))
      axes.push_back({name.str(), size});
    shapes.push_back(std::move(axes));
  };
  add({devices});
  for (int64_t a = devices; a > 1; --a) {
    if (devices % a)
      continue;
    int64_t rest = devices / a;
    for (int64_t b = std::min(a, rest); b > 1; --b) {
      if (rest % b)
        continue;
      int64_t c = rest / b;
      if (c == 1)
        add({a, b});
      else if (c <= b)
        add({a, b, c});
    }
  }
  return shapes;
}

static bool isBetter(const AutoResult &a, const AutoResult &b) {
  if (a.found.fits != b.found.fits)
    return a.found.fits;
  return a.found.fits ? a.found.step.total() < b.found.step.total()
                      : a.found.peak < b.found.peak;
}

FailureOr<AutoResult> autoShardDevices(ModuleOp module, int64_t devices,
                                       const AutoOptions &options) {
  std::vector<AutoResult> found;
  int64_t numTrials = 0;
  AutoOptions mine = options;
  if (options.progress)
    mine.progress = [&](int64_t trials, double best) {
      options.progress(numTrials + trials, best);
    };
  mine.effort = 0;
  auto run = [&](ArrayRef<MeshAxis> axes) {
    mine.mesh.assign(axes.begin(), axes.end());
    FailureOr<AutoResult> result = autoShard(module, mine);
    if (succeeded(result))
      numTrials += result->numTrials;
    return result;
  };
  for (const SmallVector<MeshAxis, 4> &axes : meshShapes(devices)) {
    FailureOr<AutoResult> result = run(axes);
    if (failed(result))
      return failure();
    insertOrdered(found, std::move(*result), isBetter);
  }
  if (options.effort > 0) {
    mine.effort = options.effort;
    std::vector<AutoResult> searched;
    for (AutoResult &start : MutableArrayRef(found).take_front(kMostSearched)) {
      FailureOr<AutoResult> result = run(start.mesh.axes());
      if (failed(result))
        return failure();
      insertOrdered(searched, std::move(*result), isBetter);
    }
    found = std::move(searched);
  }
  found.front().numTrials = numTrials;
  return std::move(found.front());
}

} // namespace shardwright
