#include "bench/harness/measurement_archive.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <locale>
#include <sstream>

#include <boost/archive/archive_exception.hpp>
#include <boost/archive/impl/archive_serializer_map.ipp>
#include <boost/archive/impl/basic_text_iarchive.ipp>
#include <boost/archive/impl/text_iarchive_impl.ipp>
#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/archive/xml_iarchive.hpp>
#include <boost/archive/xml_oarchive.hpp>

#include "bench/harness/measurement_records.hpp"

namespace steelyard::records {

// Boost's text archive, but for the length of a text: Boost allocates what the file claims before it reads on.
class BoundedTextInput : public boost::archive::text_iarchive_impl<BoundedTextInput> {
  using Base = boost::archive::text_iarchive_impl<BoundedTextInput>;

 public:
  BoundedTextInput(std::istream& stream, std::size_t size) : Base(stream, boost::archive::no_codecvt), size_(size) {
    init();
  }

  template <class T>
  void load(T& value) {
    Base::load(value);
  }
  void load(std::string& text) {
    std::size_t length = 0;
    Base::load(length);
    is.get();  // the blank between
    const auto read = is.tellg();
    if (read < 0 || length > size_ - static_cast<std::size_t>(read)) {
      throw std::runtime_error("a text of " + std::to_string(length) + " bytes, more than the file has");
    }
    text.resize(length);
    if (length > 0) is.read(text.data(), static_cast<std::streamsize>(length));
  }

 private:
  std::size_t size_;
};

}  // namespace steelyard::records

namespace boost::archive {
template class detail::archive_serializer_map<steelyard::records::BoundedTextInput>;
template class basic_text_iarchive<steelyard::records::BoundedTextInput>;
template class text_iarchive_impl<steelyard::records::BoundedTextInput>;

}  // namespace boost::archive

