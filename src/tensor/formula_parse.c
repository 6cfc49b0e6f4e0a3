// formula_parse: parses text into a tree; see formula.h.
//
// Operators are parsed by precedence climbing: operators(least) reads a value and then every operator
// that binds at least that tightly. Recursion depth and nodes are counted.
#include "formula_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// --- the tables

static const struct {
    FormulaKind kind;
    const char *text;
    int precedence;
} operators[] = {
#define OPERATOR(NAME, text, precedence) {FORMULA_##NAME, text, precedence},
#include "formula_operators.def"
#undef OPERATOR
};

static const struct {
    const char *name;
    int values;
} functions[] = {
#define FUNCTION(name, values, expression) {#name, values},
#include "formula_functions.def"
#undef FUNCTION
};

enum {
    OPERATORS = sizeof operators / sizeof *operators,
    FUNCTIONS = sizeof functions / sizeof *functions
};

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

// A dot belongs to a name if a letter or digit follows: "layer1.q_proj.weight".
static int name_end(const char *text, int at)
{
    while (is_letter(text[at]) || isdigit((unsigned char)text[at]) ||
           (text[at] == '.' && isalnum((unsigned char)text[at + 1])))
        at++;
    return at;
}

bool formula_is_name(const char *text)
{
    return is_letter(*text) && !text[name_end(text, 0)];
}

int formula_precedence(FormulaKind kind)
{
    for (int i = 0; i < OPERATORS; i++)
        if (operators[i].kind == kind)
            return operators[i].precedence;
    return 0;
}

const char *formula_operator_text(FormulaKind kind)
{
    int i = 0;
    while (operators[i].kind != kind)
        i++;
    return operators[i].text;
}

static const struct {
    FormulaKind kind;
    const char *text;
} reductions[] = {{FORMULA_SUM, "sum_"}, {FORMULA_MEAN, "mean_"}, {FORMULA_MAXIMUM, "max_"}};

static const char softmax_word[] = "softmax_";

enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

const char *formula_reduction_text(FormulaKind kind)
{
    int i = 0;
    while (reductions[i].kind != kind)
        i++;
    return reductions[i].text;
}

const char *formula_function_name(int number)
{
    return number < FUNCTIONS ? functions[number].name : NULL;
}

// --- tokens

typedef enum TokenKind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SIGN } TokenKind;

typedef struct Token {
    TokenKind kind;
    int from, to;
} Token;

typedef struct Parser {
    Arena *arena;
    const char *text;
    Token token; // the next one
    int depth, nodes;
    Error *err;
} Parser;

bool formula_at(const char *text, int byte, Error *err)
{
    int line = 1, column = 1;
    for (int i = 0; i < byte && text[i]; i++) // parts may be of another text
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80)
            column++;
    return error_prefix(err, TELL(FORMULA_PLACE), line, column);
}

static int number_end(const char *text, int at)
{
    while (isdigit((unsigned char)text[at]) || text[at] == '.')
        at++;
    int sign = text[at] == 'e' && (text[at + 1] == '-' || text[at + 1] == '+');
    if (text[at] == 'e' && isdigit((unsigned char)text[at + 1 + sign]))
        for (at += 1 + sign; isdigit((unsigned char)text[at]);)
            at++;
    return at;
}

static void next(Parser *parser)
{
    const char *text = parser->text;
    int at = parser->token.to;
    while (strchr(" \n\t\r#", text[at]) && text[at])
        at += text[at] == '#' ? (int)strcspn(text + at, "\n") : 1;
    parser->token = (Token){TOKEN_SIGN, at, at + 1};
    if (!text[at])
        parser->token = (Token){TOKEN_END, at, at};
    else if (is_letter(text[at]))
        parser->token = (Token){TOKEN_NAME, at, name_end(text, at)};
    else if (text[at] == '`' && strchr(text + at + 1, '`')) // any other name: `grad.x.v+k`
        parser->token = (Token){TOKEN_NAME, at, (int)(strchr(text + at + 1, '`') - text) + 1};
    else if (isdigit((unsigned char)text[at]))
        parser->token = (Token){TOKEN_NUMBER, at, number_end(text, at)};
    else if (strchr("<>!", text[at]) && text[at + 1] == '=')
        parser->token.to++;
    else if (strncmp(text + at, "...", 3) == 0)
        parser->token.to += 2;
}

static bool is(const Parser *parser, const char *word)
{
    size_t length = strlen(word);
    return parser->token.to - parser->token.from == (int)length &&
           strncmp(parser->text + parser->token.from, word, length) == 0;
}

