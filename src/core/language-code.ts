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
