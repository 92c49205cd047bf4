// The page of the farm report without its data, made from the files of runs/outcome/page.
#pragma once

namespace outcome {

extern const char* const farm_page_html;  // @DATA@, @FIGURES@ and @SCRIPT@ are filled in
extern const char* const farm_page_figures;
extern const char* const farm_page_script;  // JavaScript

}  // namespace outcome
