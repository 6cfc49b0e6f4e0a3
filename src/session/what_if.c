// Edits, undo and redo, and the edited scenario as a file; see session.h.
#include "session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "new_file.h"
#include "scenario_file.h"
#include "session_actions.h"
#include "session_words.def"
#include "shown_name.h"
#include "trace_heads.h"
#include "trace_program.h"
#include "utf8.h"

// --- as a file that opens to the same bits
//
// It names the scenario it starts from; see scenario_format.txt.

// Appends text in double quotes, as YAML has them. Returns false if it does not fit.
static bool add_quoted(const char *text, char out[], size_t room)
{
    size_t used = strlen(out);
    if (used + 2 * strlen(text) + 3 > room)
        return false;
    out[used++] = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            out[used++] = '\\';
        out[used++] = *text;
    }
    out[used++] = '"';
    out[used] = '\0';
    return true;
}

static void write_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

static bool is_path(const char *what)
{
    const char *dot = strrchr(what, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

// Writes an absolute path, as the new file may be in another folder.
static bool write_from(const char *what, FILE *out, Error *err)
{
    char *whole = is_path(what) ? realpath(what, NULL) : NULL;
    if (is_path(what) && !whole)
        return error_set(err, "%s: %s", what, error_reason(errno));
    fputs("from: ", out);
    write_quoted(whole ? whole : what, out);
    fputc('\n', out);
    free(whole);
    return true;
}

// Every change in order: the options asked for at first, then the edits.
static const char *change_at(const Session *session, size_t i)
{
    const ScenarioRequest *request = &session->run.trace.scenario->request;
    size_t asked = (size_t)request->set_count;
    return i < asked ? request->sets[i] : session->what_if.edits[i - asked].text;
}

static size_t change_count(const Session *session)
{
    return (size_t)session->run.trace.scenario->request.set_count + session->what_if.done;
}

static bool is_overridden(const Session *session, size_t i)
{
    const char *set = change_at(session, i);
    size_t key = strcspn(set, "=") + 1;
    for (size_t later = i + 1; later < change_count(session); later++)
        if (strncmp(change_at(session, later), set, key) == 0)
            return true;
    return false;
}

// Writes the formulas by their keys; the last one of a key counts.
static void write_formulas(const Session *session, FILE *out)
{
    bool written = false;
    for (size_t i = 0; i < change_count(session); i++) {
        const char *set = change_at(session, i);
        if (!scenario_set_is_formula(set) || is_overridden(session, i))
            continue;
        const char *key = strchr(set, '.') + 1;
        int length = (int)strcspn(key, "=");
        fprintf(out, "%s  %.*s: %s\n", written ? "" : "formulas:\n", length, key, key + length + 1);
        written = true;
    }
}

static void write_list(const Session *session, const char *key, bool options, FILE *out)
{
    size_t asked = (size_t)session->run.trace.scenario->request.set_count, written = 0;
    for (size_t i = 0; i < change_count(session); i++) {
        bool is_option = i < asked || session->what_if.edits[i - asked].is_option;
        if (is_option != options || scenario_set_is_formula(change_at(session, i)))
            continue;
        fprintf(out, "%s\n  - ", written++ ? "" : key);
        write_quoted(change_at(session, i), out);
    }
    fputs(written ? "\n" : "", out);
}

static bool write_scenario(const void *what, FILE *out, Error *err)
{
    const Session *session = what;
    const ScenarioRequest *request = &session->run.trace.scenario->request;
    bool good = write_from(request->what, out, err);
    if (request->text) {
        fputs("text: ", out);
        write_quoted(request->text, out);
        fputc('\n', out);
    }
    write_list(session, "set:", true, out);
    write_formulas(session, out);
    write_list(session, "edits:", false, out);
    return good;
}

bool what_if_save(const Session *session, const char *path, Error *err)
{
    if (!session->run.trace.scenario->request.what)
        return error_set(err, TELL(SAVE_SCENARIO_NONE));
    if (!is_path(path))
        return error_set(err, TELL(SAVE_SCENARIO_NAME), path);
    if (access(path, F_OK) == 0)
        return error_set(err, TELL(SAVE_SCENARIO_EXISTS), path);
    return new_file_write(path, write_scenario, session, err);
}

// --- the session's own scenario
//
// It shares the numbers of the caller's until one of a tensor changes.

static bool take_scenario(Session *session, Error *err)
{
    WhatIf *what_if = &session->what_if;
    if (what_if->scenario)
        return true;
    Scenario *own = what_if_scenario_new(err);
    if (!own)
        return false;
    scenario_share(own, session->run.trace.scenario);
    bool good = trace_rebind(&session->run.trace, own, &what_if->change, err);
    if (good)
        what_if->scenario = own;
    else
        what_if_scenario_close(own);
    return good;
}

// The trace follows a tensor whose numbers have moved.
static bool take_numbers(Session *session, int tensor, TraceCell cell, Error *err)
{
    WhatIf *what_if = &session->what_if;
    if (!scenario_own(what_if->scenario, tensor, err))
        return false;
    const void *now = what_if->scenario->tensors[tensor].tensor.storage.bytes;
    bool good = session->run.trace.tensors[cell.tensor].tensor.storage.bytes == now ||
                trace_rebind(&session->run.trace, what_if->scenario, &what_if->change, err);
    trace_change_empty(&what_if->change); // a copy changes nothing
    return good;
}

// Discards what was derived from the old numbers.
static void forget_conclusions(Session *session)
{
    session->origin.known = false;
    session->statistics.measured = false;
    session->run.number++;
}

// --- elements

static bool put_element(Session *session, const char *text, char before[SCENARIO_EDIT_MAX],
                        Error *err)
{
    WhatIf *what_if = &session->what_if;
    ScenarioEdit edit;
    if (!scenario_edit_read(session->run.trace.scenario, text, &edit, err) ||
        !take_scenario(session, err))
        return false;
    const char *name = what_if->scenario->tensors[edit.tensor].name;
    TraceCell cell = {.tensor = trace_find(&session->run.trace, name)};
    memcpy(cell.at, edit.at, sizeof edit.at);
    ScenarioEdit was = scenario_edit_now(what_if->scenario, edit.tensor, edit.at);
    if (before)
        scenario_edit_text(what_if->scenario, &was, before);

    what_if->replanned = false;
    if (!take_numbers(session, edit.tensor, cell, err) ||
        !trace_touch(&session->run.trace, &what_if->change, cell, err))
        return false;
    scenario_edit_put(what_if->scenario, &edit);
    bool good = trace_recompute(&session->run.trace, &what_if->change, err);
    if (!good)
        trace_change_empty(&what_if->change);
    forget_conclusions(session);
    return good;
}

// --- options

// Recomputes what differs in a new scenario of the same pipeline. Closes one of the two scenarios.
static bool recompute_with(Session *session, Scenario *next, Error *err)
{
    WhatIf *what_if = &session->what_if;
    Scenario *last = what_if->scenario;
    trace_change_empty(&what_if->change);
    bool good = trace_rebind(&session->run.trace, next, &what_if->change, err) &&
                trace_recompute(&session->run.trace, &what_if->change, err);
    if (!good) {
        Error unused;
        session->run.trace.scenario = next; // the refused one, whichever call refused it
        trace_change_empty(&what_if->change);
        trace_rebind(&session->run.trace, last, &what_if->change, &unused);
        trace_change_empty(&what_if->change);
    }
    what_if->scenario = good ? next : last;
    what_if_scenario_close(good ? last : next);
    return good;
}

// Fails if the new pipeline cannot compute as many steps as the old one has.
static bool try_scenario(const Session *session, const Scenario *next, Error *err)
{
    Trace trial;
    bool good = trace_open(&trial, next, err);
    if (good && !trace_run(&trial, err))
        good = trial.steps_done >= session->run.trace.steps_done;
    trace_close(&trial);
    return good;
}

// Runs a new scenario of another pipeline from the start, as far as the old one.
static bool restart_with(Session *session, Scenario *next, Error *err)
{
    TraceKept kept;
    WhatIf *what_if = &session->what_if;
    Scenario *last = what_if->scenario;
    if (!try_scenario(session, next, err) || !trace_keep_all(&session->run.trace, &kept, err)) {
        what_if_scenario_close(next);
        return false;
    }
    trace_change_finish(&what_if->change);
    bool good = session_replan(session, next, &what_if->breaks_lost, err);
    if (good)
        trace_compare(&session->run.trace, &kept, &what_if->change);
    else
        trace_change_finish(&kept.was);
    what_if->scenario = good ? next : last;
    what_if_scenario_close(good ? last : next);
    return good;
}

static bool put_options(Session *session, size_t done, Error *err)
{
    Scenario *next = what_if_scenario_new(err);
    if (!next ||
        !what_if_open(&session->what_if, session->run.trace.scenario, done, NULL, next, err) ||
        !take_scenario(session, err)) {
        what_if_scenario_close(next);
        return false;
    }
    bool fits = trace_fits(&session->run.trace, next);
    forget_conclusions(session);
    session->what_if.replanned = !fits;
    return fits ? recompute_with(session, next, err) : restart_with(session, next, err);
}

// --- edits

// True for an element, which has an index before its '='; an option has none.
static bool names_an_element(const char *text)
{
    const char *bracket = strchr(text, '['), *equals = strchr(text, '=');
    return bracket && equals && bracket < equals;
}

static bool make_room(WhatIf *what_if, size_t edits_more, Error *err)
{
    if (what_if->done + edits_more <= what_if->room)
        return true;
    size_t room = what_if->room ? 2 * what_if->room : 16;
    Edit *edits = realloc(what_if->edits, room * sizeof *edits);
    if (!edits)
        return error_set(err, TELL(EDIT_NO_MEMORY), room);
    what_if->edits = edits;
    what_if->room = room;
    return true;
}

bool what_if_may_change(const Session *session, Error *err)
{
    return !session->comparison.swapped || error_set(err, TELL(EDIT_IN_FRONT));
}

// Sets err for "x = 3", which names a tensor but none of its elements.
static bool names_a_tensor(const Session *session, const char *text, Error *err)
{
    char name[SCENARIO_EDIT_MAX], cell[TRACE_CELL_MAX];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " ="), text);
    int tensor = trace_find(&session->run.trace, name);
    if (tensor < 0)
        return false;
    error_set(err, TELL(EDIT_WHICH), name,
              trace_cell_name(&session->run.trace, (TraceCell){.tensor = tensor}, cell));
    return true;
}

