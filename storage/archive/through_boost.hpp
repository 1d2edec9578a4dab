// How a payload meets Boost.Serialization (see PayloadTypes in portable_archive.hpp): the class's version as declared
// with BOOST_CLASS_VERSION, and its serialize(). For the two files that archive classes.
#pragma once

#include <boost/serialization/serialization.hpp>
#include <boost/serialization/version.hpp>
#include <cstdint>

namespace steelyard {

struct ThroughBoost {
  template <class T>
  static constexpr std::uint32_t kVersion = boost::serialization::version<T>::value;
  template <class Archive, class T>
  static void call(Archive& archive, T& object, std::uint32_t version) {
    boost::serialization::serialize_adl(archive, object, version);
  }
};

}  // namespace steelyard
