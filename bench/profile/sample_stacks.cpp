#include "bench/profile/sample_stacks.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bench/environment/readable_symbol.hpp"

namespace steelyard::bench {
namespace {

struct DwflEnd {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

// Debug information in files of its own is looked for on this machine, by build-id; never fetched.
constexpr Dwfl_Callbacks kCallbacks{dwfl_linux_proc_find_elf, dwfl_build_id_find_debuginfo, nullptr, nullptr};

constexpr pid_t kAnyThread = 1;  // there is one, that of the sample; libdw wants a number for it

std::string dwarf_name(Dwarf_Die& function) {
  Dwarf_Attribute found;
  const char* name = dwarf_formstring(dwarf_attr_integrate(&function, DW_AT_linkage_name, &found));
  if (name == nullptr) name = dwarf_diename(&function);
  return name == nullptr ? "" : readable_symbol(name);
}

}  // namespace

class StackUnwinder::Session {
 public:
  Result<void> open(const std::string& mappings);
  std::vector<std::string> functions(const StackSample& sample, std::span<const char> stack, std::uint64_t span_object);
  const std::set<std::string>& files() const { return files_; }

 private:
  struct Frame {
    Dwarf_Addr instruction;
    Dwarf_Addr stack_pointer;  // 0: not known
  };

  static bool read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* result, void* session);
  static bool set_registers(Dwfl_Thread* thread, void* session);
  static int add_frame(Dwfl_Frame* frame, void* session);
  const std::vector<std::string>& functions_at(Dwarf_Addr instruction);

  std::unique_ptr<Dwfl, DwflEnd> dwfl_;
  std::set<std::string> files_;
  const StackSample* sample_ = nullptr;
  std::span<const char> stack_;
  std::vector<Frame> frames_;
  std::unordered_map<Dwarf_Addr, std::vector<std::string>> known_;  // by instruction
};

bool StackUnwinder::Session::read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* result, void* session) {
  const auto& self = *static_cast<const Session*>(session);
  const std::uint64_t place = address - self.sample_->registers[kStackPointerNumber];  // below it: a huge number
  if (place > self.stack_.size() || self.stack_.size() - place < sizeof *result) return false;
  std::memcpy(result, self.stack_.data() + place, sizeof *result);
  return true;
}

bool StackUnwinder::Session::set_registers(Dwfl_Thread* thread, void* session) {
  const auto& registers = static_cast<const Session*>(session)->sample_->registers;
  return dwfl_thread_state_registers(thread, 0, static_cast<unsigned>(registers.size()), registers.data());
}

int StackUnwinder::Session::add_frame(Dwfl_Frame* frame, void* session) {
  auto& self = *static_cast<Session*>(session);
  Dwarf_Addr instruction = 0;
  bool was_interrupted = false;
  if (!dwfl_frame_pc(frame, &instruction, &was_interrupted)) return DWARF_CB_ABORT;
  Dwarf_Word stack_pointer = 0;
  if (dwfl_frame_reg(frame, kStackPointerNumber, &stack_pointer) != 0) stack_pointer = 0;
  // A return address may be that of the next function's first instruction.
  self.frames_.push_back({was_interrupted ? instruction : instruction - 1, stack_pointer});
  return self.frames_.size() < kMaxFrames ? DWARF_CB_OK : DWARF_CB_ABORT;
}

