// A temporary folder with a specification and its sources; deleted at the end of the test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <farm_programs/specification.hpp>
#include <vocabulary/source_position.hpp>

namespace farm_programs_test {

class ProgramFolder {
public:
    ProgramFolder()
        : path_(std::filesystem::path(testing::TempDir()) / ("magicwire_programs_test." + std::to_string(getpid()))) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
        for (const char* name : {"file1.c", "file2.c", "file3.c"}) write(name, "");
    }
    ~ProgramFolder() { std::filesystem::remove_all(path_); }
    ProgramFolder(const ProgramFolder&) = delete;
    ProgramFolder& operator=(const ProgramFolder&) = delete;

    std::string file(const std::string& name) const { return (path_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream out(path_ / name, std::ios::binary);
        out << text;
    }
    farm_programs::Specification read(const std::string& text,
                                      const std::vector<farm_programs::Replacement>& instead = {}) const {
        return farm_programs::parse_specification(text, file("p.farm"), instead);
    }
    std::string error(const std::string& text, const std::vector<farm_programs::Replacement>& instead = {}) const {
        return error_of([&] { read(text, instead); });
    }
    // Whole text of the InputError, without the folder.
    template <class Code>
    std::string error_of(Code code) const {
        try {
            code();
        } catch (const vocabulary::InputError& found) {
            return without_folder(found.what());
        }
        return "no InputError was thrown";
    }
    std::string without_folder(std::string text) const {
        const std::string folder = path_.string() + "/";
        for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) text.erase(at, folder.size());
        return text;
    }

private:
    std::filesystem::path path_;
};

// Figure 3.5 of the thesis, line by line.
inline const std::string figure_3_5 =
    "begin\n"                        //
    "Virtual_Machine\n"              //
    "  type = PFVM;\n"               // 3
    "Interface\n"                    //
    "  input_stream = stdin;\n"      //
    "  output_stream = stdout;\n"    //
    "Configuration\n"                //
    "  topology = BTREE;\n"          // 8
    "  total_tasks = 100;\n"         //
    "  total_processors = 16;\n"     // 10
    "Programs\n"                     //
    "  data_generator = file1.c;\n"  // 12
    "  comp_function = file2.c;\n"   //
    "  result_receive = file3.c;\n"  //
    "end\n";

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    if (at == std::string::npos) throw std::logic_error("the specification has no '" + what + "'");
    return text.replace(at, what.size(), by);
}

}  // namespace farm_programs_test
