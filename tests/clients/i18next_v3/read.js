// Arguments: the path of a file, its language, and a JSON list of [key, count].
import { readFileSync } from "node:fs";
import i18next from "i18next";
const [path, lng, questions] = process.argv.slice(2);
const translation = JSON.parse(readFileSync(path, "utf8"));
const log = console.log;
console.log = () => {}; // it praises its sponsor
await i18next.init({
  lng,
  fallbackLng: false,
  compatibilityJSON: "v3",
  resources: { [lng]: { translation } },
});
const ask = ([key, count]) => i18next.t(key, count === null ? {} : { count });
log(JSON.stringify(JSON.parse(questions).map(ask)));
