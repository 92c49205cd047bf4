// The JSON of a detrek report, schema magicwire.detrek/1 (docs/formats/thesis_files.md).
#pragma once

#include <string>

#include "tmon/detrek.hpp"

namespace tmon {

std::string detrek_json(const Trace& trace, const Analysis& analysis, const DetrekOptions& options, int exit_code);

}  // namespace tmon
