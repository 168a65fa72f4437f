// Reads a distribution as an app does: manifest first, then the file of each language.
// Arguments: the manifest's URL, and a JSON list of [language, key, options].
import i18next from "i18next";
import HttpBackend from "i18next-http-backend";

const [manifestUrl, questions] = process.argv.slice(2);
const manifest = await (await fetch(manifestUrl)).json();
const urls = Object.fromEntries(manifest.files.map((file) => [file.language, file.url]));

await i18next.use(HttpBackend).init({
  lng: manifest.languages[0],
  preload: manifest.languages,
  supportedLngs: manifest.languages,
  fallbackLng: false,
  keySeparator: manifest.format.keySeparator,
  nsSeparator: false,
  interpolation: { prefix: "{", suffix: "}", escapeValue: false },
  backend: { loadPath: ([language]) => urls[language] },
});

const answers = JSON.parse(questions).map(([language, key, options]) =>
  i18next.getFixedT(language)(key, options),
);
console.log(JSON.stringify(answers));
