const CODE = /^[a-z]{2,3}(?:-[a-z\d]{1,8}){0,3}$/i
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

/** OpenAI's verbose JSON names the language in English ("german"); everyone else sends its code. */
export function languageCode(language: string | null) {
  if (language === null || CODE.test(language)) return language
  const names = new Intl.DisplayNames('en', { type: 'language' })
  const codes = LETTERS.flatMap(first => LETTERS.map(second => first + second))
  const name = language.toLowerCase()
  return codes.find(code => names.of(code)?.toLowerCase() === name) ?? null
}

/** The language of a code or an English name, without script and region: ISO 639-1, or ISO 639-3 where that has none. Null when unknown. */
export function primaryLanguage(language: string | null) {
  const code = languageCode(language?.replaceAll('_', '-') ?? null)
  try {
    return code === null ? null : new Intl.Locale(code).language
  } catch {
    return null
  }
}