Result<void> StackUnwinder::Session::open(const std::string& mappings) {
  const auto refused = [](const char* what) {
    return input_error("stack samples", std::string(what) + ": " + dwfl_errmsg(-1),
                       "what the process had mapped, as the kernel tells it");
  };
  dwfl_.reset(dwfl_begin(&kCallbacks));
  if (dwfl_ == nullptr) return refused("libdw");
  std::string text = mappings;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(
      fmemopen(text.data(), std::max<std::size_t>(1, text.size()), "r"), std::fclose);
  if (in == nullptr || dwfl_linux_proc_maps_report(dwfl_.get(), in.get()) != 0) return refused("mappings");
  dwfl_report_end(dwfl_.get(), nullptr, nullptr);
  for (std::size_t at = text.find('/'); at != std::string::npos; at = text.find('/', text.find('\n', at))) {
    files_.insert(text.substr(at, text.find('\n', at) - at));
  }
  static constexpr Dwfl_Thread_Callbacks kThread{[](Dwfl*, void* session, void** argument) {
                                                   const bool is_first = *argument == nullptr;
                                                   *argument = session;
                                                   return is_first ? kAnyThread : 0;
                                                 },
                                                 [](Dwfl*, pid_t, void* session, void** argument) {
                                                   *argument = session;
                                                   return true;
                                                 },
                                                 read_memory,
                                                 set_registers,
                                                 nullptr,
                                                 nullptr};
  if (!dwfl_attach_state(dwfl_.get(), nullptr, kAnyThread, &kThread, this)) return refused("unwinding");
  return {};
}

const std::vector<std::string>& StackUnwinder::Session::functions_at(Dwarf_Addr instruction) {
  const auto [known, is_new] = known_.try_emplace(instruction);
  std::vector<std::string>& names = known->second;
  if (!is_new) return names;
  Dwfl_Module* const module = dwfl_addrmodule(dwfl_.get(), instruction);
  if (module == nullptr) {
    names.emplace_back("(code in no file)");
    return names;
  }
  Dwarf_Addr bias = 0;
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module, instruction, &bias)) {
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes(unit, instruction - bias, &scopes);
    for (int i = 0; i < count && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; ++i) {
      if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine) names.push_back(dwarf_name(scopes[i]));
    }
    std::free(scopes);  // NOLINT(cppcoreguidelines-no-malloc): libdw's
    std::erase(names, "");
  }
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  const char* name = dwfl_module_addrinfo(module, instruction, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name != nullptr) {
    names.push_back(readable_symbol(name));
  } else {
    const std::string_view file =
        dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    names.push_back("(" + std::string(file.substr(file.rfind('/') + 1)) + ")");
  }
  return names;
}

std::vector<std::string> StackUnwinder::Session::functions(const StackSample& sample, std::span<const char> stack,
                                                           std::uint64_t span_object) {
  sample_ = &sample;
  stack_ = stack;
  frames_.clear();
  // The walk ends with an error where the copied stack does, which is no fault.
  dwfl_getthread_frames(dwfl_.get(), kAnyThread, add_frame, this);
  const std::uint64_t top = sample.registers[kStackPointerNumber];
  // Where the Span lies on another stack, or the heap, nothing tells which functions are around it.
  const bool is_cut = span_object >= top && !frames_.empty() && span_object <= frames_.back().stack_pointer;
  std::vector<std::string> functions;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    // A function's frame ends where its caller's stack pointer was.
    if (is_cut && i + 1 < frames_.size() && frames_[i + 1].stack_pointer > span_object) break;
    const std::vector<std::string>& names = functions_at(frames_[i].instruction);
    functions.insert(functions.end(), names.begin(), names.end());
  }
  return functions;
}

StackUnwinder::StackUnwinder(std::unique_ptr<Session> session) : session_(std::move(session)) {}
StackUnwinder::StackUnwinder(StackUnwinder&&) noexcept = default;
StackUnwinder::~StackUnwinder() = default;

Result<StackUnwinder> StackUnwinder::open(const std::string& mappings) {
  auto session = std::make_unique<Session>();
  STEELYARD_CHECK(session->open(mappings));
  return StackUnwinder(std::move(session));
}

std::vector<std::string> StackUnwinder::functions(const StackSample& sample, std::span<const char> stack,
                                                  std::uint64_t span_object) {
  return session_->functions(sample, stack, span_object);
}

bool StackUnwinder::has_newer_files(std::int64_t unix_ns) const {
  return std::any_of(session_->files().begin(), session_->files().end(), [=](const std::string& file) {
    struct stat facts {};
    return stat(file.c_str(), &facts) == 0 &&
           std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec > unix_ns;
  });
}

}  // namespace steelyard::bench
