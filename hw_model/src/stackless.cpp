#include <hw_model/stackless.hpp>

#include <utility>

namespace hw_model {

Demand Stackless::resume() {
    if (until_ != nullptr) {
        if (!*until_) return demand_;
        until_ = nullptr;
    }
    demand_ = {};
    if (innermost_) {
        innermost_.resume();
    } else {
        outermost_ = code_();
    }
    if (demand_.kind != Demand::Kind::End) [[likely]]
        return demand_;
    EXPECTS(outermost_.done(), "stackless.resume.waits_for_nothing");
    innermost_ = nullptr;
    std::exchange(outermost_, {}).get();  // its exception goes on here, as if the processor had called the code
    return demand_;
}

}  // namespace hw_model
