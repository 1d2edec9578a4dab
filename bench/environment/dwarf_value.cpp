#include "bench/environment/dwarf_value.hpp"

namespace steelyard {
namespace {

// DWARF 5, section 7.5.6; the GNU ones are those of GCC's split and common debug files.
enum Form : std::uint64_t {
  kAddress = 0x01,
  kBlock2 = 0x03,
  kBlock4 = 0x04,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlock = 0x09,
  kBlock1 = 0x0a,
  kData1 = 0x0b,
  kFlag = 0x0c,
  kSignedData = 0x0d,
  kStringPointer = 0x0e,
  kUnsignedData = 0x0f,
  kReferenceAddress = 0x10,
  kReference1 = 0x11,
  kReference2 = 0x12,
  kReference4 = 0x13,
  kReference8 = 0x14,
  kReferenceUnsigned = 0x15,
  kIndirect = 0x16,
  kSectionOffset = 0x17,
  kExpression = 0x18,
  kFlagPresent = 0x19,
  kStringIndex = 0x1a,
  kAddressIndex = 0x1b,
  kReferenceSupplement4 = 0x1c,
  kStringSupplement = 0x1d,
  kData16 = 0x1e,
  kLineStringPointer = 0x1f,
  kReferenceSignature8 = 0x20,
  kLocationListIndex = 0x22,
  kRangeListIndex = 0x23,
  kReferenceSupplement8 = 0x24,
  kStringIndex1 = 0x25,
  kStringIndex2 = 0x26,
  kStringIndex3 = 0x27,
  kStringIndex4 = 0x28,
  kAddressIndex1 = 0x29,
  kAddressIndex2 = 0x2a,
  kAddressIndex3 = 0x2b,
  kAddressIndex4 = 0x2c,
  kGnuAddressIndex = 0x1f01,
  kGnuStringIndex = 0x1f02,
  kGnuReferenceAlternative = 0x1f20,
  kGnuStringAlternative = 0x1f21,
};

}  // namespace

bool take_dwarf_value(std::uint64_t form, const DwarfSizes& sizes, SectionReader& reader, DwarfText& text) {
  using Kind = DwarfText::Kind;
  const auto indexed = [&](std::uint64_t index) { text = {Kind::index, {}, index}; };
  switch (form) {
    case kString:
      text = {Kind::here, reader.zero_ended(), 0};
      return true;
    case kStringPointer:
      text = {Kind::strings, {}, reader.number(sizes.offset_bytes)};
      return true;
    case kLineStringPointer:
      text = {Kind::line_strings, {}, reader.number(sizes.offset_bytes)};
      return true;
    case kSectionOffset:
    case kStringSupplement:
    case kGnuStringAlternative:
    case kGnuReferenceAlternative:
      text = {Kind::elsewhere, {}, reader.number(sizes.offset_bytes)};
      return true;
    case kStringIndex:
    case kGnuStringIndex:
      return indexed(reader.unsigned_leb()), true;
    case kStringIndex1:
    case kStringIndex2:
    case kStringIndex3:
    case kStringIndex4:
      return indexed(reader.number(static_cast<std::size_t>(form - kStringIndex1 + 1))), true;
    case kReferenceAddress:
      return reader.number(sizes.version == 2 ? static_cast<std::size_t>(sizes.address_bytes) : sizes.offset_bytes),
             true;
    case kAddress:
      return reader.text(sizes.address_bytes), true;
    case kBlock1:
      return reader.text(reader.number(1)), true;
    case kBlock2:
      return reader.text(reader.number(2)), true;
    case kBlock4:
      return reader.text(reader.number(4)), true;
    case kBlock:
    case kExpression:
      return reader.text(reader.unsigned_leb()), true;
    case kData1:
    case kFlag:
    case kReference1:
    case kAddressIndex1:
      return reader.text(1), true;
    case kData2:
    case kReference2:
    case kAddressIndex2:
      return reader.text(2), true;
    case kAddressIndex3:
      return reader.text(3), true;
    case kData4:
    case kReference4:
    case kReferenceSupplement4:
    case kAddressIndex4:
      return reader.text(4), true;
    case kData8:
    case kReference8:
    case kReferenceSupplement8:
    case kReferenceSignature8:
      return reader.text(8), true;
    case kData16:
      return reader.text(16), true;
    case kSignedData:  // as many bytes as if it had no sign
    case kUnsignedData:
    case kReferenceUnsigned:
    case kAddressIndex:
    case kLocationListIndex:
    case kRangeListIndex:
    case kGnuAddressIndex:
      return reader.unsigned_leb(), true;
    case kFlagPresent:
    case kDwarfImplicitConstant:
      return true;
    case kIndirect: {
      const std::uint64_t real = reader.unsigned_leb();
      // An indirect form that names another, or a constant that has no place here, is forged.
      return real != kIndirect && real != kDwarfImplicitConstant && reader.ok() &&
             take_dwarf_value(real, sizes, reader, text);
    }
    default:
      return false;
  }
}

}  // namespace steelyard
