// A tool for valgrind that counts the cache lines which an event of the machine visits. scripts/cache_lines builds and runs it.
// Built, it contains valgrind's core and so falls under valgrind's licence (GPL 2). Nothing of it is installed.
//
//   valgrind --tool=cache_lines [--skip=N] [--warm=N] [--events=N] PROGRAM
//
// An event begins where a function NAME::fire(unsigned int) is entered, and ends where the next one is. So it also has the way
// through the queue to the next event, and each use of a processor that passes without the queue.
//
// The first events (--skip) are not looked at. The next ones (--warm) only fill the model of the second-level cache. Then
// --events are counted, and the process ends. Each line of the output is
//
//   kind FUNCTION WHAT EVENTS INSTRUCTIONS DATA DATA_P90 CODE CODE_P90 BEYOND
//
// The first line has all kinds together. WHAT is the argument of fire(); 2 stands for all above. The numbers are sums over the
// events. DATA and CODE count distinct lines. BEYOND counts those of DATA that were not among the last 8192 lines touched, code
// included.
#include <stddef.h>

#include <pub_tool_basics.h>

#include <libvex_guest_amd64.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_machine.h>
#include <pub_tool_options.h>
#include <pub_tool_tooliface.h>

enum {
    LINE_BITS = 6,        // 64 bytes
    SECOND_LEVEL = 8192,  // lines: 512 KiB, always the least recently used one leaves
    BUCKET_BITS = 14,
    NO_LINE = SECOND_LEVEL,
    MOST_LINES = 4096,  // an event with more counts as one with so many in the percentile
    MOST_KINDS = 32,
    LAST_WHAT = 2,
    SAME_EVENT = 8,  // instructions within which a thunk has jumped to its function
};

static Long skip_events = 0, warm_events = 5000, wanted_events = 20000;

// ---- The last lines touched, in order ----

typedef struct {
    UWord number;
    ULong event;  // that touched it last
    UInt newer, older, chained;
} Line;

static Line lines[SECOND_LEVEL + 1];
static UInt buckets[1 << BUCKET_BITS];
static UInt used_lines;

static UInt* bucket_of(UWord number) {
    return &buckets[(number * 0x9E3779B97F4A7C15UL) >> (64 - BUCKET_BITS)];
}

// The entry NO_LINE closes the ring: its `older` is the newest line, its `newer` the oldest.
static void forget_all(void) {
    for (UInt i = 0; i < sizeof buckets / sizeof *buckets; ++i) buckets[i] = NO_LINE;
    lines[NO_LINE].newer = lines[NO_LINE].older = NO_LINE;
}

static void take_out(UInt i) {
    lines[lines[i].newer].older = lines[i].older;
    lines[lines[i].older].newer = lines[i].newer;
}

static void put_first(UInt i) {
    lines[i].newer = NO_LINE;
    lines[i].older = lines[NO_LINE].older;
    lines[lines[i].older].newer = i;
    lines[NO_LINE].older = i;
}

static UInt place_for_another(void) {
    if (used_lines < SECOND_LEVEL) return used_lines++;
    const UInt oldest = lines[NO_LINE].newer;
    take_out(oldest);
    UInt* link = bucket_of(lines[oldest].number);
    while (*link != oldest) link = &lines[*link].chained;
    *link = lines[oldest].chained;
    return oldest;
}

// ---- Events ----

typedef struct {
    UInt instructions, data, code, beyond;
} Visit;

typedef struct {
    HChar function[96];
    ULong what, events, instructions, data, code, beyond;
    UInt of_data[MOST_LINES + 1], of_code[MOST_LINES + 1];  // how many events had so many lines
} Kind;

static Kind all, kinds[MOST_KINDS];  // each function has LAST_WHAT + 1 of them
static UInt used_kinds;

static UChar looking;  // tested by the translated program: a byte
static ULong event;    // number of the present one
static Kind* kind;     // and its kind
static Visit visit;    // and what it has visited

static void touch(UWord number, UInt* distinct, UInt* beyond) {
    UInt* bucket = bucket_of(number);
    UInt i = *bucket;
    while (i != NO_LINE && lines[i].number != number) i = lines[i].chained;
    if (i == NO_LINE) {
        i = place_for_another();
        lines[i].number = number;
        lines[i].event = event - 1;
        lines[i].chained = *bucket;  // read again: taking a place may have changed it
        *bucket = i;
        ++*beyond;
    } else {
        take_out(i);
    }
    put_first(i);
    if (lines[i].event == event) return;
    lines[i].event = event;
    ++*distinct;
}

static void add(Kind* to) {
    ++to->events;
    to->instructions += visit.instructions;
    to->data += visit.data;
    to->code += visit.code;
    to->beyond += visit.beyond;
    ++to->of_data[VG_MIN(visit.data, MOST_LINES)];
    ++to->of_code[VG_MIN(visit.code, MOST_LINES)];
}

