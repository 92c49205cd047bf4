#include "flowback/preparations.hpp"

#include <filesystem>
#include <set>

#include <farm_programs/builder.hpp>
#include <node_programs/builder.hpp>

namespace cli {

namespace fs = std::filesystem;

user_programs::Preparation empty_preparation() {
    user_programs::Preparation result;
    result.headers = farm_programs::find_support_files().module.headers;
    const auto of_nodes = node_programs::module_parts().headers;
    result.headers.insert(result.headers.end(), of_nodes.begin(), of_nodes.end());
    result.parts_of = [](const std::set<std::string>& functions) {
        return functions.count("main") != 0 ? node_programs::module_parts() : farm_programs::find_support_files().module;
    };
    return result;
}

user_programs::Preparation preparation_of(const farm_programs::Specification& spec, const std::string& folder) {
    user_programs::Preparation result = empty_preparation();
    for (const farm_programs::Word& source : spec.all_sources()) result.sources.push_back(source.text);
    for (const std::string& each : spec.folders) result.options.push_back("-I" + each);
    result.options.insert(result.options.end(), spec.options.begin(), spec.options.end());
    const fs::path module = farm_programs::module_path(spec, folder);
    result.folder = (module.parent_path() / "flowback").string();
    result.output = fs::path(module).replace_extension(".prepared").string();
    return result;
}

}  // namespace cli
