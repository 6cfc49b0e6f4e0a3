// train_screen: see train_screen.h.
#include "train_screen.h"

#include "tui_words.h"

enum { TOP_ROWS = 6, MESSAGE_ROWS_MAX = 4, LOSS_COLUMNS_MIN = 16, GAP = 2 };

static const char *state_of(const TrainingWatch *watch)
{
    switch (watch->state) {
    case WATCH_RUNS:
        return TELL(TRAIN_STATE_RUNS);
    case WATCH_PAUSED:
        return TELL(TRAIN_STATE_PAUSED);
    case WATCH_ENDED:
        return TELL(TRAIN_STATE_ENDED);
    case WATCH_BROKE_OFF:
        break;
    }
    return TELL(TRAIN_STATE_BROKE_OFF);
}

static void draw_title(const TrainingWatch *watch, Area area, Cells *cells)
{
    const Training *training = &watch->training;
    float rate = training->rate_scale * training->recipe.rate *
                 (1.0f - (float)training->step / (float)training->recipe.steps);
    cells_fill(cells, area, 0, 0, area.columns, ROLE_TITLE, " ");
    int column = 1 + cells_format(cells, area, 0, 1, ROLE_TITLE, TELL(TRAIN_TITLE),
                                  (long long)training->step, (long long)training->recipe.steps);
    if (training->step > 0)
        column += cells_format(cells, area, 0, column, ROLE_TITLE, TELL(TRAIN_TITLE_LOSS),
                               (double)training->loss);
    cells_format(cells, area, 0, column, ROLE_TITLE, TELL(TRAIN_TITLE_RATE), (double)rate,
                 state_of(watch));
}

// What needs to be known now, the most important first.
static void message_of(const TrainingWatch *watch, char *text, size_t room)
{
    long long back = (long long)watch->keeps[watch->keep_chosen].step;
    if (watch->state == WATCH_BROKE_OFF)
        words_format(text, room, TELL(TRAIN_SAYS_BROKE_OFF), watch->broken.text, back);
    else if (watch->without)
        words_format(text, room, "%s", TELL(TRAIN_SAYS_AWAY));
    else if (watch->state == WATCH_ENDED)
        words_format(text, room, TELL(TRAIN_SAYS_ENDED), back);
    else if (watch->state == WATCH_PAUSED)
        words_format(text, room, TELL(TRAIN_SAYS_PAUSED), back);
    else
        words_format(text, room, "%s", TELL(TRAIN_SAYS_READ));
}

static void draw_top(const TrainingWatch *watch, Area area, Cells *cells)
{
    int skills = train_skills_columns(watch);
    int loss = area.columns - skills - GAP;
    loss = loss > LOSS_COLUMNS_MIN ? loss : LOSS_COLUMNS_MIN;
    Area left = {area.row, area.column, area.rows, loss < area.columns ? loss : area.columns};
    Area right = {area.row, area.column + loss + GAP, area.rows, area.columns - loss - GAP};
    train_loss_draw(watch, left, cells);
    if (right.columns > 0)
        train_skills_draw(watch, right, cells);
}

static void draw_help(Area area, Cells *cells)
{
    static const Words lines[] = {
        WORDS("Space  pause, and go on            s  one update, then pause",
              "Space  멈추고, 다시 갑니다          s  한 단계만 고치고 멈춥니다"),
        WORDS("[ ]    choose a checkpoint         b  go back to it; what came after is forgotten",
              "[ ]    중간 상태를 고릅니다         b  거기로 돌아갑니다. 그 뒤는 잊습니다"),
        WORDS("+ -    a larger, smaller learning rate, by a quarter",
              "+ -    학습률을 4분의 1씩 크게, 작게 합니다"),
        WORDS("0 1 2  take a head away, or put it back: answers are counted without it",
              "0 1 2  헤드를 빼거나 되돌립니다. 그 헤드 없이 답을 셉니다"),
        WORDS("Tab    another text; Left and Right: another head",
              "Tab    다른 글. 왼쪽과 오른쪽 화살표는 다른 헤드입니다"),
        WORDS("n      one parameter, its gradient and the arithmetic of its update; Tab and arrows",
              "n      파라미터 하나와 그 기울기, 고치는 계산. Tab과 화살표로"),
        WORDS("       choose another, n goes back to the maps",
              "       다른 것을 고르고, n을 다시 누르면 맵으로 돌아갑니다"),
        WORDS("q      leave; what to type to go on is printed",
              "q      끝냅니다. 이어서 하려면 무엇을 입력할지 나옵니다"),
        {{NULL}},
        WORDS(
            "who: whom a name, He, She, him or her means. before: the word before. mark: the mark",
            "who: 이름이나 He, She, him, her가 누구인지. before: 앞 낱말. mark: 문장을"),
        WORDS("that ends the sentence. In the table, for each head: how much of its weight it puts",
              "끝내는 부호. 표에는 헤드마다 답이 있는 곳에 가중치를 얼마나 두는지, 그 헤드가"),
        WORDS("on the place of the answer, and how many answers are right without it. * has most.",
              "없을 때 답이 얼마나 맞는지 나옵니다. *가 가장 많이 두는 헤드입니다."),
        WORDS("Where a head looks explains nothing by itself: this is why heads are taken away.",
              "헤드가 보는 것만으로는 아무것도 설명되지 않습니다. 그래서 헤드를 빼 봅니다."),
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *line = words_tell(lines[i]);
        if (line)
            cells_text(cells, area, (int)i, 0, ROLE_TEXT, line);
    }
}

void train_screen_draw(const TrainingWatch *watch, Cells *cells)
{
    char message[sizeof watch->broken.text + 256];
    Area area = cells_area(cells);
    cells_clear(cells);
    draw_title(watch, area, cells);
    message_of(watch, message, sizeof message);
    int rows = cells_paragraph_rows(message, area.columns - 2, MESSAGE_ROWS_MAX, 0);
    int message_row = area.rows - 1 - rows;
    Area inner = {area.row + 1, area.column + 1, message_row - 1, area.columns - 2};
    cells_text(cells, area, area.rows - 1, 1, ROLE_KEY,
               watch->shows_help ? TELL(TRAIN_KEYS_HELP) : TELL(TRAIN_KEYS));
    if (watch->shows_help) {
        draw_help(inner, cells);
        return;
    }
    Area top = {inner.row, inner.column, TOP_ROWS, inner.columns};
    Area below = {inner.row + TOP_ROWS + 1, inner.column, inner.rows - TOP_ROWS - 1, inner.columns};
    draw_top(watch, top, cells);
    cells_fill(cells, area, below.row - 1, 0, area.columns, ROLE_RULE, "\u2500");
    if (watch->shows_parameter)
        train_parameter_draw(watch, below, cells);
    else
        train_maps_draw(watch, below, cells);
    cells_paragraph(cells, (Area){0, 1, area.rows - 1, area.columns - 2}, message_row, rows, 0,
                    watch->state == WATCH_BROKE_OFF ? ROLE_ALARM : ROLE_TEXT, message);
}
