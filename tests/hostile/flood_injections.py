# The same injections again and again are told once each.
# outcome: completed
for number in range(20_000):
    missing.call(number).more
