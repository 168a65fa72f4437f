"""Mistakes that the contracts of transports have to catch."""

from locframework_webhooks_https import HttpsTransport

from locframework.outgoing import addresses, channel, client
from tests.testing.honest.transport import QueueTransport, TestHttps, TestQueue

from .mutation import Mutant

APPEND = "self.queue.append(post.headers, post.body, post.seconds)"
CHECK = "if not URL.fullmatch(url):"

MUTANTS = {
    TestQueue: [
        Mutant(
            "a name with a space", QueueTransport, 'name = "queue"', 'name = "my queue"'
        ),
        Mutant("any URL will do", QueueTransport.check_url, CHECK, "if not url:"),
        Mutant(
            "URLs by their beginning",
            QueueTransport.check_url,
            CHECK,
            "if not url.startswith(('queue://', 'https://')):",
        ),
        Mutant(
            "URLs by search", QueueTransport.check_url, CHECK, "if '://' not in url:"
        ),
        Mutant(
            "URLs without web addresses",
            QueueTransport.check_url,
            CHECK,
            "if url.startswith('http'):",
        ),
        Mutant(
            "a ValueError for a wrong URL",
            QueueTransport.check_url,
            "UrlNotAllowed(",
            "ValueError(",
        ),
        Mutant(
            "a refusal without a reason",
            QueueTransport.check_url,
            '"url: is not queue://NAME"',
            '""',
        ),
        Mutant(
            "checks by sending",
            QueueTransport.check_url,
            CHECK,
            "self.queue.append((), b'test', 1)\n    " + CHECK,
        ),
        Mutant(
            "sends what it would refuse",
            QueueTransport.send,
            "self.check_url(post.url)",
            "pass",
        ),
        Mutant(
            "raises what it refuses",
            QueueTransport.send,
            "except UrlNotAllowed:",
            "except KeyError:",
        ),
        Mutant(
            "a refused URL is a status",
            QueueTransport.send,
            'None, "url_not_allowed"',
            "400, None",
        ),
        Mutant(
            "raises when the time is up",
            QueueTransport.send,
            "except TimeoutError:",
            "except KeyError:",
        ),
        Mutant("an error of its own", QueueTransport.send, '"timeout"', '"queue_full"'),
        Mutant(
            "both a status and an error",
            QueueTransport.send,
            'None, "timeout"',
            '504, "timeout"',
        ),
        Mutant(
            "a timeout is well", QueueTransport.send, 'None, "timeout"', "202, None"
        ),
        Mutant("waits a minute", QueueTransport.send, "post.seconds)", "5)"),
        Mutant(
            "three times as long",
            QueueTransport.send,
            "post.seconds)",
            "post.seconds * 4)",
        ),
        Mutant("sends twice", QueueTransport.send, APPEND, f"{APPEND}; {APPEND}"),
        Mutant("sends nothing", QueueTransport.send, APPEND, "pass"),
        Mutant(
            "headers are sorted",
            QueueTransport.send,
            "post.headers,",
            "tuple(sorted(post.headers)),",
        ),
        Mutant(
            "headers in capitals",
            QueueTransport.send,
            "post.headers,",
            "tuple((n.title(), v) for n, v in post.headers),",
        ),
        Mutant(
            "only headers that it knows",
            QueueTransport.send,
            "post.headers,",
            "tuple(h for h in post.headers if h[0].startswith('webhook')),",
        ),
        Mutant(
            "bodies are text",
            QueueTransport.send,
            "post.body,",
            "post.body.decode('utf-8', 'replace').encode(),",
        ),
        Mutant(
            "bodies are JSON",
            QueueTransport.send,
            "post.body,",
            "__import__('json').dumps(__import__('json').loads(post.body)).encode(),",
        ),
        Mutant("trims bodies", QueueTransport.send, "post.body,", "post.body.strip(),"),
        Mutant(
            "64 KiB of bodies", QueueTransport.send, "post.body,", "post.body[:65536],"
        ),
        Mutant(
            "seconds, not milliseconds", QueueTransport.send, "int(took * 1000)", "took"
        ),
        Mutant(
            "milliseconds as a float",
            QueueTransport.send,
            "int(took * 1000)",
            "took * 1000",
        ),
        Mutant(
            "microseconds",
            QueueTransport.send,
            "int(took * 1000)",
            "int(took * 1_000_000)",
        ),
        Mutant(
            "a status of its own",
            QueueTransport.send,
            "status, error = 202, None\n",
            "status, error = 0, None\n",
        ),
        Mutant(
            "one post for all threads",
            QueueTransport.send,
            APPEND,
            "self.post = post; time.sleep(0.001); post = self.post; " + APPEND,
        ),
        Mutant(
            "a thread for each post",
            QueueTransport.send,
            APPEND,
            APPEND
            + "; threading.Thread(target=time.sleep, args=(30,), daemon=True).start()",
        ),
        Mutant(
            "sends in a thread",
            QueueTransport.send,
            APPEND,
            "threading.Thread(target=lambda: self.queue.append(post.headers, post.body, post.seconds)).start()",
        ),
        Mutant(
            "a file for each post",
            QueueTransport.send,
            APPEND,
            APPEND
            + "; self.__dict__.setdefault('files', []).append(open('/dev/null'))",
        ),
        Mutant(
            "the latest first",
            QueueTransport.send,
            APPEND,
            APPEND + "; self.queue.messages.reverse()",
        ),
    ],
    TestHttps: [
        Mutant(
            "follows redirects",
            HttpsTransport.send,
            "retry_after = answer",
            "_ = 0\n    if answer.headers.get('location'): return self.send(Post(answer.headers['location'], post.headers, post.body, post.seconds))\n    retry_after = answer",
        ),
        Mutant(
            "retry-after as seconds",
            HttpsTransport.send,
            "is_plain = ",
            "retry_after = str(int(retry_after)) if retry_after.isdigit() else '60'; is_plain = ",
        ),
        Mutant(
            "all of retry-after",
            HttpsTransport.send,
            "[:RETRY_AFTER_CHARACTERS] if is_plain else None",
            "",
        ),
        Mutant(
            "all of the body",
            HttpsTransport.send,
            "answer.body[:KEPT_BYTES]",
            "answer.body",
        ),
        Mutant("no body", HttpsTransport.send, "answer.body[:KEPT_BYTES]", "b''"),
        Mutant(
            "only 200 is an answer",
            HttpsTransport.send,
            "answer.status_code,",
            "answer.status_code if answer.status_code in (200, 204) else None,",
        ),
        Mutant(
            "any certificate",
            channel.tls_context,
            "return context",
            "context.check_hostname = False; context.verify_mode = 0; return context",
        ),
        Mutant(
            "a certificate for any host",
            channel.tls_context,
            "return context",
            "context.check_hostname = False; return context",
        ),
        Mutant(
            "authorities of the environment",
            channel.tls_context,
            "return context",
            "context.set_default_verify_paths(); return context",
        ),
        Mutant(
            "a deadline for each step",
            channel.Deadline.left,
            "left = self._ends - monotonic()",
            "left = 0.5",
        ),
        Mutant(
            "no deadline while reading",
            channel.Channel.recv_into,
            "self.deadline.left()",
            "5.0",
        ),
        Mutant(
            "reads without end",
            channel.Channel.recv_into,
            "if self.unread <= 0:",
            "if False:",
        ),
        Mutant(
            "private addresses are public",
            addresses.is_public,
            "not any(address in network for network in _NOT_PUBLIC_4)",
            "not address.is_loopback",
        ),
        Mutant(
            "is_global of the standard library",
            addresses.is_public,
            "return address in _UNICAST_6 and not inside",
            "return address.is_global",
        ),
        Mutant(
            "is_private of the standard library",
            addresses.is_public,
            "return not any(address in network for network in _NOT_PUBLIC_4)",
            "return not address.is_private",
        ),
        Mutant(
            "addresses as the resolver reads them",
            addresses._address,
            'raise UrlNotAllowed("url: the host is not a plain address") from None',
            "return text",
        ),
        Mutant(
            "http as well",
            addresses.read_url,
            'if begin != f"{scheme}:" or (scheme == "http" and not allow_http):',
            'if begin != f"{scheme}:":',
        ),
        Mutant(
            "users in URLs",
            addresses.read_url,
            'raise UrlNotAllowed("url: must not have a user name or password")',
            "url = 'https://' + url.split('@', 1)[1]",
        ),
        Mutant(
            "any port", addresses.read_url, "if port not in allowed_ports:", "if False:"
        ),
        Mutant(
            "trusts the URL once checked",
            client.HttpClient._attempt,
            "found = self._addresses(target, deadline)",
            "found = self._lookup(target.host, 3)",
        ),
        Mutant(
            "checks nothing at check_url",
            client.HttpClient.check_url,
            "if not self._addresses(target, Deadline(LOOKUP_SECONDS)):",
            "if False:",
        ),
        Mutant(
            "headers in another order",
            client._exchange,
            "*request.headers,",
            "*sorted(request.headers),",
        ),
        Mutant(
            "adds a header",
            client._exchange,
            '("Connection", "close"),',
            '("Connection", "close"), ("X-Sent-By", "hooks"),',
        ),
        Mutant(
            "keeps connections",
            client._exchange,
            '("Connection", "close"),',
            '("Connection", "keep-alive"),',
        ),
        Mutant(
            "a cut body is an error",
            client._read_body,
            "with suppress(OSError, HTTPException):",
            "if True:",
        ),
        Mutant(
            "as much memory as a server says",
            client._read_body,
            "min(left or _PIECE, _PIECE)",
            "left or _PIECE",
        ),
        Mutant(
            "refused connections are lost",
            client._failing_as,
            '"connection_refused"',
            '"connection_lost"',
        ),
        Mutant(
            "a timeout is a lost connection",
            client._failing_as,
            '"timeout"',
            '"connection_lost"',
        ),
    ],
}
