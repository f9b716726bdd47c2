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
constexpr size_t kMostBatchColours = 3, kMostTensorColours = 4,
                 kMostSequenceColours = 2;

bool putOnColour(const AutoProblem &problem, Plan &plan, int32_t axis,
                 int32_t colour, bool inner, ColourDim which) {
  bool changed = false;
  for (int32_t c : problem.classesOf[colour]) {
    const SiteClass &cls = problem.classes[c];
    if (!inner && cls.kind() != Site::Kind::Argument)
      continue;
    int32_t chosen = -1;
    for (auto [dim, own] : llvm::enumerate(cls.colours))
      if (own == colour && (chosen < 0 || which == ColourDim::Last) &&
          plan.mayPut(problem, c, axis, dim))
        chosen = dim;
    if (chosen >= 0)
      changed |= plan.put(problem, c, axis, chosen);
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

static void sortByWeight(MutableArrayRef<int32_t> colours,
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
  RecipeWriter(const AutoProblem &problem, bool specsOnly)
      : problem(problem), specsOnly(specsOnly), batch(batchColours(problem)) {
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

  /// What colours that take one axis together must not share: a site, an
  /// argument, or an argument, and no argument with the data either.
  enum class Apart : uint8_t { Sites, Arguments, ArgumentsAndData };

  /// `first`, and colours that are apart from it and from each other and are
  /// not `data`, those of most work first: Megatron's split shards the heads,
  /// the hidden units and the vocabulary along one axis, and no dimension of
  /// the arguments that hold the batch. Empty if `first` is not apart from the
  /// data.
  SmallVector<int32_t, 4> independent(int32_t first, int32_t data,
                                      Apart apart) const;
  /// Other colours of the arguments that hold the data, those that weigh least
  /// in other arguments first: positions, rows of images, not features.
  SmallVector<int32_t, 4> sequences(int32_t data) const;

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
  void addSequence(int32_t rank, const std::string &name, const Plan &data,
                   int32_t dataColour, ArrayRef<int32_t> colours,
                   const Axes &axes, const Axes &others);
  void addWithState(int32_t rank, const std::string &name, const Plan &plan,
                    const Axes &axes);

  std::string tensorName(const std::string &data, ArrayRef<int32_t> colours,
                         const Axes &others) const {
    return (data.empty() ? "" : data + "; ") + "tensor " +
           label(colours.front()) +
           (colours.size() > 1 ? " and others on " : " on ") + text(others);
  }

  const AutoProblem &problem;
  bool specsOnly;
  /// Candidates for the batch, and all colours of arguments, those of most work
  /// first.
  std::vector<int32_t> batch, tensor;
  std::vector<std::pair<int32_t, Recipe>> found;
  std::unordered_set<std::string> seen;
};

SmallVector<int32_t, 4> RecipeWriter::independent(int32_t first, int32_t data,
                                                  Apart apart) const {
  SmallVector<int32_t, 4> chosen;
  llvm::SmallDenseSet<int32_t> taken;
  auto sitesOf = [&](int32_t colour) {
    SmallVector<int32_t> own;
    for (int32_t c : problem.classesOf[colour])
      if (apart == Apart::Sites ||
          problem.classes[c].kind() == Site::Kind::Argument)
        own.push_back(c);
    return own;
  };
  if (apart == Apart::ArgumentsAndData && data >= 0)
    taken.insert_range(sitesOf(data));
  auto tryAdd = [&](int32_t colour) {
    const ColourUse &use = problem.colours[colour];
    SmallVector<int32_t> own = sitesOf(colour);
    if ((colour != first && use.kept + use.summed == 0) ||
        llvm::any_of(own, [&](int32_t c) { return taken.contains(c); }))
      return;
    chosen.push_back(colour);
    taken.insert_range(own);
  };
  tryAdd(first);
  if (chosen.empty())
    return chosen;
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
  // Without axes for data, the batch still tells weights from data.
  int32_t batchColour = colour < 0 && !batch.empty() ? batch.front() : colour;
  size_t numTried = 0;
  for (int32_t t : tensor) {
    if (t == colour || numTried == kMostTensorColours)
      continue;
    ++numTried;
    SmallVector<int32_t, 4> weights =
        independent(t, batchColour, Apart::ArgumentsAndData);
    addTensor(rank, name, data, independent(t, colour, Apart::Sites), axes,
              others);
    addTensor(rank, name, data, weights, axes, others);
    addSequence(rank + 2, name, data, batchColour, weights, axes, others);
    addTensor(rank + 2, name, data, independent(t, colour, Apart::Arguments),
              axes, others);
    addTensor(rank + 3, name, data, t, axes, others);
    ++rank;
  }
}

/// Adds the colours on `others` to a plan with data on `axes`.
void RecipeWriter::addTensor(int32_t rank, const std::string &name,
                             const Plan &data, ArrayRef<int32_t> colours,
                             const Axes &axes, const Axes &others) {
  for (ColourDim which : {ColourDim::First, ColourDim::Last}) {
    Plan both = data;
    bool changed = false;
    for (int32_t axis : others)
      for (int32_t colour : colours)
        changed |= putOnColour(problem, both, axis, colour, false, which);
    if (!changed)
      return;
    std::string own = tensorName(name, colours, others);
    if (which == ColourDim::First)
      addWithState(rank, own, both, axes.empty() ? others : axes);
    else
      add(rank + 1, own + ", last dimensions", std::move(both));
  }
}

SmallVector<int32_t, 4> RecipeWriter::sequences(int32_t data) const {
  SmallVector<int32_t, 4> found;
  // Bytes of arguments that have the colour, but are no data.
  llvm::DenseMap<int32_t, double> bytesElsewhere;
  for (const SiteClass &cls : problem.classes) {
    if (cls.kind() != Site::Kind::Argument)
      continue;
    bool isData = llvm::is_contained(cls.colours, data);
    for (int32_t colour : cls.colours)
      if (!isData)
        bytesElsewhere[colour] += cls.bytes * double(cls.sites.size());
      else if (colour != data && !llvm::is_contained(found, colour))
        found.push_back(colour);
  }
  sortByWeight(found, [&](int32_t c) { return -bytesElsewhere.lookup(c); });
  if (found.size() > kMostSequenceColours)
    found.resize(kMostSequenceColours);
  return found;
}

/// Between the products that a tensor split computes, values have the positions
/// of a sequence instead of repeating the same work: what has none of the
/// colours is divided along the sequence.
void RecipeWriter::addSequence(int32_t rank, const std::string &name,
                               const Plan &data, int32_t dataColour,
                               ArrayRef<int32_t> colours, const Axes &axes,
                               const Axes &others) {
  if (specsOnly || colours.empty())
    return;
  for (int32_t sequence : sequences(dataColour)) {
    if (llvm::is_contained(colours, sequence))
      continue;
    Plan both = data;
    for (int32_t axis : others) {
      for (int32_t colour : colours)
        putOnColour(problem, both, axis, colour, true);
      for (int32_t c : problem.classesOf[sequence]) {
        if (both.of(c).dimOf[axis] >= 0)
          continue;
        for (auto [dim, own] : llvm::enumerate(problem.classes[c].colours))
          if (own == sequence && both.put(problem, c, axis, dim))
            break;
      }
    }
    addWithState(rank,
                 tensorName(name, colours, others) + "; sequence " +
                     label(sequence),
                 both, axes.empty() ? others : axes);
  }
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

std::vector<Recipe> recipes(const AutoProblem &problem, bool specsOnly) {
  return RecipeWriter(problem, specsOnly).write();
}

} // namespace shardwright
