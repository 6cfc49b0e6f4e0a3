// lecture_markdown: see lecture_markdown.h.
//
// cmark takes memory through functions of ours, which may not come back without any: they leave the
// parser by longjmp, and what it had taken until then is given back from a list.
#include "lecture_markdown.h"
#include "lesson_words.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// In front of each piece; cmark gets the bytes behind it.
typedef struct Piece Piece;
struct Piece {
    _Alignas(16) Piece *before;
    Piece *behind;
};

static Piece *newest;    // of the parser that is at work
static jmp_buf *way_out; // NULL: none is

static void give_up(void)
{
    if (!way_out) // a tree that is only read takes no memory
        abort();
    longjmp(*way_out, 1);
}

static void *begin(Piece *piece)
{
    if (!piece)
        give_up();
    piece->before = NULL;
    piece->behind = newest;
    if (newest)
        newest->before = piece;
    newest = piece;
    return piece + 1;
}

static void *take(size_t count, size_t size)
{
    bool fits = size == 0 || count <= (SIZE_MAX - sizeof(Piece)) / size;
    return begin(fits ? calloc(1, sizeof(Piece) + count * size) : NULL);
}

static void leave_list(Piece *piece)
{
    if (piece->before)
        piece->before->behind = piece->behind;
    if (piece->behind)
        piece->behind->before = piece->before;
    if (newest == piece)
        newest = piece->behind;
}

static void give_back(void *memory)
{
    if (!memory)
        return;
    Piece *piece = (Piece *)memory - 1;
    leave_list(piece);
    free(piece);
}

static void *take_more(void *memory, size_t bytes)
{
    Piece *piece = memory ? (Piece *)memory - 1 : NULL;
    if (piece)
        leave_list(piece);
    Piece *larger = realloc(piece, sizeof(Piece) + bytes);
    if (!larger && piece)
        begin(piece);
    return begin(larger);
}

static cmark_node *parse(const char *text, size_t length)
{
    static cmark_mem memory = {take, take_more, give_back};
    cmark_parser *parser = cmark_parser_new_with_mem(CMARK_OPT_DEFAULT, &memory);
    cmark_parser_feed(parser, text, length);
    cmark_node *root = cmark_parser_finish(parser);
    cmark_parser_free(parser);
    return root;
}

cmark_node *lecture_markdown(const char *text, size_t length, Error *err)
{
    jmp_buf out;
    cmark_node *root = NULL;
    newest = NULL;
    way_out = &out;
    if (setjmp(out) == 0) {
        root = parse(text, length);
        newest = NULL; // what is left belongs to the tree
    } else {
        error_machine(err, TELL(MARKDOWN_MEMORY), length);
    }
    way_out = NULL;
    while (newest)
        give_back(newest + 1);
    return root;
}
