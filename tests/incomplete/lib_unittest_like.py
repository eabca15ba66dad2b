from testkit_missing import TestCase

class StackTest(TestCase):
    def setUp(self):
        self.stack = Stack()

    def test_push(self):
        self.stack.push(3)
        self.assertEqual(self.stack.pop(), 3)
        with self.assertRaises(IndexError):
            self.stack.pop()

t = StackTest()
t.setUp()
t.test_push()
print("tested")
