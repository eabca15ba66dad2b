import abc

class Exporter(BaseExporter, metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def export(self, rows):
        pass

class CsvExporter(Exporter):
    def export(self, rows):
        return ";".join(rows)

print(CsvExporter().export(["a", "b"]))
