//===- host_target.cc - the machine that this process runs on -------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/host_target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace llvm;

namespace shardwright::cpu {

const TargetInfo &hostTarget() {
  static const TargetInfo target = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
    // Vector variants of C library functions.
    sys::DynamicLibrary::LoadLibraryPermanently("libmvec.so.1");
    TargetInfo info;
    info.cpu = sys::getHostCPUName().str();
    SubtargetFeatures features;
    StringMap<bool> host = sys::getHostCPUFeatures();
    std::vector<std::pair<std::string, bool>> sorted;
    for (auto &f : host)
      sorted.push_back({f.getKey().str(), f.getValue()});
    llvm::sort(sorted);
    for (auto &[name, on] : sorted)
      features.AddFeature(name, on);
    info.features = features.getString();
    info.lanes512 = host.lookup("avx512f") && host.lookup("avx512dq") &&
                    host.lookup("avx512bw") && host.lookup("avx512vl");
    info.maxLanes = info.lanes512 ? 16 : host.lookup("avx") ? 8 : 4;
    return info;
  }();
  return target;
}

} // namespace shardwright::cpu
