//===- text_diff.h - comparison of two lines of text ------------*- C++ -*-===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDWRIGHT_FRONTEND_API_TEXT_DIFF_H
#define SHARDWRIGHT_FRONTEND_API_TEXT_DIFF_H

#include <string>
#include <vector>

namespace shardwright::frontend {

/// The lines of Python's difflib.ndiff([a], [b]): `- a`, `+ b`, and if three
/// quarters of the characters are equal, lines that mark the others.
std::vector<std::string> diffLines(const std::string &a, const std::string &b);

} // namespace shardwright::frontend

#endif // SHARDWRIGHT_FRONTEND_API_TEXT_DIFF_H
