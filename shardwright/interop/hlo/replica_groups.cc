//===- replica_groups.cc - the devices of collectives ---------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/interop/hlo/replica_groups.h"

#include "shardwright/backend/device.h"
#include "shardwright/dialect/stablehlo/stablehlo.h"
#include "shardwright/interop/hlo/message_specs.h"
#include "shardwright/mesh/hlo/sharding_checks.h"

using namespace mlir;

namespace shardwright::hlo {

/// Groups of equal size, one after the other.
static ReplicaGroups dense(MLIRContext *context, ArrayRef<int64_t> ids,
                           int64_t numGroups, int64_t groupSize) {
  auto type = RankedTensorType::get({numGroups, groupSize},
                                    IntegerType::get(context, 64));
  return {DenseIntElementsAttr::get(type, ids), groupSize};
}

static ReplicaGroups fromLists(MLIRContext *context,
                               ArrayRef<ProtoMessage> groups) {
  std::vector<SmallVector<int64_t>> lists;
  size_t longest = 0;
  bool isEven = true;
  for (const ProtoMessage &group : groups) {
    lists.push_back(group.integers(group_field::replica_ids));
    longest = std::max(longest, lists.back().size());
    isEven &= lists.back().size() == lists.front().size();
  }
  // One group without members is all devices.
  if (longest == 0) {
    ReplicaGroups all = dense(context, {}, 0, 0);
    all.isAllDevices = true;
    return all;
  }
  SmallVector<int64_t> ids;
  for (SmallVector<int64_t> &list : lists) {
    list.resize(longest, -1);
    llvm::append_range(ids, list);
  }
  ReplicaGroups made = dense(context, ids, lists.size(), longest);
  if (!isEven)
    made.groupSize = 0;
  return made;
}

/// The ids of arange(n).reshape(sizes).transpose(perm), or why there are none.
static llvm::Expected<SmallVector<int64_t, 0>> iotaIds(ArrayRef<int64_t> sizes,
                                                       ArrayRef<int64_t> perm) {
  std::optional<int64_t> count = checkedProduct(sizes);
  if (!count || *count > kMaxDevices || !isPermutation(perm, sizes.size()))
    return llvm::createStringError(
        "an iota of device ids has sizes that are not positive, a "
        "transposition that is not a permutation of them, or more than " +
        Twine(kMaxDevices) + " devices");
  return DeviceOrder(IotaOrder(sizes, SmallVector<int32_t, 8>(perm))).list();
}

static llvm::Expected<ReplicaGroups> fromIota(MLIRContext *context,
                                              const ProtoMessage &iota) {
  using namespace iota_groups_field;
  int64_t groups = iota.integer(num_replica_groups),
          size = iota.integer(num_devices_per_group);
  auto ids = iotaIds(iota.integers(iota_reshape_dims),
                     iota.integers(iota_transpose_perm));
  if (!ids)
    return ids.takeError();
  if (groups < 1 || size < 1 || groups > kMaxDevices || size > kMaxDevices ||
      groups * size != int64_t(ids->size()))
    return llvm::createStringError("an iota of " + Twine(ids->size()) +
                                   " device ids is cut into " + Twine(groups) +
                                   " groups of " + Twine(size));
  return dense(context, *ids, groups, size);
}

static llvm::Expected<ReplicaGroups> fromAxes(MLIRContext *context,
                                              const ProtoMessage &message) {
  ProtoMessage mesh = message.message(axes_groups_field::mesh);
  SmallVector<stablehlo::MeshAxisAttr> axes;
  for (const ProtoMessage &axis : mesh.messages(mesh_field::axes))
    axes.push_back(
        stablehlo::MeshAxisAttr::get(context, axis.bytes(mesh_axis_field::name),
                                     axis.integer(mesh_axis_field::size)));
  SmallVector<int64_t> ids = mesh.integers(mesh_field::device_ids);
  if (mesh.has(mesh_field::iota_transform)) {
    ProtoMessage iota = mesh.message(mesh_field::iota_transform);
    auto list = iotaIds(iota.integers(iota_transform_field::reshape_dims),
                        iota.integers(iota_transform_field::transpose_perm));
    if (!list)
      return list.takeError();
    ids.assign(list->begin(), list->end());
  }
  DenseIntElementsAttr idsAttr;
  if (!ids.empty())
    idsAttr = DenseIntElementsAttr::get(
        RankedTensorType::get({int64_t(ids.size())},
                              IntegerType::get(context, 64)),
        ArrayRef<int64_t>(ids));
  SmallVector<stablehlo::AxisRefAttr> refs;
  int64_t groupSize = 1;
  for (const ProtoMessage &ref : message.messages(axes_groups_field::axes)) {
    int64_t axis = ref.integer(axis_ref_field::mesh_axis_index);
    if (axis < 0 || axis >= int64_t(axes.size()))
      return llvm::createStringError("replica groups name axis " + Twine(axis) +
                                     " of a mesh of " + Twine(axes.size()) +
                                     " axes");
    stablehlo::SubAxisInfoAttr part;
    int64_t size = axes[axis].getSize();
    if (ref.has(axis_ref_field::sub_axis_info)) {
      ProtoMessage sub = ref.message(axis_ref_field::sub_axis_info);
      size = sub.integer(sub_axis_field::size);
      part = stablehlo::SubAxisInfoAttr::get(
          context, sub.integer(sub_axis_field::pre_size),
          sub.integer(sub_axis_field::size));
    }
    refs.push_back(
        stablehlo::AxisRefAttr::get(context, axes[axis].getName(), part));
    if (size < 1 || size > kMaxDevices / groupSize)
      return llvm::createStringError("replica groups name an axis of size " +
                                     Twine(size) + ", or more than " +
                                     Twine(kMaxDevices) + " devices");
    groupSize *= size;
  }
  return ReplicaGroups{
      stablehlo::ReplicaGroupMeshAxesAttr::get(
          context, stablehlo::MeshAttr::get(context, axes, idsAttr), refs),
      groupSize};
}

llvm::Expected<ReplicaGroups> readReplicaGroups(MLIRContext *context,
                                                const ProtoMessage &fields) {
  using namespace instruction_field;
  if (fields.has(mesh_axes_replica_group_list))
    return fromAxes(context, fields.message(mesh_axes_replica_group_list));
  if (fields.has(iota_collective_device_list))
    return fromIota(context, fields.message(iota_collective_device_list));
  if (fields.has(collective_device_list))
    return fromLists(context, fields.message(collective_device_list)
                                  .messages(group_field::replica_groups));
  return fromLists(context, fields.messages(replica_groups));
}

} // namespace shardwright::hlo
