// Relations found by searching the edits of a step's formula (formula_edits), one or two at once.
//
// Most edits do not bind, and most others differ in the first few elements. So some elements are computed
// first, and all of them only if those agree. In a whole run, the later steps run too.
#include <stdio.h>
#include <string.h>
#include "relation_tools.h"
#include "tensor.h"
#include "trace_program.h"

enum {
    NAMES_MAX = STAGE_READS_MAX + 8,
    FIRST_MAX =
        1 << 11, // reading.a: the code of the call times this, plus the number of the first edit
                 // reading.b: 0, or 1 plus the number of the second edit
    NODE_TEXT_MAX = 56,
};

// Bounds on the operations of one edited step and of a whole search, and what a binding and a run
// count as.
static const double one_most = 1e7, all_most = 6e7, of_binding = 2e3, of_run = 2e4;

// --- the formula of a call

typedef struct Right {
    const Stage *stage;
    const StageCall *call;
    Arena arena;
    Formula formula;
    FormulaNames names;
    const char *tensors[NAMES_MAX];
    int ranks[NAMES_MAX];
} Right;

static bool is_defined(const Formula *formula, const char *name)
{
    for (int i = 0; i < formula->count; i++)
        if (strcmp(formula->definitions[i].name, name) == 0)
            return true;
    return false;
}

static bool has_name(const Right *right, const char *name)
{
    for (int i = 0; i < right->names.tensor_count; i++)
        if (strcmp(right->tensors[i], name) == 0)
            return true;
    return false;
}

static void add_tensor(Right *right, const char *name, int rank)
{
    if (right->names.tensor_count < NAMES_MAX && !has_name(right, name)) {
        right->ranks[right->names.tensor_count] = rank;
        right->tensors[right->names.tensor_count++] = name;
    }
}

static void add_tensors_of(Right *right, const FormulaNode *node)
{
    if (node->kind == FORMULA_READ && !is_defined(&right->formula, node->name))
        add_tensor(right, node->name, node->count);
    for (int i = 0; i < node->count; i++)
        add_tensors_of(right, node->parts[i]);
}

// Tensors that the formula reads have its names for them, other slots their own. Includes sizes that
// the case lacks, so that an edit has the same number in every case.
static void name_all(Right *right)
{
    for (int i = 0; i < right->formula.count; i++)
        add_tensors_of(right, right->formula.definitions[i].value);
    bool is_named[STAGE_READS_MAX] = {false};
    for (int i = 0; i < right->names.tensor_count; i++) {
        int slot = trace_program_read(right->call, right->tensors[i]);
        if (slot >= 0)
            is_named[slot] = true;
    }
    for (int slot = 0; slot < STAGE_READS_MAX && right->call->reads[slot].role; slot++) {
        Symbol symbols[TRACE_WORDS_MAX];
        const Slot *declared = &right->call->reads[slot];
        if (declared->axes && !is_named[slot])
            add_tensor(right, declared->role, trace_symbols(declared->axes, symbols));
    }
    right->names.tensors = right->tensors;
    right->names.ranks = right->ranks;
    right->names.sizes = symbol_names;
    right->names.size_count = SYMBOL_COUNT;
}

static bool open_right(Right *right, const Stage *stage, const StageCall *call, bool has_form,
                       Error *err)
{
    char text[FORMULA_TEXT_MAX + 1];
    *right = (Right){.stage = stage, .call = call};
    trace_formula_text(stage, call, has_form ? &stage->form : NULL, text);
    if (!formula_parse(&right->arena, text, &right->formula, err))
        return false;
    name_all(right);
    return true;
}

// --- the search

typedef struct Search {
    const RelationCase *what;
    RelationReadings *readings;
    const Right *right;
    int step, code;
    int first; // the edit before this one; -1: none
    FormulaEditKind first_kind;
    double spent;
    const Relation *relation;
} Search;

static bool step_makes(Search *search, const Formula *formula)
{
    Arena arena = {0};
    Tensor made;
    TraceProgram step;
    const RelationCase *what = search->what;
    int output = what->output ? what->output : search->right->stage->main_output;
    FormulaScope scope = trace_program_scope(&step, what->right, search->step, what->given);
    const RelationAsk ask = {.formula = formula,
                             .scope = &scope,
                             .result = SOURCE_OWN + output,
                             .most = one_most,
                             .like = what->wrong};
    bool good = relation_compute(what, &ask, &arena, &made, &search->spent) &&
                relation_nearly_makes(what, &made);
    arena_finish(&arena);
    return good;
}

