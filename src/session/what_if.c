// Edits, undo and redo, and the scenario as it is now as a file; see what_if.h.
#include "what_if.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "new_file.h"
#include "scenario_file.h"
#include "session.h"
#include "session_actions.h"
#include "session_words.def"
#include "shown_name.h"
#include "trace_heads.h"
#include "trace_program.h"

// --- as a file that opens to the same bits
//
// See scenario_format.txt: it names the scenario it starts from.

// Double quotes take every text of one line.
static void write_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static bool is_path(const char *what)
{
    const char *dot = strrchr(what, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

// The new file may lie elsewhere: a path is written from the root on.
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

// Formulas, each under its key; the last one of a key counts. `sets` are those asked for, then those done.
static void write_formulas(const char *const sets[], int count, FILE *out)
{
    bool written = false;
    for (int i = 0; i < count; i++) {
        const char *key = strchr(sets[i], '.') + 1;
        size_t length = strcspn(key, "=");
        bool is_last = true;
        for (int later = i + 1; later < count; later++)
            is_last =
                is_last && strncmp(sets[later], sets[i], (size_t)(key - sets[i]) + length + 1) != 0;
        if (is_last)
            fprintf(out, "%s  %.*s: %s\n", written ? "" : "formulas:\n", (int)length, key,
                    key + length + 1);
        written = written || is_last;
    }
}

static bool write_all_formulas(const ScenarioRequest *request, const WhatIf *what_if, FILE *out,
                               Error *err)
{
    size_t most = (size_t)request->set_count + what_if->done;
    const char **sets = calloc(most + 1, sizeof *sets);
    int count = 0;
    if (!sets)
        return error_machine(err, TELL(EDIT_NO_SCENARIO));
    for (int i = 0; i < request->set_count; i++)
        if (scenario_set_is_formula(request->sets[i]))
            sets[count++] = request->sets[i];
    for (size_t i = 0; i < what_if->done; i++)
        if (scenario_set_is_formula(what_if->edits[i].text))
            sets[count++] = what_if->edits[i].text;
    write_formulas(sets, count, out);
    free(sets);
    return true;
}

static void write_list(const char *key, const char *const *given, int count, const WhatIf *what_if,
                       bool options, FILE *out)
{
    size_t written = 0;
    for (int i = 0; i < count; i++) {
        if (scenario_set_is_formula(given[i]))
            continue;
        fputs(written++ ? "" : key, out);
        fputs("\n  - ", out);
        write_quoted(given[i], out);
    }
    for (size_t i = 0; i < what_if->done; i++) {
        if (what_if->edits[i].is_option != options ||
            scenario_set_is_formula(what_if->edits[i].text))
            continue;
        fputs(written++ ? "" : key, out);
        fputs("\n  - ", out);
        write_quoted(what_if->edits[i].text, out);
    }
    fputs(written ? "\n" : "", out);
}

static bool write_scenario(const Session *session, const char *path, Error *err)
{
    const ScenarioRequest *request = &session->run.trace.scenario->request;
    FILE *out = fopen(path, "wb");
    if (!out)
        return error_set(err, "%s: %s", path, error_reason(errno));
    bool good = write_from(request->what, out, err);
    if (request->text) {
        fputs("text: ", out);
        write_quoted(request->text, out);
        fputc('\n', out);
    }
    write_list("set:", request->sets, request->set_count, &session->what_if, true, out);
    good = good && write_all_formulas(request, &session->what_if, out, err);
    write_list("edits:", NULL, 0, &session->what_if, false, out);
    bool lost = ferror(out) != 0;
    lost = fclose(out) != 0 || lost;
    return good && lost ? error_set(err, "%s: %s", path, error_reason(errno)) : good;
}

bool what_if_save(const Session *session, const char *path, Error *err)
{
    Arena arena = {0};
    NewFile file;
    if (!session->run.trace.scenario->request.what)
        return error_set(err, TELL(SAVE_SCENARIO_NONE));
    if (!is_path(path))
        return error_set(err, TELL(SAVE_SCENARIO_NAME), path);
    if (access(path, F_OK) == 0)
        return error_set(err, TELL(SAVE_SCENARIO_EXISTS), path);
    bool good = new_file_begin(&file, path, &arena, err);
    if (good) {
        good = write_scenario(session, file.temporary, err);
        if (good)
            good = new_file_keep(&file, err);
        else
            new_file_drop(&file);
    }
    arena_finish(&arena);
    return good;
}

// --- a scenario of its own

static bool take_scenario(Session *session, Error *err)
{
    WhatIf *what_if = &session->what_if;
    if (what_if->scenario)
        return true;
    Scenario *own = what_if_scenario_new(err);
    bool good = own && scenario_copy(own, session->run.trace.scenario, err) &&
                trace_rebind(&session->run.trace, own, &what_if->change, err);
    trace_change_empty(&what_if->change); // a copy changes nothing
    if (good)
        what_if->scenario = own;
    else
        what_if_scenario_close(own);
    return good;
}

// What the screen worked out from the old numbers is worked out again.
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

    trace_change_empty(&what_if->change);
    what_if->replanned = false;
    if (!trace_touch(&session->run.trace, &what_if->change, cell, err))
        return false;
    scenario_edit_put(what_if->scenario, &edit);
    bool good = trace_recompute(&session->run.trace, &what_if->change, err);
    if (!good)
        trace_change_empty(&what_if->change);
    forget_conclusions(session);
    return good;
}

// --- options

// The new scenario fits the trace: what differs is computed again. One of the two is closed.
static bool recompute_with(Session *session, Scenario *next, Error *err)
{
    WhatIf *what_if = &session->what_if;
    Scenario *last = what_if->scenario;
    trace_change_empty(&what_if->change);
    bool good = trace_rebind(&session->run.trace, next, &what_if->change, err) &&
                trace_recompute(&session->run.trace, &what_if->change, err);
    if (!good) {
        Error unused;
        session->run.trace.scenario = next; // the refused one, wherever that came to light
        trace_change_empty(&what_if->change);
        trace_rebind(&session->run.trace, last, &what_if->change, &unused);
        trace_change_empty(&what_if->change);
    }
    what_if->scenario = good ? next : last;
    what_if_scenario_close(good ? last : next);
    return good;
}

// A pipeline that refuses what has been computed so far makes no sense.
static bool try_scenario(const Session *session, const Scenario *next, Error *err)
{
    Trace trial;
    bool good = trace_open(&trial, next, err);
    if (good && !trace_run(&trial, err))
        good = trial.steps_done >= session->run.trace.steps_done;
    trace_close(&trial);
    return good;
}

// The new scenario has another pipeline: it is run from the start, as far as the old one had come.
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

// Closes the scenario where it is not taken.
static bool open_next(Session *session, size_t done, Scenario *next, Error *err)
{
    bool good =
        next &&
        what_if_open(&session->what_if, session->run.trace.scenario, done, NULL, next, err) &&
        take_scenario(session, err);
    if (!good)
        what_if_scenario_close(next);
    return good;
}

static bool put_options(Session *session, size_t done, Error *err)
{
    Scenario *next = what_if_scenario_new(err);
    if (!open_next(session, done, next, err))
        return false;
    bool fits = trace_fits(&session->run.trace, next);
    forget_conclusions(session);
    session->what_if.replanned = !fits;
    return fits ? recompute_with(session, next, err) : restart_with(session, next, err);
}

// --- edits

// An element has an index before its '='; an option has none.
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

static bool may_change(const Session *session, Error *err)
{
    return !session->comparison.swapped || error_set(err, TELL(EDIT_IN_FRONT));
}

// "x = 3" names an input or a weight, but none of its numbers; a sentence says how.
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

// Changes an element or an option. False, with a sentence and nothing changed, when it makes no
// sense.
static bool what_if_do(Session *session, const char *text, Error *err)
{
    if (!may_change(session, err))
        return false;
    WhatIf *what_if = &session->what_if;
    Edit edit = {.is_option = !names_an_element(text)};
    if (edit.is_option && names_a_tensor(session, text, err))
        return false;
    if (strlen(text) >= sizeof edit.text)
        return error_set(err, TELL(EDIT_TOO_LONG), sizeof edit.text - 1);
    strcpy(edit.text, text);
    if (!make_room(what_if, 1, err))
        return false;
    Edit undone = what_if->edits[what_if->done];
    if (!edit.is_option && !put_element(session, text, edit.before, err))
        return false;
    what_if->edits[what_if->done] = edit;
    if (edit.is_option && !put_options(session, what_if->done + 1, err)) {
        what_if->edits[what_if->done] = undone;
        return false;
    }
    what_if->count = ++what_if->done;
    return true;
}

// Two options as one edit. False as above.
static bool what_if_do_both(Session *session, const char *first, const char *second, Error *err)
{
    WhatIf *what_if = &session->what_if;
    const char *texts[] = {first, second};
    if (!may_change(session, err) || !make_room(what_if, 2, err))
        return false;
    for (size_t i = 0; i < 2; i++) {
        Edit *edit = &what_if->edits[what_if->done + i];
        *edit = (Edit){.is_option = true, .with_next = i == 0};
        snprintf(edit->text, sizeof edit->text, "%s", texts[i]);
    }
    bool good = put_options(session, what_if->done + 2, err);
    what_if->done += good ? 2 : 0;
    what_if->count = what_if->done;
    return good;
}

static bool what_if_undo(Session *session, Error *err)
{
    WhatIf *what_if = &session->what_if;
    if (!may_change(session, err))
        return false;
    if (what_if->done == 0)
        return error_set(err, TELL(EDIT_NOTHING));
    const Edit *edit = &what_if->edits[what_if->done - 1];
    size_t steps = what_if->done > 1 && edit[-1].with_next ? 2 : 1;
    bool good = edit->is_option ? put_options(session, what_if->done - steps, err)
                                : put_element(session, edit->before, NULL, err);
    what_if->done -= good ? steps : 0;
    return good;
}

static bool what_if_redo(Session *session, Error *err)
{
    WhatIf *what_if = &session->what_if;
    if (!may_change(session, err))
        return false;
    if (what_if->done == what_if->count)
        return error_set(err, TELL(EDIT_NOTHING_UNDONE));
    const Edit *edit = &what_if->edits[what_if->done];
    size_t steps = edit->with_next ? 2 : 1;
    bool good = edit->is_option ? put_options(session, what_if->done + steps, err)
                                : put_element(session, edit->text, NULL, err);
    what_if->done += good ? steps : 0;
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

// A bare value is meant for the chosen element.
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
static void tell_change(Session *session, const char *what, bool is_formula)
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
    else
        session_say(session, TELL(EDIT_RECOMPUTED), what, reached, reached == 1 ? "" : TELL(PLURAL),
                    steps, steps == 1 ? "" : TELL(PLURAL), changed);
}

// --- patches

// A text in quotes of YAML, with or without quotes around it already. False where there is no room.
static bool quote_text(const char *text, char out[], size_t room)
{
    size_t length = strlen(text), used = 0;
    bool has_quotes = length > 1 && text[0] == '"' && text[length - 1] == '"';
    const char *from = text + has_quotes, *end = text + length - has_quotes;
    out[used++] = '"';
    for (; from < end && used + 3 < room; from++) {
        if (*from == '"' || *from == '\\')
            out[used++] = '\\';
        out[used++] = *from;
    }
    out[used++] = '"';
    out[used] = '\0';
    return from == end && from > text + has_quotes;
}

// "head 0.0 zero" and "head 0.0 at 3 from \"another text\"" as lines of --set: patch.0.0.3="another text".
static bool patch_words(const char *words, char text[SCENARIO_EDIT_MAX], Error *err)
{
    unsigned layer, head, place;
    int end = 0, more = 0;
    char quoted[SCENARIO_EDIT_MAX - 64], at[16] = "";
    sscanf(words, "head%u.%u %n", &layer, &head, &end);
    if (end > 0 && sscanf(words + end, "at %u %n", &place, &more) == 1 && more > 0)
        snprintf(at, sizeof at, ".%u", place);
    const char *what = words + end + more;
    bool is_text = strncmp(what, "from ", 5) == 0;
    bool is_word =
        strcmp(what, "zero") == 0 || strcmp(what, "mean") == 0 || strcmp(what, "none") == 0;
    if (end == 0 || (!is_word && !(is_text && quote_text(what + 5, quoted, sizeof quoted))))
        return error_set(err, TELL(PATCH_WORDS));
    snprintf(text, SCENARIO_EDIT_MAX, "patch.%u.%u%s=%s", layer, head, at, is_word ? what : quoted);
    return true;
}

// What becomes of the answer; false where there was none before, or is none now.
static bool tell_answer(Session *session, const char *what, const TraceAnswer *before)
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

// Refused before anything is computed, where that can be told.
static bool put_formula(Session *session, const char *text, Error *err)
{
    char set[SCENARIO_FORMULA_SET_MAX];
    return trace_formula_check(&session->run.trace, text, err) &&
           scenario_formula_set(text, set, err) && what_if_do(session, set, err);
}

// --- the next token

// The question that asks for it; -1: there is none.
static ptrdiff_t next_question(const Scenario *scenario)
{
    ptrdiff_t count = scenario->size[SYMBOL_Q];
    for (ptrdiff_t q = 0; scenario->questions && q < count; q++)
        if (count == 1 || strcmp(scenario->questions[q], "next") == 0)
            return q;
    return -1;
}

// What a finished run chooses: by its own stage, or the likeliest word of the last token.
static int64_t next_token(const Trace *trace, ptrdiff_t question)
{
    int next = trace_find(trace, "next"), made = trace_find(trace, "probabilities");
    if (next >= 0)
        return *tensor_id3(&trace->tensors[next].tensor, 0, question, 0);
    const Tensor *all = &trace->tensors[made].tensor;
    int64_t best = 0;
    for (ptrdiff_t w = 1; w < all->shape[3]; w++)
        if (*tensor_at4(all, 0, question, all->shape[2] - 1, w) >
            *tensor_at4(all, 0, question, all->shape[2] - 1, best))
            best = w;
    return best;
}

// Runs the scenario to its end; -1 where it cannot write.
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
        next = next_token(&trace, question);
    trace_close(&trace);
    return next;
}

