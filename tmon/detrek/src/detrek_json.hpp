// The JSON of a detrek report, schema magicwire.detrek/1 (docs/formats/thesis_files.md).
#pragma once

#include <string>

#include <tmon_detrek/detrek.hpp>

namespace tmon_detrek {

std::string detrek_json(const tmon_streams::Trace& trace, const Analysis& analysis, int exit_code);

}  // namespace tmon_detrek
