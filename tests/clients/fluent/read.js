// Formats messages of a distribution, or of a file.
// Arguments: the manifest's URL or the path of a file in English, and a JSON list of
// [language, message, attribute or null, arguments].
import { readFile } from "node:fs/promises";
import { FluentBundle, FluentResource } from "@fluent/bundle";

const [source, questions] = process.argv.slice(2);
const texts = {};
if (source.startsWith("http")) {
  const manifest = await (await fetch(source)).json();
  for (const file of manifest.files) {
    texts[file.language] = await (await fetch(file.url)).text();
  }
} else {
  texts.en = await readFile(source, "utf-8");
}

const bundles = {};
for (const [language, text] of Object.entries(texts)) {
  bundles[language] = new FluentBundle(language, { useIsolating: false });
  const errors = bundles[language].addResource(new FluentResource(text));
  if (errors.length) throw errors[0];
}

const answers = JSON.parse(questions).map(([language, name, attribute, values]) => {
  const message = bundles[language].getMessage(name);
  const pattern = attribute ? message?.attributes[attribute] : message?.value;
  if (!pattern) return null;
  const errors = [];
  const text = bundles[language].formatPattern(pattern, values, errors);
  return errors.length ? String(errors[0]) : text;
});
console.log(JSON.stringify(answers));
