# The same injections again and again are told once each.
# outcome: completed
# timeout: 20
for number in range(20_000):
    missing.call(number).more
