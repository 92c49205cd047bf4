// Cycles: T800 data sheet, with the choices between disagreeing sources that docs/model/t800_core.md names.
#include <instruction_table.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include <act.hpp>
#include <floating_acts.hpp>
#include <handlers.hpp>

namespace t800_core {
namespace {

using Rows = std::array<Row, 0x200>;
using Listed = std::initializer_list<std::pair<std::uint32_t, Row>>;

void add(Rows& rows, Listed listed) {
    for (const auto& [number, row] : listed) rows[number] = row;
}

constexpr auto on = Flow::On, last = Flow::Ends;

void add_integer(Rows& rows) {
    add(rows, {{0x46, {op_and, 1, 0, 0, on}},          {0x4B, {op_or, 1, 0, 0, on}},      {0x33, {op_xor, 1, 0, 0, on}},
               {0x32, {op_not, 1, 0, 0, on}},          {0x41, {op_shl, 2, 0, 31, on}},    {0x40, {op_shr, 2, 0, 31, on}},
               {0x05, {op_add, 1, 0, 0, on}},          {0x0C, {op_sub, 1, 0, 0, on}},     {0x53, {op_mul, 38, 0, 0, on}},
               {0x72, {op_fmul, 35, 0, 5, on}},        {0x2C, {op_div, 39, 0, 0, on}},    {0x1F, {op_rem, 37, 0, 0, on}},
               {0x09, {op_gt, 2, 0, 0, on}},           {0x04, {op_diff, 1, 0, 0, on}},    {0x52, {op_sum, 1, 0, 0, on}},
               {0x08, {op_prod, 4, 0, 32, on}},        {0x16, {op_ladd, 2, 0, 0, on}},    {0x38, {op_lsub, 2, 0, 0, on}},
               {0x37, {op_lsum, 3, 0, 0, on}},         {0x4F, {op_ldiff, 3, 0, 0, on}},   {0x31, {op_lmul, 33, 0, 0, on}},
               {0x1A, {op_ldiv, 35, 0, 0, on}},        {0x36, {op_lshl, 3, 0, 32, on}},   {0x35, {op_lshr, 3, 0, 32, on}},
               {0x19, {op_norm, 3, 0, 34, on}},        {0x00, {op_rev, 1, 0, 0, on}},     {0x3A, {op_xword, 4, 0, 0, on}},
               {0x56, {op_cword, 5, 0, 0, on}},        {0x1D, {op_xdble, 2, 0, 0, on}},   {0x4C, {op_csngl, 3, 0, 0, on}},
               {0x42, {op_mint, 1, 0, 0, on}},         {0x5A, {op_dup, 1, 0, 0, on}},     {0x74, {op_crcword, 35, 0, 0, on}},
               {0x75, {op_crcbyte, 11, 0, 0, on}},     {0x76, {op_bitcnt, 2, 0, 31, on}}, {0x77, {op_bitrevword, 36, 0, 0, on}},
               {0x78, {op_bitrevnbits, 4, 0, 64, on}}, {0x02, {op_bsub, 1, 0, 0, on}},    {0x0A, {op_wsub, 2, 0, 0, on}},
               {0x81, {op_wsubdb, 3, 0, 0, on}},       {0x34, {op_bcnt, 2, 0, 0, on}},    {0x3F, {op_wcnt, 5, 0, 0, on}},
               {0x01, {op_lb, 5, 1, 0, on}},           {0x3B, {op_sb, 4, 1, 0, on}},      {0x1B, {op_ldpi, 2, 0, 0, on}},
               {0x3C, {op_gajw, 2, 0, 0, on}},         {0x13, {op_csub0, 2, 0, 0, on}},   {0x4D, {op_ccnt1, 3, 0, 0, on}},
               {0x29, {op_testerr, 2, 0, 1, on}},      {0x10, {op_seterr, 1, 0, 0, on}},  {0x1E, {op_ldpri, 1, 0, 0, on}},
               {0x22, {op_ldtimer, 2, 0, 0, on}},      {0x17C, {op_lddevid, 1, 0, 0, on}}});
}

void add_control(Rows& rows) {
    add(rows, {{0x20, {op_ret, 5, 2, 0, last}},
               {0x06, {op_gcall, 4, 1, 0, last}},
               {0x21, {op_lend, 5, 5, 5, last}},
               {0x45, {op_altend, 4, 2, 0, last}},
               {0x5B, {goes_on<act_move2dinit>, 8, 0, 0, on}},
               {0x5C, {ends<act_move2dall>, 0, 0, 0, last}},
               {0x5D, {ends<act_move2dnonzero>, 0, 0, 0, last}},
               {0x5E, {ends<act_move2dzero>, 0, 0, 0, last}},
               {0x4A, {ends<act_move>, 8, 0, 0, last}},
               {0x3E, {goes_on<act_saveh>, 4, 2, 0, on}},
               {0x3D, {goes_on<act_savel>, 4, 2, 0, on}},
               {0x18, {goes_on<act_sthf>, 1, 0, 0, on}},
               {0x50, {goes_on<act_sthb>, 1, 0, 0, on}},
               {0x1C, {goes_on<act_stlf>, 1, 0, 0, on}},
               {0x17, {goes_on<act_stlb>, 1, 0, 0, on}},
               {0x54, {ends<act_sttimer>, 1, 0, 0, last}},
               {0x55, {ends<act_stoperr>, 2, 0, 0, last}},
               {0x57, {goes_on<act_clrhalterr>, 1, 0, 0, on}},
               {0x58, {goes_on<act_sethalterr>, 1, 0, 0, on}},
               {0x59, {goes_on<act_testhalterr>, 2, 0, 0, on}},
               {0x2A, {goes_on<act_testpranal>, 2, 0, 0, on}}});
}

void add_scheduling(Rows& rows) {
    add(rows, {{0x2B, {ends<act_tin>, 4, 0, 0, last}},
               {0x4E, {goes_on<act_talt>, 4, 2, 0, on}},
               {0x51, {ends<act_taltwt>, 15, 0, 0, last}},
               {0x47, {goes_on<act_enbt>, 8, 3, 0, on}},
               {0x2E, {ends<act_dist>, 23, 0, 0, last}},
               {0x07, {ends<act_in>, 20, 0, 0, last}},
               {0x0B, {ends<act_out>, 20, 0, 0, last}},
               {0x0F, {ends<act_outword>, 23, 0, 0, last}},
               {0x0E, {ends<act_outbyte>, 23, 0, 0, last}},
               {0x12, {ends<act_resetch>, 3, 0, 0, last}},
               {0x43, {goes_on<act_alt>, 2, 1, 0, on}},
               {0x44, {ends<act_altwt>, 5, 0, 0, last}},
               {0x49, {goes_on<act_enbs>, 3, 1, 0, on}},
               {0x30, {goes_on<act_diss>, 4, 2, 0, on}},
               {0x48, {goes_on<act_enbc>, 5, 3, 2, on}},
               {0x2F, {goes_on<act_disc>, 8, 4, 0, on}},
               {0x0D, {goes_on<act_startp>, 12, 3, 0, on}},
               {0x03, {ends<act_endp>, 13, 0, 0, last}},
               {0x39, {ends<act_runp>, 10, 0, 0, last}},
               {0x15, {ends<act_stopp>, 11, 0, 0, last}},
               // Operations for tests of the chip: nothing is published but their names. One cycle each is a guess.
               {0x23, {goes_on<act_testlds>, 1, 0, 0, on}},
               {0x24, {goes_on<act_testlde>, 1, 0, 0, on}},
               {0x25, {goes_on<act_testldd>, 1, 0, 0, on}},
               {0x26, {ends<act_teststs>, 1, 0, 0, last}},
               {0x27, {goes_on<act_testste>, 1, 0, 0, on}},
               {0x28, {goes_on<act_teststd>, 1, 0, 0, on}},
               {0x1FF, {ends<act_start>, 1, 0, 0, last}}});
}

Rows all_rows() {
    Rows rows;
    rows.fill({op_nothing, 1, 0, 0, on});
    add_integer(rows);
    add_control(rows);
    add_scheduling(rows);
    for (const FloatingRow& row : floating_rows()) rows[row.operation] = {row.run, row.cycles, row.accesses, row.most, on};
    return rows;
}

}  // namespace

const Row& operation_row(std::uint32_t operation) {
    static const Rows rows = all_rows();
    static const Row nothing{op_nothing, 1, 0, 0, on};
    return operation < rows.size() ? rows[operation] : nothing;
}

const Row& direct_row(std::uint8_t function) {
    static const std::array<Row, 15> rows{{{op_j, 3, 1, 0, last},
                                           {op_ldlp, 1, 0, 0, on},
                                           {},
                                           {op_ldnl, 2, 1, 0, on},
                                           {op_ldc, 1, 0, 0, on},
                                           {op_ldnlp, 1, 0, 0, on},
                                           {},
                                           {op_ldl, 2, 1, 0, on},
                                           {op_adc, 1, 0, 0, on},
                                           {op_call, 7, 5, 0, last},
                                           {op_cj, 2, 1, 2, on},
                                           {op_ajw, 1, 0, 0, on},
                                           {op_eqc, 2, 0, 0, on},
                                           {op_stl, 1, 1, 0, on},
                                           {op_stnl, 2, 1, 0, on}}};
    return rows[function];
}

Flow fill(Op& op, const Instruction& instruction, std::uint32_t after, const CoreSettings& settings, std::uint32_t& most) {
    static constexpr std::uint8_t j = 0, ldlp = 1, ldnl = 3, ldnlp = 5, ldl = 7, call = 9, cj = 10, ajw = 11, stl = 13,
                                  stnl = 14, opr = 15;
    const std::uint8_t function = instruction.function;
    const Row& row = function == opr ? operation_row(instruction.operand) : direct_row(function);
    const std::uint32_t extra = settings.external_access - 1, own = row.cycles + instruction.length - 1;
    op.run = row.run;
    op.operand = instruction.operand;
    op.function = function;
    op.length = static_cast<std::uint8_t>(instruction.length < 255 ? instruction.length : 255);
    std::uint32_t cycles = own;
    switch (function) {
        case ldlp:
        case ldnl:
        case ldnlp:
        case ldl:
        case ajw:
        case stl:
        case stnl:
            op.operand *= 4;
            break;
        case j:
        case call:
        case cj:
            op.operand += after;
            break;
        default:
            break;
    }
    if ((function == j || function == call) && op.operand >= on_chip_bytes) cycles += extra;
    // A straight run of cheap instructions waits for its words when memory is slower than four cycles a word.
    const bool word_ends = (after & ~3U) > ((after - instruction.length) & ~3U);
    if (after > on_chip_bytes && extra > 3 && word_ends && own == instruction.length) cycles += extra - 3;
    op.cycles = static_cast<std::uint8_t>(cycles < 255 ? cycles : 255);
    most += row.accesses * extra + row.most;
    return row.flow;
}

}  // namespace t800_core
