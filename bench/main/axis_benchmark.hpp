// Benchmarks over parameter axes, registered with Google Benchmark in one statement. The function takes the state, the
// point of the grid that it is run at, and one tag for each list of types.
//
//     template <class T>
//     void time_copy(benchmark::State& state, const steelyard::AxisPoint& at, std::type_identity<T>) {
//       std::vector<T> source(at.integer("bytes") / sizeof(T));
//       for (auto _ : state) copy(source, at.text("pattern"));
//     }
//     STEELYARD_BENCHMARK(time_copy)
//         .name("copy")
//         .power_of_two("bytes", 10, 20)
//         .strings("pattern", {"forward", "random"})
//         .types<float, double>("type")
//         .threads({1, 2});
//
// It is named "copy/bytes:1024/pattern:forward/type:float/threads:1": bench/harness/axes.hpp says why neither
// the order of the axes nor that of registration matters. Without name() the function's own name stands there. A
// definition that makes no sense becomes one failed row that says why, and the others are run. The program's main has
// to be steelyard::bench_main's, or to call register_axis_benchmarks().
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/harness/axes.hpp"

namespace steelyard {

// A name for a type in the identity of a benchmark: arithmetic types by their width, equal with every compiler
// ("float", "int32", "uint8"); others as the compiler spells them.

template <class T>
constexpr std::string_view function_name_with_type() {
  return __PRETTY_FUNCTION__;
}

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, char>) return "char";
  if constexpr (std::is_integral_v<T>) return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
  // What surrounds a known type in the compiler's text surrounds every other.
  constexpr std::string_view kKnown = function_name_with_type<void>();
  constexpr std::size_t kBefore = kKnown.find("void");
  constexpr std::size_t kAfter = kKnown.size() - kBefore - 4;
  constexpr std::string_view kName = function_name_with_type<T>();
  return std::string(kName.substr(kBefore, kName.size() - kBefore - kAfter));
}

// What Google Benchmark calls a registered family; its name moved in 1.9.5.
using GoogleBenchmark = std::remove_pointer_t<decltype(benchmark::RegisterBenchmark(
    "", static_cast<void (*)(benchmark::State&)>(nullptr)))>;

struct AxisDefinition {
  std::string name;
  std::vector<Axis> axes;
  std::optional<Error> error;  // the first that its declaration met
  AxisFilter filter;
  std::function<void(GoogleBenchmark&)> configure;
  std::function<void(benchmark::State&, const AxisPoint&)> run;
};

// Keeps the definition until the command line is known.
void define_axis_benchmark(AxisDefinition definition);

// Registers every point of every definition, with the axes that the command line gives in place of their own. Trouble
// in a definition goes to stderr and becomes a failed row. Error (input): an override whose axis no benchmark has, or
// whose values the axis refuses.
Result<void> register_axis_benchmarks(const std::vector<AxisOverride>& overrides = {});

template <class... Types>
struct TypeList {};

// Calls the function with the tags of the types chosen at `point`. `axes`: one name for each list still to choose from.
template <class Function, class... Tags>
void call_at(const Function& function, benchmark::State& state, const AxisPoint& point, const std::string*,
             std::tuple<>, Tags... tags) {
  if constexpr (std::is_invocable_v<const Function&, benchmark::State&, const AxisPoint&, Tags&...>) {
    function(state, point, tags...);
  } else {
    function(state, tags...);
  }
}
template <class Function, class... Types, class... Rest, class... Tags>
void call_at(const Function& function, benchmark::State& state, const AxisPoint& point, const std::string* axes,
             std::tuple<TypeList<Types...>, Rest...>, Tags... tags) {
  const std::size_t chosen = point.type_index(*axes);
  std::size_t index = 0;
  const auto call_if_chosen = [&](auto tag) {
    if (index++ == chosen) call_at(function, state, point, axes + 1, std::tuple<Rest...>{}, tags..., tag);
  };
  (call_if_chosen(std::type_identity<Types>{}), ...);
}

// What STEELYARD_BENCHMARK begins. Each call adds to the definition; the last result is what is defined.
template <class Function, class... Lists>
class AxisBenchmark {
 public:
  AxisBenchmark(std::string name, Function function) : function_(function) { definition_.name = std::move(name); }
  AxisBenchmark(AxisDefinition definition, std::vector<std::string> type_axes, Function function)
      : definition_(std::move(definition)), type_axes_(std::move(type_axes)), function_(function) {}

