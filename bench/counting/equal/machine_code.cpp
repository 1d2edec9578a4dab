#include "bench/counting/equal/machine_code.hpp"

#include <capstone/capstone.h>
#include <elf.h>

#include <memory>

namespace steelyard::bench {
namespace {

// Opened once a call: a handle must not be used by two threads, and opening costs less than a function.
class Disassembler {
 public:
  Disassembler() {
    is_open_ = cs_open(CS_ARCH_X86, CS_MODE_64, &handle_) == CS_ERR_OK &&
               cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK;
    if (is_open_) instruction_.reset(cs_malloc(handle_));
  }
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;
  ~Disassembler() {
    instruction_.reset();
    if (handle_ != 0) cs_close(&handle_);
  }

  bool is_open() const { return instruction_ != nullptr; }
  // The instruction at the start of `bytes`; null where there is none.
  const cs_insn* next(std::string_view bytes, std::uint64_t address) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t size = bytes.size();
    return cs_disasm_iter(handle_, &data, &size, &address, instruction_.get()) ? instruction_.get() : nullptr;
  }
  bool is_branch(const cs_insn& instruction) const {
    return cs_insn_group(handle_, &instruction, CS_GRP_JUMP) || cs_insn_group(handle_, &instruction, CS_GRP_CALL);
  }

 private:
  struct Free {
    void operator()(cs_insn* instruction) const { cs_free(instruction, 1); }
  };
  csh handle_ = 0;
  bool is_open_ = false;
  std::unique_ptr<cs_insn, Free> instruction_;
};

struct CodePlace {
  std::size_t offset = 0;  // in the instruction
  std::size_t size = 0;
};

void blank(std::string& bytes, std::size_t instruction, CodePlace place) {
  for (std::size_t i = 0; i < place.size; ++i) bytes.at(instruction + place.offset + i) = '\0';
}

void take_addresses(const cs_insn& instruction, bool is_branch, const CodeBytes& code, std::size_t at,
                    NormalizedCode& normalized) {
  const cs_x86& x86 = instruction.detail->x86;
  const CodePlace displacement{x86.encoding.disp_offset, x86.encoding.disp_size};
  const CodePlace immediate{x86.encoding.imm_offset, x86.encoding.imm_size};
  const auto take = [&](CodePlace place, std::uint64_t target) {
    if (place.size == 0 || place.offset == 0 || place.offset + place.size > instruction.size) return;
    blank(normalized.bytes, at, place);
    normalized.references.push_back({at, target});
  };
  const auto is_wide = [](CodePlace place) { return place.size == 4 || place.size == 8; };
  for (std::uint8_t i = 0; i < x86.op_count; ++i) {
    const cs_x86_op& operand = x86.operands[i];
    if (operand.type == X86_OP_IMM) {
      const auto value = static_cast<std::uint64_t>(operand.imm);
      if (is_branch || (is_wide(immediate) && code.is_address && code.is_address(value))) take(immediate, value);
    } else if (operand.type == X86_OP_MEM) {
      const auto value = static_cast<std::uint64_t>(operand.mem.disp);
      if (operand.mem.base == X86_REG_RIP) {
        take(displacement, instruction.address + instruction.size + value);
      } else if (is_wide(displacement) && code.is_address && code.is_address(value)) {
        take(displacement, value);
      }
    }
  }
}

}  // namespace

Result<NormalizedCode> normalize_code(const CodeBytes& code) {
  if (code.machine != EM_X86_64) return input_error("", "machine code of another CPU than x86-64");
  Disassembler disassembler;
  if (!disassembler.is_open()) return input_error("", "Capstone that does not know x86-64");
  NormalizedCode normalized;
  normalized.bytes = code.bytes;
  for (std::size_t at = 0; at < code.bytes.size();) {
    const cs_insn* instruction = disassembler.next(code.bytes.substr(at), code.address + at);
    if (instruction == nullptr || instruction->size == 0) {
      return input_error("", "bytes that are no instruction, " + std::to_string(at) + " bytes into the function");
    }
    take_addresses(*instruction, disassembler.is_branch(*instruction), code, at, normalized);
    at += instruction->size;
  }
  return normalized;
}

}  // namespace steelyard::bench
