// The prompt, the names that complete it, and the help page; see session.h.
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "formula.h"
#include "open_lecture.h"
#include "session.h"
#include "session_actions.h"
#include "session_words.def"
#include "trace_program.h"
#include "utf8.h"

// --- names
//
// commands.def says which list goes with a command: list_NAMES.

static void add(SessionNames *names, const char *name)
{
    assert(names->count < SESSION_NAMES_MAX);
    names->known[names->count++] = name;
    names->known[names->count] = NULL;
}

// --- fixed lists

static const char *const notation_names[NUMBER_NOTATIONS + 1] = {
    [NUMBER_PRINTED] = "print",
    [NUMBER_FULL] = "full",
    [NUMBER_HEXADECIMAL] = "hexadecimal",
    [NUMBER_DECIMALS] = "decimals",
};
static const char *const kind_names[] = {"nan", "infinity", "masked", "largest", "smallest", NULL};
static const char *const order_names[] = {"position", "size", NULL};
static const char *const switch_names[] = {"on", "off", NULL};

// Options of attention that people ask about most; any field of a scenario can be set.
static const char *const option_names[] = {
    "attention.scale=none",
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
    "input.ids=",
#define STAGE_OPTION(name, KIND)
#define KEYED_OPTION(name, KIND, section, ...) section "." #name "=",
#include "options.def"
#undef KEYED_OPTION
#undef STAGE_OPTION
    NULL,
};

static void add_all(SessionNames *names, const char *const known[])
{
    for (int i = 0; known[i]; i++)
        add(names, known[i]);
}

// --- lists of the session

// Storage for composed names, too large for a frame of the stack.
static char composed[TRACE_STEPS_MAX][64];

