"""Uncaught: the failing call sits far to the right of a very long line."""
names = ["alpha", "beta", "gamma"]
lengths = {"alpha": 5, "beta": 4}
result = [lengths["alpha"] + lengths["beta"], lengths.get("gamma", 0) + lengths.get("delta", 0), sum(lengths[n] for n in names[:2]), max(lengths.values()) * min(lengths.values()), "some text that is long enough to push everything to the right", names[0].upper() + names[1].lower(), lengths[names[2]] + lengths[names[0]], "tail"]
print(result)