enum { FIRST_MAX = 2 };

// Changes an element or an option; as one edit with it first other options, NULL: no more of them. Returns false, with
// err and nothing changed, if that makes no sense.
static bool what_if_do_all(Session *session, const char *const first[FIRST_MAX], const char *text,
                           Error *err)
{
    WhatIf *what_if = &session->what_if;
    Edit edits[FIRST_MAX + 1], undone[FIRST_MAX + 1];
    size_t more = 1;
    for (; more <= FIRST_MAX && first[more - 1]; more++) {
        edits[more - 1] = (Edit){.is_option = true, .with_next = true};
        snprintf(edits[more - 1].text, sizeof edits->text, "%s", first[more - 1]);
    }
    Edit *edit = &edits[more - 1];
    *edit = (Edit){.is_option = !names_an_element(text)};
    if (!what_if_may_change(session, err) ||
        (edit->is_option && names_a_tensor(session, text, err)))
        return false;
    if (strlen(text) >= sizeof edit->text)
        return error_set(err, TELL(EDIT_TOO_LONG), sizeof edit->text - 1);
    strcpy(edit->text, text);
    if (!make_room(what_if, more, err) ||
        (!edit->is_option && !put_element(session, text, edit->before, err)))
        return false;
    Edit *next = &what_if->edits[what_if->done];
    memcpy(undone, next, more * sizeof *next);
    memcpy(next, edits, more * sizeof *next);
    if (edit->is_option && !put_options(session, what_if->done + more, err)) {
        memcpy(next, undone, more * sizeof *next);
        return false;
    }
    what_if->count = what_if->done += more;
    return true;
}

