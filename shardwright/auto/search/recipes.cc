//===- recipes.cc - layouts that people use -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/recipes.h"

#include "shardwright/report/sort_by.h"

#include "llvm/ADT/StringExtras.h"

#include <unordered_set>

using namespace mlir;

namespace shardwright {

/// Candidates for each role; more would be tried by the search anyway.
constexpr size_t kMostBatchColours = 3, kMostTensorColours = 4;

bool putOnColour(const AutoProblem &problem, Plan &plan, int32_t axis,
                 int32_t colour, bool inner) {
  bool changed = false;
  for (int32_t c : problem.classesOf[colour]) {
    const SiteClass &cls = problem.classes[c];
    if (!inner && cls.kind() != Site::Kind::Argument)
      continue;
    for (auto [dim, own] : llvm::enumerate(cls.colours))
      if (own == colour && plan.mayPut(problem, c, axis, dim)) {
        changed |= plan.put(problem, c, axis, dim);
        break;
      }
  }
  return changed;
}

bool shardState(const AutoProblem &problem, Plan &plan, int32_t axis,
                llvm::function_ref<bool(const SiteClass &)> isWanted,
                const Plan &before) {
  bool changed = false;
  for (auto [c, cls] : llvm::enumerate(problem.classes)) {
    if (cls.kind() != Site::Kind::Argument || !isWanted(cls) ||
        plan.of(c).dimOf[axis] >= 0)
      continue;
    auto isFree = [&](int32_t dim) {
      return !llvm::is_contained(before.of(c).dimOf, dim);
    };
    int32_t best = -1;
    for (int32_t dim = 0; dim < cls.type.getRank(); ++dim)
      if (plan.mayPut(problem, c, axis, dim) &&
          (best < 0 || std::pair(isFree(dim), cls.type.getDimSize(dim)) >
                           std::pair(isFree(best), cls.type.getDimSize(best))))
        best = dim;
    if (best >= 0)
      changed |= plan.put(problem, c, axis, best);
  }
  return changed;
}

static void sortByWeight(std::vector<int32_t> &colours,
                         llvm::function_ref<double(int32_t)> weight) {
  llvm::sort(colours, [&](int32_t a, int32_t b) {
    return std::pair(-weight(a), a) < std::pair(-weight(b), b);
  });
}

std::vector<int32_t> batchColours(const AutoProblem &problem) {
  std::vector<int32_t> found;
  for (auto [c, use] : llvm::enumerate(problem.colours))
    if (use.argumentBytes > 0 && !use.isInState)
      found.push_back(c);
  sortByWeight(found, [&](int32_t c) { return problem.colours[c].kept; });
  // Positions of a sequence meet themselves in attention; a batch does not.
  llvm::DenseSet<int32_t> isTwice;
  for (const SiteClass &cls : problem.classes)
    for (int32_t colour : cls.colours)
      if (llvm::count(cls.colours, colour) > 1)
        isTwice.insert(colour);
  sortBy(found, [&](int32_t c) { return isTwice.contains(c); });
  return found;
}

namespace {

class RecipeWriter {
public:
  explicit RecipeWriter(const AutoProblem &problem)
      : problem(problem), batch(batchColours(problem)) {
    if (batch.size() > kMostBatchColours)
      batch.resize(kMostBatchColours);
    for (auto [c, use] : llvm::enumerate(problem.colours))
      if (use.argumentBytes > 0)
        tensor.push_back(c);
    sortByWeight(tensor, [&](int32_t c) {
      const ColourUse &use = problem.colours[c];
      return use.kept + use.summed;
    });
  }

  std::vector<Recipe> write();

private:
  using Axes = SmallVector<int32_t, 4>;

  /// `first`, and colours that share no argument (or, if `inValues`, no site)
  /// with it or with each other and are not `data`, those of most work first:
  /// Megatron's split shards the heads, the hidden units and the vocabulary
  /// along one axis.
  SmallVector<int32_t, 4> independent(int32_t first, int32_t data,
                                      bool inValues) const;

  std::string text(const Axes &axes) const {
    return llvm::join(
        llvm::map_range(axes,
                        [&](int32_t a) {
                          return problem.mesh.axisName(problem.axes[a]).str();
                        }),
        ",");
  }
  /// `x[0]`: the first dimension of an argument that has the colour.
  std::string label(int32_t colour) const {
    for (int32_t c : problem.classesOf[colour]) {
      const SiteClass &cls = problem.classes[c];
      if (cls.kind() != Site::Kind::Argument)
        continue;
      const Site &site = cls.sites.front();
      auto dim = llvm::find(cls.colours, colour) - cls.colours.begin();
      auto loc = dyn_cast<NameLoc>(site.value.getLoc());
      return (loc ? loc.getName().str() : "arg" + std::to_string(site.index)) +
             "[" + std::to_string(dim) + "]";
    }
    return "";
  }
  /// Recipes of a lower rank are tried first: large programs get few trials,
  /// which the most likely roles of each axis share.
  void add(int32_t rank, std::string name, Plan plan) {
    if (seen.insert(plan.key()).second)
      found.push_back({rank, {std::move(name), std::move(plan)}});
  }
  void addData(int32_t rank, int32_t colour, const Axes &axes,
               const Axes &others);
  void addTensor(int32_t rank, const std::string &name, const Plan &data,
                 ArrayRef<int32_t> colours, const Axes &axes,
                 const Axes &others);
  void addWithState(int32_t rank, const std::string &name, const Plan &plan,
                    const Axes &axes);

