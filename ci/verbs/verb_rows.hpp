// The row of each verb, by what it does: measuring_verbs.cpp, reading_verbs.cpp (what was measured before) and
// upkeep_verbs.cpp (the configuration, the store, the machine). Internal to ci/cli; make_verbs() gathers them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "ci/grammar/verb.hpp"

namespace steelyard {

template <class Options>
std::unique_ptr<Verb> make_verb(std::string name, std::string description, std::string example) {
  auto verb = std::make_unique<Verb>();
  verb->name = std::move(name);
  verb->description = std::move(description);
  verb->example = std::move(example);
  verb->result.emplace<Options>();
  return verb;
}

template <class Options>
Options& options_of(const std::unique_ptr<Verb>& verb) {
  return std::get<Options>(verb->result);
}

std::unique_ptr<Verb> make_run();
std::unique_ptr<Verb> make_ab();
std::unique_ptr<Verb> make_gate();
std::unique_ptr<Verb> make_targets();

std::unique_ptr<Verb> make_compare();
std::unique_ptr<Verb> make_calibrate();
std::unique_ptr<Verb> make_verify();
std::unique_ptr<Verb> make_import();
std::unique_ptr<Verb> make_export();
std::unique_ptr<Verb> make_history();
std::unique_ptr<Verb> make_changes();
std::unique_ptr<Verb> make_sweep();
std::unique_ptr<Verb> make_profile();

std::unique_ptr<Verb> make_alerts();
std::unique_ptr<Verb> make_config();
std::unique_ptr<Verb> make_db();
std::unique_ptr<Verb> make_doctor();

}  // namespace steelyard
