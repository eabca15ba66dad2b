from dataclasses import dataclass

@dataclass
class Event(BaseEvent):
    name: str
    level: int = 1

    def publish(self):
        self.bus.send(self.name)
        return self.level

e = Event("start")
print(e.name, e.publish())
