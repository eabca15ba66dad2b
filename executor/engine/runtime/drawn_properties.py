"""The part of the policy of `diff` that reads properties of made-up objects: a version may read what a property gives, or what
the property itself reads.
"""

import inspect
import re

MOST_LACKED = 5  # attributes that one property reads and the object lacks
MESSAGE = re.compile(r"'\w+' object has no attribute '(\w+)'")


class DrawnProperties:
    """What `Drawn` answers where a property fails on an object that lacks what it reads."""

    def through_property(self, value, name, error, held):
        """What the property `name` gives once the object has what it reads, or `NotImplemented`. `held` are attributes that were
        made up of the object before, to which those are added; the object itself keeps what the property writes, and no more."""
        if not isinstance(inspect.getattr_static(type(value), name, None), property):
            return NotImplemented
        for _attempt in range(MOST_LACKED):
            lacked = MESSAGE.fullmatch(str(error))
            if lacked is None or lacked[1] == name or lacked[1] in vars(value):
                return NotImplemented
            if lacked[1] not in held:
                made = held[lacked[1]] = self.attribute_elsewhere(f"{type(value).__name__}.{lacked[1]}", lacked[1])
                self.lacked(value, lacked[1], made)
            added = {key: made for key, made in held.items() if key not in vars(value)}
            try:
                vars(value).update(added)
                return getattr(value, name)
            except AttributeError as another:
                error = another
            except Exception:
                return NotImplemented
            finally:
                for key, made in added.items():
                    if vars(value).get(key) is made:  # else the property has written it
                        del vars(value)[key]
        return NotImplemented
