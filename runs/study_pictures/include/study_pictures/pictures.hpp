// Pictures of a stored study: curves with spread, and heat maps. Drawn by tmon_pictures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sweeps/study_database.hpp>
#include <tmon_pictures/curve_picture.hpp>

namespace study_pictures {

enum class Middle { Mean, Median };
enum class LogAxes { Fitting, None, X, Y, Both };  // fitting: x where its values differ at least twentyfold, y never

struct CurveRequest {
    std::string x{}, y{}, by{};  // axis, measure, axis; without `by` there is one curve
    Middle middle = Middle::Mean;
    LogAxes logarithmic = LogAxes::Fitting;
    std::string only{};  // the choice of rows in words, for the line above the picture; may be empty
};
inline constexpr std::size_t most_curves = 24;

// A point of a curve is the middle over all other axes and seeds, with the least and the most. Values of `x` that are no
// numbers stand side by side in the order of the study.
// Throws vocabulary::RequestError for a name that is not there, and for a measure without a number. It also throws for more
// than most_curves curves, and for a value that a logarithmic axis has no place for.
tmon_pictures::CurvePicture curves(const sweeps::StoredStudy& stored, const std::vector<sweeps::PointRow>& rows,
                                   const CurveRequest& request);

struct HeatRequest {
    std::string x{}, y{}, measure{};  // axis, axis, measure
    Middle middle = Middle::Mean;
    bool logarithmic = false;  // colours
    std::string only{};
};
// A cell is the middle over all other axes. Throws likewise.
tmon_pictures::HeatPicture heat_map(const sweeps::StoredStudy& stored, const std::vector<sweeps::PointRow>& rows,
                                    const HeatRequest& request);

}  // namespace study_pictures
