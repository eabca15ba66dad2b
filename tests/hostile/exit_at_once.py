# Leaves without a word: coverage and injections are known all the same.
# outcome: completed
# exit: 7
import os
x = missing
os._exit(7)
y = 1  # missed