static bool what_if_do(Session *session, const char *text, Error *err)
{
    return what_if_do_all(session, (const char *const[FIRST_MAX]){NULL}, text, err);
}

// The edits that are undone, or else done, together with that one.
static size_t edits_together(const Edit *edit, size_t done, bool back)
{
    size_t count = 1;
    if (back)
        for (; count < done && edit[-(ptrdiff_t)count].with_next; count++)
            ;
    else
        for (; edit->with_next; edit++)
            count++;
    return count;
}

// Undoes the last edit, or redoes the next one. Options that were changed together count as one.
static bool what_if_go(Session *session, bool back, Error *err)
{
    WhatIf *what_if = &session->what_if;
    size_t done = what_if->done;
    if (!what_if_may_change(session, err))
        return false;
    if (done == (back ? 0 : what_if->count))
        return error_set(err, back ? TELL(EDIT_NOTHING) : TELL(EDIT_NOTHING_UNDONE));
    const Edit *edit = &what_if->edits[done - back];
    size_t steps = edits_together(edit, done, back);
    size_t then = back ? done - steps : done + steps;
    bool good = edit->is_option ? put_options(session, then, err)
                                : put_element(session, back ? edit->before : edit->text, NULL, err);
    what_if->done = good ? then : done;
    return good;
}