static UInt percentile_90(const Kind* of, const UInt* counts) {
    ULong below = 0;
    UInt number = 0;
    while (10 * (below += counts[number]) < 9 * of->events) ++number;
    return number;
}

static void print(const Kind* k) {
    if (k->events == 0) return;
    const UInt data_p90 = percentile_90(k, k->of_data), code_p90 = percentile_90(k, k->of_code);
    VG_(printf)("kind %s %llu %llu %llu ", k->function, k->what, k->events, k->instructions);
    VG_(printf)("%llu %u %llu %u %llu\n", k->data, data_p90, k->code, code_p90, k->beyond);
}

static void report(Int exit_code) {
    (void)exit_code;
    print(&all);
    for (UInt i = 0; i < used_kinds; ++i) print(&kinds[i]);
    if (event > 0) VG_(printf)("seen %llu\n", event);
}

static VG_REGPARM(2) void on_fire(Kind* first, UWord what) {
    Kind* const next = first + VG_MIN((UInt)what, LAST_WHAT);
    if (looking && kind == next && visit.instructions < SAME_EVENT) return;
    const ULong begin = (ULong)(skip_events + warm_events);
    if (event > begin) {
        add(kind);
        add(&all);
        if (event == begin + (ULong)wanted_events) {
            report(0);
            VG_(exit)(0);
        }
    }
    ++event;
    kind = next;
    looking = event > (ULong)skip_events;
    VG_(memset)(&visit, 0, sizeof visit);
}

static VG_REGPARM(2) void on_instruction(Addr address, UWord size) {
    UInt beyond = 0;  // of code: not reported
    ++visit.instructions;
    for (UWord n = address >> LINE_BITS; n <= (address + size - 1) >> LINE_BITS; ++n) touch(n, &visit.code, &beyond);
}

static VG_REGPARM(2) void on_data(Addr address, UWord size) {
    for (UWord n = address >> LINE_BITS; n <= (address + size - 1) >> LINE_BITS; ++n) touch(n, &visit.data, &visit.beyond);
}

// The kinds of the function that begins here, or NULL where no fire() does. A thunk counts as its function. So does a function
// that the linker has made local; a cold part does not, since it is entered from the function itself.
static Kind* kinds_of_function_at(Addr address) {
    static const HChar signature[] = "::fire(unsigned int)", thunk[] = "non-virtual thunk to ", local[] = " [clone .lto_priv";
    const HChar* name;
    if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name)) return NULL;
    if (VG_(strncmp)(name, thunk, sizeof thunk - 1) == 0) name += sizeof thunk - 1;
    const HChar* const found = VG_(strstr)(name, signature);
    if (found == NULL) return NULL;
    const HChar* const rest = found + sizeof signature - 1;
    if (*rest != 0 && VG_(strncmp)(rest, local, sizeof local - 1) != 0) return NULL;
    HChar function[sizeof all.function] = "";
    VG_(strncpy)(function, name, VG_MIN((SizeT)(rest - name) - VG_(strlen)("(unsigned int)"), sizeof function - 1));
    for (UInt i = 0; i < used_kinds; i += LAST_WHAT + 1)
        if (VG_(strcmp)(kinds[i].function, function) == 0) return &kinds[i];
    if (used_kinds + LAST_WHAT + 1 > MOST_KINDS) VG_(tool_panic)("more kinds of events than MOST_KINDS");
    Kind* const first = &kinds[used_kinds];
    for (UInt what = 0; what <= LAST_WHAT; ++what) {
        VG_(strcpy)(kinds[used_kinds].function, function);
        kinds[used_kinds++].what = what;
    }
    return first;
}

// ---- Translation ----

static IRExpr* temporary(IRSB* out, IRType type, IRExpr* value) {
    const IRTemp made = newIRTemp(out->tyenv, type);
    addStmtToIRSB(out, IRStmt_WrTmp(made, value));
    return IRExpr_RdTmp(made);
}

static IRExpr* is_looking(IRSB* out) {
    IRExpr* const byte = temporary(out, Ity_I8, IRExpr_Load(Iend_LE, Ity_I8, mkIRExpr_HWord((HWord)&looking)));
    return temporary(out, Ity_I1, IRExpr_Binop(Iop_CmpNE8, byte, IRExpr_Const(IRConst_U8(0))));
}

static IRExpr* both(IRSB* out, IRExpr* one, IRExpr* other) {
    IRExpr* const first = temporary(out, Ity_I32, IRExpr_Unop(Iop_1Uto32, one));
    IRExpr* const second = temporary(out, Ity_I32, IRExpr_Unop(Iop_1Uto32, other));
    return temporary(out, Ity_I1, IRExpr_Unop(Iop_32to1, temporary(out, Ity_I32, IRExpr_Binop(Iop_And32, first, second))));
}

