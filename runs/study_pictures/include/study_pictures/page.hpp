// A stored study as one HTML file: a table to sort and filter, curves, a heat map, failures, and the line that repeats each
// point. It needs no network and no other file. The same rows give the same bytes.
#pragma once

#include <string>
#include <vector>

#include <sweeps/study_database.hpp>

namespace study_pictures {

inline constexpr std::size_t most_page_rows = 100'000;  // about 25 MB; a browser begins to be slow

// `only`: the choice of rows in words; empty: all are there. Throws vocabulary::RequestError for more than most_page_rows rows,
// or none. Cost: about 250 bytes a row.
std::string study_page(const sweeps::StoredStudy& stored, const std::vector<sweeps::PointRow>& rows, const std::string& only);

}  // namespace study_pictures
