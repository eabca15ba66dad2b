import pandalike as pd

df = pd.read_csv("sales.csv", sep=";")
df["net"] = df["gross"] - df["tax"] * 0.5
big = df[(df["net"] > 100) & (df.region == "EU")]
for name, group in big.groupby("city"):
    mean = group["net"].mean()
df.loc[df.net < 0, "net"] = 0
print(big.shape[0] >= 0, df.apply(lambda r: r.net, axis=1) is None)