static bool whole_makes(Search *search, const Formula *formula)
{
    search->spent += of_run;
    return relation_formula_makes(search->what->run, formula,
                                  &(RelationSteps){.number = search->step}, one_most);
}

// --- of all edits

static bool look_at(void *context, const FormulaEdit *edit);

// Looks at the edits of an edited formula.
static void look_beyond(Search *search, const FormulaEdit *edit)
{
    Error err = {.text = ""};
    Arena arena = {0};
    const FormulaEditVisitor visitor = {look_at, search};
    search->first = edit->number;
    search->first_kind = edit->kind;
    formula_edits(&arena, &edit->formula, &search->right->names, &visitor, &err);
    search->first = -1;
    relation_lacks(search->what, &err);
    arena_finish(&arena);
}

// Skips second edits that come before the first: in the other order the pair is the same.
static bool look_at(void *context, const FormulaEdit *edit)
{
    Search *search = context;
    int number = edit->number;
    search->spent += of_binding;
    if (search->spent > all_most || search->what->machine->of_machine || number >= FIRST_MAX)
        return false;
    bool is_second = search->first >= 0;
    if (search->relation == &relation_two_edits && !is_second) {
        if (relation_is_kept(search->what, search->relation, search->code * FIRST_MAX + number))
            look_beyond(search, edit);
        return true;
    }
    const RelationReading reading = {.relation = search->relation,
                                     .a = search->code * FIRST_MAX +
                                          (is_second ? search->first : number),
                                     .b = is_second ? number + 1 : 0};
    bool is_before = is_second && (edit->kind < search->first_kind ||
                                   (edit->kind == search->first_kind && number < search->first));
    bool (*makes)(Search *, const Formula *) = search->what->given ? step_makes : whole_makes;
    if (!is_before && relation_counts(search->what, &reading) && makes(search, &edit->formula))
        relation_add(search->what, search->readings, reading.relation, reading.a, reading.b);
    return true;
}

static void search_step(const RelationCase *what, RelationReadings *readings,
                        const Relation *relation, int number)
{
    Error err = {.text = ""};
    Arena arena = {0};
    Right right;
    const TraceStep *step = &what->right->steps[number];
    bool has_form =
        stage_form(step->stage, scenario_options(what->right->scenario, step->layer)) != NULL;
    int code = relation_step_code(step);
    Search search = {.what = what,
                     .readings = readings,
                     .right = &right,
                     .step = number,
                     .code = code < 0 ? code : 2 * code + has_form,
                     .first = -1,
                     .relation = relation};
    const FormulaEditVisitor visitor = {look_at, &search};
    if (search.code >= 0 && open_right(&right, step->stage, step->call, has_form, &err))
        formula_edits(&arena, &right.formula, &right.names, &visitor, &err);
    relation_lacks(what, &err);
    arena_finish(&arena);
    arena_finish(&right.arena);
}

// Skips steps that write views, and those up to x, which the function is given.
static void whole_read(const RelationCase *what, RelationReadings *readings)
{
    int x = trace_find(what->right, "x");
    int first = x >= 0 ? what->right->tensors[x].step + 1 : 0;
    for (int i = first; i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        if (!step->call->writes[step->stage->main_output].is_view)
            search_step(what, readings, &relation_edit, i);
    }
}

// Each edit of a whole run costs a run, so they are tried only if nothing else is known.
static void edit_read(const RelationCase *what, RelationReadings *readings)
{
    if (what->given)
        search_step(what, readings, &relation_edit, what->step);
    else if (what->kept || readings->count == 0)
        whole_read(what, readings);
}

// Tried only if nothing else is known.
static void two_edits_read(const RelationCase *what, RelationReadings *readings)
{
    if (what->given && (what->kept || readings->count == 0))
        search_step(what, readings, &relation_two_edits, what->step);
}

// --- what is said

typedef struct Saying {
    const RelationReading *reading;
    Language language;
    const Right *right;
    const char *stage;
    int count;
    FormulaEditKind kinds[2];
    char sentences[2][RELATION_TEXT_MAX];
    char *lines;
    FormulaMark was[2], is[2];
    int definition; // of the first edit
    Error *err;
} Saying;

static const char *node_text(const FormulaNode *node, char text[NODE_TEXT_MAX])
{
    char whole[FORMULA_TEXT_MAX + 1];
    formula_print_node(node, whole, sizeof whole);
    snprintf(text, NODE_TEXT_MAX, "%.*s%s", NODE_TEXT_MAX - 5, whole,
             strlen(whole) > NODE_TEXT_MAX - 5 ? " ..." : "");
    return text;
}

