try:
    rate = compute_rate("EUR")
    print(rate)
except:
    print("no rate")
    report_failure()
