// std::visit with one function for each alternative: std::visit(Match{[](const Text&) {...}, [](const Number&) {...}}, value).
// A missing alternative does not compile.
#pragma once

namespace vocabulary {

template <class... Cases>
struct Match : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

}  // namespace vocabulary