// What an axis counts that stands among the indices of a slot's tensor.
static Symbol symbol_in(const Slot *slot, FormulaNode *const index[], int count, const char *axis)
{
    for (int i = 0; i < count; i++)
        if (index[i]->kind == FORMULA_NAME && strcmp(index[i]->name, axis) == 0)
            return relation_axis(slot->axes, i);
    return SYMBOL_COUNT;
}

// The same from the tensors that are read with it.
static Symbol symbol_of(const Right *right, const FormulaNode *node, const char *axis)
{
    int slot = node->kind == FORMULA_READ ? trace_program_read(right->call, node->name) : -1;
    Symbol symbol = slot < 0 ? SYMBOL_COUNT
                             : symbol_in(&right->call->reads[slot], node->parts, node->count, axis);
    for (int i = 0; i < node->count && symbol == SYMBOL_COUNT; i++)
        symbol = symbol_of(right, node->parts[i], axis);
    return symbol;
}

// "the keys j".
static const char *axis_text(const Saying *saying, const char *axis, bool is_many,
                             char text[NODE_TEXT_MAX])
{
    Symbol symbol = SYMBOL_COUNT;
    const Formula *formula = &saying->right->formula;
    for (int i = 0; i < formula->count && symbol == SYMBOL_COUNT; i++)
        symbol = symbol_of(saying->right, formula->definitions[i].value, axis);
    const FormulaDefinition *result = &formula->definitions[0];
    if (symbol == SYMBOL_COUNT)
        symbol = symbol_in(&saying->right->call->writes[saying->right->stage->main_output],
                           result->index, result->index_count, axis);
    words_format(text, NODE_TEXT_MAX, TELL_IN(saying->language, EDIT_AXIS),
                 relation_axis_word(symbol, is_many, saying->language), axis);
    return text;
}

static const char *index_text(const Saying *saying, const FormulaNode *index,
                              char text[NODE_TEXT_MAX])
{
    return index->kind == FORMULA_NAME ? axis_text(saying, index->name, false, text)
                                       : node_text(index, text);
}

static void say_edit(const Saying *saying, const FormulaEdit *edit, char text[RELATION_TEXT_MAX])
{
    char has[NODE_TEXT_MAX], is[NODE_TEXT_MAX] = "";
    const char *sentence = formula_edit_sentence(edit->kind).in[saying->language];
    switch (edit->kind) {
    case FORMULA_EDIT_AXIS_EXCHANGED:
        axis_text(saying, edit->was->axes[0], true, has);
        axis_text(saying, edit->axis, true, is);
        if (edit->was->kind == FORMULA_MAXIMUM)
            sentence = TELL_IN(saying->language, EDIT_LARGEST_OVER);
        break;
    case FORMULA_EDIT_MEAN_FOR_SUM:
        axis_text(saying, edit->was->axes[0], true, has);
        break;
    case FORMULA_EDIT_LAST_LOST:
    case FORMULA_EDIT_FIRST_LOST:
    case FORMULA_EDIT_FIRST_ONLY:
        axis_text(saying, edit->axis, true, has);
        break;
    case FORMULA_EDIT_INDEX_EXCHANGED:
    case FORMULA_EDIT_INDEX_FIXED:
        index_text(saying, edit->place, has);
        index_text(saying, edit->is, is);
        break;
    default:
        node_text(edit->place, has);
        node_text(edit->is, is);
        if (edit->was->kind == FORMULA_REMAINDER && edit->kind == FORMULA_EDIT_DIVISOR_DROPPED)
            sentence = TELL_IN(saying->language, EDIT_REMAINDER);
    }
    words_format(text, RELATION_TEXT_MAX, sentence, has, is);
}

// Adds a line with marks below it, both cut to the surroundings of the marks.
static void add_line(char lines[RELATION_SHOWN_MAX], const char *text, const FormulaMark marks[],
                     int count)
{
    enum { WIDTH = 56 };
    char below[FORMULA_TEXT_MAX + 1];
    size_t length = strlen(text), last = 0, from = 0;
    memset(below, ' ', length);
    for (int i = 0; i < count; i++) {
        memset(below + marks[i].from, '^', (size_t)(marks[i].to - marks[i].from));
        last = (size_t)marks[i].to > last ? (size_t)marks[i].to : last;
    }
    below[last] = '\0';
    if (last > WIDTH)
        from = last + 8 < length ? last + 8 - WIDTH : length > WIDTH ? length - WIDTH : 0;
    size_t used = strlen(lines);
    bool is_cut = length - from > WIDTH;
    snprintf(lines + used, RELATION_SHOWN_MAX - used, "%s%.*s%s\n%s%s\n", from ? "... " : "", WIDTH,
             text + from, is_cut ? " ..." : "", last > from && from ? "    " : "",
             last > from ? below + from : "");
}

