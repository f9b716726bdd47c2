/*===- sharding.h - sharding algebra for C ------------------------*- C -*-===*\
|*
|* Part of Shardwright, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Parses, compares and converts HLO shardings (V1, V2, V3), PartitionSpecs and
|* Shardy's shardings, without XLA and MLIR.
|*
|* Ownership: the caller owns the results of functions named ...New, ...Parse,
|* ...From or ...To, and frees them with swShardingFree, swMeshFree or
|* swStringFree, all of which accept NULL. Arguments are read-only. Text is
|* UTF-8. Input text with an explicit size need not be null-terminated; returned
|* text is null-terminated.
|* Errors: functions return NULL (or false, or -1) and, if `error` is not NULL,
|* set it to a text that the caller frees with swStringFree.
|* Threads: values are immutable; any number of threads may read one.
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
/* Returns the number of ids, 0 if the order is 0, 1, 2, ...; `ids` may be
 * NULL. */
size_t swMeshDeviceIds(const SwMesh *mesh, int64_t *ids);
/* The coarsest mesh on which every sharding is a list of axes, named _axis_0,
 * _axis_1, ...; `numDevices` is used if none is tiled (0: unknown). */
SwMesh *swMeshFromShardings(const SwSharding *const *shardings, size_t count,
                            int64_t numDevices, char **error);

/* Construction ------------------------------------------------------------ */

/* Text as in mhlo.sharding: {devices=[4,2]<=[2,4]T(1,0)}. */
SwSharding *swShardingParse(const char *text, size_t size, char **error);
/* The bytes of xla.OpSharding. */
SwSharding *swShardingFromProto(const char *bytes, size_t size, char **error);
/* A PartitionSpec, P('x', ('y', 'z'), None), on a mesh; `manual` names the
 * manual axes. */
SwSharding *swShardingFromSpec(const char *spec, size_t size,
                               const SwMesh *mesh, int64_t rank,
                               const char *const *manual, size_t numManual,
                               char **error);

/* Queries ----------------------------------------------------------------- */

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
/* Returns 0 if the sharding is on all devices. */
int64_t swShardingNumDevices(const SwSharding *sharding);
/* Tile dimensions with subgroups; `dims` may be NULL. */
size_t swShardingTileDims(const SwSharding *sharding, int64_t *dims);
size_t swShardingNumSubgroups(const SwSharding *sharding);
/* Device ids in the order of the tiles, swShardingNumDevices of them. */
void swShardingDevices(const SwSharding *sharding, int64_t *devices);
size_t swShardingNumElements(const SwSharding *tuple);
/* Returns a new sharding. */
SwSharding *swShardingToElement(const SwSharding *tuple, size_t index);
/* Compares like XLA: V1 with V2 by devices, ignoring metadata. */
bool swShardingEqual(const SwSharding *a, const SwSharding *b);
/* True if every device holds the same part of the value with both. */
bool swShardingHoldsSameData(const SwSharding *a, const SwSharding *b);
/* True if a value of this shape can have the sharding on `numDevices` devices;
 * else sets `error`. */
bool swShardingValidate(const SwSharding *sharding, const int64_t *shape,
                        size_t rank, int64_t numDevices, char **error);
/* ceil(size / tiles); `local` has room for `rank` sizes. */
void swShardingShardShape(const SwSharding *sharding, const int64_t *shape,
                          size_t rank, int64_t *local);
/* The half-open range per dimension of the device at `position` of the device
 * list. */
void swShardingShardBox(const SwSharding *sharding, const int64_t *shape,
                        size_t rank, int64_t position, int64_t *begin,
                        int64_t *end);

/* Conversion -------------------------------------------------------------- */

char *swShardingToText(const SwSharding *sharding, bool withMetadata);
/* `size` receives the length; the bytes may hold zeros. */
char *swShardingToProto(const SwSharding *sharding, size_t *size);
/* Converts to V1, with an explicit device list. */
SwSharding *swShardingToV1(const SwSharding *sharding);
/* Converts to V2, with an iota device list if possible; else unchanged. A named
 * (V3) sharding becomes tiled. */
SwSharding *swShardingToV2(const SwSharding *sharding);
/* Converts to V3, named by axes of the mesh. */
SwSharding *swShardingToV3(const SwSharding *sharding, const SwMesh *mesh,
                           int64_t rank, char **error);
/* Shardy's text without the mesh: [{"x"}, {}], unreduced={"y"}. */
char *swShardingToSdy(const SwSharding *sharding, const SwMesh *mesh,
                      int64_t rank, char **error);
/* A PartitionSpec: P('x', None). */
char *swShardingToSpec(const SwSharding *sharding, const SwMesh *mesh,
                       char **error);

#ifdef __cplusplus
}
#endif

#endif /* SHARDWRIGHT_C_SHARDING_H */
