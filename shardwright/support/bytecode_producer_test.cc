//===- bytecode_producer_test.cc ------------------------------------------===//
//
// Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shardwright/support/bytecode_producer.h"

#include <gtest/gtest.h>

using namespace shardwright;
using llvm::StringRef;

static StringRef bytes(const char *text, size_t size) {
  return StringRef(text, size);
}
#define BYTES(text) bytes(text, sizeof(text) - 1)

TEST(BytecodeProducer, IsTheTextAfterTheVersion) {
  EXPECT_EQ(bytecodeProducer(BYTES("ML\xefR\x0dMLIR24.0.0git\0rest")),
            "MLIR24.0.0git");
  // A version of two bytes.
  EXPECT_EQ(bytecodeProducer(BYTES("ML\xefR\x02\x04me\0rest")), "me");
}

TEST(BytecodeProducer, IsEmptyForWhatIsNoBytecode) {
  for (StringRef content :
       {BYTES(""), BYTES("module {}"), BYTES("ML\xefR"), BYTES("ML\xefR\x0d"),
        BYTES("ML\xefR\0"), BYTES("ML\xefR\x0dMLIR24.0.0git")})
    EXPECT_EQ(bytecodeProducer(content), "");
}

TEST(BytecodeProducer, IsNewSinceMlir24) {
  EXPECT_FALSE(ReadsBytecodeOf::isNewProducer());
  {
    ReadsBytecodeOf reading(BYTES("ML\xefR\x0dMLIR24.0.0git\0"));
    EXPECT_TRUE(ReadsBytecodeOf::isNewProducer());
  }
  EXPECT_FALSE(ReadsBytecodeOf::isNewProducer());
  for (StringRef content :
       {BYTES("ML\xefR\x0dMLIR23.0.0git\0"), BYTES("ML\xefR\x0dMLIR24.1.8\0"),
        BYTES("ML\xefR\x0dStableHLO_v1.2.3\0"), BYTES("module {}")}) {
    ReadsBytecodeOf reading(content);
    EXPECT_FALSE(ReadsBytecodeOf::isNewProducer());
  }
}