const TraceChange *what_if_change(const Session *session)
{
    return session->comparison.swapped ? NULL : &session->what_if.change;
}

bool what_if_before(const Session *session, TraceCell cell, const Tensor **before)
{
    const TraceChange *change = what_if_change(session);
    if (!change || !trace_is_changed(&session->run.trace, change, cell))
        return false;
    *before = &trace_changed(change, cell.tensor)->before;
    return true;
}

// --- the commands that edit

// A bare value is for the chosen element.
static bool edit_words(const Session *session, const char *name, char text[SCENARIO_EDIT_MAX],
                       Error *err)
{
    char cell[TRACE_CELL_MAX];
    const TraceTensor *tensor = session_tensor(session);
    bool is_whole = strchr(name, '=') != NULL;
    if (!is_whole && tensor->step >= 0)
        return error_set(err, TELL(EDIT_COMPUTED), tensor->name);
    int length =
        is_whole
            ? snprintf(text, SCENARIO_EDIT_MAX, "%s", name)
            : snprintf(text, SCENARIO_EDIT_MAX, "%s = %s",
                       trace_cell_name(&session->run.trace, session_cell(session), cell), name);
    return length < SCENARIO_EDIT_MAX || error_set(err, TELL(EDIT_LONG), SCENARIO_EDIT_MAX - 1);
}

