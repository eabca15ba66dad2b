"""input(), sys.stdin iteration, readline and EOF."""
import sys

name = input("name? ")
age = int(input())
print(f"hello {name!r}, next year {age + 1}")
first = sys.stdin.readline()
print(repr(first), sys.stdin.isatty())
total = 0
for number, line in enumerate(sys.stdin, 1):
    line = line.rstrip("\n")
    if not line:
        break
    try:
        total += int(line)
    except ValueError as e:
        print("line", number, e, file=sys.stderr)
        continue
    print(number, total)
rest = [l.split() for l in sys.stdin if (words := l.split())]
print(rest, words)
try:
    input("again? ")
except EOFError as e:
    print("EOF:", e)
print(repr(sys.stdin.read()), repr(sys.stdin.readline()), sys.stdin.readlines())
input()
