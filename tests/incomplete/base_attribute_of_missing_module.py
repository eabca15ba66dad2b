import quickorm
from quickorm import fields

class Book(quickorm.Model):
    name = fields.CharField(max_length=80)
    price = fields.DecimalField(decimals=2)

    class Meta:
        ordering = ["name"]

    def __str__(self):
        return "Book"

b = Book()
print(str(b), Book.Meta.ordering)
