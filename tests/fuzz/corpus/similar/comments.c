#define F(x) \
  x
/* a */ int b = 0x1F + 1e-5; // c
/* never ends