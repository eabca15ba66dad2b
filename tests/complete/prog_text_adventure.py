"""A text adventure state machine driven by a list of commands."""
from enum import Enum, auto


class State(Enum):
    PLAYING = auto()
    WON = auto()
    LOST = auto()


class GameError(Exception):
    pass


class Item:
    registry = {}

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Item.registry[cls.__name__.lower()] = cls

    def __str__(self): return type(self).__name__.lower()
    def use(self, game): raise GameError(f"you cannot use the {self}")


class Lamp(Item):
    lit = False

    def use(self, game):
        self.lit = not self.lit
        return f"the lamp is {'on' if self.lit else 'off'}"


class Key(Item):
    def use(self, game):
        if game.room != "cellar":
            return super().use(game)
        game.rooms["cellar"]["exits"]["door"] = "treasury"
        return "the door opens"


class Rope(Item): pass


class Game:
    def __init__(self):
        self.rooms = {
            "hall": {"exits": {"down": "cellar", "north": "garden"}, "items": [Lamp()], "dark": False},
            "garden": {"exits": {"south": "hall"}, "items": [Key(), Rope()], "dark": False},
            "cellar": {"exits": {"up": "hall"}, "items": [], "dark": True},
            "treasury": {"exits": {}, "items": [], "dark": False},
        }
        self.room, self.bag, self.state, self.turns = "hall", {}, State.PLAYING, 0

    @property
    def here(self): return self.rooms[self.room]

    @property
    def can_see(self): return not self.here["dark"] or getattr(self.bag.get("lamp"), "lit", False)

    def do_look(self, *_):
        if not self.can_see: return "it is pitch dark"
        things = ", ".join(map(str, self.here["items"])) or "nothing"
        return f"you are in the {self.room}; exits: {' '.join(sorted(self.here['exits'])) or 'none'}; you see {things}"

    def do_go(self, where=None, *_):
        if where is None: raise GameError("go where?")
        try:
            self.room = self.here["exits"][where]
        except KeyError as e:
            raise GameError(f"no way {e.args[0]}") from e
        if self.room == "treasury": self.state = State.WON
        elif not self.can_see and self.turns > 15: self.state = State.LOST
        return self.do_look()

    def do_take(self, name, *rest):
        item = next((i for i in self.here["items"] if str(i) == name), None)
        if item is None: raise GameError(f"there is no {name} here" + (f", and no {rest}" if rest else ""))
        self.here["items"].remove(item); self.bag[name] = item
        return f"taken: {item}"

    def do_use(self, name): return self.bag[name].use(self)
    def do_bag(self): return sorted(self.bag)

    def step(self, line):
        self.turns += 1
        verb, *args = line.split()
        handler = getattr(self, f"do_{verb}", None)
        if handler is None: raise GameError(f"I do not know how to {verb}")
        return handler(*args)


def play(game, script):
    for n, line in enumerate(filter(None, map(str.strip, script.splitlines())), 1):
        try:
            out = game.step(line)
        except GameError as e:
            out = f"! {e}" + (f" (because of {e.__cause__!r})" if e.__cause__ else "")
        except (TypeError, KeyError) as e:
            out = f"?? {type(e).__name__}: {e}"
        print(f"{n:2}> {line:<12} {out}")
        if game.state is not State.PLAYING: break
    else:
        print("the script ends,", game.state.name)
    return game.state


print(play(Game(), """
    look
    take lamp
    go west
    go
    go north
    take key
    take
    use rope
    take rope
    use rope
    use key
    dance wildly
    go south
    go down
    use lamp
    look
    use key
    bag
    bag now
    go door
    look
"""), sorted(Item.registry))
print(play(Game(), "look\ngo down\nlook\n"))
Game().step("")
