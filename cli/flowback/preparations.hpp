// Preparations for flowback: the sources of a farm, or of a program with a main(), which may call MPI.
#pragma once

#include <string>

#include <farm_programs/specification.hpp>
#include <user_programs/preparation.hpp>

namespace cli {

// Headers and libraries of each kind; sources, folder and output are the caller's.
user_programs::Preparation empty_preparation();
// The file lies beside what `farm build` makes of the specification.
user_programs::Preparation preparation_of(const farm_programs::Specification& spec, const std::string& folder);

}  // namespace cli
