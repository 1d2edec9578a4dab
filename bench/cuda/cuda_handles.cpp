#include "bench/cuda/cuda_handles.hpp"

namespace steelyard::cuda {
namespace {

std::string device_text() {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return "no device";
  return "device " + std::to_string(device);
}

}  // namespace

CudaError::CudaError(cudaError_t error_code, const std::string& text)
    : std::runtime_error(text), code(error_code), is_sticky(is_sticky_error(error_code)) {}

void check(cudaError_t code, std::string_view what) {
  if (code == cudaSuccess) return;
  // Taken note of here: left where it is, the next launch's check would find it again.
  static_cast<void>(cudaGetLastError());
  std::string text(what);
  text += ": found " + std::string(cudaGetErrorName(code)) + " (" + cudaGetErrorString(code) + ") on " + device_text();
  throw CudaError(code, text);
}

bool is_sticky_error(cudaError_t code) {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorDevicesUnavailable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorCudartUnloading:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

}  // namespace steelyard::cuda
