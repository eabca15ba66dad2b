with database_session() as session:
    session.add("row")
    session.commit()
print("saved")
