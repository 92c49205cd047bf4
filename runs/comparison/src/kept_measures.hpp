// Measures that the study of a comparison keeps of each run.
#pragma once

#include <vector>

namespace comparison {

struct KeptMeasure {
    const char *name, *path;
};
// Numbers and texts, by their path in the documents of a run (docs/formats/study_file.md).
const std::vector<KeptMeasure>& kept_measures();

}  // namespace comparison
