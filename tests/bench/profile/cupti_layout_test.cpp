// The recorder's own declarations of CUPTI's records against the toolkit's headers, where they are: this file is in the
// tests of machines that have them.
#include <cuda.h>
#include <cupti.h>
#include <cupti_activity_deprecated.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "bench/profile/spans/cupti/cupti_library.hpp"

namespace steelyard::cupti_layout_test {
namespace {

// Every version of a record begins with what ours has, and is no shorter.
#define SAME_PLACE(Ours, Theirs, ours, theirs)                                          \
  static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs), #Theirs "." #theirs); \
  static_assert(sizeof(std::declval<Ours>().ours) == sizeof(std::declval<Theirs>().theirs))

#define KERNEL(Theirs)                                                             \
  static_assert(sizeof(CuptiKernel) <= sizeof(Theirs));                            \
  SAME_PLACE(CuptiKernel, Theirs, kind, kind);                                     \
  SAME_PLACE(CuptiKernel, Theirs, registers, registersPerThread);                  \
  SAME_PLACE(CuptiKernel, Theirs, start, start);                                   \
  SAME_PLACE(CuptiKernel, Theirs, end, end);                                       \
  SAME_PLACE(CuptiKernel, Theirs, device, deviceId);                               \
  SAME_PLACE(CuptiKernel, Theirs, context, contextId);                             \
  SAME_PLACE(CuptiKernel, Theirs, stream, streamId);                               \
  static_assert(offsetof(CuptiKernel, grid) == offsetof(Theirs, gridX));           \
  static_assert(offsetof(CuptiKernel, block) == offsetof(Theirs, blockX));         \
  SAME_PLACE(CuptiKernel, Theirs, static_shared, staticSharedMemory);              \
  SAME_PLACE(CuptiKernel, Theirs, dynamic_shared, dynamicSharedMemory);            \
  SAME_PLACE(CuptiKernel, Theirs, correlation, correlationId);                     \
  SAME_PLACE(CuptiKernel, Theirs, name, name);                                     \
  SAME_PLACE(CuptiKernel, Theirs, shared_of_multiprocessor, sharedMemoryExecuted); \
  SAME_PLACE(CuptiKernel, Theirs, queued, queued);                                 \
  SAME_PLACE(CuptiKernel, Theirs, graph_node, graphNodeId);                        \
  SAME_PLACE(CuptiKernel, Theirs, graph, graphId)
KERNEL(CUpti_ActivityKernel7);
KERNEL(CUpti_ActivityKernel8);
KERNEL(CUpti_ActivityKernel9);
#if CUPTI_API_VERSION >= 130000
KERNEL(CUpti_ActivityKernel10);
#endif

#define MOVED(Ours, Theirs)                      \
  static_assert(sizeof(Ours) <= sizeof(Theirs)); \
  SAME_PLACE(Ours, Theirs, kind, kind);          \
  SAME_PLACE(Ours, Theirs, bytes, bytes);        \
  SAME_PLACE(Ours, Theirs, start, start);        \
  SAME_PLACE(Ours, Theirs, end, end);            \
  SAME_PLACE(Ours, Theirs, device, deviceId);    \
  SAME_PLACE(Ours, Theirs, context, contextId);  \
  SAME_PLACE(Ours, Theirs, stream, streamId);    \
  SAME_PLACE(Ours, Theirs, correlation, correlationId)
#define COPY(Ours, Theirs)                        \
  MOVED(Ours, Theirs);                            \
  SAME_PLACE(Ours, Theirs, copy_kind, copyKind);  \
  SAME_PLACE(Ours, Theirs, from_memory, srcKind); \
  SAME_PLACE(Ours, Theirs, to_memory, dstKind)
COPY(CuptiCopy, CUpti_ActivityMemcpy5);
COPY(CuptiPeerCopy, CUpti_ActivityMemcpyPtoP4);
MOVED(CuptiSet, CUpti_ActivityMemset4);
#if CUPTI_API_VERSION >= 26
COPY(CuptiCopy, CUpti_ActivityMemcpy6);
#endif

static_assert(sizeof(CuptiCall) == sizeof(CUpti_ActivityAPI));
SAME_PLACE(CuptiCall, CUpti_ActivityAPI, callback, cbid);
SAME_PLACE(CuptiCall, CUpti_ActivityAPI, start, start);
SAME_PLACE(CuptiCall, CUpti_ActivityAPI, end, end);
SAME_PLACE(CuptiCall, CUpti_ActivityAPI, thread, threadId);
SAME_PLACE(CuptiCall, CUpti_ActivityAPI, correlation, correlationId);

#define GRAPH(Theirs)                                         \
  static_assert(sizeof(CuptiGraph) <= sizeof(Theirs));        \
  SAME_PLACE(CuptiGraph, Theirs, correlation, correlationId); \
  SAME_PLACE(CuptiGraph, Theirs, start, start);               \
  SAME_PLACE(CuptiGraph, Theirs, end, end);                   \
  SAME_PLACE(CuptiGraph, Theirs, device, deviceId);           \
  SAME_PLACE(CuptiGraph, Theirs, graph, graphId);             \
  SAME_PLACE(CuptiGraph, Theirs, stream, streamId)
GRAPH(CUpti_ActivityGraphTrace);
#if CUPTI_API_VERSION >= 26
GRAPH(CUpti_ActivityGraphTrace2);
#endif

#define OVERHEAD(Theirs)                                  \
  static_assert(sizeof(CuptiOverhead) <= sizeof(Theirs)); \
  SAME_PLACE(CuptiOverhead, Theirs, what, overheadKind);  \
  SAME_PLACE(CuptiOverhead, Theirs, start, start);        \
  SAME_PLACE(CuptiOverhead, Theirs, end, end)
OVERHEAD(CUpti_ActivityOverhead);
OVERHEAD(CUpti_ActivityOverhead3);

static_assert(sizeof(CuptiStream) <= sizeof(CUpti_ActivityStream));
SAME_PLACE(CuptiStream, CUpti_ActivityStream, context, contextId);
SAME_PLACE(CuptiStream, CUpti_ActivityStream, stream, streamId);
SAME_PLACE(CuptiStream, CUpti_ActivityStream, priority, priority);

#define MEMORY(Theirs)                                             \
  static_assert(sizeof(CuptiMemory) <= sizeof(Theirs));            \
  SAME_PLACE(CuptiMemory, Theirs, operation, memoryOperationType); \
  SAME_PLACE(CuptiMemory, Theirs, memory, memoryKind);             \
  SAME_PLACE(CuptiMemory, Theirs, correlation, correlationId);     \
  SAME_PLACE(CuptiMemory, Theirs, bytes, bytes);                   \
  SAME_PLACE(CuptiMemory, Theirs, time, timestamp);                \
  SAME_PLACE(CuptiMemory, Theirs, device, deviceId)
MEMORY(CUpti_ActivityMemory2);
MEMORY(CUpti_ActivityMemory3);
MEMORY(CUpti_ActivityMemory4);

#define DEVICE(Theirs)                                                           \
  static_assert(sizeof(CuptiDevice) <= sizeof(Theirs));                          \
  SAME_PLACE(CuptiDevice, Theirs, multiprocessors, numMultiprocessors);          \
  SAME_PLACE(CuptiDevice, Theirs, max_warps, maxWarpsPerMultiprocessor);         \
  SAME_PLACE(CuptiDevice, Theirs, max_blocks, maxBlocksPerMultiprocessor);       \
  SAME_PLACE(CuptiDevice, Theirs, max_shared, maxSharedMemoryPerMultiprocessor); \
  SAME_PLACE(CuptiDevice, Theirs, max_registers, maxRegistersPerMultiprocessor); \
  SAME_PLACE(CuptiDevice, Theirs, capability_major, computeCapabilityMajor);     \
  SAME_PLACE(CuptiDevice, Theirs, capability_minor, computeCapabilityMinor);     \
  SAME_PLACE(CuptiDevice, Theirs, id, id);                                       \
  SAME_PLACE(CuptiDevice, Theirs, name, name)
DEVICE(CUpti_ActivityDevice4);
DEVICE(CUpti_ActivityDevice5);

static_assert(sizeof(CuptiResource) == sizeof(CUpti_ResourceData));
static_assert(sizeof(CuptiGraphData) == sizeof(CUpti_GraphData));
SAME_PLACE(CuptiGraphData, CUpti_GraphData, graph, graph);
SAME_PLACE(CuptiGraphData, CUpti_GraphData, node_type, nodeType);
SAME_PLACE(CuptiGraphData, CUpti_GraphData, executable, graphExec);

static_assert(cupti_kind::kMemcpy == CUPTI_ACTIVITY_KIND_MEMCPY);
static_assert(cupti_kind::kMemset == CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(cupti_kind::kDriver == CUPTI_ACTIVITY_KIND_DRIVER);
static_assert(cupti_kind::kRuntime == CUPTI_ACTIVITY_KIND_RUNTIME);
static_assert(cupti_kind::kDevice == CUPTI_ACTIVITY_KIND_DEVICE);
static_assert(cupti_kind::kConcurrentKernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(cupti_kind::kOverhead == CUPTI_ACTIVITY_KIND_OVERHEAD);
static_assert(cupti_kind::kPeerMemcpy == CUPTI_ACTIVITY_KIND_MEMCPY2);
static_assert(cupti_kind::kStream == CUPTI_ACTIVITY_KIND_STREAM);
static_assert(cupti_kind::kMemory == CUPTI_ACTIVITY_KIND_MEMORY2);
static_assert(cupti_kind::kGraphTrace == CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
static_assert(cupti_status::kMaxLimitReached == CUPTI_ERROR_MAX_LIMIT_REACHED);
static_assert(cupti_status::kMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);

// The rest was shown when this file was compiled.
TEST(CuptiLayout, TheToolkitsOwnVersionIsKnown) {
  EXPECT_NE(find_cupti_versions(CUPTI_API_VERSION), nullptr) << cupti_version_text(CUPTI_API_VERSION);
}

}  // namespace
}  // namespace steelyard::cupti_layout_test
