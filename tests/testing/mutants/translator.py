"""Mistakes that the contract of translators has to catch."""

from tests.testing.honest.translator import Remote, Shouting, TestRemote, TestShouting

from .mutation import Mutant

OUTCOMES = "return Translations(outcomes, self.estimate(batch))"
POST = 'self.server.post("/translate", body, list[str], seconds, cost, key)'

MUTANTS = {
    TestShouting: [
        Mutant("another id", Shouting, '"shouting", "S', '"loud", "S'),
        Mutant("price in words", Shouting, 'price="20"', 'price="-1"'),
        Mutant("no items at once", Shouting, "50, 5000", "0, 5000"),
        Mutant("lacks its own pair", Shouting, '("en", "de"), ', ""),
        Mutant(
            "takes only ten",
            Shouting.translate,
            'raise TranslatorFailed("no such pair")',
            'raise TranslatorFailed("no such pair")\n'
            '    if len(batch.items) > 10: raise TranslatorFailed("too many")',
        ),
        Mutant(
            "drops the last",
            Shouting.translate,
            "for item in batch.items\n",
            "for item in batch.items[:-1] or batch.items\n",
        ),
        Mutant(
            "mixes up the order",
            Shouting.translate,
            OUTCOMES,
            "values = [outcomes[id] for id in sorted(outcomes)]\n"
            "    outcomes = dict(zip(outcomes, values))\n    " + OUTCOMES,
        ),
        Mutant(
            "calls ids by place",
            Shouting.translate,
            OUTCOMES,
            "outcomes = {str(n): t for n, t in enumerate(outcomes.values())}\n    "
            + OUTCOMES,
        ),
        Mutant(
            "ids as numbers",
            Shouting.translate,
            "item.id: Tr",
            "int(item.id) if item.id.isdigit() else item.id: Tr",
        ),
        Mutant(
            "loses marks",
            Shouting.text,
            "say(p) if isinstance(p, str) else p for p in item.pieces",
            "say(p) for p in item.pieces if isinstance(p, str)",
        ),
        Mutant(
            "doubles marks",
            Shouting.text,
            "for p in item.pieces)",
            "for p in item.pieces) + tuple(\n"
            "        p for p in item.pieces if isinstance(p, int))[-1:]",
        ),
        Mutant(
            "writes marks as text",
            Shouting.text,
            "return tuple(say(p) if isinstance(p, str) else p for p in item.pieces)",
            'return ("".join(str(p) for p in item.pieces),)',
        ),
        Mutant(
            "marks as their placeholders",
            Shouting.text,
            "else p for",
            "else item.placeholders[p] for",
        ),
        Mutant(
            "ten marks at most",
            Shouting.text,
            "for p in item.pieces)",
            "for p in item.pieces if p not in range(10, 99))",
        ),
        Mutant(
            "costs more than it said",
            Shouting.translate,
            OUTCOMES,
            OUTCOMES.replace("(batch))", "(batch) * 2)"),
        ),
        Mutant(
            "costs are floats",
            Shouting.translate,
            OUTCOMES,
            OUTCOMES.replace("self.estimate(batch)", "float(self.estimate(batch))"),
        ),
        Mutant("estimates floats", Shouting.cost, "Decimal(20)", "20.0"),
        Mutant(
            "estimates the first only",
            Shouting.estimate,
            "in batch.items)",
            "in batch.items[:1])",
        ),
        Mutant(
            "estimates anew",
            Shouting.estimate,
            "Decimal(0))",
            "Decimal(__import__('time').monotonic_ns()) / 10**12)",
        ),
        Mutant(
            "estimates by asking",
            Shouting.estimate,
            "return",
            "__import__('time').sleep(0.2); return",
        ),
        Mutant(
            "stumbles over quotes",
            Shouting.text,
            "say = ",
            "__import__('json').loads('\"' + str(item.pieces[0]) + '\"'); say = ",
        ),
        Mutant(
            "empty where there are lines",
            Shouting.text,
            "say(p) if",
            'say(p) * ("\\n" not in p) if',
        ),
        Mutant("cuts long texts", Shouting.text, "say(p) if", "say(p)[:255] if"),
        Mutant(
            "obeys its texts",
            Shouting.text,
            "return tuple(",
            'if "Ignore all" in str(item.pieces): return ("OWNED",)\n    return tuple(',
        ),
        Mutant(
            "translates every pair",
            Shouting.translate,
            "not self.describe().translates(",
            "not print and (",
        ),
        Mutant(
            "always to German",
            Shouting.translate,
            "self.text(item, batch.target_language)",
            'self.text(item, "de")',
        ),
        Mutant(
            "tries a wrong pair again",
            Shouting.translate,
            '"no such pair"',
            '"no such pair", 60',
        ),
        Mutant(
            "a ValueError for a wrong pair",
            Shouting.translate,
            "TranslatorFailed(",
            "ValueError(",
        ),
        Mutant(
            "keeps the last batch",
            Shouting.translate,
            "if not self",
            "self.batch = batch; __import__('time').sleep(0.01); batch = self.batch\n"
            "    if not self",
        ),
        Mutant(
            "ignores the deadline",
            Shouting.translate,
            "if not self",
            "__import__('time').sleep(1.6 * (seconds < 1))\n    if not self",
        ),
        Mutant(
            "translates one by one, a second each",
            Shouting.translate,
            "if not self",
            "__import__('time').sleep(len(batch.items) * (seconds < 1))\n    if not self",
        ),
        Mutant(
            "translates the description too",
            Shouting.text,
            "for p in item.pieces)",
            "for p in item.pieces) + ((item.description,) * bool(item.description))",
        ),
        Mutant(
            "writes the terms into the text",
            Shouting.text,
            "for p in item.pieces)",
            "for p in item.pieces) + tuple(range(len(item.terms)))",
        ),
    ],
    TestRemote: [
        Mutant(
            "thirty seconds always",
            Remote.translate,
            POST,
            POST.replace("seconds", "30"),
        ),
        Mutant(
            "failures cost nothing",
            Remote.translate,
            POST,
            POST.replace("cost", "0 * cost"),
        ),
        Mutant("texts are not escaped", Remote.marked, "escape(piece)", "piece"),
        Mutant("texts stay escaped", Remote.translate, "MARK, unescape", "MARK"),
        Mutant("no key", Remote.translate, "cost, key)", "cost)"),
        Mutant(
            "the key in the failure",
            Remote.translate,
            POST,
            POST.replace("cost, key)", "cost, key) if seconds else 1 / 0"),
        ),
        Mutant(
            "catches everything",
            Remote.translate,
            "found = " + POST,
            f"try: found = {POST}\n    except Exception: return Translations({{}})",
        ),
        Mutant(
            "tries all again",
            Remote.translate,
            "found = " + POST,
            f"try: found = {POST}\n    except Exception as e: raise "
            '__import__("locframework.ports").ports.TranslatorFailed(e.reason, 5)',
        ),
        Mutant(
            "tries nothing again",
            Remote.translate,
            "found = " + POST,
            f"try: found = {POST}\n    except Exception as e: raise "
            '__import__("locframework.ports").ports.TranslatorFailed('
            "e.reason, None, e.cost)",
        ),
        Mutant(
            "gives a reason of its own",
            Remote.translate,
            "found = " + POST,
            f"try: found = {POST}\n    except Exception as e: raise "
            '__import__("locframework.ports").ports.TranslatorFailed('
            '"failed", e.retry_after, e.cost)',
        ),
        Mutant(
            "shows the request in the reason",
            Remote.translate,
            "found = " + POST,
            f"try: found = {POST}\n    except Exception as e: raise "
            '__import__("locframework.ports").ports.TranslatorFailed('
            'f"{e.reason} {key}", e.retry_after, e.cost)',
        ),
        Mutant(
            "all is paid",
            Remote.translate,
            "found = " + POST,
            f"try: found = {POST}\n    except Exception as e: raise "
            '__import__("locframework.ports").ports.TranslatorFailed('
            "e.reason, e.retry_after, cost)",
        ),
        Mutant(
            "estimates without marks",
            Remote.estimate,
            "self.texts_of(batch)",
            "self.texts_of(batch)[:0]",
        ),
        Mutant(
            "marks of one digit",
            Remote.translate,
            "MARK, unescape",
            "re.compile('<x id=\"([0-9])\"/>'), unescape",
        ),
        Mutant(
            "fails when texts are missing",
            Remote.translate,
            "if len(found) != len(batch.items):",
            "if False:",
        ),
        Mutant(
            "uses what is there when texts are missing",
            Remote.translate,
            "return Translations({}, cost)",
            'found = (found + ["?"] * len(batch.items))[: len(batch.items)]',
        ),
        Mutant(
            "trusts every server",
            Remote.__init__,
            "EngineServer(settings)",
            "EngineServer(settings)\n"
            "    context = self.server._client._context\n"
            "    context.check_hostname = False; context.verify_mode = 0",
        ),
    ],
}
