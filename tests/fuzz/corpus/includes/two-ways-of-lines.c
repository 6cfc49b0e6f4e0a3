"#line 1 "/*
'/*'
#line 5 "z"
*/
