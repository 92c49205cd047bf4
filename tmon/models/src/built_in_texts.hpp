// The texts of the built-in models.
#pragma once

#include <string>
#include <vector>

namespace tmon_models {

struct BuiltInText {
    std::string name, text;
};
const std::vector<BuiltInText>& built_in_texts();

}  // namespace tmon_models
