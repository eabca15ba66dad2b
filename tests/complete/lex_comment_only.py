# only a comment

    # and an indented one without newline at the end