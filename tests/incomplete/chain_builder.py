def adults(session):
    query = session.query(User).filter(User.age >= 18)
    rows = query.order_by(User.name.desc()).limit(10).all()
    return [row.email for row in rows]

emails = adults(db.session)
print(len(emails) > 0)
