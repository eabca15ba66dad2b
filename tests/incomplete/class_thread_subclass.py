import threading

class Worker(threading.Thread):
    def run(self):
        task = self.tasks.get()
        process(task)
        self.daemon

Worker().run()
print("worked")
