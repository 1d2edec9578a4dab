#!/usr/bin/env python3
"""A mail server that takes mail over TLS alone, from who logs in: tls_mail_server.py FOLDER smtps|starttls

By Debian's python3-aiosmtpd, with the certificate FOLDER/cert.pem and FOLDER/key.pem. Writes its port to FOLDER/port and
what it takes to FOLDER/mail.json; ends with its standard input.
"""
import asyncio
import json
import pathlib
import ssl
import sys
import warnings

from aiosmtpd.smtp import SMTP, AuthResult

warnings.simplefilter("ignore")  # of a log-in without TLS, see below
folder = pathlib.Path(sys.argv[1])
begins_in_tls = sys.argv[2] == "smtps"
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(folder / "cert.pem", folder / "key.pem")


class Keeping:
    """Keeps what it takes."""

    async def handle_DATA(self, server, session, envelope):
        mail = {"from": envelope.mail_from, "to": envelope.rcpt_tos, "text": envelope.content.decode()}
        (folder / "mail.json").write_text(json.dumps(mail))
        return "250 kept"


def authenticate(server, session, envelope, mechanism, data):
    is_known = data.login == b"ci" and data.password == b"a mail password"
    return AuthResult(success=is_known, handled=False)  # the answer is the server's


def session():
    return SMTP(
        Keeping(),
        hostname="mail.example.org",
        tls_context=None if begins_in_tls else context,
        require_starttls=not begins_in_tls,
        authenticator=authenticate,
        auth_required=True,
        # Of a connection that begins in TLS it does not know that it is encrypted.
        auth_require_tls=not begins_in_tls,
    )


async def serve():
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(session, "127.0.0.1", 0, ssl=context if begins_in_tls else None)
    (folder / "port.new").write_text(str(server.sockets[0].getsockname()[1]))
    (folder / "port.new").rename(folder / "port")
    loop.add_reader(sys.stdin.fileno(), ended.set)
    await ended.wait()


asyncio.run(serve())
