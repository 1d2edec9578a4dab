// What is archived of a measurement of the harness, field by field, in the payload of a .syrun file. Internal to
// measurement_file.cpp and its tests.
//
// To add a field: append it to the class's serialize() under `if (version >= N)`, and declare
// BOOST_CLASS_VERSION(steelyard::Class, N) here. Files of older versions then leave the field at its default; never
// change what an old version means.
#pragma once

#include <boost/serialization/serialization.hpp>
#include <boost/serialization/version.hpp>

#include "bench/model/task_measurement.hpp"
#include "storage/archive/portable_archive.hpp"

namespace steelyard::storage {

template <class Archive>
void serialize(Archive& archive, TaskSpec& task, unsigned /*version*/) {
  archive& task.statement& task.setup& task.global_setup& task.label& task.sub_label& task.description& task
      .environment& task.threads;
}

template <class Archive>
void serialize(Archive& archive, TaskMeasurement& measurement, unsigned /*version*/) {
  archive& measurement.task& measurement.runs_per_time& measurement.raw_times& measurement.runs_of_times& measurement
      .fingerprint& measurement.metadata;
}

}  // namespace steelyard::storage
