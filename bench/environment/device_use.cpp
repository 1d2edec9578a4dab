#include "bench/environment/device_use.hpp"

#include <algorithm>
#include <array>

#include "bench/environment/elf_file.hpp"
#include "bench/environment/mapped_file.hpp"

namespace steelyard {
namespace {

// Beginnings of file names: runtimes and drivers of NVIDIA, AMD, Intel and Khronos.
constexpr std::array<std::string_view, 10> kDeviceLibraries{
    "libcudart.so",    "libcuda.so",     "libcublas.so", "libcublasLt.so", "libcudnn.so",
    "libnvidia-ml.so", "libamdhip64.so", "libhipblas.",  "libOpenCL.so",   "libze_loader.so"};

bool is_of_a_device(std::string_view library) {
  return std::any_of(kDeviceLibraries.begin(), kDeviceLibraries.end(),
                     [&](std::string_view known) { return library.starts_with(known); });
}

}  // namespace

std::string device_use(std::string_view program_bytes) {
  const Result<ElfFile> file = read_elf(program_bytes);
  if (!file) return "";
  if (file->find(kDeviceSection) != nullptr) return "it is marked as a program of a device";
  for (const std::string_view library : file->needed()) {
    if (is_of_a_device(library)) return "it links " + std::string(library.substr(0, 100));
  }
  return "";
}

std::string device_use_of_file(const std::filesystem::path& executable) {
  const Result<MappedFile> file = MappedFile::open(executable);
  return file ? device_use(file->bytes()) : "";
}

}  // namespace steelyard
