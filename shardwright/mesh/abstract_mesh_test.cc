//===- abstract_mesh_test.cc - meshes without devices ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/mesh/abstract_mesh.h"

#include "gtest/gtest.h"

using namespace shardwright;

namespace {

AbstractMesh make(llvm::ArrayRef<MeshAxis> axes,
                  llvm::ArrayRef<AxisType> types = {}) {
  return llvm::cantFail(AbstractMesh::get(axes, types));
}

std::string why(llvm::Expected<AbstractMesh> mesh) {
  return mesh ? "" : llvm::toString(mesh.takeError());
}

TEST(AbstractMesh, EqualMeshesAreOneObject) {
  AbstractMesh a = make({{"x", 4}, {"y", 2}});
  EXPECT_EQ(a, make({{"x", 4}, {"y", 2}}, {AxisType::Auto, AxisType::Auto}));
  EXPECT_EQ(a.axes().data(), make({{"x", 4}, {"y", 2}}).axes().data());
  EXPECT_NE(a, make({{"y", 2}, {"x", 4}}));
  EXPECT_NE(a, make({{"x", 4}, {"y", 2}}, {AxisType::Auto, AxisType::Manual}));
  // Names and sizes must not run together.
  EXPECT_NE(make({{"a1", 1}}), make({{"a", 11}}));
  // Devices are ignored.
  EXPECT_EQ(a, llvm::cantFail(AbstractMesh::of(
                   Mesh({{"x", 4}, {"y", 2}}, {7, 6, 5, 4, 3, 2, 1, 0}))));
}

TEST(AbstractMesh, SaysWhatItIsAsJaxDoes) {
  AbstractMesh mesh =
      make({{"x", 4}, {"y", 2}}, {AxisType::Explicit, AxisType::Auto});
  EXPECT_EQ(mesh.str(),
            "AbstractMesh('x': 4, 'y': 2, axis_types=(Explicit, Auto))");
  EXPECT_EQ(AbstractMesh().str(), "AbstractMesh((), axis_types=())");
  EXPECT_EQ(make({{"x", 3}}).str(), "AbstractMesh('x': 3, axis_types=(Auto,))");
  EXPECT_EQ(mesh.size(), 8);
  EXPECT_EQ(AbstractMesh().size(), 0);
  EXPECT_TRUE(mesh.anyIs(AxisType::Auto));
  EXPECT_FALSE(mesh.allAre(AxisType::Auto));
  EXPECT_FALSE(AbstractMesh().allAre(AxisType::Auto));
  EXPECT_EQ(mesh.axesOf(AxisType::Explicit),
            (llvm::SmallVector<std::string, 4>{"x"}));
}

TEST(AbstractMesh, OtherTypesGiveAnotherMesh) {
  AbstractMesh mesh = make({{"x", 4}, {"y", 2}});
  AbstractMesh manual =
      llvm::cantFail(mesh.withTypes({{"y", AxisType::Manual}}));
  EXPECT_NE(mesh, manual);
  EXPECT_EQ(mesh, llvm::cantFail(manual.withTypes({{"y", AxisType::Auto}})));
  EXPECT_EQ(why(mesh.withTypes({{"z", AxisType::Auto}})),
            "'z' is not an axis of " + mesh.str() + "; use the name of one");
}

TEST(AbstractMesh, RefusesWhatIsNoMesh) {
  EXPECT_EQ(why(AbstractMesh::get({{"x", 2}, {"x", 4}})),
            "axis 'x' occurs twice; name each axis differently");
  EXPECT_EQ(why(AbstractMesh::get({{"x", 0}})),
            "axis 'x' has size 0; sizes start at 1");
  EXPECT_EQ(
      why(AbstractMesh::get({{"x", 2}}, {AxisType::Auto, AxisType::Auto})),
      "a mesh of 1 axes cannot have 2 axis types; give one for each axis");
  int64_t big = int64_t(1) << 40;
  EXPECT_NE(why(AbstractMesh::get({{"x", big}, {"y", big}})), "");
}

TEST(AbstractMesh, ManyMeshesComeAndGo) {
  AbstractMesh kept = make({{"kept", 2}});
  for (int64_t i = 1; i < 5000; ++i)
    make({{"axis", i}});
  EXPECT_EQ(kept, make({{"kept", 2}}));
}

} // namespace
