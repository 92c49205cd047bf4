// The page of a study as the program carries it: the HTML with places for the others, and its JavaScript.
#pragma once

namespace study_pictures {

extern const char* const study_page_html;
extern const char* const study_page_charts;
extern const char* const study_page_script;

}  // namespace study_pictures
