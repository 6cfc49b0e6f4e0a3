// HTML escaping, and the pages' style; see html.h. A screen is as wide as its cells, a picture as its letters need; on a
// narrow page they scroll.
#include "html.h"

#include <stdint.h>
#include <string.h>
#include "utf8.h"

// --- style

const char html_style[] =
    ":root{--ink:#1b1f24;--quiet:#667;--paper:#fff;--panel:#f6f7f9;--line:#d5d9e0;--key:#0b6a9a;"
    "--alarm:#9a5b00;--mark:#fff3c4;color-scheme:light dark}\n"
    "figure .dark,figure .narrow{display:none}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--quiet:#99a2b0;--paper:#14171c;"
    "--panel:#1c2129;--line:#39414e;--key:#6cc3ee;--alarm:#f0b45c;--mark:#4a3f14}"
    "figure .light{display:none}figure .dark{display:block}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1.5rem "
    "clamp(1rem,4vw,3rem);max-width:72rem;background:var(--paper);"
    "color:var(--ink);font:1.06rem/1.65 Inter,\"Noto Sans KR\",\"Apple SD Gothic Neo\","
    "\"Malgun Gothic\",system-ui,sans-serif;word-break:keep-all;overflow-wrap:break-word}\n"
    "h1{font-size:1.9rem;line-height:1.25;margin:.5rem 0}\n"
    "h2{font-size:1.35rem;line-height:1.3;margin:0 0 .8rem}\n"
    "h2 span{color:var(--quiet);font-weight:normal;font-size:.9rem;margin-right:.5rem}\n"
    "h3{font-size:1rem;margin:0 0 .4rem}\n"
    "header{border-bottom:1px solid var(--line);padding-bottom:1rem}\n"
    "nav h2{font-size:1rem;margin:1rem 0 .3rem}\n"
    "nav ol{columns:20rem;margin:0;padding-left:2rem}\n"
    "a{color:var(--key)}\n"
    ".term{color:inherit;text-decoration:underline dotted var(--key);text-underline-offset:.25em}\n"
    "section{padding:2.2rem 0;border-bottom:1px solid var(--line)}\n"
    ".text{max-width:44rem}\n"
    "p,ul,ol{margin:0 0 .8rem}\n"
    "code,pre{font-family:\"D2Coding\",\"DejaVu Sans Mono\",Menlo,Consolas,\"Nanum Gothic Coding\","
    "\"Noto Sans Mono CJK KR\",monospace;font-variant-ligatures:none}\n"
    "li code{white-space:pre-wrap}\n"
    "code{font-size:.93em;background:var(--panel);padding:.08em .3em;border-radius:.25em}\n"
    ".ref{background:var(--mark)}\n"
    "pre{background:var(--panel);border:1px solid var(--line);border-radius:.4rem;padding:.7rem "
    ".8rem;"
    "overflow-x:auto;font-size:.82rem;line-height:1.3;margin:0 0 1rem;word-break:normal}\n"
    "pre.screen{line-height:1.18;width:fit-content;max-width:100%;--ink:#e2e6ec;--quiet:#8b95a5;--"
    "paper:#12151a;"
    "--key:#6cc3ee;--alarm:#f0b45c;color:var(--ink);background:var(--paper)}\n"
    "pre i{display:inline-block;width:2ch;font-style:normal}\n"
    ".quiet,.rule{color:var(--quiet)}\n"
    ".heading{font-weight:bold}\n"
    ".title,.current{background:var(--ink);color:var(--paper)}\n"
    ".key{color:var(--key);font-weight:bold}\n"
    ".alarm{color:var(--alarm);font-weight:bold}\n"
    ".changed{font-weight:bold}\n"
    ".marked{color:var(--quiet)}\n"
    "figure{margin:0 0 1rem;max-width:60rem;overflow-x:auto}\n"
    "svg{width:100%;min-width:55rem;height:auto;border:1px solid var(--line);border-radius:.4rem;"
    "font-family:Inter,\"Noto Sans KR\",system-ui,sans-serif;font-variant-ligatures:none}\n"
    ".narrow svg{min-width:0;max-width:30rem}\n"
    "figcaption{color:var(--quiet);font-size:.9rem}\n"
    ".question{border-left:.3rem solid var(--key);padding:.2rem 0 .2rem 1rem;margin:1rem 0}\n"
    "summary{cursor:pointer;color:var(--key)}\n"
    "details[open] summary{margin-bottom:.6rem}\n"
    "aside{background:var(--panel);border-radius:.4rem;padding:.7rem 1rem;margin:0 0 1rem;"
    "font-size:.95rem}\n"
    "footer{color:var(--quiet);font-size:.9rem;padding:1.5rem 0}\n"
    "@media "
    "print{:root{--ink:#000;--quiet:#555;--paper:#fff;--panel:#"
    "fff;--line:#aaa;--key:#003f66;"
    "--alarm:#7a4700;--mark:#fff3c4}body{max-width:none;padding:0;font-size:10.5pt}"
    "nav{display:none}section{padding:1rem 0}pre{font-size:7.6pt;overflow:visible}"
    "pre,figure,.question{break-inside:avoid}h2{break-after:avoid}"
    "pre.screen{--ink:#000;--quiet:#555;--paper:#fff;--key:#003f66;--alarm:#7a4700}"
    "pre.screen span{color:#000!important}pre.screen span[style^=color],pre.screen .current,"
    "pre.screen .title{background:none!important}"
    "pre.screen .current{outline:1px solid #000}svg{min-width:0}"
    "figure .light{display:block}figure .dark{display:none}"
    "pre,code,svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

// --- text

static void put_character(FILE *out, const char *text, size_t bytes, uint32_t character)
{
    switch (character) {
    case '&':
        fputs("&amp;", out);
        break;
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    case '\'':
        fputs("&#39;", out);
        break;
    default:
        if ((character < 0x20 && character != '\n') || (character >= 0x7f && character < 0xa0))
            fputs("\uFFFD", out);
        else
            fwrite(text, 1, bytes, out);
    }
}

void html_text_part(FILE *out, const char *text, size_t length)
{
    uint32_t character;
    const char *end = text + length;
    for (size_t bytes; text < end && (bytes = utf8_next(text, &character)) > 0; text += bytes)
        put_character(out, text, bytes, character);
}

void html_text(FILE *out, const char *text)
{
    html_text_part(out, text, strlen(text));
}

void html_element(FILE *out, const char *open, const char *text, const char *close)
{
    fputs(open, out);
    html_text(out, text);
    fputs(close, out);
}

void html_page_begin(FILE *out, const char *language, const char *title, const char *style)
{
    fprintf(out, "<!DOCTYPE html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n", language);
    fputs("<meta name=\"viewport\" content=\"width=device-width\">\n", out);
    html_element(out, "<title>", title, "</title>\n");
    fprintf(out, "<style>%s%s</style></head>\n<body>\n", html_style, style);
    html_element(out, "<h1>", title, "</h1>\n");
}
