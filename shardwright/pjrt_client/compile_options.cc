//===- compile_options.cc - compile options for other compilers -----------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/pjrt_client/compile_options.h"

#include "shardwright/mesh/hlo/proto_wire.h"

using namespace shardwright;

std::string
pjrt_client::compileOptionsOfReplicas(llvm::ArrayRef<int64_t> devices) {
  ProtoWriter column; // the devices of the only computation, by replica
  column.packed(1, devices);
  ProtoWriter assignment; // xla.DeviceAssignmentProto
  assignment.varint(1, devices.size());
  assignment.varint(2, 1);
  assignment.message(3, column.take());
  ProtoWriter build;   // xla.ExecutableBuildOptionsProto
  build.varint(1, -1); // device_ordinal: none
  build.varint(4, devices.size());
  build.varint(5, 1); // num_partitions
  build.message(9, assignment.take());
  ProtoWriter options;
  options.message(3, build.take());
  options.varint(5, -1); // profile_version
  options.varint(9, 1);  // allow_in_place_mlir_modification
  return options.take();
}
