#!/usr/bin/env python3
"""faulty_network.py SOCKET FOLDER [own]: the network before a server at a Unix socket, by TCP at 127.0.0.1.

FOLDER/port: where it listens, written when it does. FOLDER/carried: bytes from clients to the server so far.
FOLDER/network, looked at all the time, and its second line counts as another order than the one before:

    whole         carries all
    slow MS       keeps each piece for so long, in both directions
    cut BYTES     after so many more from clients resets every link and carries nothing
    away          resets every link and carries nothing
    lost          the interface is down, and nobody is told; only with "own": we are in a network namespace of our own
"""
import array, fcntl, os, socket, struct, sys, threading, time

server_socket, folder = sys.argv[1:3]
links = []
carried = 0
left = None  # bytes until the cut
order = ""
guard = threading.Lock()


def set_interface(up):
    request = struct.pack("16sh14x", b"lo", 1 if up else 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, request)  # SIOCSIFFLAGS, IFF_UP


def write(name, text):
    with open(f"{folder}/{name}.new", "w") as file:
        file.write(text)
    os.rename(f"{folder}/{name}.new", f"{folder}/{name}")


def reset_all():
    with guard:
        ended, links[:] = list(links), []
    for link in ended:
        try:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            link.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it ended by itself
        link.close()


def carry(source, target, from_client):
    global carried, left
    try:
        while piece := source.recv(65536):
            if order.startswith("slow"):
                time.sleep(int(order.split()[1]) / 1000)
            if from_client:
                with guard:
                    if left is not None:
                        piece, left = piece[:left], max(0, left - len(piece))
                    carried += len(piece)
                    write("carried", str(carried))
            target.sendall(piece)
            if left == 0:
                reset_all()
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def follow_orders():
    global order, left
    last = None
    while True:
        with open(f"{folder}/network") as file:
            text = file.read()
        if text != last:
            word = text.split()
            left = int(word[1]) if word[0] == "cut" else 0 if word[0] == "away" else None
            order = text
            if word[0] == "away":
                reset_all()
            if word[0] == "lost" or (last or "").startswith("lost"):
                set_interface(word[0] != "lost")
            last = text
            write("followed", text)
        time.sleep(0.02)


listener = socket.socket()
if len(sys.argv) > 3:
    set_interface(True)
listener.bind(("127.0.0.1", 0))
listener.listen()
threading.Thread(target=follow_orders, daemon=True).start()
write("port", str(listener.getsockname()[1]))
while True:
    client = listener.accept()[0]
    with guard:
        links.append(client)
    if left == 0:
        reset_all()
        continue
    server = socket.socket(socket.AF_UNIX)
    server.connect(server_socket)
    with guard:
        links.append(server)
    for ends in ((client, server, True), (server, client, False)):
        threading.Thread(target=carry, args=ends, daemon=True).start()
