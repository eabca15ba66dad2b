"""Counts words of a generated text: dictionaries, strings, sorting, comprehensions, the collections module."""

from collections import Counter, defaultdict

SYLLABLES = "ka lo mi ter an do re vis por qua nel sto bri gen hu".split()


def make_text(count):
    state = 42
    words = []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        draw = state >> 33
        length = draw % 3 + 1
        word = ""
        for _ in range(length):
            draw //= 5
            word += SYLLABLES[draw % len(SYLLABLES)]
        words.append(word.capitalize() if draw % 11 == 0 else word)
    return " ".join(words)


def count_by_hand(words):
    counts = {}
    for word in words:
        key = word.lower()
        if key in counts:
            counts[key] += 1
        else:
            counts[key] = 1
    return counts


def pair_counts(words):
    pairs = defaultdict(int)
    previous = None
    for word in words:
        if previous is not None:
            pairs[previous, word] += 1
        previous = word
    return pairs


def index_by_letters(counts):
    index = {}
    for word, count in counts.items():
        index.setdefault("".join(sorted(word)), []).append((count, word))
    return index


def main():
    words = make_text(400_000).split(" ")
    counts = count_by_hand(words)
    assert counts == Counter(word.lower() for word in words)
    pairs = pair_counts(words)
    index = index_by_letters(counts)
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]
    groups = sorted((group for group in index.values() if len(group) > 1), key=lambda group: (-len(group), group))
    by_length = {length: sum(c for w, c in counts.items() if len(w) == length) for length in range(2, 13)}
    print(len(counts), len(pairs), max(pairs.values()), len(groups))
    print(top[0], groups[0][0], sum(length * count for length, count in by_length.items()))


main()
