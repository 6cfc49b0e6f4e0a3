??=li??/
ne 7 "solution.c"
char c = '"';