static bool is_drop(FormulaEditKind kind)
{
    return kind == FORMULA_EDIT_FACTOR_DROPPED || kind == FORMULA_EDIT_DIVISOR_DROPPED ||
           kind == FORMULA_EDIT_ADDEND_DROPPED;
}

static void show(Saying *saying, const Formula *formula, FormulaMark marks[])
{
    char text[FORMULA_TEXT_MAX + 1];
    formula_print_definition(&formula->definitions[saying->definition], marks, saying->count, text,
                             sizeof text);
    add_line(saying->lines, text, marks, saying->count);
}

// The first edit of the reading, or the second within it.
static bool visit_edit(void *context, const FormulaEdit *edit)
{
    Saying *saying = context;
    int second = saying->reading->b - 1;
    if (edit->number != (saying->count == 0 ? saying->reading->a % FIRST_MAX : second))
        return true;
    say_edit(saying, edit, saying->sentences[saying->count]);
    saying->kinds[saying->count] = edit->kind;
    saying->was[saying->count] = (FormulaMark){.node = edit->place};
    if (!is_drop(edit->kind))
        saying->is[saying->count] = (FormulaMark){.node = edit->is};
    if (saying->count++ == 0)
        saying->definition = edit->definition;
    if (saying->count == 1 && second >= 0) {
        Arena arena = {0};
        const FormulaEditVisitor visitor = {visit_edit, saying};
        formula_edits(&arena, &edit->formula, &saying->right->names, &visitor, saying->err);
        arena_finish(&arena);
    } else if (saying->lines)
        show(saying, &edit->formula, saying->is);
    return false;
}

static void describe(const RelationReading *reading, Language language, Saying *saying)
{
    Error err = {.text = ""};
    Arena arena = {0};
    Right right;
    int code = reading->a / FIRST_MAX;
    const Stage *stage = relation_step_stage(code / 2);
    const StageCall *call = relation_step_call(code / 2);
    saying->reading = reading;
    saying->language = language;
    saying->right = &right;
    saying->stage = stage->name;
    saying->err = &err;
    const FormulaEditVisitor visitor = {visit_edit, saying};
    if (open_right(&right, stage, call, code % 2 != 0, &err))
        formula_edits(&arena, &right.formula, &right.names, &visitor, &err);
    if (saying->lines && saying->count > 0) // the tree is right again now
        show(saying, &right.formula, saying->was);
    arena_finish(&arena);
    arena_finish(&right.arena);
}

bool relation_edit_of(const RelationReadings *readings, RelationEdit *edit)
{
    const RelationReading *first = &readings->all[0];
    bool is_edit = readings->count > 0 &&
                   (first->relation == &relation_edit || first->relation == &relation_two_edits);
    Saying saying = {.lines = NULL};
    if (is_edit)
        describe(first, LANGUAGE_ENGLISH, &saying);
    if (saying.count == 0)
        return false;
    edit->stage = saying.stage;
    for (int language = 0; language < LANGUAGES; language++)
        words_format(edit->kind[language], RELATION_TEXT_MAX, saying.count > 1 ? "%s; %s" : "%s",
                     formula_edit_words(saying.kinds[0]).in[language],
                     formula_edit_words(saying.kinds[saying.count - 1]).in[language]);
    return true;
}

static void edit_say(const RelationReading *reading, Language language,
                     char text[RELATION_TEXT_MAX])
{
    Saying saying = {.lines = NULL};
    describe(reading, language, &saying);
    if (!reading->call)
        relation_say_step(reading->a / FIRST_MAX / 2, saying.sentences[0], language, text);
    else if (saying.count > 1)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, PAIR), saying.sentences[0],
                     saying.sentences[1]);
    else
        snprintf(text, RELATION_TEXT_MAX, "%s", saying.sentences[0]);
}

static void edit_show(const RelationReading *reading, char lines[RELATION_SHOWN_MAX])
{
    Saying saying = {.lines = lines};
    describe(reading, LANGUAGE_ENGLISH, &saying);
}

const Relation relation_edit = {
    .read = edit_read, .say = edit_say, .show = edit_show, .is_formula = true};

const Relation relation_two_edits = {
    .read = two_edits_read, .say = edit_say, .show = edit_show, .is_formula = true};
