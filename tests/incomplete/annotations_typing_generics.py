from typing import Dict, List, Optional, Union

Registry = Dict[str, List[Handler]]

def find(name: str, default: Optional[Handler] = None) -> Union[Handler, None]:
    table: Registry = {}
    return table.get(name, default)

print(find("x"))
