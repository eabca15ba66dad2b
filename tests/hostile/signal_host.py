# The process that started the zygote, by the number it has outside.
# outcome: completed | error | killed
# coverage: any
import os
os.kill(@PID@, 9)
x = 1