static bool take(Parser *parser, const char *word)
{
    bool there = is(parser, word);
    if (there)
        next(parser);
    return there;
}

// Describes the current token; a non-ASCII character is kept whole.
static bool refuse(Parser *parser, const char *wanted)
{
    const char *at = parser->text + parser->token.from;
    int length = parser->token.to - parser->token.from;
    if (parser->token.kind == TOKEN_END) {
        error_set(parser->err, TELL(FORMULA_ENDS), wanted);
        return formula_at(parser->text, parser->token.from, parser->err);
    }
    while (((unsigned char)at[length] & 0xc0) == 0x80)
        length++;
    char found[FORMULA_NAME_MAX];
    snprintf(found, sizeof found, "%.*s", length, at);
    if (parser->token.kind == TOKEN_SIGN && !strchr("()[]<>=!+-*/%^?:;,|.", *at))
        error_set(parser->err, TELL(FORMULA_SIGN), found);
    else
        error_set(parser->err, TELL(FORMULA_WANTS), wanted, found);
    return formula_at(parser->text, parser->token.from, parser->err);
}

static bool expect(Parser *parser, const char *sign)
{
    char quoted[8];
    snprintf(quoted, sizeof quoted, "'%s'", sign);
    return take(parser, sign) || refuse(parser, quoted);
}

// --- nodes

static FormulaNode *node(Parser *parser, FormulaKind kind, int from, int parts)
{
    if (++parser->nodes > FORMULA_NODES_MAX) {
        error_set(parser->err, TELL(FORMULA_LARGE), FORMULA_NODES_MAX);
        formula_at(parser->text, from, parser->err);
        return NULL;
    }
    FormulaNode *made = arena_take(parser->arena, 1, sizeof *made, parser->err);
    if (!made)
        return NULL;
    made->kind = kind;
    made->from = from;
    made->count = parts;
    made->parts = arena_take(parser->arena, (size_t)parts, sizeof *made->parts, parser->err);
    return made->parts ? made : NULL;
}

static const char *copy_name(Parser *parser, int from, int to)
{
    bool is_quoted = parser->text[from] == '`';
    if (to - from < FORMULA_NAME_MAX)
        return arena_format(parser->arena, parser->err, "%.*s", to - from - 2 * is_quoted,
                            parser->text + from + is_quoted);
    error_set(parser->err, TELL(FORMULA_LONG_NAME), FORMULA_NAME_MAX - 1);
    formula_at(parser->text, from, parser->err);
    return NULL;
}

static bool too_deep(const Parser *parser)
{
    error_set(parser->err, TELL(FORMULA_DEEP), FORMULA_DEPTH_MAX);
    return formula_at(parser->text, parser->token.from, parser->err);
}

// Ends a node at the end of its last token, without trailing spaces. NULL if it is too deep, as a long
// row of additions may be.
static FormulaNode *ended(const Parser *parser, FormulaNode *made)
{
    for (int i = 0; i < made->count; i++)
        if (made->depth <= made->parts[i]->depth)
            made->depth = made->parts[i]->depth + 1;
    if (made->depth > FORMULA_DEPTH_MAX) {
        too_deep(parser);
        return NULL;
    }
    int to = parser->token.from;
    while (to > made->from && isspace((unsigned char)parser->text[to - 1]))
        to--;
    made->to = to;
    return made;
}

static FormulaNode *expression(Parser *parser);
static FormulaNode *binary(Parser *parser, int least);

static FormulaNode *around(Parser *parser, FormulaKind kind, int from, const char *end)
{
    FormulaNode *part = expression(parser);
    if (!part || !expect(parser, end))
        return NULL;
    if (kind == FORMULA_KINDS) // brackets alone
        return part;
    FormulaNode *made = node(parser, kind, from, 1);
    if (!made)
        return NULL;
    made->parts[0] = part;
    return ended(parser, made);
}

// Values between brackets; the opening bracket has been read.
static bool list(Parser *parser, FormulaNode *owner, int most, const char *end)
{
    FormulaNode *parts[TENSOR_RANK_MAX];
    owner->count = 0;
    do {
        if (owner->count == most) {
            error_set(parser->err, TELL(FORMULA_MANY_AXES), most);
            return formula_at(parser->text, parser->token.from, parser->err);
        }
        if (!(parts[owner->count++] = expression(parser)))
            return false;
    } while (take(parser, ","));
    owner->parts = arena_take(parser->arena, (size_t)owner->count, sizeof *parts, parser->err);
    if (!owner->parts)
        return false;
    memcpy(owner->parts, parts, (size_t)owner->count * sizeof *parts);
    return expect(parser, end);
}

