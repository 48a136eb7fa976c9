/** Postgres' stemmers by language code. */
const STEMMERS: Record<string, string> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish'
}

/** The stemmer of a language such as `de` or `de-AT`; `simple`, which leaves words unchanged, for all others. */
export function stemmerOf(language: string | null) {
  const code = language?.trim().toLowerCase().split(/[-_]/)[0] ?? ''
  return Object.hasOwn(STEMMERS, code) ? (STEMMERS[code] ?? 'simple') : 'simple'
}
