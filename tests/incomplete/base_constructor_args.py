from uikit_missing import Widget

class Label(Widget):
    color = "red"

    def paint(self):
        self.canvas.draw(self.color)
        return self.color

label = Label(None, "text", width=30)
print(label.paint())
