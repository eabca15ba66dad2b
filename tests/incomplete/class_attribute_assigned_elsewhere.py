class Store:
    def open_store(self):
        self.connection = connect("db")

    def rows(self):
        return self.connection.rows()

s = Store()
print(s.rows())
