#include <validation/validation.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace validation {
namespace {

char letter(topologies::Provenance provenance) {
    return "VRDA"[static_cast<std::size_t>(provenance)];
}

// Four digits and no exponent: all figures lie between a microsecond and some thousand.
std::string number(double value) {
    if (std::isnan(value)) return "none";
    return fmt::format("{:.{}f}", value, value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3);
}

// As the source gives it.
std::string published(const Figure& figure) {
    return figure.least == figure.most ? fmt::format("{:.6g}", figure.least)
                                       : fmt::format("{:.6g}-{:.6g}", figure.least, figure.most);
}

std::string error_text(const Figure& figure) {
    const double error = figure.error_percent();
    if (std::isnan(error)) return "none";
    const std::string text = fmt::format("{:+.1f} %", error);
    return text == "-0.0 %" || text == "+0.0 %" ? "0.0 %" : text;
}

// The others show that the model does what its rules say, or that its numbers are charged, not that they are right.
std::size_t count_of(const std::vector<Figure>& figures, Proof proof) {
    return static_cast<std::size_t>(
        std::count_if(figures.begin(), figures.end(), [&](const Figure& figure) { return figure.proof == proof; }));
}

std::string proofs(const std::vector<Figure>& figures) {
    return fmt::format(
        "fitted: {} (a cost was chosen so that it comes out); rule: {} (model and published value follow\n"
        "from the same rules); charged: {} (it measures a cost that was just charged).\n",
        count_of(figures, Proof::Fitted), count_of(figures, Proof::Rule), count_of(figures, Proof::Charged));
}

std::size_t published_count(const std::vector<Figure>& figures) {
    return static_cast<std::size_t>(std::count_if(figures.begin(), figures.end(), [](const Figure& figure) {
        return figure.provenance == topologies::Provenance::Seen || figure.provenance == topologies::Provenance::Recalled;
    }));
}

std::size_t good_independent(const std::vector<Figure>& figures) {
    return static_cast<std::size_t>(std::count_if(figures.begin(), figures.end(), [](const Figure& figure) {
        return figure.proof == Proof::Independent && figure.good();
    }));
}

}  // namespace

std::string validation_text(const std::vector<Figure>& figures) {
    std::string text = fmt::format("{:<50} {:>7} {:>13} {:<6} {:>8} {:>7}   {:<11} {}\n", "figure", "model", "published", "",
                                   "error", "allowed", "proof", "source (V seen, R recalled, D derived, A assumed)");
    const auto out = std::back_inserter(text);
    std::size_t bad = 0;
    for (const Figure& figure : figures) {
        bad += figure.good() ? 0 : 1;
        fmt::format_to(out, "{:<50} {:>7} {:>13} {:<6} {:>8} {:>5} % {} {:<11} {} {}\n", figure.what, number(figure.model),
                       published(figure), figure.unit, error_text(figure), figure.tolerance_percent, figure.good() ? ' ' : '!',
                       proof_text(figure.proof), letter(figure.provenance), figure.source);
    }
    const std::size_t independent = count_of(figures, Proof::Independent);
    if (bad == 0) {
        const std::string all = figures.size() == 1 ? "The figure lies within its tolerance."
                                                    : fmt::format("All {} figures lie within their tolerance.", figures.size());
        fmt::format_to(out, "\n{} Of these {}{} {} independent: nothing in the model was made from what was published.\n", all,
                       proofs(figures), independent, independent == 1 ? "is" : "are");
        return text;
    }
    fmt::format_to(out, "\n{} of {} figure{} left the tolerance:\n", bad, figures.size(), figures.size() == 1 ? "" : "s");
    for (const Figure& figure : figures) {
        if (figure.good()) continue;
        fmt::format_to(out, "  {}: {} {} and published {}; {} % are allowed because: {}\n", figure.name, number(figure.model),
                       figure.unit, published(figure), figure.tolerance_percent, figure.reason);
    }
    fmt::format_to(out, "\nWithin the tolerance: {} of {} independent figure{}.\n", good_independent(figures), independent,
                   independent == 1 ? "" : "s");
    return text;
}

std::string validation_json(const std::vector<Figure>& figures) {
    nlohmann::ordered_json json = {{"schema", "magicwire.validate/1"}};
    json["figures"] = nlohmann::ordered_json::array();
    for (const Figure& figure : figures) {
        const bool measured = !std::isnan(figure.model);
        json["figures"].push_back({{"name", figure.name},
                                   {"what", figure.what},
                                   {"unit", figure.unit},
                                   {"model", measured ? nlohmann::ordered_json(figure.model) : nullptr},
                                   {"published_least", figure.least},
                                   {"published_most", figure.most},
                                   {"error_percent", measured ? nlohmann::ordered_json(figure.error_percent()) : nullptr},
                                   {"tolerance_percent", figure.tolerance_percent},
                                   {"reason", figure.reason},
                                   {"good", figure.good()},
                                   {"provenance", std::string(1, letter(figure.provenance))},
                                   {"source", figure.source},
                                   {"proof", proof_text(figure.proof)}});
    }
    const auto good = std::count_if(figures.begin(), figures.end(), [](const Figure& figure) { return figure.good(); });
    json["published"] = published_count(figures);
    for (const Proof proof : {Proof::Independent, Proof::Fitted, Proof::Rule, Proof::Charged})
        json[proof_text(proof)] = count_of(figures, proof);
    json["good"] = good;
    json["bad"] = static_cast<std::int64_t>(figures.size()) - good;
    return json.dump(2);
}

}  // namespace validation
