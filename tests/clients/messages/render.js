// Renders [{ dialect, text, values }] of standard input, and prints the texts.
import i18next from 'i18next'
import { IntlMessageFormat } from 'intl-messageformat'
import { readFileSync } from 'node:fs'

const options = { interpolation: { escapeValue: false } }
await i18next.init({ lng: 'en', ...options })
const render = {
  icu: (text, values) =>
    String(new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true })
      .format(values)),
  i18next: (text, values) =>
    i18next.services.interpolator.interpolate(text, values, 'en', options)
}
const cases = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(
  cases.map(({ dialect, text, values }) => render[dialect](text, values))))
