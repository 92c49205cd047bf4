// The farm report (farm_report.hpp) for people and for programs: text, JSON and a page.
#pragma once

#include <oracle/session_result.hpp>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <oracle/farm_report.hpp>
#include <outcome/outputs.hpp>

namespace outcome {

// At most 128 columns; `totals` decides on the rows of the two tables.
std::string farm_report_text(const oracle::FarmReport& report, Totals totals = Totals::Automatic);
// {"schema": "magicwire.farm_report/1", ...}: schemas/farm_report.schema.json.
nlohmann::ordered_json farm_report_json(const oracle::FarmReport& report);
// One self-contained HTML page: the report, the run's timeline and the verdict, if there is one. The timeline is cut or binned
// when the page would exceed about 4 MB. `verdict`: as write_outputs().
std::string farm_report_page(const oracle::FarmReport& report, const oracle::SessionResult& result, const Manifest& manifest,
                             const std::string& verdict);
// Throws vocabulary::InputError when the page cannot be written. An existing file is replaced.
void write_farm_page(const std::string& path, const std::string& page);

}  // namespace outcome