// "reaches 96 elements in 7 steps, 90 of them changed"
static void report_change(Session *session, const char *what, bool is_formula)
{
    ptrdiff_t reached = 0, changed = 0;
    int steps = 0, last = -1;
    for (int number = 0; number < session->run.trace.tensor_count; number++) {
        const TraceChanged *tensor = trace_changed(&session->what_if.change, number);
        int step = session->run.trace.tensors[number].step;
        if (step < 0 || tensor->reached_count == 0)
            continue;
        reached += tensor->reached_count;
        changed += tensor->changed_count;
        steps += step != last;
        last = step;
    }
    int lost = session->what_if.breaks_lost;
    if (session->what_if.replanned && is_formula)
        session_say(session, TELL(EDIT_FORMULA), what, changed);
    else if (session->what_if.replanned && lost > 0)
        session_say(session, lost == 1 ? TELL(EDIT_BREAKPOINT) : TELL(EDIT_BREAKPOINTS), what,
                    lost);
    else if (session->what_if.replanned)
        session_say(session, TELL(EDIT_REPLANNED), what, changed);
    else if (steps == 0)
        session_say(session, TELL(EDIT_LATER), what);
    else
        session_say(session, TELL(EDIT_RECOMPUTED), what, reached, reached == 1 ? "" : TELL(PLURAL),
                    steps, steps == 1 ? "" : TELL(PLURAL), changed);
}

// --- patches

// Quotes a text for YAML, without the quotes that it may have already.
static bool quote_text(const char *text, char out[SCENARIO_EDIT_MAX])
{
    char bare[SCENARIO_EDIT_MAX];
    size_t length = strlen(text);
    bool has_quotes = length > 1 && text[0] == '"' && text[length - 1] == '"';
    snprintf(bare, sizeof bare, "%.*s", (int)(length - 2 * has_quotes), text + has_quotes);
    out[0] = '\0';
    return bare[0] && add_quoted(bare, out, SCENARIO_EDIT_MAX - 64);
}

// Translates "head 0.0 zero" and "head 0.0 at 3 from \"another text\"" to --set: patch.0.0.3="another text".
static bool patch_words(const char *words, char text[SCENARIO_EDIT_MAX], Error *err)
{
    unsigned layer, head, place;
    int end = 0, more = 0;
    char quoted[SCENARIO_EDIT_MAX], at[16] = "";
    sscanf(words, "head%u.%u %n", &layer, &head, &end);
    if (end > 0 && sscanf(words + end, "at %u %n", &place, &more) == 1 && more > 0)
        snprintf(at, sizeof at, ".%u", place);
    const char *what = words + end + more;
    bool is_text = strncmp(what, "from ", 5) == 0;
    bool is_word =
        strcmp(what, "zero") == 0 || strcmp(what, "mean") == 0 || strcmp(what, "none") == 0;
    if (end == 0 || (!is_word && !(is_text && quote_text(what + 5, quoted))))
        return error_set(err, TELL(PATCH_WORDS));
    snprintf(text, SCENARIO_EDIT_MAX, "patch.%u.%u%s=%.*s", layer, head, at, SCENARIO_EDIT_MAX - 64,
             is_word ? what : quoted);
    return true;
}

// Says how the answer changed. Returns false if there was none before, or is none now.
static bool report_answer(Session *session, const char *what, const TraceAnswer *before)
{
    char word[64];
    const Trace *trace = &session->run.trace;
    TraceAnswer after = *before;
    int logits = trace_find(trace, "logits");
    if (before->rank == 0 || !trace_answer_here(trace, &after))
        return false;
    session_say(session, TELL(PATCH_ANSWER), what, trace_label(trace, logits, 3, after.at, word),
                (double)before->logit, (double)after.logit, (double)before->probability,
                (double)after.probability, before->rank, after.rank);
    return true;
}

// Checks the formula before anything is computed.
static bool put_formula(Session *session, const char *text, Error *err)
{
    char set[SCENARIO_FORMULA_SET_MAX];
    return trace_formula_check(&session->run.trace, text, err) &&
           scenario_formula_set(text, set, err) && what_if_do(session, set, err);
}

// --- the next token

// The question for it; -1: none.
static ptrdiff_t next_question(const Scenario *scenario)
{
    ptrdiff_t count = scenario->size[SYMBOL_Q];
    for (ptrdiff_t q = 0; scenario->questions && q < count; q++)
        if (count == 1 || strcmp(scenario->questions[q], "next") == 0)
            return q;
    return -1;
}

