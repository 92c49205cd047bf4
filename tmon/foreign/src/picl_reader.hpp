// Readers of PICL, line by line; docs/formats/exports.md has the tables.
#pragma once

#include <string>

#include <tmon_foreign/foreign_trace.hpp>

namespace tmon_foreign {

bool looks_like_picl(const std::string& first_line, Format& format);
ForeignTrace read_picl(const std::string& file, Format format);

}  // namespace tmon_foreign
