// The lists of CatalogStore as the database answers them. Every statement goes by an index of the table that grows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/catalog.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

Result<Page<ProjectEntry>> read_project_list(Session& session, const ListQuery& query);
Result<Page<RunEntry>> read_run_list(Session& session, const ListQuery& query);
Result<Page<ComparisonEntry>> read_comparison_list(Session& session, const ListQuery& query);
Result<Page<MachineEntry>> read_machine_list(Session& session, const ListQuery& query);
Result<Page<TargetEntry>> read_target_list(Session& session, const ListQuery& query);
Result<std::vector<FoundEntry>> read_found(Session& session, const std::string& text, const ListQuery& query);
Result<std::map<std::string, PointSpread>> read_spreads(Session& session, const SpreadQuery& query);
Result<std::vector<NewsEntry>> read_news(Session& session, NewsMarks& marks);
Result<NewsMarks> read_news_marks(Session& session);
Result<int> read_schema_version(Session& session);
Result<std::string> read_store_version(Session& session);

}  // namespace steelyard::storage