// True for "softmax", which is written softmax_j.
static bool lacks_axis(const char *name)
{
    size_t length = strlen(name);
    bool found =
        strncmp(name, softmax_word, length) == 0 && strcmp(softmax_word + length, "_") == 0;
    for (int i = 0; i < REDUCTIONS; i++)
        found = found || (strncmp(name, reductions[i].text, length) == 0 &&
                          strcmp(reductions[i].text + length, "_") == 0);
    return found;
}

static FormulaNode *call(Parser *parser, FormulaNode *made)
{
    int number = 0;
    while (number < FUNCTIONS && strcmp(functions[number].name, made->name) != 0)
        number++;
    made->function = number;
    made->kind = strcmp(made->name, "given") == 0  ? FORMULA_GIVEN
                 : strcmp(made->name, "last") == 0 ? FORMULA_LAST
                                                   : FORMULA_CALL;
    if (!list(parser, made, TENSOR_RANK_MAX, ")"))
        return NULL;
    int values = number < FUNCTIONS ? functions[number].values : 1;
    if (lacks_axis(made->name) && (number == FUNCTIONS || made->count != values))
        error_set(parser->err, TELL(FORMULA_LACKS_AXIS), made->name, made->name);
    else if (number == FUNCTIONS && made->kind == FORMULA_CALL)
        error_set(parser->err, TELL(FORMULA_NO_FUNCTION), made->name);
    else if (made->count != values ||
             (made->kind != FORMULA_CALL && made->parts[0]->kind != FORMULA_NAME))
        error_set(parser->err, TELL(FORMULA_VALUES), made->name, values);
    else
        return ended(parser, made);
    formula_at(parser->text, made->from, parser->err);
    return NULL;
}

// The reduction of a name such as "sum_d"; REDUCTIONS: none.
static int find_reduction(const char *name)
{
    for (int i = 0; i < REDUCTIONS; i++) {
        size_t length = strlen(reductions[i].text);
        if (strncmp(name, reductions[i].text, length) == 0 && name[length])
            return i;
    }
    return REDUCTIONS;
}

// "sum_d x", "sum_l,b x": the first axis is in the word, others follow commas.
static FormulaNode *reduction(Parser *parser, FormulaNode *made)
{
    int number = find_reduction(made->name);
    made->kind = reductions[number].kind;
    made->axes[made->axis_count++] = made->name + strlen(reductions[number].text);
    while (take(parser, ",")) {
        Token axis = parser->token;
        if (axis.kind != TOKEN_NAME || made->axis_count == FORMULA_REDUCED_MAX) {
            refuse(parser, TELL(FORMULA_AN_AXIS));
            return NULL;
        }
        next(parser);
        if (!(made->axes[made->axis_count++] = copy_name(parser, axis.from, axis.to)))
            return NULL;
    }
    made->count = 1;
    made->parts = arena_take(parser->arena, 1, sizeof *made->parts, parser->err);
    if (!made->parts || !(made->parts[0] = binary(parser, PRECEDENCE_PRODUCT)))
        return NULL;
    return ended(parser, made);
}

// --- softmax, which is expanded

static FormulaNode *copied(Parser *parser, const FormulaNode *node_of)
{
    FormulaNode *made = node(parser, node_of->kind, node_of->from, node_of->count);
    if (!made)
        return NULL;
    FormulaNode **parts = made->parts;
    *made = *node_of;
    made->parts = parts;
    for (int i = 0; i < made->count; i++)
        if (!(made->parts[i] = copied(parser, node_of->parts[i])))
            return NULL;
    return made;
}

static FormulaNode *of_two(Parser *parser, FormulaKind kind, FormulaNode *a, FormulaNode *b)
{
    FormulaNode *made = a && b ? node(parser, kind, a->from, 2) : NULL;
    if (!made)
        return NULL;
    made->parts[0] = a;
    made->parts[1] = b;
    return ended(parser, made);
}

static FormulaNode *of_one(Parser *parser, FormulaKind kind, const char *axis, FormulaNode *a)
{
    FormulaNode *made = a ? node(parser, kind, a->from, 1) : NULL;
    if (!made)
        return NULL;
    made->parts[0] = a;
    if (kind == FORMULA_CALL) {
        made->name = functions[FORMULA_FUNCTION_exp].name;
        made->function = FORMULA_FUNCTION_exp;
    } else {
        made->axes[made->axis_count++] = axis;
    }
    return ended(parser, made);
}

