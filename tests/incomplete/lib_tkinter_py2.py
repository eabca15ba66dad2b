from Tkinter import *

class App:
    def __init__(self, master):
        frame = Frame(master)
        frame.pack()
        self.button = Button(frame, text="Quit", fg="red", command=frame.quit)
        self.button.pack(side=LEFT)

    def say(self):
        print("hi there")

root = Tk()
app = App(root)
root.mainloop()
app.say()
