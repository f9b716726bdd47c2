//===- man_page.h - the manual page --------------------------- -*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_TOOLS_HELP_MAN_PAGE_H
#define SHARDWRIGHT_TOOLS_HELP_MAN_PAGE_H

#include "command_tree.h"

namespace shardwright {

/// The manual page shardwright(1) in roff, of section 1.
std::string manPage(const ProgramInfo &program, const std::string &version);

} // namespace shardwright

#endif // SHARDWRIGHT_TOOLS_HELP_MAN_PAGE_H
