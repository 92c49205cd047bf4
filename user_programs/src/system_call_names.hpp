#pragma once

#include <string>

namespace user_programs {

std::string system_call_name(long number);  // "unlink"; "number 999" for an unknown one

}  // namespace user_programs
