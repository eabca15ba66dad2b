import sys

def main(argv):
    opts = parse_options(argv)
    if opts.help:
        print("usage: tool [-h]")
        return 2
    return 0

if __name__ == "__main__":
    sys.exit(main(["-h"]))
unreachable()