static bool put_word(const Scenario *scenario, int64_t id, char text[SCENARIO_EDIT_MAX],
                     size_t *used)
{
    const char *word = id < scenario->size[SYMBOL_V] ? scenario->vocabulary[id] : "";
    bool fits = *used + 2 * strlen(word) + 5 < SCENARIO_EDIT_MAX;
    if (!fits)
        return false;
    *used += (size_t)sprintf(text + *used, "%s\"", text[*used - 1] == '[' ? "" : ", ");
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            text[(*used)++] = '\\';
        text[(*used)++] = *word;
    }
    text[(*used)++] = '"';
    text[*used] = '\0';
    return true;
}

static bool put_words_of(const Session *session, const char *name, char text[SCENARIO_EDIT_MAX],
                         size_t *used)
{
    int ids = trace_find(&session->run.trace, name);
    const Tensor *tensor = ids < 0 ? NULL : &session->run.trace.tensors[ids].tensor;
    bool fits = true;
    for (ptrdiff_t i = 0; fits && tensor && i < tensor_count(tensor); i++)
        fits = put_word(session->run.trace.scenario, tensor->storage.i64[tensor->offset + i], text,
                        used);
    return fits;
}

// The text with one more token, as an edit of its words; where tokens are drawn, the stream goes on with it.
static bool write_token(Session *session, Error *err)
{
    const Scenario *scenario = session->run.trace.scenario;
    int64_t next = find_next(scenario, err);
    char text[SCENARIO_EDIT_MAX] = "input.words=[", word[64], drawn[64];
    size_t used = strlen(text);
    if (next < 0)
        return false;
    if (!put_words_of(session, "past_ids", text, &used) ||
        !put_words_of(session, "tokens", text, &used) || !put_word(scenario, next, text, &used) ||
        used + 2 > sizeof text)
        return error_set(err, TELL(EDIT_LONG), SCENARIO_EDIT_MAX - 1);
    strcpy(text + used, "]");
    snprintf(word, sizeof word, "%s", scenario->vocabulary[next]);
    snprintf(drawn, sizeof drawn, "next.drawn=%td", scenario->options.drawn + 1);
    if (scenario->options.draw ? !what_if_do_both(session, drawn, text, err)
                               : !what_if_do(session, text, err))
        return false;
    scenario = session->run.trace.scenario;
    session_say(session, TELL(WRITE_DONE), word,
                scenario->size[SYMBOL_L] + scenario->options.cached - 1);
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
        if (!tell_answer(session, command->name, &answer))
            tell_change(session, text, false);
    } else if (command->kind == COMMAND_SET) {
        if (!edit_words(session, command->name, text, err) || !what_if_do(session, text, err))
            return false;
        tell_change(session, text, false);
    } else if (command->kind == COMMAND_FORMULA) {
        if (!put_formula(session, command->name, err))
            return false;
        tell_change(session, command->name, true);
    } else if (command->kind == COMMAND_WRITE) {
        return write_token(session, err);
    } else if (command->kind == COMMAND_UNDO) {
        if (!what_if_undo(session, err))
            return false;
        const Edit *edit = &what_if->edits[what_if->done];
        const char *undone = edit[edit->with_next].text;
        snprintf(text, sizeof text, TELL(EDIT_UNDONE), scenario_set_shown(undone, shown));
        tell_change(session, text, scenario_set_is_formula(undone));
    } else {
        if (!what_if_redo(session, err))
            return false;
        const char *redone = what_if->edits[what_if->done - 1].text;
        tell_change(session, scenario_set_shown(redone, shown), scenario_set_is_formula(redone));
    }
    return true;
}

// The other run starts anew from the inputs as they are now. A change stays even where that run
// cannot follow it.
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

// The step that shows a tensor: the one that makes it, else the first that reads it.
static int showing_step(const Trace *trace, int tensor)
{
    if (trace->tensors[tensor].step >= 0)
        return trace->tensors[tensor].step;
    for (int step = 0; step < trace->step_count; step++)
        for (int slot = 0; slot < STAGE_READS_MAX; slot++)
            if (trace->steps[step].reads[slot] == tensor)
                return step;
    return 0;
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
    session_show_cell(session, showing_step(&session->run.trace, cell.tensor), cell);
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
