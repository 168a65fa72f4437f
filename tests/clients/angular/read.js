// Prints what Angular reads from the file that is named: its language and its messages.
import { readFileSync } from "node:fs";
import { Xliff1TranslationParser, Xliff2TranslationParser } from "@angular/localize/tools";
const [path] = process.argv.slice(2);
const content = readFileSync(path, "utf8");
for (const parser of [new Xliff1TranslationParser(), new Xliff2TranslationParser()]) {
  const analysis = parser.analyze(path, content);
  if (!analysis.canParse) continue;
  const { locale, translations, diagnostics } = parser.parse(path, content, analysis.hint);
  if (diagnostics.hasErrors) throw new Error(diagnostics.formatDiagnostics(path));
  const texts = {};
  for (const [id, { text }] of Object.entries(translations)) texts[id] = text;
  console.log(JSON.stringify({ locale, texts, warnings: diagnostics.messages }));
}
