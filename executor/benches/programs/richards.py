"""An operating system's scheduler in the spirit of Martin Richards' benchmark: small classes, many attributes and
method calls on objects of several classes."""

IDLE, WORKER, HANDLER, DEVICE = range(4)
COUNT = 10_000


class Packet:
    def __init__(self, link, identity, kind):
        self.link = link
        self.identity = identity
        self.kind = kind
        self.datum = 0
        self.data = [0, 0, 0, 0]

    def append_to(self, queue):
        self.link = None
        if queue is None:
            return self
        last = queue
        while last.link is not None:
            last = last.link
        last.link = self
        return queue


class Task:
    def __init__(self, scheduler, identity, priority, queue):
        self.scheduler = scheduler
        self.identity = identity
        self.priority = priority
        self.queue = queue
        self.held = False
        self.suspended = queue is None
        scheduler.tasks.append(self)
        scheduler.table[identity] = self

    def is_ready(self):
        if self.held:
            return False
        return not self.suspended or self.queue is not None

    def take(self):
        packet = self.queue
        if packet is not None:
            self.queue = packet.link
        self.suspended = False
        return packet

    def add_packet(self, packet):
        self.queue = packet.append_to(self.queue)
        self.suspended = False

    def run(self, packet):
        raise NotImplementedError


class IdleTask(Task):
    def __init__(self, scheduler, identity, priority, devices):
        Task.__init__(self, scheduler, identity, priority, None)
        self.suspended = False
        self.seed = 1
        self.count = COUNT
        self.devices = devices

    def run(self, packet):
        self.count -= 1
        if self.count == 0:
            self.scheduler.hold(self)
            return
        low = self.seed & 1
        self.seed //= 2
        if low:
            self.seed ^= 0xD008
        self.scheduler.release(self.devices[low])


class WorkerTask(Task):
    def __init__(self, scheduler, identity, priority, queue, handlers):
        Task.__init__(self, scheduler, identity, priority, queue)
        self.handlers = handlers
        self.turn = 0
        self.letter = 0

    def run(self, packet):
        if packet is None:
            self.suspended = True
            return
        self.turn = 1 - self.turn
        packet.identity = self.handlers[self.turn]
        packet.datum = 0
        for index in range(4):
            self.letter += 1
            if self.letter > 26:
                self.letter = 1
            packet.data[index] = self.letter + 64
        self.scheduler.send(self, packet)


class HandlerTask(Task):
    def __init__(self, scheduler, identity, priority, queue, worker):
        Task.__init__(self, scheduler, identity, priority, queue)
        self.worker = worker
        self.work = None
        self.idle_devices = None

    def run(self, packet):
        if packet is not None:
            if packet.kind == WORKER:
                self.work = packet.append_to(self.work)
            else:
                self.idle_devices = packet.append_to(self.idle_devices)
        work = self.work
        if work is None:
            self.suspended = True
            return
        if work.datum >= 4:
            self.work = work.link
            work.identity = self.worker
            self.scheduler.send(self, work)
            return
        device = self.idle_devices
        if device is None:
            self.suspended = True
            return
        self.idle_devices = device.link
        device.datum = work.data[work.datum]
        work.datum += 1
        self.scheduler.send(self, device)


class DeviceTask(Task):
    def __init__(self, scheduler, identity, priority):
        Task.__init__(self, scheduler, identity, priority, None)
        self.pending = None

    def run(self, packet):
        if packet is None:
            pending = self.pending
            if pending is None:
                self.suspended = True
                return
            self.pending = None
            self.scheduler.send(self, pending)
        else:
            self.pending = packet
            self.scheduler.hold(self)


class Scheduler:
    def __init__(self):
        self.tasks = []
        self.table = {}
        self.queued = 0
        self.holds = 0
        self.steps = 0

    def find(self, identity):
        return self.table[identity]

    def send(self, sender, packet):
        self.queued += 1
        receiver = self.find(packet.identity)
        packet.identity = sender.identity
        receiver.add_packet(packet)

    def hold(self, task):
        self.holds += 1
        task.held = True

    def release(self, identity):
        task = self.find(identity)
        task.held = False

    def next_task(self):
        for task in self.tasks:
            if task.is_ready():
                return task
        return None

    def schedule(self):
        while True:
            task = self.next_task()
            if task is None:
                return
            self.steps += 1
            task.run(task.take())


def packets(identity, kind, count):
    queue = None
    for _ in range(count):
        queue = Packet(queue, identity, kind)
    return queue


def simulate():
    scheduler = Scheduler()
    DeviceTask(scheduler, 5, 5000)
    DeviceTask(scheduler, 4, 4000)
    HandlerTask(scheduler, 3, 3000, packets(5, DEVICE, 3), 1)
    HandlerTask(scheduler, 2, 2000, packets(4, DEVICE, 3), 1)
    WorkerTask(scheduler, 1, 1000, packets(2, WORKER, 2), (2, 3))
    IdleTask(scheduler, 0, 0, (4, 5))
    scheduler.schedule()
    return scheduler


def main():
    totals = [0, 0, 0]
    for _ in range(10):
        scheduler = simulate()
        totals[0] += scheduler.queued
        totals[1] += scheduler.holds
        totals[2] += scheduler.steps
    print(*totals)


main()
