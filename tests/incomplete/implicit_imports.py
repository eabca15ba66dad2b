words = re.findall("[a-z]+", "one two one")
counts = Counter(words)
path = os.path.join("a", urllib.parse.quote("b c"))
day = datetime(2024, 5, 1).strftime("%d.%m.")
print(counts["one"], path, day, math.floor(2.5))
time.left = 3
print(json)
