class User(Base, metaclass=ModelMeta):
    __tablename__ = "users"
    id = Column(Integer, primary_key=True)

    def label(self):
        return "user:" + self.__tablename__

print(User().label())
