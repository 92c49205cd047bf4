// magicwire_block_costs MODULE...: the table of block costs of each module, written beside it.
#include <cstdio>
#include <exception>

#include <user_programs/block_costs.hpp>

int main(int count, char** arguments) {
    try {
        for (int i = 1; i < count; ++i) user_programs::write_block_costs(arguments[i]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "magicwire_block_costs: %s\n", error.what());
        return 1;
    }
    return 0;
}
