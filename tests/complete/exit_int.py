"""sys.exit(7) from deep inside functions and a loop."""
import sys


def stop(code):
    for i in range(10):
        if i == code:
            sys.exit(i)
        print("i", i)


def main():
    try:
        stop(7)
    except Exception as e:
        print("not an Exception", e)
    finally:
        print("finally in main")


main()
print("never")