namespace steelyard {
namespace {

constexpr std::string_view kTextOpening = "22 serialization::archive ";
constexpr std::string_view kXmlOpening = "<?xml ";
// What a whole file ends with; Boost reads neither, so that a cut there would go unseen.
constexpr std::string_view kTextEnd = "\nend of measurements\n";
constexpr std::string_view kXmlEnd = "</boost_serialization>\n";

Error damaged(std::string_view name, std::string found) {
  return input_error(std::string(name), std::move(found), "a whole file of measurements",
                     "the file is damaged or cut; take another copy of it");
}

template <class Output>
void write_list(std::ostream& stream, const std::vector<TaskMeasurement>& measurements) {
  // In a scope of its own: the archive writes its end when it is destroyed.
  Output archive(stream, boost::archive::no_codecvt);
  records::List list{measurements};
  archive << boost::serialization::make_nvp("measurements", list);
}

struct Read {
  records::List list;
  std::size_t bytes = 0;  // up to the end of the list
};

template <class Input>
Read read_list(std::istream& stream, Input&& archive) {
  Read read;
  archive >> boost::serialization::make_nvp("measurements", read.list);
  // Asked before the archive is destroyed: that of XML reads on until it finds something like an end.
  read.bytes = static_cast<std::size_t>(std::max<std::streamoff>(0, stream.tellg()));
  return read;
}

Read read_list(std::string_view bytes, bool is_xml) {
  std::istringstream stream{std::string(bytes)};
  stream.imbue(std::locale::classic());
  if (is_xml) return read_list(stream, boost::archive::xml_iarchive(stream, boost::archive::no_codecvt));
  return read_list(stream, records::BoundedTextInput(stream, bytes.size()));
}

Error newer_class(std::string_view name, unsigned version) {
  return input_error(std::string(name), "class version " + std::to_string(version), "one that this program knows",
                     "it was written by a newer Steelyard; upgrade this one");
}

Error newer_boost(std::string_view name) {
  return input_error(std::string(name), "an archive of a later Boost", "one that this program's Boost knows",
                     "hand it over as .syrun, which every version reads");
}

// Every tag's name is shorter than what it is compared with (records::Tag).
bool has_short_tags(std::string_view bytes) {
  for (std::size_t at = bytes.find('<'); at != std::string_view::npos; at = bytes.find('<', at + 1)) {
    const std::size_t end = bytes.find_first_of(" >\t\r\n", at);
    if (end == std::string_view::npos || end - at >= records::kTagRoom) return false;
  }
  return true;
}

// What follows the list, but for the blanks that an archive puts there.
std::string_view rest_of(std::string_view bytes, std::size_t read, std::string_view end) {
  std::string_view rest = bytes.substr(std::min(read, bytes.size()));
  while (rest.size() > end.size() && (rest.front() == '\n' || rest.front() == ' ')) rest.remove_prefix(1);
  return rest;
}

}  // namespace

bool opens_like_measurements(std::string_view bytes) {
  if (bytes.starts_with(kTextOpening)) return true;
  return bytes.starts_with(kXmlOpening) && bytes.substr(0, 256).find("boost_serialization") != std::string_view::npos;
}

Result<std::string> encode_measurements(const std::vector<TaskMeasurement>& measurements, MeasurementFormat format) {
  for (const TaskMeasurement& measurement : measurements) {
    if (std::string flaw = measurement.flaw(); !flaw.empty()) {
      return input_error("measurement \"" + measurement.task.title() + '"', std::move(flaw), "what could be measured");
    }
  }
  try {
    std::ostringstream stream;
    stream.imbue(std::locale::classic());
    if (format == MeasurementFormat::xml) {
      write_list<boost::archive::xml_oarchive>(stream, measurements);
      std::string bytes = std::move(stream).str();
      // However many empty lines this version of Boost ends with, a file has one end.
      bytes.resize(bytes.find_last_not_of('\n') + 1);
      return bytes + '\n';
    }
    write_list<boost::archive::text_oarchive>(stream, measurements);
    return std::move(stream).str() + std::string(kTextEnd);
  } catch (const std::exception& exception) {
    return bug_error("measurement archive", exception.what());
  }
}

Result<std::vector<TaskMeasurement>> decode_measurements(std::string_view bytes, std::string_view name,
                                                         const MeasurementLimits& limits) {
  if (bytes.size() > static_cast<std::uint64_t>(limits.file_bytes)) {
    return input_error(std::string(name), std::to_string(bytes.size()) + " bytes",
                       "at most " + std::to_string(limits.file_bytes));
  }
  if (!opens_like_measurements(bytes)) {
    return input_error(std::string(name), bytes.empty() ? "an empty file" : "something else",
                       "a text or XML archive of measurements");
  }
  const bool is_xml = bytes.starts_with(kXmlOpening);
  const std::string_view end = is_xml ? kXmlEnd : kTextEnd;
  if (!bytes.ends_with(end)) return damaged(name, "no end");
  if (is_xml && !has_short_tags(bytes))
    return damaged(name, "a tag of " + std::to_string(records::kTagRoom) + " bytes or more");
  try {
    Read read = read_list(bytes, is_xml);
    if (rest_of(bytes, read.bytes, end) != end) {
      return damaged(name, "something between the last measurement and the end");
    }
    for (const TaskMeasurement& measurement : read.list.values) {
      if (std::string flaw = measurement.flaw(); !flaw.empty()) return damaged(name, std::move(flaw));
    }
    return std::move(read.list.values);
  } catch (const records::NewerVersion& later) {
    return newer_class(name, later.version);
  } catch (const boost::archive::archive_exception& exception) {
    using Code = boost::archive::archive_exception;
    return exception.code == Code::unsupported_version ? newer_boost(name)
                                                       : damaged(name, std::string("\"") + exception.what() + '"');
  } catch (const std::exception& exception) {
    return damaged(name, exception.what());
  }
}

// The files that measurement archives lie in.

Result<void> write_measurements(const std::filesystem::path& path, const std::vector<TaskMeasurement>& measurements,
                                MeasurementFormat format) {
  STEELYARD_TRY(const std::string bytes, encode_measurements(measurements, format));
  std::filesystem::path part = path;
  part += '.' + std::to_string(getpid()) + ".part";
  errno = 0;
  std::ofstream out(part, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code code;
  if (out) std::filesystem::rename(part, path, code);
  if (out && !code) return {};
  const std::string why = code ? code.message() : std::strerror(errno);
  std::filesystem::remove(part, code);
  return input_error(path.string(), "\"" + why + "\" on writing", "a place to write to");
}

Result<std::vector<TaskMeasurement>> read_measurements(const std::filesystem::path& path,
                                                       const MeasurementLimits& limits) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) {
    return input_error(path.string(), code ? '"' + code.message() + '"' : "no regular file", "a file of measurements");
  }
  // One byte past the limit is enough to refuse; the file may grow while it is read.
  std::ifstream in(path, std::ios::binary);
  std::string bytes;
  char chunk[65536];
  while (in && bytes.size() <= static_cast<std::uint64_t>(limits.file_bytes)) {
    in.read(chunk, sizeof chunk);
    bytes.append(chunk, static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof() && bytes.size() <= static_cast<std::uint64_t>(limits.file_bytes)) {
    return input_error(path.string(), "a file that cannot be read", "a file of measurements");
  }
  return decode_measurements(bytes, path.string(), limits);
}

}  // namespace steelyard