  const AutoProblem &problem;
  /// Candidates for the batch, and all colours of arguments, those of most work
  /// first.
  std::vector<int32_t> batch, tensor;
  std::vector<std::pair<int32_t, Recipe>> found;
  std::unordered_set<std::string> seen;
};

SmallVector<int32_t, 4> RecipeWriter::independent(int32_t first, int32_t data,
                                                  bool inValues) const {
  SmallVector<int32_t, 4> chosen;
  llvm::SmallDenseSet<int32_t> taken;
  auto tryAdd = [&](int32_t colour) {
    const ColourUse &use = problem.colours[colour];
    SmallVector<int32_t> own;
    for (int32_t c : problem.classesOf[colour])
      if (inValues || problem.classes[c].kind() == Site::Kind::Argument)
        own.push_back(c);
    if ((colour != first && use.kept + use.summed == 0) ||
        llvm::any_of(own, [&](int32_t c) { return taken.contains(c); }))
      return;
    chosen.push_back(colour);
    taken.insert(own.begin(), own.end());
  };
  tryAdd(first);
  for (int32_t colour : tensor)
    if (colour != first && colour != data)
      tryAdd(colour);
  return chosen;
}

void RecipeWriter::addWithState(int32_t rank, const std::string &name,
                                const Plan &plan, const Axes &axes) {
  add(rank, name, plan);
  auto addSharded = [&](int32_t itsRank, const Axes &along, std::string what) {
    Plan sharded = plan;
    for (int32_t axis : along)
      shardState(
          problem, sharded, axis,
          [](const SiteClass &cls) { return cls.isState; }, plan);
    add(itsRank, name + what, std::move(sharded));
  };
  addSharded(rank + 1, axes, "; state sharded");
  // Along one of several axes: within a host, if it can be.
  for (int32_t axis : axes)
    if (axes.size() > 1)
      addSharded(rank + 3, {axis}, "; state sharded on " + text({axis}));
}

/// The colour on `axes`, and a tensor colour on the others.
void RecipeWriter::addData(int32_t rank, int32_t colour, const Axes &axes,
                           const Axes &others) {
  Plan data(problem);
  for (int32_t axis : axes)
    putOnColour(problem, data, axis, colour, false);
  std::string name =
      axes.empty() ? "" : "data " + label(colour) + " on " + text(axes);
  if (!axes.empty())
    addWithState(rank, name, data, axes);
  if (others.empty())
    return;
  size_t numTried = 0;
  for (int32_t t : tensor) {
    if (t == colour || ++numTried > kMostTensorColours)
      continue;
    addTensor(rank, name, data, independent(t, colour, true), axes, others);
    addTensor(rank + 2, name, data, independent(t, colour, false), axes,
              others);
    addTensor(rank + 3, name, data, t, axes, others);
    ++rank;
  }
}

/// Adds the colours on `others` to a plan with data on `axes`.
void RecipeWriter::addTensor(int32_t rank, const std::string &name,
                             const Plan &data, ArrayRef<int32_t> colours,
                             const Axes &axes, const Axes &others) {
  Plan both = data;
  bool changed = false;
  for (int32_t axis : others)
    for (int32_t colour : colours)
      changed |= putOnColour(problem, both, axis, colour, false);
  if (changed)
    addWithState(
        rank,
        (name.empty() ? "" : name + "; ") + "tensor " + label(colours.front()) +
            (colours.size() > 1 ? " and others on " : " on ") + text(others),
        both, axes.empty() ? others : axes);
}

std::vector<Recipe> RecipeWriter::write() {
  add(-1, "replicated", Plan(problem));
  Axes all;
  for (size_t a = 0; a < problem.axes.size(); ++a)
    all.push_back(a);
  size_t most = size_t(1) << std::min<size_t>(all.size(), 4);
  for (auto [i, colour] : llvm::enumerate(batch))
    for (size_t set = most; set-- > 1;) {
      Axes axes, others;
      for (int32_t a : all)
        (a < 4 && (set >> a & 1) ? axes : others).push_back(a);
      addData(2 * int32_t(i), colour, axes, others);
    }
  addData(1, -1, {}, all);
  sortBy(found, [](const auto &entry) { return entry.first; });
  std::vector<Recipe> list;
  for (auto &[rank, recipe] : found)
    list.push_back(std::move(recipe));
  return list;
}

} // namespace

std::vector<Recipe> recipes(const AutoProblem &problem) {
  return RecipeWriter(problem).write();
}

} // namespace shardwright
