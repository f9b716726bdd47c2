//===- mesh_shapes.cc - meshes of a number of devices ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/auto/mesh_shapes.h"

#include "shardwright/auto/axis_roles.h"
#include "shardwright/auto/describe.h"
#include "shardwright/auto/prepare.h"
#include "shardwright/auto/search/ordered.h"
#include "shardwright/dialect/sdy/sdy.h"
#include "shardwright/partition/cost/machine_levels.h"

#include "mlir/IR/AttrTypeSubElements.h"

#include <map>
#include <set>

using namespace mlir;

namespace shardwright {

/// Meshes on which more than recipes are tried.
constexpr size_t kMostSearched = 4;
/// Axes of a mesh, unless the machine has more levels.
constexpr size_t kMostAxes = 3;

/// Products of at most `most` factors greater than 1, the larger ones first:
/// 8 is {8}, {4, 2} and {2, 2, 2}. 1 is the empty product.
static std::vector<MeshShape> factorisations(int64_t number, size_t most,
                                             int64_t largest) {
  if (number == 1)
    return {{}};
  std::vector<MeshShape> found;
  if (most == 0)
    return found;
  for (int64_t first = std::min(number, largest); first > 1; --first) {
    if (number % first != 0)
      continue;
    for (const MeshShape &rest :
         factorisations(number / first, most - 1, first)) {
      MeshShape shape = {first};
      shape.append(rest.begin(), rest.end());
      found.push_back(std::move(shape));
    }
  }
  return found;
}

llvm::Expected<std::vector<MeshShape>> meshShapes(int64_t devices,
                                                  const MachineModel &machine) {
  auto groups = fillLevels(machine, devices);
  if (!groups)
    return groups.takeError();
  size_t used = llvm::count_if(*groups, [](int64_t n) { return n > 1; });
  size_t most = std::max(kMostAxes, used);
  std::vector<MeshShape> shapes = {{}};
  for (int64_t group : llvm::reverse(*groups)) {
    used -= group > 1; // levels that are left
    std::vector<MeshShape> longer;
    for (const MeshShape &outer : shapes)
      for (const MeshShape &inner :
           factorisations(group, most - outer.size() - used, group)) {
        MeshShape shape = outer;
        shape.append(inner.begin(), inner.end());
        longer.push_back(std::move(shape));
      }
    shapes = std::move(longer);
  }
  if (devices == 1)
    shapes = {{1}};
  return shapes;
}

namespace {

/// The meshes that are tried.
class MeshChoices {
public:
  explicit MeshChoices(const AutoOptions &options) : options(options) {
    for (const auto &[name, spec] : options.fixed)
      for (const PartitionSpec::Entry &entry : spec.entries)
        named.insert(entry.axes.begin(), entry.axes.end());
    hasNames = !named.empty() || !options.machine.links.empty();
  }

  bool areNamed() const { return hasNames; }

  std::vector<SmallVector<MeshAxis, 4>> of(ArrayRef<MeshShape> shapes) const {
    std::vector<SmallVector<MeshAxis, 4>> meshes;
    for (MeshShape sizes : shapes) {
      if (!hasNames) {
        meshes.push_back(withNames(sizes, placeholder));
        continue;
      }
      // Names say how fast links are: each order is another mesh.
      if (options.machine.levels.empty())
        llvm::sort(sizes);
      do {
        auto axes = withNames(sizes, fixedName);
        if (llvm::all_of(named, [&](const std::string &name) {
              return llvm::any_of(axes, [&](const MeshAxis &axis) {
                return axis.name == name;
              });
            }))
          meshes.push_back(std::move(axes));
      } while (options.machine.levels.empty() &&
               std::next_permutation(sizes.begin(), sizes.end()));
    }
    return meshes;
  }

  /// Names that occur in no program, so that they can be replaced in texts.
  static std::string placeholder(size_t axis) {
    return "<axis " + std::to_string(axis) + ">";
  }
  static std::string fixedName(size_t axis) {
    constexpr llvm::StringLiteral names[] = {"data", "model", "expert"};
    return axis < std::size(names) ? names[axis].str()
                                   : "axis" + std::to_string(axis);
  }

private:
  static SmallVector<MeshAxis, 4> withNames(const MeshShape &sizes,
                                            std::string (*nameOf)(size_t)) {
    SmallVector<MeshAxis, 4> axes;
    for (auto [i, size] : llvm::enumerate(sizes))
      axes.push_back({nameOf(i), size});
    return axes;
  }

  const AutoOptions &options;
  std::set<std::string> named;
  bool hasNames;
};

} // namespace

static bool isBetter(const AutoResult &a, const AutoResult &b) {
  if (a.found.fits != b.found.fits)
    return a.found.fits;
  return a.found.fits ? a.found.step.total() < b.found.step.total()
                      : a.found.peak < b.found.peak;
}

/// The axes with names of their uses.
static SmallVector<MeshAxis, 4> namedByRole(const AutoResult &result) {
  SmallVector<MeshAxis, 4> axes;
  for (auto [axis, name] :
       llvm::zip_equal(result.mesh.axes(), namesByRole(result.axisRoles)))
    axes.push_back({name, axis.size});
  return axes;
}

/// True if both lists have one alphabetical order, by which Shardy breaks ties.
static bool haveSameOrder(ArrayRef<MeshAxis> a, ArrayRef<MeshAxis> b) {
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = i + 1; j < a.size(); ++j)
      if ((a[i].name < a[j].name) != (b[i].name < b[j].name))
        return false;
  return true;
}