// exp(x - max_j x): the maximum has its own j.
static FormulaNode *power_of(Parser *parser, const char *axis, const FormulaNode *x)
{
    FormulaNode *most = of_one(parser, FORMULA_MAXIMUM, axis, copied(parser, x));
    return of_one(parser, FORMULA_CALL, NULL,
                  of_two(parser, FORMULA_SUBTRACT, copied(parser, x), most));
}

// "softmax_j(x)" is exp(x - max_j x) / sum_j exp(x - max_j x).
static FormulaNode *softmax(Parser *parser, const FormulaNode *word)
{
    const char *axis = word->name + strlen(softmax_word);
    FormulaNode *x = around(parser, FORMULA_KINDS, word->from, ")");
    FormulaNode *top = x ? power_of(parser, axis, x) : NULL,
                *all = top ? of_one(parser, FORMULA_SUM, axis, power_of(parser, axis, x)) : NULL;
    return of_two(parser, FORMULA_DIVIDE, top, all);
}

static bool is_softmax(const char *name)
{
    size_t length = strlen(softmax_word);
    return strncmp(name, softmax_word, length) == 0 && name[length];
}

static FormulaNode *named(Parser *parser)
{
    Token token = parser->token;
    FormulaNode *made = node(parser, FORMULA_NAME, token.from, 0);
    if (!made || !(made->name = copy_name(parser, token.from, token.to)))
        return NULL;
    next(parser);
    if (find_reduction(made->name) < REDUCTIONS)
        return reduction(parser, made);
    bool is_close = parser->token.from == token.to; // "window (or x)" is not a call
    if (is_close && take(parser, "("))
        return is_softmax(made->name) ? softmax(parser, made) : call(parser, made);
    if (!take(parser, "["))
        return ended(parser, made);
    made->kind = FORMULA_READ;
    if ((made->is_all = take(parser, "...")))
        return expect(parser, "]") ? ended(parser, made) : NULL;
    return list(parser, made, TENSOR_RANK_MAX, "]") ? ended(parser, made) : NULL;
}

static FormulaNode *atom(Parser *parser)
{
    Token token = parser->token;
    if (token.kind == TOKEN_NUMBER) {
        FormulaNode *made = node(parser, FORMULA_NUMBER, token.from, 0);
        if (!made)
            return NULL;
        char *end;
        made->number = strtod(parser->text + token.from, &end);
        if (end != parser->text + token.to) {
            refuse(parser, TELL(FORMULA_A_VALUE));
            return NULL;
        }
        next(parser);
        return ended(parser, made);
    }
    if (token.kind == TOKEN_NAME && !is(parser, "or") && !is(parser, "and"))
        return named(parser);
    if (take(parser, "("))
        return around(parser, FORMULA_KINDS, token.from, ")");
    if (take(parser, "[")) // [w = target] is 1 or 0
        return around(parser, FORMULA_KINDS, token.from, "]");
    if (take(parser, "|"))
        return around(parser, FORMULA_ABSOLUTE, token.from, "|");
    refuse(parser, TELL(FORMULA_A_VALUE));
    return NULL;
}

static FormulaNode *sign(Parser *parser)
{
    int from = parser->token.from;
    FormulaKind kind = is(parser, "-") ? FORMULA_NEGATIVE : FORMULA_NOT;
    if (!take(parser, "-") && !take(parser, "not"))
        return atom(parser);
    FormulaNode *made = node(parser, kind, from, 1);
    // "not" applies to a whole comparison: not i < j.
    int least = kind == FORMULA_NOT ? PRECEDENCE_COMPARISON : PRECEDENCE_SIGN;
    if (!made || !(made->parts[0] = binary(parser, least)))
        return NULL;
    return ended(parser, made);
}

static FormulaNode *joined(Parser *parser, FormulaKind kind, FormulaNode *left, int least)
{
    FormulaNode *made = node(parser, kind, left->from, 2);
    if (!made)
        return NULL;
    made->parts[0] = left;
    made->parts[1] = binary(parser, least);
    return made->parts[1] ? ended(parser, made) : NULL;
}

