// Reads a distribution that is split by module: each module is a namespace.
// Arguments: the manifest's URL, and a JSON list of [language, "namespace:key"].
import i18next from "i18next";
import HttpBackend from "i18next-http-backend";

const [manifestUrl, questions] = process.argv.slice(2);
const manifest = await (await fetch(manifestUrl)).json();
const urlOf = (language, module) =>
  manifest.files.find((file) => file.language === language && file.module === module).url;

await i18next.use(HttpBackend).init({
  lng: manifest.languages[0],
  preload: manifest.languages,
  supportedLngs: manifest.languages,
  fallbackLng: false,
  keySeparator: manifest.format.keySeparator,
  ns: [...new Set(manifest.files.map((file) => file.module))],
  backend: { loadPath: ([language], [namespace]) => urlOf(language, namespace) },
});

const answers = JSON.parse(questions).map(([language, key]) =>
  i18next.getFixedT(language)(key),
);
console.log(JSON.stringify(answers));