/// Gives the axes these names, in the module and in all texts. The old ones
/// are placeholders.
static void renameAxes(AutoResult &result, ArrayRef<MeshAxis> axes) {
  std::map<std::string, std::string> nameOf;
  for (auto [old, axis] : llvm::zip_equal(result.mesh.axes(), axes))
    nameOf[old.name] = axis.name;
  result.details.secondsOfText.reset();
  result.details.text.clear();
  result.mesh = Mesh(SmallVector<MeshAxis, 4>(axes));
  AttrTypeReplacer replacer;
  auto find = [&](StringRef name) {
    auto it = nameOf.find(name.str());
    return it == nameOf.end() ? name : StringRef(it->second);
  };
  replacer.addReplacement([&](sdy::MeshAxisAttr axis) {
    return sdy::MeshAxisAttr::get(axis.getContext(), find(axis.getName()),
                                  axis.getSize());
  });
  replacer.addReplacement([&](sdy::AxisRefAttr axis) {
    return sdy::AxisRefAttr::get(axis.getContext(), find(axis.getName()),
                                 axis.getSubAxisInfo());
  });
  replacer.recursivelyReplaceElementsIn(*result.module);
  forEachText(result, [&](std::string &text) {
    for (const auto &[from, to] : nameOf)
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
           at += to.size())
        text.replace(at, from.size(), to);
  });
}

namespace {

class DeviceSharder {
public:
  DeviceSharder(ModuleOp module, const AutoOptions &options)
      : module(module), mine(options) {
    if (options.progress)
      mine.progress = [this, &options](int64_t trials, double best) {
        options.progress(numTrials + trials, best);
      };
  }

  FailureOr<AutoResult> run(ArrayRef<MeshAxis> axes, int effort) {
    mine.mesh.assign(axes.begin(), axes.end());
    mine.effort = effort;
    FailureOr<AutoResult> result = autoShard(module, mine);
    if (succeeded(result)) {
      numTrials += result->numTrials;
      spent += result->spent;
    }
    return result;
  }
  /// Gives the result the numbers of all searches so far.
  void count(AutoResult &result) const {
    result.numTrials = numTrials;
    result.spent = spent;
  }

private:
  ModuleOp module;
  AutoOptions mine;
  int64_t numTrials = 0, spent = 0;
};

} // namespace

/// The step on one device; none if it fails there.
static std::optional<PlanCost> costOfOneDevice(ModuleOp module,
                                               DeviceSharder &sharder) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  FailureOr<AutoResult> result = sharder.run(MeshAxis{"one", 1}, 0);
  if (failed(result))
    return std::nullopt;
  result->found.name = "one device";
  return result->found;
}

/// The module, or a copy without its mesh in `storage` if its annotations are
/// dropped. Fails with a diagnostic if a mesh stays.
static FailureOr<ModuleOp> withoutMesh(ModuleOp module,
                                       const AutoOptions &options,
                                       OwningOpRef<ModuleOp> &storage) {
  if (!hasMesh(module))
    return module;
  if (options.drop != DropAnnotations::All)
    return module.emitError()
           << "the module has a mesh, and --devices asks for another; give the "
              "sizes of its axes with --mesh instead, or forget the mesh with "
              "its annotations (--drop=all)";
  storage = module.clone();
  if (!dropMeshes(*storage))
    return module.emitError()
           << "the module has a mesh that a manual computation or a collective "
              "uses, and --devices asks for another; give the sizes of its "
              "axes with --mesh instead";
  return *storage;
}

FailureOr<AutoResult> autoShardDevices(ModuleOp given, int64_t devices,
                                       const AutoOptions &options) {
  OwningOpRef<ModuleOp> storage;
  FailureOr<ModuleOp> free = withoutMesh(given, options, storage);
  if (failed(free))
    return failure();
  ModuleOp module = *free;
  auto shapes = meshShapes(devices, options.machine);
  if (!shapes)
    return module.emitError()
           << "--devices: " << llvm::toString(shapes.takeError());
  MeshChoices choices(options);
  std::vector<SmallVector<MeshAxis, 4>> meshes = choices.of(*shapes);
  if (meshes.empty())
    return module.emitError()
           << "--fix names mesh axes that no mesh of " << devices
           << " devices has; the axes are called data, model and expert";
  DeviceSharder sharder(module, options);
  std::vector<AutoResult> found;
  for (const SmallVector<MeshAxis, 4> &axes : meshes) {
    FailureOr<AutoResult> result = sharder.run(axes, 0);
    if (failed(result))
      return failure();
    insertOrdered(found, std::move(*result), isBetter);
  }
  if (options.effort > 0) {
    std::vector<AutoResult> searched;
    for (AutoResult &start : MutableArrayRef(found).take_front(kMostSearched)) {
      FailureOr<AutoResult> result =
          sharder.run(start.mesh.axes(), options.effort);
      if (failed(result))
        return failure();
      insertOrdered(searched, std::move(*result), isBetter);
    }
    found = std::move(searched);
  }
  AutoResult best = std::move(found.front());
  if (!choices.areNamed()) {
    SmallVector<MeshAxis, 4> axes = namedByRole(best);
    if (haveSameOrder(best.mesh.axes(), axes)) {
      renameAxes(best, axes);
    } else {
      FailureOr<AutoResult> named = sharder.run(axes, options.effort);
      if (failed(named))
        return failure();
      best = std::move(*named);
    }
  }
  best.oneDevice = costOfOneDevice(module, sharder);
  sharder.count(best);
  return best;
}

} // namespace shardwright
