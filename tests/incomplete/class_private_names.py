class Account:
    def __init__(self, owner):
        self.__owner = owner
        self.__balance = 0

    def deposit(self, amount):
        self.__balance += amount
        self.__audit(amount)
        __log_entry(amount)
        return self.__balance

a = Account("eve")
print(a.deposit(30), a._Account__owner)
