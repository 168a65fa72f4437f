// Arguments: the path of a file, its language, and a JSON list of [key, count].
import { readFileSync } from "node:fs";
import { createI18n } from "vue-i18n";
const [path, locale, questions] = process.argv.slice(2);
const messages = { [locale]: JSON.parse(readFileSync(path, "utf8")) };
const { t } = createI18n({ legacy: false, locale, messages }).global;
const ask = ([key, count]) => (count === null ? t(key) : t(key, count));
console.log(JSON.stringify(JSON.parse(questions).map(ask)));
