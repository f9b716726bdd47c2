//===- build_identity.cc - identity of this build -------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/cpu/jit/build_identity.h"

#include "shardwright/cpu/jit/host_target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"

#include <link.h>

using namespace llvm;

namespace shardwright::cpu {

/// Increment it when kernels of older builds can no longer be called, because
/// the arguments of kernels or of runtime functions that they call have
/// changed.
static constexpr const char *kernelInterface = "kernels 1";

/// Finds the GNU build id note of the loaded object that contains this
/// function.
static int readBuildId(dl_phdr_info *info, size_t, void *result) {
  auto self = reinterpret_cast<uintptr_t>(&readBuildId);
  auto segments = ArrayRef(info->dlpi_phdr, info->dlpi_phnum);
  if (none_of(segments, [&](const auto &s) {
        uintptr_t begin = info->dlpi_addr + s.p_vaddr;
        return s.p_type == PT_LOAD && self >= begin && self - begin < s.p_memsz;
      }))
    return 0;
  for (const auto &s : segments) {
    if (s.p_type != PT_NOTE)
      continue;
    const char *at =
        reinterpret_cast<const char *>(info->dlpi_addr) + s.p_vaddr;
    const char *end = at + s.p_memsz;
    while (end - at > ptrdiff_t(sizeof(ElfW(Nhdr)))) {
      auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      const char *name = at + sizeof *note;
      const char *content = name + (note->n_namesz + 3) / 4 * 4;
      if (note->n_type == NT_GNU_BUILD_ID &&
          StringRef(name, note->n_namesz) == StringRef("GNU\0", 4)) {
        *static_cast<std::string *>(result) =
            toHex(StringRef(content, note->n_descsz), /*LowerCase=*/true);
        return 1;
      }
      at = content + (note->n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

const std::string &buildIdentity() {
  static const std::string id = [] {
    std::string text;
    dl_iterate_phdr(readBuildId, &text);
    return text;
  }();
  return id;
}

const CodeTarget &codeTarget() {
  static const CodeTarget target{
      std::string(kernelInterface) + ", LLVM " LLVM_VERSION_STRING,
      sys::getProcessTriple(), hostTarget().cpu, hostTarget().features};
  return target;
}

Error checkRunsHere(const CodeTarget &target) {
  const CodeTarget &here = codeTarget();
  if (target.version != here.version)
    return createStringError("it holds code of \"" + target.version +
                             "\", this is \"" + here.version +
                             "\"; compile it again");
  if (target.triple != here.triple)
    return createStringError("it was compiled for " + target.triple +
                             ", this is " + here.triple + "; compile it again");
  SmallVector<StringRef> wanted, have, missing;
  StringRef(target.features).split(wanted, ',', -1, /*KeepEmpty=*/false);
  StringRef(here.features).split(have, ',', -1, /*KeepEmpty=*/false);
  StringSet<> present;
  for (StringRef feature : have)
    present.insert(feature);
  for (StringRef feature : wanted)
    if (feature.starts_with("+") && !present.contains(feature))
      missing.push_back(feature.drop_front());
  if (missing.empty())
    return Error::success();
  return createStringError("it was compiled for a " + target.cpu + " with " +
                           join(missing, ", ") + ", which this " + here.cpu +
                           " does not have; compile it again");
}

} // namespace shardwright::cpu
