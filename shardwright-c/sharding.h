/*===- sharding.h - sharding algebra for C ------------------------*- C -*-===*\
|*
|* Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* HLO shardings (V1, V2, V3), PartitionSpecs and Shardy's shardings, read,
|* compared and turned into each other, without XLA and without MLIR.
|*
|* Ownership: what a function named ...New, ...Parse, ...From or ...To returns
|* belongs to the caller and ends with swShardingFree, swMeshFree or
|* swStringFree; all of them accept NULL. Arguments are only read. Text is
|* UTF-8 with an explicit length, never NULL-terminated on the way in, always on
|* the way out.
|* Errors: NULL (or false, or -1) and, when `error` is not NULL, a text in it
|* that the caller frees with swStringFree.
|* Threads: values never change; any number of threads may read one.
|*
\*===----------------------------------------------------------------------===*/

#ifndef SHARDWRIGHT_C_SHARDING_H
#define SHARDWRIGHT_C_SHARDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SwSharding SwSharding;
typedef struct SwMesh SwMesh;

void swStringFree(char *text);
void swShardingFree(SwSharding *sharding);
void swMeshFree(SwMesh *mesh);

/* Meshes ------------------------------------------------------------------ */

/* Axes major to minor. `deviceIds`: the device at each position in row-major
 * order, or NULL for 0, 1, 2, ... */
SwMesh *swMeshNew(const char *const *names, const int64_t *sizes,
                  size_t numAxes, const int64_t *deviceIds, size_t numDeviceIds,
                  char **error);
size_t swMeshNumAxes(const SwMesh *mesh);
int64_t swMeshAxisSize(const SwMesh *mesh, size_t axis);
/* Valid as long as the mesh. */
const char *swMeshAxisName(const SwMesh *mesh, size_t axis);
/* 0 when the order is 0, 1, 2, ...; `ids` may be NULL. */
size_t swMeshDeviceIds(const SwMesh *mesh, int64_t *ids);
/* The coarsest mesh on which every sharding is a list of axes, named _axis_0,
 * _axis_1, ...; `numDevices` counts when none is tiled (0: unknown). */
SwMesh *swMeshFromShardings(const SwSharding *const *shardings, size_t count,
                            int64_t numDevices, char **error);

/* Making shardings -------------------------------------------------------- */

/* Text as in mhlo.sharding: {devices=[4,2]<=[2,4]T(1,0)}. */
SwSharding *swShardingParse(const char *text, size_t size, char **error);
/* The bytes of xla.OpSharding. */
SwSharding *swShardingFromProto(const char *bytes, size_t size, char **error);
/* A PartitionSpec, P('x', ('y', 'z'), None), on a mesh; `manual` names the
 * axes that are manual. */
SwSharding *swShardingFromSpec(const char *spec, size_t size,
                               const SwMesh *mesh, int64_t rank,
                               const char *const *manual, size_t numManual,
                               char **error);

/* Asking ------------------------------------------------------------------ */

typedef enum {
  SwShardingReplicated,
  SwShardingMaximal,
  SwShardingTiled,
  SwShardingManual,
  SwShardingUnknown,
  SwShardingUnreduced,
  SwShardingTuple,
  SwShardingNamed
} SwShardingKind;

SwShardingKind swShardingGetKind(const SwSharding *sharding);
/* 0 for what is on all devices. */
int64_t swShardingNumDevices(const SwSharding *sharding);
/* Tile dimensions with subgroups; `dims` may be NULL. */
size_t swShardingTileDims(const SwSharding *sharding, int64_t *dims);
size_t swShardingNumSubgroups(const SwSharding *sharding);
/* Device ids in the order of the tiles, swShardingNumDevices of them. */
void swShardingDevices(const SwSharding *sharding, int64_t *devices);
size_t swShardingNumElements(const SwSharding *tuple);
/* A new value. */
SwSharding *swShardingToElement(const SwSharding *tuple, size_t index);
/* Equal as XLA compares: V1 with V2 by devices, metadata aside. */
bool swShardingEqual(const SwSharding *a, const SwSharding *b);
/* Every device holds the same part of the value. */
bool swShardingHoldsSameData(const SwSharding *a, const SwSharding *b);
/* May a value of this shape have it on so many devices? */
bool swShardingValidate(const SwSharding *sharding, const int64_t *shape,
                        size_t rank, int64_t numDevices, char **error);
/* ceil(size / tiles); `local` has room for `rank` sizes. */
void swShardingShardShape(const SwSharding *sharding, const int64_t *shape,
                          size_t rank, int64_t *local);
/* Half-open range per dimension of the device at a position of the device
 * list. */
void swShardingShardBox(const SwSharding *sharding, const int64_t *shape,
                        size_t rank, int64_t position, int64_t *begin,
                        int64_t *end);

/* Converting -------------------------------------------------------------- */

char *swShardingToText(const SwSharding *sharding, bool withMetadata);
/* `size` receives the length; the bytes may hold zeros. */
char *swShardingToProto(const SwSharding *sharding, size_t *size);
/* Devices listed. */
SwSharding *swShardingToV1(const SwSharding *sharding);
/* An iota where there is one; else unchanged. Named becomes tiled. */
SwSharding *swShardingToV2(const SwSharding *sharding);
/* Axes of the mesh (V3). */
SwSharding *swShardingToV3(const SwSharding *sharding, const SwMesh *mesh,
                           int64_t rank, char **error);
/* Shardy's text after the mesh: [{"x"}, {}], unreduced={"y"}. */
char *swShardingToSdy(const SwSharding *sharding, const SwMesh *mesh,
                      int64_t rank, char **error);
/* P('x', None). */
char *swShardingToSpec(const SwSharding *sharding, const SwMesh *mesh,
                       char **error);

#ifdef __cplusplus
}
#endif

#endif /* SHARDWRIGHT_C_SHARDING_H */
