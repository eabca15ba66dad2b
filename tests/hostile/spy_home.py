# Homes and the machine's settings.
# outcome: completed
# inject: none
# coverage: any
# stdout: []
import glob, os
seen = []
for folder in ["/root", "/home", "@HOME@", "/var", "/opt", "/srv", "/mnt", "/boot", "/sys", "/run"]:
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            seen.append(path)
for home in ["/root", "/home/*", "@HOME@"]:
    for pattern in ["*", ".??*", ".ssh/*", ".cargo/*"]:
        seen += [path for path in glob.glob(home + "/" + pattern) if os.path.isfile(path)]
print(seen)
