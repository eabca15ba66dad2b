frame = (
    spark.read
    .option("header", True)
    .csv("people.csv")
)
frame.show(5)
print("shown")
