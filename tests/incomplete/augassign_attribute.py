class Player:
    def hit(self, amount):
        self.health -= amount
        stats.damage_taken += amount
        return amount

p = Player()
print(p.hit(5))
