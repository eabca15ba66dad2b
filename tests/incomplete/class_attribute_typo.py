class Wallet:
    def __init__(self):
        self.balance = 10

    def spend(self, n):
        self.balnce -= n
        return self.balance

bank.register("w")
Wallet().spend(3)
print("never")
