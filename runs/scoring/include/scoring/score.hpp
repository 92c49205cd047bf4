// The score of deTrEK over a campaign: a stored study whose judge compared each verdict with what happened (scripts/judge.py).
// Nothing here judges. It reads measures of the study by their names (campaigns/README.md), and the last three are optional.
// `kind` of the verdict is certain, likely, unknown or none. `outcome` is its worth: right, wrong, half right, among the
// others; for an unknown one, fault or healthy. `could_be` is the best verdict that messages alone allow (oracle.json,
// `visible`). `lost_share` of the records is from 0 to 1. `after_us` is modelled time from the first strike to the end of the
// session.
//
// A judge that finds a verdict certain and wrong fails its point with these words, so such a point is counted by its failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sweeps/study_database.hpp>
#include <tmon_pictures/curve_picture.hpp>

namespace scoring {

// Numbers of points.
struct Tally {
    std::size_t points = 0;
    std::size_t certain_right = 0, none_right = 0, likely_right = 0;
    std::size_t close = 0;  // likely; the right place is among its others, or only the node is right
    std::size_t unknown_fault = 0, unknown_healthy = 0;
    std::size_t likely_wrong = 0, certain_wrong = 0;  // certain_wrong: also a fault that was denied
    std::size_t failed = 0;                           // no verdict was judged
    std::size_t allowed = 0, recalled = 0;            // messages allow a certain verdict; it was certain
    std::size_t with_verdict = 0;                     // that ran and were judged
    double lost_share = 0;                            // mean of the judged points
    std::vector<double> after_us;                     // of certain and right verdicts, rising

    std::size_t right() const { return certain_right + none_right + likely_right; }
    std::size_t unknown() const { return unknown_fault + unknown_healthy; }
};

struct Group {
    std::string name;
    Tally tally;
};

// A point to look at.
struct Case {
    std::size_t number = 0;
    std::string why, repeat;
};

struct Score {
    std::string study, grouped_by;  // an axis or a measure
    std::size_t points = 0;         // of the whole study; those not run yet are in no tally
    Tally all;
    std::vector<Group> groups;   // shares of lost records in order; else in the order of the points
    std::vector<Case> wrong;     // certain and wrong
    std::vector<Case> short_of;  // nothing was lost, messages allow a certain verdict, and it is none
    std::vector<Case> failed;
};

inline constexpr const char* by_loss = "lost_share";

// Throws vocabulary::RequestError unless a study with these measures has been judged.
void check_judged(const std::string& study, const std::vector<std::string>& measures);
// Throws it unless `by` is one of these axes and measures.
void check_group(const std::string& study, const std::vector<std::string>& names, const std::string& by);

// `by`: an axis or a measure. Throws vocabulary::RequestError for another name, and for a study that measures no kind or
// outcome. Cost: linear in the rows.
Score score_of(const sweeps::StoredStudy& stored, const std::string& by);

std::string score_text(const Score& score);  // at most 128 columns
std::string score_json(const Score& score);  // magicwire.score/1
// Throws vocabulary::RequestError when a curve over `by` would have fewer than two groups.
void check_curve(std::size_t groups, const std::string& by);
// Shares of the answers over the groups. Throws as check_curve().
tmon_pictures::CurvePicture score_curves(const Score& score);

}  // namespace scoring
