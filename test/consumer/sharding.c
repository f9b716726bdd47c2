/*===- sharding.c - the C API from C ------------------------------------------===*\
|*
|* Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "shardwright-c/sharding.h"

#include <stdio.h>
#include <string.h>

static int expect(const char *what, char *found, const char *wanted) {
  int bad = !found || strcmp(found, wanted) != 0;
  if (bad)
    printf("%s: expected %s, found %s\n", what, wanted, found ? found : "NULL");
  swStringFree(found);
  return bad;
}

int main(void) {
  const char *names[] = {"x", "y"};
  const int64_t sizes[] = {2, 4};
  char *error = NULL;
  SwMesh *mesh = swMeshNew(names, sizes, 2, NULL, 0, &error);
  const char *text = "{devices=[4,2]0,4,1,5,2,6,3,7}";
  SwSharding *v1 = swShardingParse(text, strlen(text), &error);
  SwSharding *v2 = swShardingToV2(v1);
  int bad = expect("V2", swShardingToText(v2, false), "{devices=[4,2]<=[2,4]T(1,0)}");
  bad |= expect("sdy", swShardingToSdy(v2, mesh, 2, &error), "[{\"y\"}, {\"x\"}]");
  bad |= expect("spec", swShardingToSpec(v2, mesh, &error), "P('y', 'x')");
  bad |= !swShardingEqual(v1, v2);
  SwSharding *none = swShardingParse("{", 1, &error);
  bad |= none != NULL || error == NULL;
  swStringFree(error);
  swShardingFree(none);
  swShardingFree(v1);
  swShardingFree(v2);
  swMeshFree(mesh);
  return bad;
}
