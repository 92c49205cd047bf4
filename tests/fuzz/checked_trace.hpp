// Trace files whose checksums are made right, so that what they guard is read too.
#pragma once

#include <string>

namespace fuzz {

std::string with_checksums(std::string file);

}  // namespace fuzz
