//===- recipes.cc - layouts that people use -------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/search/recipes.h"

#include "shardwright/support/sort_by.h"

#include "llvm/ADT/StringExtras.h"

#include <unordered_set>

using namespace mlir;

namespace shardwright {

/// Candidates for each role; more would be tried by the search anyway.
constexpr size_t kMostBatchColours = 3, kMostTensorColours = 4,
                 kMostSequenceColours = 2;

SmallVector<const Plan *> pointersTo(ArrayRef<Recipe> recipes) {
  return llvm::map_to_vector(recipes, [](const Recipe &r) { return &r.plan; });
}

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

bool takeFromColour(const AutoProblem &problem, Plan &plan, int32_t axis,
                    int32_t colour) {
  bool changed = false;
  for (int32_t c : problem.classesOf[colour]) {
    int8_t dim = plan.of(c).dimOf[axis];
    if (dim >= 0 && problem.classes[c].colours[dim] == colour)
      changed |= plan.put(problem, c, axis, -1);
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
    if (seen.insert(keyOfUnorderedAxes(plan)).second)
      found.push_back({rank, {std::move(name), std::move(plan)}});
  }
  /// Equal for plans that differ in the order of axes of one kind.
  std::string keyOfUnorderedAxes(const Plan &plan) const;
  /// What the other parts of a recipe are added to.
  struct DataSplit {
    std::string name;
    Plan plan;
    /// -1, without axes, if no data is divided.
    int32_t colour;
    Axes axes, others;
  };

  /// The plan; the same with sharded state, along the axes of the data.
  void addWithState(int32_t rank, const std::string &name, const Plan &plan,
                    const DataSplit &data);
  /// The colour on `axes`, and tensor colours on the others.
  void addData(int32_t rank, int32_t colour, Axes axes, Axes others);
  /// Adds the colours on the other axes.
  void addTensor(int32_t rank, const DataSplit &data,
                 ArrayRef<int32_t> colours);
  /// Between the products that a tensor split computes, values have the
  /// positions of a sequence instead of repeating the same work: what has none
  /// of the colours is divided along the sequence.
  void addSequence(int32_t rank, const DataSplit &data, int32_t batchColour,
                   ArrayRef<int32_t> colours);
  std::string tensorName(const DataSplit &data,
                         ArrayRef<int32_t> colours) const {
    return (data.name.empty() ? "" : data.name + "; ") + "tensor " +
           label(colours.front()) +
           (colours.size() > 1 ? " and others on " : " on ") +
           text(data.others);
  }

  const AutoProblem &problem;
  bool specsOnly;
  /// Candidates for the batch, and all colours of arguments, those of most work
  /// first.
  std::vector<int32_t> batch, tensor;
  std::vector<std::pair<int32_t, Recipe>> found;
  std::unordered_set<std::string> seen;
};

std::string RecipeWriter::keyOfUnorderedAxes(const Plan &plan) const {
  if (problem.axisKinds.empty())
    return plan.key();
  // The dimensions of each axis, sorted within its kind.
  std::vector<std::pair<int32_t, std::string>> columns;
  for (auto [axis, kind] : llvm::enumerate(problem.axisKinds)) {
    std::string &dims = columns.emplace_back(kind, "").second;
    for (int32_t c = 0; c < plan.numClasses(); ++c)
      dims.push_back(plan.of(c).dimOf[axis]);
  }
  llvm::sort(columns);
  std::string key;
  for (int32_t c = 0; c < plan.numClasses(); ++c)
    key.push_back(plan.of(c).isSet);
  for (const auto &[kind, dims] : columns)
    key += dims;
  return key;
}

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
                                const Plan &plan, const DataSplit &data) {
  add(rank, name, plan);
  const Axes &axes = data.axes.empty() ? data.others : data.axes;
  auto addSharded = [&](int32_t itsRank, const Axes &along, std::string what) {
    Plan sharded = plan;
    for (int32_t axis : along)
      shardState(
          problem, sharded, axis,
          [](const SiteClass &cls) { return cls.isState; }, plan);
    // The same axes divide state and data: parameters are gathered, so that
    // inner values keep the layout of the data.
    Plan inside = sharded;
    bool isInside = false;
    for (int32_t axis : data.axes)
      isInside |=
          !specsOnly && putOnColour(problem, inside, axis, data.colour, true);
    add(itsRank, name + what, std::move(sharded));
    if (isInside)
      add(itsRank + 1, name + what + "; data inside", std::move(inside));
  };
  addSharded(rank + 1, axes, "; state sharded");
  // Along one of several axes: within a host, if it can be.
  for (int32_t axis : axes)
    if (axes.size() > 1)
      addSharded(rank + 3, {axis}, "; state sharded on " + text({axis}));
}

void RecipeWriter::addData(int32_t rank, int32_t colour, Axes axes,
                           Axes others) {
  DataSplit data{"", Plan(problem), colour, std::move(axes), std::move(others)};
  for (int32_t axis : data.axes)
    putOnColour(problem, data.plan, axis, colour, false);
  if (!data.axes.empty()) {
    data.name = "data " + label(colour) + " on " + text(data.axes);
    addWithState(rank, data.name, data.plan, data);
  }
  if (data.others.empty())
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
    addTensor(rank, data, independent(t, colour, Apart::Sites));
    addTensor(rank, data, weights);
    addSequence(rank + 2, data, batchColour, weights);
    addTensor(rank + 2, data, independent(t, colour, Apart::Arguments));
    addTensor(rank + 3, data, t);
    ++rank;
  }
}

void RecipeWriter::addTensor(int32_t rank, const DataSplit &data,
                             ArrayRef<int32_t> colours) {
  for (ColourDim which : {ColourDim::First, ColourDim::Last}) {
    Plan both = data.plan;
    bool changed = false;
    for (int32_t axis : data.others)
      for (int32_t colour : colours)
        changed |= putOnColour(problem, both, axis, colour, false, which);
    if (!changed)
      return;
    std::string name = tensorName(data, colours);
    if (which == ColourDim::First)
      addWithState(rank, name, both, data);
    else
      add(rank + 1, name + ", last dimensions", std::move(both));
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
void RecipeWriter::addSequence(int32_t rank, const DataSplit &data,
                               int32_t batchColour, ArrayRef<int32_t> colours) {
  if (specsOnly || colours.empty())
    return;
  for (int32_t sequence : sequences(batchColour)) {
    if (llvm::is_contained(colours, sequence))
      continue;
    Plan both = data.plan;
    for (int32_t axis : data.others) {
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
                 tensorName(data, colours) + "; sequence " + label(sequence),
                 both, data);
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
