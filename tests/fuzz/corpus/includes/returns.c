int a;#line 3 "b.c""#line 4 "c.c"
