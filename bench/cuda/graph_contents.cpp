#include "bench/cuda/graph_contents.hpp"

#include <cuda.h>

#include <algorithm>
#include <optional>

#include "bench/cuda/kernel_symbol.hpp"

namespace steelyard::cuda {
namespace {

// Functions of the driver, which is not linked: only it knows kernels that libraries load by themselves.
struct DriverNames {
  CUresult (*node_params)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = nullptr;
  CUresult (*function_name)(const char**, CUfunction) = nullptr;
  CUresult (*kernel_name)(const char**, CUkernel) = nullptr;
};

// The names of functions came with CUDA 12.3.
constexpr unsigned kVersion = 12030;

template <class Function>
void find(const char* symbol, Function& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
#if CUDART_VERSION >= 12050
  const cudaError_t code = cudaGetDriverEntryPointByVersion(symbol, &found, kVersion, cudaEnableDefault, &status);
#else
  const cudaError_t code = cudaGetDriverEntryPoint(symbol, &found, cudaEnableDefault, &status);
#endif
  if (code != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (code == cudaSuccess && status == cudaDriverEntryPointSuccess) function = reinterpret_cast<Function>(found);
}

DriverNames find_driver_names() {
  DriverNames names;
  find("cuGraphKernelNodeGetParams", names.node_params);
  find("cuFuncGetName", names.function_name);
  find("cuKernelGetName", names.kernel_name);
  return names;
}

std::optional<std::string> name_of(const DriverNames& names, cudaGraphNode_t node) {
  CUDA_KERNEL_NODE_PARAMS params{};
  if (names.node_params == nullptr || names.node_params(node, &params) != CUDA_SUCCESS) return std::nullopt;
  const char* name = nullptr;
  if (params.func != nullptr) {
    if (names.function_name == nullptr || names.function_name(&name, params.func) != CUDA_SUCCESS) return std::nullopt;
  } else if (names.kernel_name == nullptr || names.kernel_name(&name, params.kern) != CUDA_SUCCESS) {
    return std::nullopt;
  }
  if (name == nullptr) return std::nullopt;
  return readable_kernel_name(name);
}

// Graphs lie within graphs as deep as libraries put them; the bound ends what would be a circle.
constexpr int kDeepest = 8;

void add_contents(cudaGraph_t graph, const DriverNames& names, int depth, GraphContents& contents) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "reading a graph");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "reading a graph");
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "reading a graph's node");
    if (type == cudaGraphNodeTypeKernel) {
      ++contents.launches;
      const std::string name = name_of(names, node).value_or("unnamed kernel");
      if (std::find(contents.kernels.begin(), contents.kernels.end(), name) == contents.kernels.end()) {
        contents.kernels.push_back(name);
      }
    } else if (type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset) {
      ++contents.copies_and_sets;
    } else if (type == cudaGraphNodeTypeGraph && depth < kDeepest) {
      cudaGraph_t child = nullptr;
      check(cudaGraphChildGraphNodeGetGraph(node, &child), "reading a graph within a graph");
      add_contents(child, names, depth + 1, contents);
    }
  }
}

}  // namespace

Graph capture(Workload& workload, const Stream& stream, std::int64_t launches, int first_set) {
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "beginning to capture one iteration");
  cudaGraph_t captured = nullptr;
  try {
    for (std::int64_t i = 0; i < launches; ++i) {
      workload.launch(static_cast<int>((first_set + i) % workload.input_sets()), stream.get());
    }
  } catch (...) {
    // The stream is of no use until its capture has ended.
    if (cudaStreamEndCapture(stream.get(), &captured) == cudaSuccess) cudaGraphDestroy(captured);
    static_cast<void>(cudaGetLastError());
    throw;
  }
  check(cudaStreamEndCapture(stream.get(), &captured), "capturing one iteration");
  return Graph(captured);
}

GraphContents contents_of(const Graph& graph) {
  GraphContents contents;
  add_contents(graph.get(), find_driver_names(), 0, contents);
  return contents;
}

}  // namespace steelyard::cuda
