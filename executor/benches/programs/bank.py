"""A bank under random events: inheritance, properties, dataclasses, exceptions, super(), a heap of objects."""

import heapq
from dataclasses import dataclass, field


class InsufficientFunds(Exception):
    def __init__(self, account, amount):
        super().__init__("account %d lacks %d" % (account.number, amount - account.balance))
        self.account = account


class Account:
    opened = 0

    def __init__(self, number, balance):
        self.number = number
        self._balance = balance
        self.history = []
        Account.opened += 1

    @property
    def balance(self):
        return self._balance

    @property
    def available(self):
        return self._balance

    def record(self, kind, amount):
        if len(self.history) >= 50:
            self.history.clear()
        self.history.append((kind, amount))

    def deposit(self, amount):
        self._balance += amount
        self.record("deposit", amount)

    def withdraw(self, amount):
        if amount > self.available:
            raise InsufficientFunds(self, amount)
        self._balance -= amount
        self.record("withdrawal", amount)

    def end_of_month(self):
        self.record("statement", self.balance)


class Savings(Account):
    def __init__(self, number, balance, rate):
        super().__init__(number, balance)
        self.rate = rate

    def end_of_month(self):
        self.deposit(self.balance * self.rate // 1200)
        super().end_of_month()


class Checking(Account):
    def __init__(self, number, balance, overdraft):
        super().__init__(number, balance)
        self.overdraft = overdraft

    @property
    def available(self):
        return super().available + self.overdraft

    def end_of_month(self):
        if self.balance < 0:
            self.withdraw(min(self.available, 5))
        super().end_of_month()


@dataclass(eq=False)
class Event:
    time: int
    number: int
    bank: "Bank" = field(repr=False)

    def __lt__(self, other):
        return (self.time, self.number) < (other.time, other.number)

    def happen(self):
        raise NotImplementedError


@dataclass(eq=False)
class Transfer(Event):
    source: Account
    target: Account
    amount: int

    def happen(self):
        self.source.withdraw(self.amount)
        self.target.deposit(self.amount)
        self.bank.after(self.time + self.amount % 13 + 1)


@dataclass(eq=False)
class MonthEnd(Event):
    def happen(self):
        for account in self.bank.accounts:
            account.end_of_month()
        self.bank.push(MonthEnd(self.time + 2000, self.bank.next_number(), self.bank))


class Bank:
    def __init__(self, size):
        self.accounts = [
            Savings(number, 1000, number % 5) if number % 3 == 0 else Checking(number, 500, 100)
            for number in range(size)
        ]
        self.events = []
        self.numbers = 0
        self.refused = 0
        self.state = 7

    def next_number(self):
        self.numbers += 1
        return self.numbers

    def random(self, below):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self.state >> 8) % below

    def push(self, event):
        heapq.heappush(self.events, event)

    def after(self, time):
        source = self.accounts[self.random(len(self.accounts))]
        target = self.accounts[self.random(len(self.accounts))]
        self.push(Transfer(time, self.next_number(), self, source, target, self.random(200) + 1))

    def run(self, count):
        handled = 0
        while handled < count:
            event = heapq.heappop(self.events)
            try:
                event.happen()
            except InsufficientFunds as error:
                self.refused += 1
                error.account.record("refused", event.amount)
                self.after(event.time + 3)
            handled += 1
        return event.time


def main():
    bank = Bank(60)
    bank.push(MonthEnd(2000, bank.next_number(), bank))
    for time in range(20):
        bank.after(time)
    end = bank.run(100_000)
    checksum = 0
    for account in bank.accounts:
        checksum = (checksum * 31 + account.balance) % 1_000_003
    print(end, bank.refused, Account.opened, sum(account.balance for account in bank.accounts), checksum)


main()