// The token that a finished run chooses: by its own stage, or the likeliest word after the last token. -1 and err if the
// probabilities are NaN.
static int64_t next_token(const Trace *trace, ptrdiff_t question, Error *err)
{
    int next = trace_find(trace, "next");
    const Tensor *all = &trace->tensors[trace_find(trace, "probabilities")].tensor;
    ptrdiff_t last = all->shape[2] - 1;
    int64_t best = 0;
    for (ptrdiff_t w = 1; next < 0 && w < all->shape[3]; w++)
        if (*tensor_at4(all, 0, question, last, w) > *tensor_at4(all, 0, question, last, best))
            best = w;
    if (next >= 0)
        best = *tensor_id3(&trace->tensors[next].tensor, 0, question, 0);
    if (!isnan(*tensor_at4(all, 0, question, last, best)))
        return best;
    error_set(err, TELL(WRITE_NAN));
    return -1;
}

// Runs the scenario to its end; -1 if it cannot write.
static int64_t find_next(const Scenario *scenario, Error *err)
{
    Trace trace;
    ptrdiff_t question = next_question(scenario);
    int64_t next = -1;
    bool writes = question >= 0 && scenario->vocabulary && scenario->options.causal &&
                  scenario->size[SYMBOL_B] == 1;
    if (!writes) {
        error_set(err, TELL(WRITE_NOT));
        return -1;
    }
    if (!trace_open(&trace, scenario, err))
        return -1;
    if (trace_run(&trace, err))
        next = next_token(&trace, question, err);
    trace_close(&trace);
    return next;
}

static bool add_word(const Scenario *scenario, int64_t id, char text[SCENARIO_EDIT_MAX])
{
    enum { BRACKET = 2 }; // room for "]"
    const char *word = id < scenario->size[SYMBOL_V] ? scenario->vocabulary[id] : "";
    text_add(text, SCENARIO_EDIT_MAX, "%s", text[strlen(text) - 1] == '[' ? "" : ", ");
    return add_quoted(word, text, SCENARIO_EDIT_MAX - BRACKET);
}

static bool add_words_of(const Session *session, const char *name, char text[SCENARIO_EDIT_MAX])
{
    int ids = trace_find(&session->run.trace, name);
    const Tensor *tensor = ids < 0 ? NULL : &session->run.trace.tensors[ids].tensor;
    bool fits = true;
    for (ptrdiff_t i = 0; fits && tensor && i < tensor_count(tensor); i++)
        fits = add_word(session->run.trace.scenario, tensor->storage.i64[tensor->offset + i], text);
    return fits;
}

// The options that change with one more token: its place among those that are drawn, and how many before it are read
// from the cache, if there is one.
static bool change_with_token(Session *session, const char *text, Error *err)
{
    const Scenario *scenario = session->run.trace.scenario;
    const char *first[FIRST_MAX] = {NULL};
    char drawn[64], cached[64];
    int count = 0;
    snprintf(drawn, sizeof drawn, "next.drawn=%td", scenario->options.drawn + 1);
    snprintf(cached, sizeof cached, "attention.cached=%td",
             scenario->size[SYMBOL_L] + scenario->options.cached);
    if (scenario->options.draw)
        first[count++] = drawn;
    if (scenario->options.cached > 0)
        first[count++] = cached;
    return what_if_do_all(session, first, text, err);
}

// Appends one token to the input, as an edit of its words.
static bool write_token(Session *session, Error *err)
{
    const Scenario *scenario = session->run.trace.scenario;
    int64_t next = find_next(scenario, err);
    char text[SCENARIO_EDIT_MAX] = "input.words=[", word[64];
    if (next < 0)
        return false;
    if (!add_words_of(session, "past_ids", text) || !add_words_of(session, "tokens", text) ||
        !add_word(scenario, next, text))
        return error_set(err, TELL(EDIT_LONG), SCENARIO_EDIT_MAX - 1);
    text_add(text, sizeof text, "]");
    snprintf(word, sizeof word, "%s", scenario->vocabulary[next]);
    if (!change_with_token(session, text, err))
        return false;
    scenario = session->run.trace.scenario;
    ptrdiff_t cached = scenario->options.cached;
    if (cached > 0)
        session_say(session, TELL(WRITE_DONE_CACHED), word, cached, cached);
    else
        session_say(session, TELL(WRITE_DONE), word, scenario->size[SYMBOL_L] - 1);
    return true;
}

