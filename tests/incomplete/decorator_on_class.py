@register
@total_order("weight")
class Parcel:
    def __init__(self, weight):
        self.weight = weight

    def cost(self):
        return self.weight * 2

print(Parcel(4).cost())