static void call(IRSB* out, const HChar* name, void* function, IRExpr* guard, IRExpr* first, IRExpr* second) {
    IRDirty* const dirty = unsafeIRDirty_0_N(2, name, VG_(fnptr_to_fnentry)(function), mkIRExprVec_2(first, second));
    if (guard != NULL) dirty->guard = guard;
    addStmtToIRSB(out, IRStmt_Dirty(dirty));
}

static void call_on_data(IRSB* out, IRExpr* guard, IRExpr* address, Int size) {
    call(out, "on_data", on_data, guard, address, mkIRExpr_HWord((HWord)size));
}

// Has the data of a statement counted. On this processor none is Ist_LLSC.
static void add_data(IRSB* out, const IRStmt* s, IRExpr* guard) {
    const IRTypeEnv* const types = out->tyenv;
    if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load) {
        const IRExpr* const load = s->Ist.WrTmp.data;
        call_on_data(out, guard, load->Iex.Load.addr, sizeofIRType(load->Iex.Load.ty));
    } else if (s->tag == Ist_Store) {
        call_on_data(out, guard, s->Ist.Store.addr, sizeofIRType(typeOfIRExpr(types, s->Ist.Store.data)));
    } else if (s->tag == Ist_StoreG) {
        const IRStoreG* const store = s->Ist.StoreG.details;
        call_on_data(out, both(out, guard, store->guard), store->addr, sizeofIRType(typeOfIRExpr(types, store->data)));
    } else if (s->tag == Ist_LoadG) {
        const IRLoadG* const load = s->Ist.LoadG.details;
        IRType widened, loaded;
        typeOfIRLoadGOp(load->cvt, &widened, &loaded);
        call_on_data(out, both(out, guard, load->guard), load->addr, sizeofIRType(loaded));
    } else if (s->tag == Ist_CAS) {
        const IRCAS* const cas = s->Ist.CAS.details;
        const Int size = sizeofIRType(typeOfIRExpr(types, cas->dataLo));
        call_on_data(out, guard, cas->addr, cas->dataHi != NULL ? 2 * size : size);
    } else if (s->tag == Ist_Dirty && s->Ist.Dirty.details->mFx != Ifx_None) {
        const IRDirty* const dirty = s->Ist.Dirty.details;
        call_on_data(out, both(out, guard, dirty->guard), dirty->mAddr, dirty->mSize);
    }
}

static IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                        const VexArchInfo* host, IRType guest_word, IRType host_word) {
    (void)closure, (void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
    IRSB* const out = deepCopyIRSBExceptStmts(in);
    IRExpr* guard = NULL;
    for (Int i = 0; i < in->stmts_used; ++i) {
        IRStmt* const s = in->stmts[i];
        if (s->tag == Ist_IMark) {
            Kind* const entered = kinds_of_function_at(s->Ist.IMark.addr);
            addStmtToIRSB(out, s);
            if (entered != NULL) {  // the second argument of a member function lies in RSI
                IRExpr* const what = temporary(out, Ity_I64, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RSI), Ity_I64));
                call(out, "on_fire", on_fire, NULL, mkIRExpr_HWord((HWord)entered), what);
            }
            if (entered != NULL || guard == NULL) guard = is_looking(out);
            call(out, "on_instruction", on_instruction, guard, mkIRExpr_HWord(s->Ist.IMark.addr),
                 mkIRExpr_HWord(s->Ist.IMark.len));
            continue;
        }
        if (guard != NULL) add_data(out, s, guard);  // before the first instruction all is valgrind's own
        addStmtToIRSB(out, s);
    }
    return out;
}

// ---- The tool ----

static Bool read_option(const HChar* text) {
    if (VG_INT_CLO(text, "--skip", skip_events)) {
    } else if (VG_INT_CLO(text, "--warm", warm_events)) {
    } else if (VG_INT_CLO(text, "--events", wanted_events)) {
    } else {
        return False;
    }
    return True;
}

static void print_usage(void) {
    VG_(printf)("    --skip=N     events that are not looked at [0]\n");
    VG_(printf)("    --warm=N     events after them that only fill the cache [5000]\n");
    VG_(printf)("    --events=N   events that are counted [20000]\n");
}

static void print_nothing(void) {}

static void after_options(void) {
    VG_(strcpy)(all.function, "all");
    forget_all();
}

static void before_options(void) {
    VG_(details_name)("cache_lines");
    VG_(details_version)(NULL);
    VG_(details_description)("the cache lines that an event visits");
    VG_(details_copyright_author)("Copyright (c) 2026 The Magicwire authors");
    VG_(details_bug_reports_to)("the authors of Magicwire");
    VG_(basic_tool_funcs)(after_options, instrument, report);
    VG_(needs_command_line_options)(read_option, print_usage, print_nothing);
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
