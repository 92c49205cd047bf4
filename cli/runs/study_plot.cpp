// study plot, study page: pictures of a stored study.
#include <map>
#include <memory>

#include <fmt/format.h>

#include <study_pictures/page.hpp>
#include <study_pictures/pictures.hpp>
#include <text/output_file.hpp>

#include "frame/command.hpp"
#include "runs/study_views.hpp"

namespace cli {
namespace {

struct Chosen {
    sweeps::StoredStudy stored;
    std::vector<sweeps::PointRow> rows;
    std::string words;  // the choice, for people
};
Chosen chosen(const std::string& file, const std::vector<std::string>& where) {
    Chosen chosen{sweeps::read_database(file), {}, {}};
    sweeps::Selection selection;
    selection.only = wheres_of(where);
    chosen.rows = sweeps::select(chosen.stored, selection);
    for (const std::string& text : where) chosen.words += (chosen.words.empty() ? "" : ", ") + text;
    return chosen;
}

struct PictureFile {
    std::string path;
    bool force = false;

    void add_to(CLI::App& command, const char* what) {
        command.add_option("-o,--out", path, what)->type_name("FILE")->check(file_name())->required();
        command.add_flag("-f,--force", force, "replace that file");
    }
    text::Replace replace() const { return force ? text::Replace::Yes : text::Replace::No; }
};

struct PlotOptions {
    std::string file, x, by, heat, log;
    std::vector<std::string> y, where;
    bool median = false;
    PictureFile out;
};

int draw_heat(const PlotOptions& options, const Chosen& of) {
    const auto names = names_of("--heat", options.heat, 3, 3, "AXIS,AXIS,MEASURE, as farm.buffers,machine,rate");
    if (!options.log.empty() && options.log != "colours" && options.log != "none")
        throw CLI::ValidationError("--log", "a heat map has logarithmic colours or none; write 'colours' or 'none'");
    tmon_pictures::draw_heat(
        study_pictures::heat_map(of.stored, of.rows,
                                 {.x = names[0],
                                  .y = names[1],
                                  .measure = names[2],
                                  .middle = options.median ? study_pictures::Middle::Median : study_pictures::Middle::Mean,
                                  .logarithmic = options.log == "colours",
                                  .only = of.words}),
        options.out.path, options.out.replace());
    return exit_code::nothing_found;
}

int plot(const PlotOptions& options) {
    using study_pictures::LogAxes;
    static const std::map<std::string, LogAxes> logs{
        {"", LogAxes::Fitting}, {"x", LogAxes::X}, {"y", LogAxes::Y}, {"xy", LogAxes::Both}, {"none", LogAxes::None}};
    if (options.heat.empty() == (options.x.empty() || options.y.empty()))
        throw CLI::ValidationError("plot", "give --x AXIS and --y MEASURE for curves, or --heat AXIS,AXIS,MEASURE");
    tmon_pictures::check_picture_kind(options.out.path);
    text::check_output_file(options.out.path, options.out.replace());
    const Chosen of = chosen(options.file, options.where);
    if (!options.heat.empty()) return draw_heat(options, of);
    if (options.log == "colours") throw CLI::ValidationError("--log", "'colours' is for --heat; write x, y, xy or none");
    std::vector<tmon_pictures::CurvePicture> panels;
    for (const std::string& measure : options.y)
        panels.push_back(
            study_pictures::curves(of.stored, of.rows,
                                   {.x = options.x,
                                    .y = measure,
                                    .by = options.by,
                                    .middle = options.median ? study_pictures::Middle::Median : study_pictures::Middle::Mean,
                                    .logarithmic = logs.at(options.log),
                                    .only = of.words}));
    tmon_pictures::draw_curves(panels, options.out.path, options.out.replace());
    return exit_code::nothing_found;
}

}  // namespace

void add_study_plot(CLI::App& study, int& result) {
    auto options = std::make_shared<PlotOptions>();
    CLI::App* command =
        study.add_subcommand("plot", "Draw curves with their spread, or a heat map, of a database (SVG or PNG)");
    command->add_option("FILE", options->file, "database of a study")->required();
    CLI::Option* x = command->add_option("--x", options->x, "the axis along")->type_name("AXIS");
    CLI::Option* y = command->add_option("--y", options->y, "measures, a picture for each, one above the other")
                         ->type_name("MEASURE")
                         ->delimiter(',');
    CLI::Option* by = command->add_option("--by", options->by, "a curve for each value of this axis")->type_name("AXIS");
    command->add_option("--heat", options->heat, "AXIS,AXIS,MEASURE: a map of cells instead of curves")
        ->excludes(x)
        ->excludes(y)
        ->excludes(by);
    add_where(*command, options->where);
    command->add_flag("--median", options->median, "the median of each group instead of the mean");
    command
        ->add_option("--log", options->log,
                     "logarithmic axes: x, y, xy or none; colours for --heat (default: x, where its values differ much)")
        ->check(CLI::IsMember({"x", "y", "xy", "none", "colours"}));
    options->out.add_to(*command, "the picture, .svg or .png");
    command->footer(
        "A point is the mean over all other axes, with the least and the most as a band or a bar.\n"
        "Examples:\n  magicwire study plot buffers.db --x farm.buffers --y rate --by machine -o buffers.svg\n"
        "  magicwire study plot buffers.db --heat farm.buffers,machine,rate --where farm.tree=binary -o map.svg\n");
    command->callback([options, &result] { result = plot(*options); });
}

void add_study_page(CLI::App& study, int& result) {
    struct PageOptions {
        std::string file;
        std::vector<std::string> where;
        PictureFile out;
    };
    auto options = std::make_shared<PageOptions>();
    CLI::App* command = study.add_subcommand(
        "page", "Write a database as one HTML file with table, curves and map; it opens without a network");
    command->add_option("FILE", options->file, "database of a study")->required();
    add_where(*command, options->where);
    options->out.add_to(*command, "the page");
    command->footer("Example:\n  magicwire study page buffers.db -o buffers.html\n");
    command->callback([options, &result] {
        text::check_output_file(options->out.path, options->out.replace());
        const Chosen of = chosen(options->file, options->where);
        text::write_text_file(options->out.path, study_pictures::study_page(of.stored, of.rows, of.words),
                              options->out.replace());
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