static void list_steps(const Session *session, SessionNames *names)
{
    for (int step = 0; step < session->run.trace.step_count; step++)
        add(names, trace_step_name(&session->run.trace, step, composed[step]));
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

static void list_axes(const Session *session, SessionNames *names)
{
    for (int axis = 0; axis < session_tensor(session)->tensor.rank; axis++)
        if (trace_axis(&session->run.trace, session->cursor.tensor, axis, composed[axis]))
            add(names, composed[axis]);
}

// Steps, and outputs for a condition.
static void list_stops(const Session *session, SessionNames *names)
{
    const Trace *trace = &session->run.trace;
    list_steps(session, names);
    for (int tensor = 0; tensor < trace->tensor_count; tensor++)
        if (trace->tensors[tensor].step >= 0)
            add(names, trace->tensors[tensor].name);
}

static void list_comparisons(const Session *session, SessionNames *names)
{
    (void)session;
    add(names, "off");
    for (int i = 0; mistake_get(i) && i < TRACE_STEPS_MAX; i++) {
        snprintf(composed[i], sizeof composed[i], "mistake %s", mistake_get(i)->name);
        add(names, composed[i]);
    }
    add_all(names, option_names);
}

// Names that a formula may use: earlier tensors, sizes and functions.
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

static void list_pages(const Session *session, SessionNames *names)
{
    const Lecture *lecture = session->lecture ? session->lecture->lecture : NULL;
    for (int page = 0; lecture && page < lecture->page_count; page++)
        add(names, lecture->pages[page].name);
}

// The columns `names` of commands.def: a fixed list, a function, or neither.
typedef struct List {
    const char *const *known;
    void (*add)(const Session *session, SessionNames *names);
} List;

static const List names_none = {.known = NULL};
static const List names_steps = {.add = list_steps};
static const List names_tensors = {.add = list_tensors};
static const List names_all_tensors = {.add = list_all_tensors};
static const List names_axes = {.add = list_axes};
static const List names_stops = {.add = list_stops};
static const List names_comparisons = {.add = list_comparisons};
static const List names_formula = {.add = list_formula};
static const List names_pages = {.add = list_pages};
static const List names_depths = {.known = session_depth_names};
static const List names_modes = {.known = figure_mode_names};
static const List names_scales = {.known = figure_scale_names};
static const List names_colours = {.known = colour_map_names};
static const List names_notations = {.known = notation_names};
static const List names_kinds = {.known = kind_names};
static const List names_orders = {.known = order_names};
static const List names_switches = {.known = switch_names};
static const List names_options = {.known = option_names};
static const List names_shows = {.known = comparison_show_names};

static const List *const lists[COMMAND_COUNT] = {
#define COMMAND(name, action, word, argument, names, traits, keys, ...) \
    [COMMAND_##name] = &names_##names,
#include "commands.def"
#undef COMMAND
};

void session_names(const Session *session, CommandKind kind, SessionNames *names)
{
    const List *list = lists[kind];
    names->count = 0;
    names->known[0] = NULL;
    if (list->known)
        add_all(names, list->known);
    if (list->add)
        list->add(session, names);
}

// Keeps the names that begin with `start`.
static void session_names_keep(SessionNames *names, const char *start)
{
    int kept = 0;
    for (int i = 0; i < names->count; i++)
        if (strncmp(names->known[i], start, strlen(start)) == 0)
            names->known[kept++] = names->known[i];
    names->known[kept] = NULL;
    names->count = kept;
}

// --- completion

// The words before the cursor: the command, and the name to complete.
typedef struct Typed {
    char text[LINE_EDIT_ROOM];
    const char *start; // of the part to complete
    bool is_command;   // that part is the command's word
    bool known;        // the command exists:
    CommandKind command;
} Typed;

// In a formula, the name before the cursor.
static const char *last_name(const char *text)
{
    const char *start = text + strlen(text);
    while (start > text && (isalnum((unsigned char)start[-1]) || strchr("_.", start[-1])))
        start--;
    return start;
}

static void read_typed(const LineEdit *line, Typed *typed)
{
    snprintf(typed->text, sizeof typed->text, "%.*s", (int)line->cursor, line->text);
    char *word = typed->text + strspn(typed->text, " ");
    char *space = strchr(word, ' ');
    typed->start = space ? space + strspn(space, " ") : word;
    typed->is_command = !space;
    if (space)
        *space = '\0';
    typed->known = command_find(word, &typed->command);
    if (command_is_formula(line->text)) {
        typed->known = true;
        typed->is_command = false;
        typed->command = COMMAND_FORMULA;
    }
    if (!typed->is_command && typed->known && typed->command == COMMAND_FORMULA)
        typed->start = last_name(typed->start);
}

static void list_candidates(const Session *session, const Typed *typed, SessionNames *names)
{
    *names = (SessionNames){.count = 0};
    for (int kind = 0; typed->is_command && kind < COMMAND_COUNT; kind++)
        add(names, command_info((CommandKind)kind)->word);
    if (!typed->is_command && typed->known)
        session_names(session, typed->command, names);
    session_names_keep(names, typed->start);
}

// The length of the prefix that all names share, in whole characters.
static size_t shared_length(const SessionNames *names)
{
    size_t length = 0;
    uint32_t character;
    for (size_t bytes; (bytes = utf8_next(names->known[0] + length, &character)) > 0;
         length += bytes)
        for (int i = 1; i < names->count; i++)
            if (strncmp(names->known[0], names->known[i], length + bytes) != 0)
                return length;
    return length;
}

// "scale  score  softmax", as many as fit.
static void list_names(const SessionNames *names, char *text, size_t room)
{
    text[0] = '\0';
    for (int i = 0; i < names->count; i++)
        text_add(text, room, "%s%s", i ? "  " : "", names->known[i]);
}

// Appends the indices of a tensor whose name is complete.
static void complete_indices(Session *session, const char *name)
{
    char indices[TRACE_INDICES_MAX];
    int tensor = trace_find(&session->run.trace, name);
    if (tensor >= 0)
        line_edit_insert(&session->prompt.line,
                         trace_formula_indices(&session->run.trace, tensor, indices));
}

static bool prompt_complete(Session *session, Error *err)
{
    SessionPrompt *prompt = &session->prompt;
    SessionNames names;
    Typed typed;
    char text[PROMPT_HINT_MAX];
    (void)err;
    read_typed(&prompt->line, &typed);
    list_candidates(session, &typed, &names);
    if (names.count == 0)
        return true;
    char more[LINE_EDIT_ROOM];
    size_t length = shared_length(&names), have = strlen(typed.start);
    snprintf(more, sizeof more, "%.*s", (int)(length - have), names.known[0] + have);
    line_edit_insert(&prompt->line, more);
    if (typed.known && typed.command == COMMAND_FORMULA && !typed.is_command && names.count > 0 &&
        strcmp(names.known[0], typed.start) == 0)
        complete_indices(session, names.known[0]);
    else if (names.count > 1 && !more[0]) {
        list_names(&names, text, sizeof text);
        session_say(session, "%s", text);
    }
    if (names.count == 1 && typed.is_command && command_find(names.known[0], &typed.command) &&
        command_info(typed.command)->argument != ARGUMENT_NONE)
        line_edit_insert(&prompt->line, " ");
    return true;
}

// A bare number is for the chosen element, which must be an input or a weight.
static bool sets_what_is_computed(const Session *session, const Typed *typed)
{
    return typed->known && typed->command == COMMAND_SET && session_tensor(session)->step >= 0;
}

static void list_what_can_be_set(const Session *session, char text[PROMPT_HINT_MAX])
{
    char cell[TRACE_CELL_MAX];
    const Trace *trace = &session->run.trace;
    int given = 0; // the first input or weight of floats; every scenario has one
    while (given + 1 < trace->tensor_count &&
           (trace->tensors[given].step >= 0 || trace->tensors[given].tensor.dtype != DTYPE_F32))
        given++;
    words_format(text, PROMPT_HINT_MAX, TELL(PROMPT_COMPUTED), session_tensor(session)->name,
                 trace_cell_name(trace, (TraceCell){.tensor = given}, cell));
}

// Says whether the formula in the line is valid, else what is wrong and where.
static void describe_formula(const Session *session, char text[PROMPT_HINT_MAX])
{
    Error err;
    const char *line = session->prompt.line.text + strspn(session->prompt.line.text, " ");
    line += command_is_formula(line) ? 0 : strcspn(line, " ");
    bool good = what_if_may_change(session, &err) &&
                trace_formula_check(&session->run.trace, line + strspn(line, " "), &err);
    snprintf(text, PROMPT_HINT_MAX, "%s", good ? TELL(PROMPT_FORMULA) : err.text);
}

const char *session_prompt_hint(const Session *session, char text[PROMPT_HINT_MAX])
{
    SessionNames names;
    Typed typed;
    read_typed(&session->prompt.line, &typed);
    list_candidates(session, &typed, &names);
    if (typed.known && typed.command == COMMAND_ANSWER && session->lecture)
        snprintf(text, PROMPT_HINT_MAX, "%s", open_lecture_answer_form(session->lecture));
    else if (typed.known && typed.command == COMMAND_FORMULA && !typed.is_command)
        describe_formula(session, text);
    else if (sets_what_is_computed(session, &typed))
        list_what_can_be_set(session, text);
    else if (typed.known)
        snprintf(text, PROMPT_HINT_MAX, "%s%s: %s", command_info(typed.command)->word,
                 command_argument(typed.command), command_about(typed.command));
    else if (typed.is_command && typed.start[0] && names.count > 0)
        list_names(&names, text, PROMPT_HINT_MAX);
    else if (typed.is_command && !typed.start[0])
        snprintf(text, PROMPT_HINT_MAX, TELL(PROMPT_EMPTY));
    else
        snprintf(text, PROMPT_HINT_MAX, TELL(PROMPT_UNKNOWN));
    return text;
}

// --- keys

// Closes the prompt and runs the line as any other command. If it fails, opens the prompt again, to correct it.
static bool prompt_run(Session *session, Error *err)
{
    SessionPrompt *prompt = &session->prompt;
    LineEdit line = prompt->line;
    Command command;
    prompt->open = false;
    if (line.text[strspn(line.text, " ")] == '\0')
        return true;
    if (!command_parse(line.text, &command, err) || !session->apply(session, &command, err)) {
        prompt->open = true;
        return false;
    }
    history_add(&prompt->history, line.text);
    prompt->entered++;
    return true;
}

static bool prompt_cancel(Session *session, Error *err)
{
    (void)err;
    session->prompt.open = false;
    return true;
}

static void recall(SessionPrompt *prompt, int back)
{
    const char *line = history_line(&prompt->history, back);
    if (back != 0 && !line)
        return;
    if (prompt->recalled == 0)
        prompt->draft = prompt->line;
    if (back == 0)
        prompt->line = prompt->draft;
    else
        line_edit_set(&prompt->line, line);
    prompt->recalled = back;
}

static bool prompt_older(Session *session, Error *err)
{
    (void)err;
    recall(&session->prompt, session->prompt.recalled + 1);
    return true;
}

static bool prompt_newer(Session *session, Error *err)
{
    (void)err;
    if (session->prompt.recalled > 0)
        recall(&session->prompt, session->prompt.recalled - 1);
    return true;
}

static const KeyRow keys[] = {
#define PROMPT_KEY(action, ...) KEY_ROW(PROMPT, 0, __VA_ARGS__),
#define PROMPT_EDIT(edit, ...) KEY_ROW(PROMPT, 0, __VA_ARGS__),
#include "keymaps.def"
};

// The function of each row of `keys`; one of the two is set.
static const struct {
    bool (*act)(Session *session, Error *err);
    void (*edit)(LineEdit *line);
} deeds[] = {
#define PROMPT_KEY(action, ...) {.act = prompt_##action},
#define PROMPT_EDIT(name, ...) {.edit = line_edit_##name},
#include "keymaps.def"
};

static const Keymap key_map = {keys, sizeof keys / sizeof *keys};

int prompt_key_count(void)
{
    return key_map.count;
}

const KeyRow *prompt_key(int number)
{
    return &keys[number];
}

// A character, as keys are named: itself, or "Space".
static const char *character_of(const char *key)
{
    uint32_t character;
    if (strcmp(key, "Space") == 0)
        return " ";
    size_t bytes = utf8_next(key, &character);
    bool is_control = character < 0x20 || (character >= 0x7f && character < 0xa0);
    return bytes > 0 && !key[bytes] && !is_control && utf8_valid(key, bytes) ? key : NULL;
}

bool session_type(Session *session, const Command *command, Error *err)
{
    SessionPrompt *prompt = &session->prompt;
    const char *character = character_of(command->name);
    if (!prompt->open)
        return error_set(err, TELL(PROMPT_NONE));
    if (character) {
        line_edit_insert(&prompt->line, character);
        return true;
    }
    int row = keymap_find(key_map, PLACE_PROMPT, 0, command->name);
    if (row >= 0 && deeds[row].act)
        return deeds[row].act(session, err);
    if (row >= 0)
        deeds[row].edit(&prompt->line);
    return true;
}

// Writes the current step's formula as it can be typed.
static bool formula_now(const Session *session, char text[FORMULA_TEXT_MAX + 1], Error *err)
{
    const Trace *trace = &session->run.trace;
    int step = session->cursor.step;
    const char *edited = trace_edited(trace, step);
    if (comparison_hides_step(session))
        return error_set(err, TELL(PROMPT_HIDDEN));
    if (edited)
        snprintf(text, FORMULA_TEXT_MAX + 1, "%s", edited);
    return edited || trace_formula_named(trace, step, text, err);
}

bool session_prompt(Session *session, const Command *command, Error *err)
{
    SessionPrompt *prompt = &session->prompt;
    if (command->kind == COMMAND_PROMPT_ANSWER && !open_lecture_asks(session->lecture, err))
        return false;
    if (command->kind == COMMAND_PROMPT_FIND && !session->lecture)
        return error_set(err, TELL(PROMPT_FIND_LECTURE));
    bool is_change = command->kind == COMMAND_PROMPT_SET || command->kind == COMMAND_PROMPT_FORMULA;
    if (is_change && !what_if_may_change(session, err))
        return false;
    char formula[FORMULA_TEXT_MAX + 1] = "";
    if (command->kind == COMMAND_PROMPT_FORMULA && !formula_now(session, formula, err))
        return false;
    prompt->open = true;
    prompt->recalled = 0;
    static const char *const begins[COMMAND_COUNT] = {
        [COMMAND_PROMPT_SEARCH] = "/ ",        [COMMAND_PROMPT_FIND] = "find ",
        [COMMAND_PROMPT_ANSWER] = "answer ",   [COMMAND_PROMPT_SET] = "set ",
        [COMMAND_PROMPT_FORMULA] = "formula ",
    };
    line_edit_set(&prompt->line, begins[command->kind] ? begins[command->kind] : "");
    line_edit_insert(&prompt->line, formula);
    if (command->kind == COMMAND_PROMPT_ANSWER)
        line_edit_insert(&prompt->line, open_lecture_answer_typed(session->lecture));
    return true;
}

bool session_remember(Session *session, const Command *command, Error *err)
{
    (void)err;
    history_add(&session->prompt.history, command->name);
    return true;
}

// --- the help page

// A row of commands.def: a command or, with a heading, the start of a group.
typedef struct Row {
    Words heading; // of {NULL}: a command
    CommandKind kind;
} Row;

static const Row rows[] = {
#define COMMAND_GROUP(heading, korean) {WORDS(heading, korean), COMMAND_COUNT},
#define COMMAND(name, action, word, argument, names, traits, keys, ...) {{{NULL}}, COMMAND_##name},
#include "commands.def"
#undef COMMAND
};

enum { ROWS = sizeof rows / sizeof *rows };

// The keys of a command: in the window, for a command of the picture with keys there; between layers, in a model that
// has several; else in the stepper, without those that lead between layers.
static void put_keys(const Session *session, CommandKind kind, char shown[HELP_KEYS_MAX])
{
    Command other;
    bool has_layers = session_has_layers(session);
    const char *found = command_info(kind)->keys;
    for (int i = 0; command_key_row(i); i++) {
        const KeyRow *row = command_key_row(i);
        bool is_of_window = row->place == PLACE_WINDOW && command_is(kind, COMMAND_OF_PICTURE);
        bool is_of_layers = row->place == PLACE_LAYERS && has_layers;
        if (row->does == (int)kind && (is_of_window || is_of_layers)) {
            snprintf(shown, HELP_KEYS_MAX, "%s", row->keys);
            return;
        }
    }
    shown[0] = '\0';
    for (size_t length; *found; found += length + strspn(found + length, " ")) {
        char key[KEY_NAME_MAX];
        length = strcspn(found, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, found);
        if (!has_layers || !command_for_key_in(PLACE_LAYERS, key, &other))
            text_add(shown, HELP_KEYS_MAX, "%s%s", shown[0] ? " " : "", key);
    }
}

int help_page_lines(void)
{
    return ROWS + 1 + prompt_key_count();
}

HelpLine help_page_line(const Session *session, int line)
{
    assert(line >= 0 && line < help_page_lines());
    if (line == ROWS)
        return (HelpLine){.heading = TELL(WHILE_TYPED)};
    if (line > ROWS) {
        const KeyRow *key = prompt_key(line - ROWS - 1);
        HelpLine typed = {NULL, "", "", "", words_tell(key->help)};
        snprintf(typed.keys, sizeof typed.keys, "%s", key->keys);
        return typed;
    }
    if (words_tell(rows[line].heading))
        return (HelpLine){.heading = words_tell(rows[line].heading)};
    const CommandInfo *info = command_info(rows[line].kind);
    HelpLine command = {NULL, "", info->word, command_argument(rows[line].kind),
                        command_about(rows[line].kind)};
    put_keys(session, rows[line].kind, command.keys);
    return command;
}
