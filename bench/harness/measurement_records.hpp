// What stands in a text or XML archive of measurements, field by field. Internal to measurement_archive.cpp and its
// tests.
//
// To add a field to a class: append it to its serialize() under `if (version >= N)` and raise BOOST_CLASS_VERSION to N.
// Files of older versions then leave the field at its default; never change what an old version means.
#pragma once

#include <boost/serialization/level.hpp>
#include <boost/serialization/nvp.hpp>
#include <boost/serialization/tracking.hpp>
#include <boost/serialization/version.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/model/task_measurement.hpp"

namespace steelyard::records {

// The name of an element, with room behind it. On reading, Boost (1.74) compares as many characters as the *file's* tag
// has, past the end of a shorter name; so tags of a file are shorter than the room (decode_measurements() sees to it).
inline constexpr std::size_t kTagRoom = 64;
struct Tag {
  template <std::size_t n>
  consteval Tag(const char (&name)[n]) {  // by intent not explicit: a literal is a tag
    static_assert(n <= kTagRoom);
    for (std::size_t i = 0; i < n; ++i) text[i] = name[i];
  }
  char text[kTagRoom] = {};
};

template <class Archive, class Value>
void put(Archive& archive, const Tag& tag, Value& value) {
  archive& boost::serialization::make_nvp(tag.text, value);
}

// Of a class; what it says is for people.
struct NewerVersion {
  unsigned version = 0;
};

// Control characters, which XML cannot hold, as \x01; a backslash doubled. Bytes above 127 are kept where the whole is
// UTF-8.
std::string escaped(const std::string& text);
// Throws std::runtime_error at a sequence that escaped() does not write.
std::string unescaped(const std::string& text);

template <class Archive>
void put_text(Archive& archive, const Tag& tag, std::string& text) {
  if constexpr (Archive::is_saving::value) {
    const std::string written = escaped(text);
    archive << boost::serialization::make_nvp(tag.text, written);
  } else {
    std::string written;
    archive >> boost::serialization::make_nvp(tag.text, written);
    text = unescaped(written);
  }
}

// A count and so many items. The list grows as items are read, whatever the count claims.
template <class Archive, class List, class PutItem>
void put_list(Archive& archive, const Tag& count_tag, List& list, const PutItem& put_item) {
  std::uint64_t count = list.size();
  put(archive, count_tag, count);
  if constexpr (Archive::is_loading::value) list.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    if constexpr (Archive::is_loading::value) list.emplace_back();
    put_item(list[static_cast<std::size_t>(i)]);
  }
}

template <class Archive, class Number>
void put_numbers(Archive& archive, const Tag& count_tag, const Tag& tag, std::vector<Number>& numbers) {
  put_list(archive, count_tag, numbers, [&](Number& number) { put(archive, tag, number); });
}

template <class Archive>
void put_entries(Archive& archive, std::map<std::string, std::string>& entries) {
  std::vector<std::pair<std::string, std::string>> list(entries.begin(), entries.end());
  put_list(archive, "metadata_count", list, [&](auto& entry) {
    put_text(archive, "key", entry.first);
    put_text(archive, "value", entry.second);
  });
  if constexpr (Archive::is_loading::value) entries = {list.begin(), list.end()};
}

// Of their own, so that the archives of storage may name the fields of the same values in another way.
struct Task {
  TaskSpec value;
};
struct Measurement {
  TaskMeasurement value;
};
struct List {
  std::vector<TaskMeasurement> values;
};

}  // namespace steelyard::records

BOOST_CLASS_VERSION(steelyard::records::Task, 1)
BOOST_CLASS_VERSION(steelyard::records::Measurement, 1)
BOOST_CLASS_VERSION(steelyard::records::List, 1)
BOOST_CLASS_TRACKING(steelyard::records::Task, boost::serialization::track_never)
BOOST_CLASS_TRACKING(steelyard::records::Measurement, boost::serialization::track_never)
BOOST_CLASS_TRACKING(steelyard::records::List, boost::serialization::track_never)

namespace steelyard::records {

// Boost reads on where a class is of a later version than this program's, and stumbles over its fields.
template <class Record>
void expect_known(unsigned version) {
  if (version > static_cast<unsigned>(boost::serialization::version<Record>::value)) throw NewerVersion{version};
}

template <class Archive>
void serialize(Archive& archive, Task& record, unsigned version) {
  expect_known<Task>(version);
  TaskSpec& task = record.value;
  put_text(archive, "statement", task.statement);
  put_text(archive, "setup", task.setup);
  put_text(archive, "global_setup", task.global_setup);
  put_text(archive, "label", task.label);
  put_text(archive, "sub_label", task.sub_label);
  put_text(archive, "description", task.description);
  put_text(archive, "environment", task.environment);
  std::int32_t threads = task.threads;
  put(archive, "threads", threads);
  task.threads = threads;
}

template <class Archive>
void put_fields(Archive& archive, TaskMeasurement& measurement, unsigned /*version*/) {
  Task task{measurement.task};
  put(archive, "task", task);
  measurement.task = std::move(task.value);
  put(archive, "runs_per_time", measurement.runs_per_time);
  put_numbers(archive, "raw_times_count", "seconds", measurement.raw_times);
  put_numbers(archive, "runs_of_times_count", "runs", measurement.runs_of_times);
  put_text(archive, "fingerprint", measurement.fingerprint);
  put_entries(archive, measurement.metadata);
}

template <class Archive>
void serialize(Archive& archive, Measurement& record, unsigned version) {
  expect_known<Measurement>(version);
  put_fields(archive, record.value, version);
}

template <class Archive>
void serialize(Archive& archive, List& record, unsigned version) {
  expect_known<List>(version);
  put_list(archive, "count", record.values, [&](TaskMeasurement& value) {
    Measurement item{value};
    put(archive, "measurement", item);
    value = std::move(item.value);
  });
}

}  // namespace steelyard::records
