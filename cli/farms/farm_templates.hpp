// The files of a new farm program (`magicwire farm new`): a specification and a commented program that computes pi.
#pragma once

#include <string>

namespace cli {

struct FarmTemplate {
    std::string specification, source;
};

// `name`: the program's name. `source_name`: name of its source file. `divides`: a DCVM; else a PFVM.
FarmTemplate farm_template(const std::string& name, const std::string& source_name, bool divides);

}  // namespace cli
