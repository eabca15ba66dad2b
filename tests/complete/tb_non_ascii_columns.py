"""Uncaught: non-ASCII text before the error column on the line."""

größe = {"breite": 3, "höhe": 4}
名前 = "漢字テスト"


def fläche(maß, ключ="höhe"):
    return maß["breite"] * maß[ключ]


print("Fläche →", fläche(größe), "ünïcödé", 名前[0] + 名前[-1])
print("é" * 3, "→→", fläche(größe) + len("日本語"), "✓")
try:
    print("日本語", größe["länge"])
except KeyError as fehler:
    print("Schlüssel", fehler)
print("日本語テキスト", "ä", 名前.upper() + "ö" + str(fläche(größe)), "ß" + 名前[2:] + fläche(größe, "tiefe"))
