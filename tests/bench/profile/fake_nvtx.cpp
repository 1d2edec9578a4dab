// What a tool such as nsys puts into a program that it runs: NVTX's headers open it by $NVTX_INJECTION64_PATH and call
// it at their first range. Tells each range in $FAKE_NVTX_LOG, a line each.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>

namespace {

void tell(const char* what, const char* name) {
  const char* const file = std::getenv("FAKE_NVTX_LOG");
  FILE* const log = file == nullptr ? nullptr : std::fopen(file, "a");
  if (log == nullptr) return;
  std::fprintf(log, "%s%s\n", what, name);
  std::fclose(log);
}

int depth = 0;

int push(const char* name) {
  tell("push ", name);
  return depth++;
}
int pop() {
  tell("pop", "");
  return --depth;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table) {
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size) == 0) return 0;
  if (size <= NVTX_CBID_CORE_RangePop) return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
