#include "bench/profile/spans/cupti/activity_names.hpp"

#include <array>
#include <cstddef>

namespace steelyard {

std::string memory_name(std::uint8_t kind) {
  constexpr std::array<const char*, 8> kNames{"Unknown", "Pageable", "Pinned",        "Device",
                                              "Array",   "Managed",  "Device Static", "Managed Static"};
  return kind < kNames.size() ? kNames[kind] : kNames[0];
}
std::string copy_name(std::uint8_t kind, std::uint8_t from, std::uint8_t to) {
  constexpr std::array<const char*, 11> kNames{"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                               "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
  return std::string("Memcpy ") + (kind < kNames.size() ? kNames[kind] : kNames[0]) + " (" + memory_name(from) +
         " -> " + memory_name(to) + ")";
}

std::string call_name(std::string_view name) {
  for (const std::string_view form : {"_ptsz", "_ptds"}) {
    if (name.ends_with(form)) name.remove_suffix(form.size());
  }
  const std::size_t digits = name.find_last_not_of("0123456789");
  const bool has_version = digits != std::string_view::npos && digits > 1 && digits + 1 < name.size() &&
                           name.substr(digits - 1, 2) == "_v" && name.starts_with("cuda");
  return std::string(has_version ? name.substr(0, digits - 1) : name);
}

std::string overhead_name(std::uint32_t what) {
  constexpr std::array<const char*, 9> kNames{"",
                                              "CUPTI hands over a buffer",
                                              "CUPTI instruments",
                                              "CUPTI makes and frees what it needs",
                                              "a module is loaded",
                                              "a function is loaded",
                                              "no room for commands",
                                              "CUPTI asks for a buffer",
                                              "unified memory is set up to be watched"};
  if (what == 1) return "the driver compiles";
  const std::size_t number = what >> 16;
  return number > 0 && number < kNames.size() ? kNames[number] : "overhead";
}

void GraphNodes::add(int type) { ++(type == 0 ? kernels : type == 1 ? copies : type == 2 ? sets : others); }

std::string GraphNodes::text() const {
  std::string words;
  const auto say = [&](std::uint64_t count, const char* one, const char* many) {
    if (count == 0) return;
    words += (words.empty() ? "" : ", ") + std::to_string(count) + ' ' + (count == 1 ? one : many);
  };
  say(kernels, "kernel", "kernels");
  say(copies, "copy", "copies");
  say(sets, "set", "sets");
  say(others, "other node", "other nodes");
  return words.empty() ? "graph" : "graph of " + words;
}

}  // namespace steelyard
