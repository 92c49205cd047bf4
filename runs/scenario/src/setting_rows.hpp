// The parts of the table of settings, each beside the reader of its section.
#pragma once

#include <vector>

#include <scenario/settings.hpp>

namespace scenario {

std::vector<SettingRow> run_rows();  // rows without a section, and section `end`
std::vector<SettingRow> farm_rows();
std::vector<SettingRow> application_rows();
std::vector<SettingRow> mpi_rows();
std::vector<SettingRow> halo_rows();
std::vector<SettingRow> monitor_rows();

}  // namespace scenario
