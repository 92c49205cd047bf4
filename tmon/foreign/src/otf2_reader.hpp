// Reader of OTF2 archives, by its library.
#pragma once

#include <string>

#include <tmon_foreign/foreign_trace.hpp>

namespace tmon_foreign {

// `file`: the anchor file, NAME.otf2. Throws vocabulary::InputError also where this was built without the library.
ForeignTrace read_otf2(const std::string& file);

}  // namespace tmon_foreign
