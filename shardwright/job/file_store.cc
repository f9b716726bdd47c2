//===- file_store.cc - a store of files in a folder -----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/job/file_store.h"

#include "shardwright/support/error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

using namespace shardwright;

/// Letters and digits stand for themselves, other bytes become `%` and two
/// digits.
std::string FileStore::pathOf(llvm::StringRef key) const {
  std::string path = folder + "/";
  for (unsigned char c : key) {
    if (llvm::isAlnum(c))
      path += c;
    else
      path += "%" + llvm::utohexstr(c, /*LowerCase=*/true, /*Width=*/2);
  }
  return path;
}

llvm::Error FileStore::put(llvm::StringRef key, llvm::StringRef value) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return fail("cannot make the folder ", folder, ": ", error.message());
  int file = -1;
  llvm::SmallString<256> temporary;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(
          folder + "/.part-%%%%%%%%%%%%", file, temporary))
    return fail("cannot write in ", folder, ": ", error.message());
  llvm::raw_fd_ostream out(file, /*shouldClose=*/true);
  out << value;
  out.close();
  std::error_code error = out.error();
  out.clear_error();
  std::string path = pathOf(key);
  if (!error && link(temporary.c_str(), path.c_str()) != 0)
    error = std::error_code(errno, std::generic_category());
  llvm::sys::fs::remove(temporary);
  if (error == std::errc::file_exists)
    return fail(path, " exists: each job needs an empty folder");
  if (error)
    return fail("cannot write ", path, ": ", error.message());
  return llvm::Error::success();
}

llvm::Expected<std::string> FileStore::get(llvm::StringRef key,
                                           std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end = Clock::now() + limit;
  std::string path = pathOf(key);
  std::chrono::milliseconds pause(1);
  while (true) {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (file)
      return (*file)->getBuffer().str();
    if (file.getError() != std::errc::no_such_file_or_directory)
      return fail("cannot read ", path, ": ", file.getError().message());
    if (Clock::now() >= end)
      return fail(path, " has not appeared");
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(20));
  }
}