static bool change(Session *session, const Command *command, Error *err)
{
    char shown[SCENARIO_FORMULA_SET_MAX];
    char text[SCENARIO_EDIT_MAX];
    const WhatIf *what_if = &session->what_if;
    TraceAnswer answer = {.rank = 0};
    if (command->kind == COMMAND_PATCH) {
        trace_answer(&session->run.trace, &answer);
        if (!patch_words(command->name, text, err) || !what_if_do(session, text, err))
            return false;
        if (!report_answer(session, command->name, &answer))
            report_change(session, text, false);
    } else if (command->kind == COMMAND_SET) {
        if (!edit_words(session, command->name, text, err) || !what_if_do(session, text, err))
            return false;
        report_change(session, text, false);
    } else if (command->kind == COMMAND_FORMULA) {
        if (!put_formula(session, command->name, err))
            return false;
        report_change(session, command->name, true);
    } else if (command->kind == COMMAND_WRITE) {
        return write_token(session, err);
    } else if (command->kind == COMMAND_UNDO) {
        if (!what_if_go(session, true, err))
            return false;
        const Edit *edit = &what_if->edits[what_if->done];
        const char *undone = edit[edits_together(edit, 0, false) - 1].text;
        snprintf(text, sizeof text, TELL(EDIT_UNDONE), scenario_set_shown(undone, shown));
        report_change(session, text, scenario_set_is_formula(undone));
    } else {
        if (!what_if_go(session, false, err))
            return false;
        const char *redone = what_if->edits[what_if->done - 1].text;
        report_change(session, scenario_set_shown(redone, shown), scenario_set_is_formula(redone));
    }
    return true;
}

// Restarts the other run with the new inputs. The edit stays even if that run refuses it.
bool session_edit(Session *session, const Command *command, Error *err)
{
    Error lost;
    char name[sizeof session->comparison.name];
    bool has_other = session->comparison.open;
    strcpy(name, session->comparison.name);
    session->play.on = false;
    if (!change(session, command, err))
        return false;
    if (has_other && !comparison_open(session, name, &lost))
        session_say(session, TELL(EDIT_COMPARISON_CLOSED), lost.text);
    return true;
}

bool session_change(Session *session, const Command *command, Error *err)
{
    TraceCell cell = session_cell(session);
    bool backwards = command->kind == COMMAND_CHANGE_PREVIOUS;
    if (session->what_if.done == 0 && session->what_if.count == 0)
        return error_set(err, TELL(EDIT_NONE));
    const TraceChange *change = what_if_change(session);
    if (!change)
        return error_set(err, TELL(EDIT_OTHER_COMPARISON));
    if (!trace_next_changed(&session->run.trace, change, backwards, &cell))
        return error_set(err, TELL(EDIT_NO_OTHER),
                         backwards ? TELL(EDIT_BEFORE) : TELL(EDIT_AFTER));
    session_show_cell(session, session_step_with(session, cell.tensor), cell);
    return true;
}

bool session_save_scenario(Session *session, const Command *command, Error *err)
{
    if (session->lecture)
        return error_set(err, TELL(LECTURE_WRITES_NONE));
    if (!what_if_save(session, command->name, err))
        return false;
    char word[SHELL_PATH_ROOM];
    session_say(session, TELL(EDIT_SAVED), command->name, shell_path(command->name, word));
    return true;
}
