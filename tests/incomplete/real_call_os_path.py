import datetime
import os
import re

full = os.path.join(root_dir, "a", "b.txt")
base = os.path.basename(full)
words = re.findall(r"\w+", article)
when = datetime.datetime.strptime(stamp, "%Y-%m-%d")
print(os.path.join("x", "y") == "x" + os.sep + "y")
