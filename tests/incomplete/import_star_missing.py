from packetlib import *

def on_packet(pkt):
    return pkt.summary()

pkt = IP(dst="10.0.0.1") / TCP(dport=80)
on_packet(pkt)
send(pkt, verbose=False)
print("sent")
