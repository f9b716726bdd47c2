//===- replace_file.cc - atomic replacement of files ----------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/runtime/replace_file.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// Copies a file to a device or a pipe.
static std::error_code copyInto(const Twine &special, const Twine &from) {
  int fd;
  if (std::error_code e = sys::fs::openFileForWrite(
          special, fd, sys::fs::CD_OpenExisting, sys::fs::OF_None))
    return e;
  std::error_code copied = sys::fs::copy_file(from, fd);
  std::error_code closed = sys::Process::SafelyCloseFileDescriptor(fd);
  return copied ? copied : closed;
}

Error shardwright::replaceFile(StringRef path,
                               function_ref<Error(const std::string &)> write) {
  sys::fs::file_status status;
  bool exists = !sys::fs::status(path, status) && sys::fs::exists(status);
  if (exists && sys::fs::is_directory(status))
    return errorCodeToError(std::make_error_code(std::errc::is_a_directory));
  bool isSpecial = exists && !sys::fs::is_regular_file(status);

  SmallString<128> target(path), temporary;
  if (exists && !isSpecial)
    if (std::error_code e = sys::fs::real_path(path, target))
      return errorCodeToError(e);
  int fd;
  std::error_code error =
      isSpecial
          ? sys::fs::createTemporaryFile("shardwright", "", fd, temporary)
          : sys::fs::createUniqueFile(target + ".tmp%%%%%%%%", fd, temporary,
                                      sys::fs::OF_None,
                                      sys::fs::all_read | sys::fs::all_write);
  if (error)
    return errorCodeToError(error);
  (void)sys::Process::SafelyCloseFileDescriptor(fd);
  // After the rename, no file has this name.
  scope_exit remove([&] { (void)sys::fs::remove(temporary); });
  if (Error e = write(std::string(temporary)))
    return e;
  return errorCodeToError(isSpecial ? copyInto(target, temporary)
                                    : sys::fs::rename(temporary, target));
}

Error shardwright::writeStream(StringRef path,
                               function_ref<void(raw_ostream &)> write) {
  std::error_code error;
  raw_fd_ostream os(path, error);
  if (!error) {
    write(os);
    os.close();
    error = os.error();
    os.clear_error();
  }
  return errorCodeToError(error);
}

Error shardwright::replaceFileByStream(
    StringRef path, function_ref<void(raw_ostream &)> write) {
  return replaceFile(path, [&](const std::string &temporary) {
    return writeStream(temporary, write);
  });
}
