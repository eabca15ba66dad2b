import clickish

@clickish.command()
@clickish.option("--count", default=1, help="how many")
@pass_config
def repeat(count=2):
    return "x" * count

print(repeat())
print(repeat(3))