// "(+ bias[o])" after a sum, "(or mask[i,j])" after a condition.
static bool take_optional(Parser *parser, FormulaKind *kind, int least)
{
    Parser ahead = *parser;
    if (!take(&ahead, "("))
        return false;
    *kind = is(&ahead, "+") ? FORMULA_ADD : FORMULA_OR;
    bool there = (take(&ahead, "+") || take(&ahead, "or")) && formula_precedence(*kind) >= least;
    if (there)
        *parser = ahead;
    return there;
}

static FormulaKind operator_here(const Parser *parser)
{
    for (int i = 0; i < OPERATORS; i++)
        if (is(parser, operators[i].text))
            return operators[i].kind;
    return FORMULA_KINDS;
}

static FormulaNode *climb(Parser *parser, FormulaNode *left, int least)
{
    while (left) {
        FormulaKind kind = operator_here(parser);
        int precedence = kind == FORMULA_KINDS ? 0 : formula_precedence(kind);
        if (take_optional(parser, &kind, least)) {
            left = joined(parser, kind, left, formula_precedence(kind) + 1);
            if (!left || !expect(parser, ")"))
                return NULL;
            left->is_optional = true;
            left = ended(parser, left);
        } else if (precedence > 0 && precedence >= least) {
            next(parser);
            left = joined(parser, kind, left, precedence + (kind != FORMULA_POWER));
        } else
            break;
    }
    return left;
}

static FormulaNode *binary(Parser *parser, int least)
{
    if (++parser->depth > FORMULA_DEPTH_MAX) {
        too_deep(parser);
        return NULL;
    }
    FormulaNode *made = climb(parser, sign(parser), least);
    parser->depth--;
    return made;
}

static FormulaNode *expression(Parser *parser)
{
    FormulaNode *condition = binary(parser, 1);
    if (!condition || !take(parser, "?"))
        return condition;
    FormulaNode *made = node(parser, FORMULA_CHOICE, condition->from, 3);
    if (!made || (++parser->depth > FORMULA_DEPTH_MAX && !too_deep(parser)))
        return NULL;
    made->parts[0] = condition;
    made->parts[1] = expression(parser);
    if (!made->parts[1] || !expect(parser, ":") || !(made->parts[2] = expression(parser)))
        return NULL;
    parser->depth--;
    return ended(parser, made);
}

// --- definitions

static bool definition(Parser *parser, Formula *formula)
{
    FormulaDefinition *made = &formula->definitions[formula->count];
    Token name = parser->token;
    if (name.kind != TOKEN_NAME)
        return refuse(parser, TELL(FORMULA_A_NAME));
    made->from = name.from;
    if (!(made->name = copy_name(parser, name.from, name.to)))
        return false;
    for (int i = 0; i < formula->count; i++)
        if (strcmp(formula->definitions[i].name, made->name) == 0) {
            error_set(parser->err, TELL(FORMULA_TWICE), made->name);
            return formula_at(parser->text, name.from, parser->err);
        }
    next(parser);
    bool has_indices = take(parser, "[");
    made->is_all = has_indices && take(parser, "...");
    if (made->is_all && !expect(parser, "]"))
        return false;
    if (has_indices && !made->is_all) {
        FormulaNode indices = {.kind = FORMULA_READ};
        if (!list(parser, &indices, TENSOR_RANK_MAX, "]"))
            return false;
        made->index_count = indices.count;
        memcpy(made->index, indices.parts, (size_t)indices.count * sizeof *indices.parts);
    }
    formula->count++;
    return expect(parser, "=") && (made->value = expression(parser)) != NULL;
}

bool formula_parse(Arena *arena, const char *text, Formula *formula, Error *err)
{
    *formula = (Formula){.count = 0};
    *err = (Error){.of_machine = false};
    if (strlen(text) > FORMULA_TEXT_MAX)
        return error_set(err, TELL(FORMULA_LONG), strlen(text), FORMULA_TEXT_MAX);
    if (!(formula->text = arena_text(arena, text, err)))
        return false;
    Parser parser = {.arena = arena, .text = formula->text, .err = err};
    next(&parser);
    do {
        if (formula->count > 0 && parser.token.kind == TOKEN_END)
            return true; // a ';' at the end
        if (formula->count == FORMULA_DEFINITIONS_MAX) {
            error_set(err, TELL(FORMULA_MANY_DEFINITIONS), FORMULA_DEFINITIONS_MAX);
            return formula_at(text, parser.token.from, err);
        }
        if (!definition(&parser, formula))
            return false;
    } while (take(&parser, ";"));
    return parser.token.kind == TOKEN_END || refuse(&parser, "';'");
}
