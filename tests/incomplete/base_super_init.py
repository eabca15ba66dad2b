class MainWindow(QMainWindow):
    def __init__(self, title, parent=None):
        super().__init__(parent)
        self.title = title
        self.setWindowTitle(title)
        self.resize(640, 480)

    def greet(self):
        return "window " + self.title

w = MainWindow("demo")
print(w.greet())
