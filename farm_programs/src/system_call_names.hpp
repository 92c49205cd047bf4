#pragma once

#include <string>

namespace farm_programs {

std::string system_call_name(long number);  // "unlink"; "number 999" of one without a name

}  // namespace farm_programs
