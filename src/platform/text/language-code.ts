import { lazy } from '../core/lazy.ts'

const CODE = /^[a-z]{2,3}(?:[-_][a-z\d]{1,8}){0,3}$/i
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

/** English names that Whisper's models and other tools use where CLDR has another one. */
const OTHER_NAMES = {
  bengali: 'bn',
  burmese: 'my',
  cantonese: 'yue',
  castilian: 'es',
  flemish: 'nl',
  haitian: 'ht',
  hawaiian: 'haw',
  lao: 'lo',
  letzeburgesch: 'lb',
  mandarin: 'zh',
  maori: 'mi',
  moldavian: 'ro',
  moldovan: 'ro',
  myanmar: 'my',
  nynorsk: 'nn',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  tagalog: 'tl',
  valencian: 'ca'
}

/** The code of a language that is sent as a code or by its English name, such as `german`. Null for other words. */
export function languageCode(language: string | null) {
  const name = (language ?? '').trim().toLowerCase()
  // Most sessions name no language, and the table of names takes milliseconds.
  if (name === '') return null
  // "Lao" is a name and a code of three letters.
  if (CODE.test(name) && name !== 'lao') return canonicalCode(name.replaceAll('_', '-'))
  const [withoutRegion = ''] = name.split('(', 1)
  return codesByName().get(withoutRegion.trimEnd()) ?? null
}

/** The codes by English name. Asking for all names takes milliseconds. */
const codesByName = lazy((): ReadonlyMap<string, string> => {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const codes = LETTERS.flatMap(first => LETTERS.map(second => first + second))
  const named = codes.flatMap(code => {
    const name = names.of(code)?.toLowerCase()
    return name === undefined ? [] : [[name, canonicalCode(code) ?? code] as const]
  })
  return new Map([...named, ...Object.entries(OTHER_NAMES)])
})

/** The code in use for a code that is outdated or longer: `he` for `iw`, `de` for `ger`. Null for "undetermined". */
function canonicalCode(code: string) {
  try {
    const [canonical = code] = Intl.getCanonicalLocales(code)
    const [given = '', used = ''] = [code, canonical].map(tag => tag.split('-')[0])
    if (used === 'und' || used === 'mul') return null
    // Tagalog keeps its two letters, which CLDR has replaced by `fil`.
    return used.length > given.length ? code : canonical
  } catch {
    return null
  }
}

/** The language of a code or an English name, without script and region: ISO 639-1, or ISO 639-3 where that has none. Null when unknown. */
export function primaryLanguage(language: string | null) {
  return languageCode(language)?.split('-')[0] ?? null
}
