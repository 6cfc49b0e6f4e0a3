// formula_print: prints a tree as text that parses to the same tree; see formula.h.
#include "formula_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "number_text.h"

typedef struct Writer {
    FormulaRename *rename;
    void *context;
    char *text;
    size_t room, used;
    int brackets; // of indices: products stand tight there
    FormulaMark *marks;
    int mark_count;
} Writer;

static void put(Writer *writer, const char *text)
{
    size_t length = strlen(text), left = writer->room - writer->used - 1;
    length = length < left ? length : left;
    memcpy(writer->text + writer->used, text, length);
    writer->used += length;
    writer->text[writer->used] = '\0';
}

static void put_name(Writer *writer, const char *name, bool is_result)
{
    const char *other = writer->rename ? writer->rename(writer->context, name, is_result) : NULL;
    name = other ? other : name;
    bool needs = !formula_is_name(name);
    put(writer, needs ? "`" : "");
    put(writer, name);
    put(writer, needs ? "`" : "");
}

// `least`: looser operators need brackets. `followed`: a product operator follows, which a sum would
// include.
static void write_node(Writer *writer, const FormulaNode *node, int least, bool followed);

// No spaces around simple indices: x[b,l, h*d_k + i].
static void write_list(Writer *writer, int count, FormulaNode *const parts[], const char *open,
                       const char *close)
{
    put(writer, open);
    writer->brackets += *open == '[';
    for (int i = 0; i < count; i++) {
        bool is_long = parts[i]->count > 0 && i > 0;
        put(writer, i == 0 ? "" : is_long ? ", " : ",");
        write_node(writer, parts[i], 0, false);
    }
    writer->brackets -= *open == '[';
    put(writer, close);
}

static void write_number(Writer *writer, double number)
{
    char text[32];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    put(writer, text);
}

static void write_reduction(Writer *writer, const FormulaNode *node, bool followed)
{
    put(writer, followed ? "(" : "");
    put(writer, formula_reduction_text(node->kind));
    for (int i = 0; i < node->axis_count; i++) {
        put(writer, i > 0 ? "," : "");
        put(writer, node->axes[i]);
    }
    put(writer, " ");
    write_node(writer, node->parts[0], PRECEDENCE_PRODUCT, false);
    put(writer, followed ? ")" : "");
}

static void write_choice(Writer *writer, const FormulaNode *node)
{
    write_node(writer, node->parts[0], 1, false);
    put(writer, " ? ");
    write_node(writer, node->parts[1], 0, false);
    put(writer, " : ");
    write_node(writer, node->parts[2], 0, false);
}

static void write_binary(Writer *writer, const FormulaNode *node, int precedence, bool followed)
{
    bool is_product = precedence >= PRECEDENCE_PRODUCT, is_power = node->kind == FORMULA_POWER;
    write_node(writer, node->parts[0], precedence + is_power, is_product);
    bool is_tight =
        is_power || (is_product && writer->brackets > 0 && node->kind != FORMULA_REMAINDER);
    put(writer, node->is_optional ? "  (" : is_tight ? "" : " ");
    put(writer, formula_operator_text(node->kind));
    put(writer, is_tight ? "" : " ");
    write_node(writer, node->parts[1], precedence + !is_power, followed);
    put(writer, node->is_optional ? ")" : "");
}

static int precedence_of(const FormulaNode *node)
{
    int precedence = formula_precedence(node->kind);
    if (precedence > 0)
        return precedence;
    return node->kind == FORMULA_CHOICE     ? 0
           : node->kind == FORMULA_NOT      ? PRECEDENCE_COMPARISON
           : node->kind == FORMULA_NEGATIVE ? PRECEDENCE_SIGN
                                            : PRECEDENCE_ATOM;
}

static void write_bare(Writer *writer, const FormulaNode *node, bool followed)
{
    switch (node->kind) {
    case FORMULA_NUMBER:
        write_number(writer, node->number);
        break;
    case FORMULA_NAME:
        put_name(writer, node->name, false);
        break;
    case FORMULA_READ:
        put_name(writer, node->name, false);
        if (node->is_all)
            put(writer, "[...]");
        else
            write_list(writer, node->count, node->parts, "[", "]");
        break;
    case FORMULA_CALL:
    case FORMULA_GIVEN:
    case FORMULA_LAST:
        put(writer, node->name);
        write_list(writer, node->count, node->parts, "(", ")");
        break;
    case FORMULA_ABSOLUTE:
        write_list(writer, 1, node->parts, "|", "|");
        break;
    case FORMULA_SUM:
    case FORMULA_MEAN:
    case FORMULA_MAXIMUM:
        write_reduction(writer, node, followed);
        break;
    case FORMULA_CHOICE:
        write_choice(writer, node);
        break;
    case FORMULA_NEGATIVE:
    case FORMULA_NOT:
        put(writer, node->kind == FORMULA_NOT ? "not " : "-");
        write_node(writer, node->parts[0], precedence_of(node), followed);
        break;
    default:
        write_binary(writer, node, precedence_of(node), followed);
    }
}

static void write_node(Writer *writer, const FormulaNode *node, int least, bool followed)
{
    bool needs = precedence_of(node) < least;
    size_t from = writer->used;
    put(writer, needs ? "(" : "");
    write_bare(writer, node, followed && !needs);
    put(writer, needs ? ")" : "");
    for (int i = 0; i < writer->mark_count; i++)
        if (writer->marks[i].node == node) {
            writer->marks[i].from = (int)from;
            writer->marks[i].to = (int)writer->used;
        }
}

static void write_definition(Writer *writer, const FormulaDefinition *definition)
{
    put_name(writer, definition->name, true);
    if (definition->is_all)
        put(writer, "[...]");
    else if (definition->index_count > 0)
        write_list(writer, definition->index_count, definition->index, "[", "]");
    put(writer, " = ");
    write_node(writer, definition->value, 0, false);
}

char *formula_print(const Formula *formula, FormulaRename *rename, void *context, char *text,
                    size_t room)
{
    Writer writer = {.rename = rename, .context = context, .text = text, .room = room};
    text[0] = '\0';
    for (int i = 0; i < formula->count; i++) {
        put(&writer, i > 0 ? "; " : "");
        write_definition(&writer, &formula->definitions[i]);
    }
    return text;
}

char *formula_print_definition(const FormulaDefinition *definition, FormulaMark marks[], int count,
                               char *text, size_t room)
{
    Writer writer = {.text = text, .room = room, .marks = marks, .mark_count = count};
    text[0] = '\0';
    write_definition(&writer, definition);
    return text;
}

char *formula_print_node(const FormulaNode *node, char *text, size_t room)
{
    Writer writer = {.text = text, .room = room};
    text[0] = '\0';
    write_node(&writer, node, 0, false);
    return text;
}
