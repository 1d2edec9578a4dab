#include "ci/verbs/db_access.hpp"

#include <array>
#include <ostream>

#include "bench/model/quantity.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/config/written_value.hpp"
#include "ci/report/number_text.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

constexpr std::array kAccessWords{"reader", "writer", "owner"};

std::string word_of(Access access) { return kAccessWords[static_cast<std::size_t>(access)]; }

std::string json_text(const std::string& text) { return quoted_for_toml(text); }

std::string scope_of(const AccessGrant& grant) {
  if (!grant.some_projects) return "every project";
  return grant.project.empty() ? "the project without a name" : "project " + grant.project;
}

std::string json_grants(const std::vector<AccessGrant>& grants) {
  std::string text = "{\n  \"schema\": \"steelyard.grants/1\",\n  \"grants\": [";
  for (const AccessGrant& grant : grants) {
    text += (&grant == grants.data() ? "\n    {\"login\": " : ",\n    {\"login\": ") + json_text(grant.login) +
            ", \"as\": " + json_text(word_of(grant.access)) +
            ", \"project\": " + (grant.some_projects ? json_text(grant.project) : "null") + '}';
  }
  return text + "]\n}\n";
}

ExitCode list_grants(Store& store, const DbOptions& options, Streams& streams) {
  const Result<std::vector<AccessGrant>> grants = store.grants();
  if (!grants) return report_error(grants.error(), streams);
  if (options.common.json) {
    streams.out << json_grants(*grants);
  } else {
    for (const AccessGrant& grant : *grants) {
      streams.out << grant.login << "  " << word_of(grant.access) << " of " << scope_of(grant) << '\n';
    }
    if (grants->empty()) note("no login has a role of this store", options.common, streams);
  }
  streams.out << std::flush;
  return ExitCode::success;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string joined(const std::vector<AffectedTable>& tables) {
  std::string text;
  for (const AffectedTable& table : tables) {
    text += (text.empty() ? "" : ", ") + table.name;
    if (table.bytes > 0) text += " (" + to_text(Bytes(table.bytes)) + ')';
  }
  return text;
}

std::string line_of(const char* what, const std::string& tables) {
  return tables.empty() ? "" : "    " + std::string(what) + ' ' + tables + '\n';
}

std::string upgrade_text(const UpgradePlan& plan) {
  std::string text = "store         " + plan.address + "\nschema        version " + std::to_string(plan.version) +
                     ", this program has " + std::to_string(plan.newest) + "\nsize          " +
                     to_text(Bytes(plan.bytes)) + '\n';
  if (plan.steps.empty()) return text + "nothing to apply\n";
  for (const UpgradeStep& step : plan.steps) {
    text += step.name + "  sha256 " + step.checksum + '\n' + line_of("creates", joined(step.creates)) +
            line_of("rewrites", joined(step.rewrites)) + line_of("fills", joined(step.fills)) +
            line_of("drops", joined(step.drops));
  }
  return text +
         "Each is one transaction. A table that is rewritten is locked meanwhile, and needs its size once more "
         "on disk.\n";
}

std::string json_tables(const std::vector<AffectedTable>& tables) {
  std::string text = "[";
  for (const AffectedTable& table : tables) {
    text += (&table == tables.data() ? "{\"table\": " : ", {\"table\": ") + json_text(table.name) +
            ", \"bytes\": " + std::to_string(table.bytes) + '}';
  }
  return text + ']';
}

std::string json_upgrade(const UpgradePlan& plan) {
  std::string text = "{\n  \"schema\": \"steelyard.upgrade/1\",\n  \"version\": " + std::to_string(plan.version) +
                     ",\n  \"newest\": " + std::to_string(plan.newest) +
                     ",\n  \"bytes\": " + std::to_string(plan.bytes) +
                     ",\n  \"allowed\": " + (plan.allowed ? "true" : "false") + ",\n  \"steps\": [";
  for (const UpgradeStep& step : plan.steps) {
    text += (&step == plan.steps.data() ? "\n    {\"version\": " : ",\n    {\"version\": ") +
            std::to_string(step.version) + ", \"name\": " + json_text(step.name) +
            ", \"sha256\": " + json_text(step.checksum) +
            ", \"creates\": " + to_text(WrittenValue{step.creates, false}) +
            ", \"rewrites\": " + json_tables(step.rewrites) + ", \"fills\": " + json_tables(step.fills) +
            ", \"drops\": " + to_text(WrittenValue{step.drops, false}) + '}';
  }
  return text + "]\n}\n";
}

}  // namespace

ExitCode grant_access(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  Result<Store> store = open_store(configuration, options.common, streams);
  if (!store) return report_error(store.error(), streams);
  if (options.grant.list) return list_grants(*store, options, streams);
  const AccessGrant& wanted = options.grant.access;
  const Result<bool> changed = options.grant.revoke ? store->revoke(wanted) : store->grant(wanted);
  if (!changed) return report_error(changed.error(), streams);
  const std::string what = options.grant.revoke ? (wanted.some_projects ? scope_of(wanted) : "all access")
                                                : word_of(wanted.access) + " of " + scope_of(wanted);
  if (options.grant.revoke) {
    note(*changed ? wanted.login + " lost " + what : wanted.login + " did not have it", options.common, streams);
  } else {
    note(wanted.login + (*changed ? " is now " : " was already ") + what, options.common, streams);
  }
  return ExitCode::success;
}

ExitCode show_upgrade(const DbOptions& options, const Configuration& configuration, Streams& streams) {
  const Result<StoreAddress> address = store_address(configuration);
  if (!address) return report_error(address.error(), streams);
  const Result<UpgradePlan> plan = Store::plan_upgrade(*address, state_folder());
  if (!plan) return report_error(plan.error(), streams);
  streams.out << (options.common.json ? json_upgrade(*plan) : upgrade_text(*plan)) << std::flush;
  if (!plan->allowed) note("this login may not do it: an owner of the schema may", options.common, streams);
  return ExitCode::success;
}

}  // namespace steelyard