  AxisBenchmark&& name(std::string name) && {
    definition_.name = std::move(name);
    return std::move(*this);
  }
  AxisBenchmark&& integers(std::string axis, const std::vector<std::int64_t>& values) && {
    return std::move(*this).add(integer_axis(std::move(axis), values));
  }
  AxisBenchmark&& integer_range(std::string axis, IntegerRange range) && {
    return std::move(*this).add(integer_range_axis(std::move(axis), range));
  }
  // 2^first_exponent to 2^last_exponent.
  AxisBenchmark&& power_of_two(std::string axis, std::int64_t first_exponent, std::int64_t last_exponent,
                               std::int64_t step = 1) && {
    return std::move(*this).add(power_of_two_axis(std::move(axis), {first_exponent, last_exponent, step}));
  }
  AxisBenchmark&& floats(std::string axis, const std::vector<double>& values) && {
    return std::move(*this).add(real_axis(std::move(axis), values));
  }
  AxisBenchmark&& strings(std::string axis, const std::vector<std::string>& values) && {
    return std::move(*this).add(text_axis(std::move(axis), values));
  }
  AxisBenchmark&& threads(const std::vector<std::int64_t>& counts) && {
    return std::move(*this).add(threads_axis(counts));
  }
  // `names` stand in the identity; without them type_name(), which differs between compilers for types of a library.
  template <class... Types>
  AxisBenchmark<Function, Lists..., TypeList<Types...>> types(std::string axis,
                                                              std::vector<std::string> names = {}) && {
    static_assert(sizeof...(Types) > 0, "types<...>() needs at least one type");
    if (names.empty()) names = {type_name<Types>()...};
    Result<Axis> added = names.size() == sizeof...(Types)
                             ? type_axis(axis, names)
                             : input_error("axis \"" + axis + '"', std::to_string(names.size()) + " names",
                                           std::to_string(sizeof...(Types)) + ", one for each type");
    type_axes_.push_back(std::move(axis));
    AxisBenchmark&& whole = std::move(*this).add(std::move(added));
    return {std::move(whole.definition_), std::move(whole.type_axes_), function_};
  }
  // Combinations for which it is false are not run.
  AxisBenchmark&& filter(AxisFilter filter) && {
    definition_.filter = std::move(filter);
    return std::move(*this);
  }
  // Anything else that Google Benchmark can be told: [](steelyard::GoogleBenchmark& it) { it.UseRealTime(); }
  AxisBenchmark&& configure(std::function<void(GoogleBenchmark&)> configure) && {
    definition_.configure = std::move(configure);
    return std::move(*this);
  }

  AxisDefinition definition() && {
    definition_.run = [function = function_, type_axes = std::move(type_axes_)](benchmark::State& state,
                                                                                const AxisPoint& point) {
      call_at(function, state, point, type_axes.data(), std::tuple<Lists...>{});
    };
    return std::move(definition_);
  }

 private:
  AxisBenchmark&& add(Result<Axis> axis) && {
    if (axis) {
      definition_.axes.push_back(std::move(axis).value());
    } else if (!definition_.error) {
      definition_.error = std::move(axis).error();
    }
    return std::move(*this);
  }

  AxisDefinition definition_;
  std::vector<std::string> type_axes_;  // in the order of Lists
  Function function_;
};

// Takes what the statement of STEELYARD_BENCHMARK made.
struct DefinedBenchmark {
  template <class Function, class... Lists>
  DefinedBenchmark(AxisBenchmark<Function, Lists...>&& made) {  // not explicit: the macro's statement ends in it
    define_axis_benchmark(std::move(made).definition());
  }
};

}  // namespace steelyard

// The lambda stands for the function and all its instances.
#define STEELYARD_BENCHMARK(function)                                                                             \
  [[maybe_unused]] static const ::steelyard::DefinedBenchmark STEELYARD_JOIN(steelyard_benchmark_, __COUNTER__) = \
      ::steelyard::AxisBenchmark(                                                                                 \
          #function, [](auto&... arguments) -> decltype(function(arguments...)) { return function(arguments...); })
