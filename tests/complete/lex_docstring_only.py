"""Only a docstring,
over two lines."""