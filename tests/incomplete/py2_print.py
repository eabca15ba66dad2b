names = ["ann", "bob"]
for name in names:
    print name
    print "len:", len(name)
print "total %d" % len(names)
send_mail(names)
