// session_names: see session_names.h. commands.def says which list goes with a command: list_NAMES.
#include "session_names.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "formula.h"
#include "open_lecture.h"

static void add(SessionNames *names, const char *name)
{
    assert(names->count < SESSION_NAMES_MAX);
    names->known[names->count++] = name;
    names->known[names->count] = NULL;
}

// --- what has no table of its own

const char *session_notation_name(NumberNotation notation)
{
    static const char *const names[NUMBER_NOTATIONS] = {
        [NUMBER_PRINTED] = "print",
        [NUMBER_FULL] = "full",
        [NUMBER_HEXADECIMAL] = "hexadecimal",
        [NUMBER_DECIMALS] = "decimals",
    };
    return names[notation];
}

// --- the lists

static void list_none(const Session *session, SessionNames *names)
{
    (void)session, (void)names;
}

static void list_steps(const Session *session, SessionNames *names)
{
    for (int step = 0; step < session->run.trace.step_count; step++)
        add(names, trace_step_name(&session->run.trace, step, names->room[step]));
}

static void list_tensors(const Session *session, SessionNames *names)
{
    int tensors[SESSION_TENSORS_MAX];
    int count = session_tensors(session, session->cursor.step, tensors);
    for (int i = 0; i < count; i++)
        add(names, session->run.trace.tensors[tensors[i]].name);
}

static void list_all_tensors(const Session *session, SessionNames *names)
{
    for (int tensor = 0; tensor < session->run.trace.tensor_count; tensor++)
        add(names, session->run.trace.tensors[tensor].name);
}

// A list that ends with NULL.
static void add_all(SessionNames *names, const char *const known[])
{
    for (int i = 0; known[i]; i++)
        add(names, known[i]);
}

static void list_modes(const Session *session, SessionNames *names)
{
    (void)session;
    add_all(names, figure_mode_names);
}

static void list_scales(const Session *session, SessionNames *names)
{
    (void)session;
    add_all(names, figure_scale_names);
}

static void list_colours(const Session *session, SessionNames *names)
{
    (void)session;
    add_all(names, colour_map_names);
}

static void list_axes(const Session *session, SessionNames *names)
{
    for (int axis = 0; axis < session_tensor(session)->tensor.rank; axis++)
        if (trace_axis(&session->run.trace, session->cursor.tensor, axis, names->room[axis]))
            add(names, names->room[axis]);
}

static void list_depths(const Session *session, SessionNames *names)
{
    (void)session;
    for (int depth = 0; depth < DEPTH_COUNT; depth++)
        add(names, session_depth_name((SessionDepth)depth));
}

// Steps, and the outputs that a condition can follow.
static void list_stops(const Session *session, SessionNames *names)
{
    const Trace *trace = &session->run.trace;
    list_steps(session, names);
    for (int tensor = 0; tensor < trace->tensor_count; tensor++)
        if (trace->tensors[tensor].step >= 0)
            add(names, trace->tensors[tensor].name);
}

static void list_kinds(const Session *session, SessionNames *names)
{
    static const char *const kinds[] = {"nan", "infinity", "masked", "largest", "smallest"};
    (void)session;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add(names, kinds[i]);
}

static void list_notations(const Session *session, SessionNames *names)
{
    (void)session;
    for (int notation = 0; notation < NUMBER_NOTATIONS; notation++)
        add(names, session_notation_name((NumberNotation)notation));
}

static void list_orders(const Session *session, SessionNames *names)
{
    (void)session;
    add(names, "position");
    add(names, "size");
}

static void list_switches(const Session *session, SessionNames *names)
{
    (void)session;
    add(names, "on");
    add(names, "off");
}

// Options of attention that are asked about most; any field of a scenario can be set.
static void list_options(const Session *session, SessionNames *names)
{
    static const char *const options[] = {"attention.scale=none",
                                          "attention.scale=sqrt_d_k",
                                          "attention.scale=sqrt_d_model",
                                          "attention.mask=none",
                                          "attention.mask=causal",
                                          "attention.mask=key_padding",
                                          "attention.mask_value=",
                                          "attention.dropout=",
                                          "attention.mask_before_scale=",
                                          "model.heads=",
                                          "model.qkv_bias=",
                                          "model.position=sinusoidal",
                                          "weights.manual_seed=",
                                          "input.ids="};
    static const char *const keyed[] = {
#define STAGE_OPTION(name, KIND)
#define KEYED_OPTION(name, KIND, section, ...) section "." #name "=",
#include "options.def"
#undef KEYED_OPTION
#undef STAGE_OPTION
    };
    (void)session;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        add(names, options[i]);
    for (size_t i = 0; i < sizeof keyed / sizeof *keyed; i++)
        add(names, keyed[i]);
}

static void list_comparisons(const Session *session, SessionNames *names)
{
    add(names, "off");
    for (int i = 0; mistake_get(i) && i < SESSION_COMPOSED_MAX; i++) {
        snprintf(names->room[i], sizeof names->room[i], "mistake %s", mistake_get(i)->name);
        add(names, names->room[i]);
    }
    list_options(session, names);
}

// What a formula may name: what is computed before the step, its sizes, options and functions.
static void list_formula(const Session *session, SessionNames *names)
{
    const char *name;
    const Trace *trace = &session->run.trace;
    for (int tensor = 0; tensor < trace->tensor_count; tensor++)
        if (trace->tensors[tensor].step <= session->cursor.step)
            add(names, trace->tensors[tensor].name);
    for (Symbol symbol = 0; symbol < SYMBOL_COUNT; symbol++)
        if (trace->scenario->size[symbol] > 0)
            add(names, symbol_names[symbol]);
    for (int number = 0; (name = formula_function_name(number)) != NULL; number++)
        add(names, name);
}

static void list_shows(const Session *session, SessionNames *names)
{
    (void)session;
    add(names, "other");
    add(names, "difference");
    add(names, "stages");
}

static void list_pages(const Session *session, SessionNames *names)
{
    const Lecture *lecture = session->lecture ? session->lecture->lecture : NULL;
    for (int page = 0; lecture && page < lecture->page_count; page++)
        add(names, lecture->pages[page].name);
}

typedef void List(const Session *session, SessionNames *names);

static List *const lists[COMMAND_COUNT] = {
#define COMMAND(name, action, word, argument, names, traits, keys, ...) \
    [COMMAND_##name] = list_##names,
#include "commands.def"
#undef COMMAND
};

void session_names(const Session *session, CommandKind kind, SessionNames *names)
{
    names->count = 0;
    names->known[0] = NULL;
    lists[kind](session, names);
}

void session_command_words(SessionNames *names)
{
    names->count = 0;
    for (int kind = 0; kind < COMMAND_COUNT; kind++)
        add(names, command_info((CommandKind)kind)->word);
}

void session_names_keep(SessionNames *names, const char *start)
{
    int kept = 0;
    for (int i = 0; i < names->count; i++)
        if (strncmp(names->known[i], start, strlen(start)) == 0)
            names->known[kept++] = names->known[i];
    names->known[kept] = NULL;
    names->count = kept;
}
