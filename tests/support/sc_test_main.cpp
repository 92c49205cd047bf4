// Entry of every simulation test: the SystemC library owns main() and calls sc_main().
#include <gmock/gmock.h>
#include <systemc>

int main(int argc, char** argv) {
    return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char** argv) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
