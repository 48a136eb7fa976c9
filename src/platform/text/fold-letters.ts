import simplified from 'opencc-js/dict/TSCharacters'

/** Latin letters without marks that Unicode does not decompose. */
const PLAIN = { ß: 'ss', ẞ: 'SS', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ё: 'е' }
/** Arabic letters that people write for each other, and Persian ones by their Arabic form. */
const ARABIC = { أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ة: 'ه', ى: 'ي', ی: 'ي', ئ: 'ي', ؤ: 'و', ک: 'ك' }
const LETTERS = new Map([
  ...Object.entries({ ...PLAIN, ...ARABIC }),
  ...Object.entries(PLAIN).map(([letter, plain]) => [letter.toUpperCase(), plain.toUpperCase()] as const)
])
const FOLDED = new RegExp(`[${[...LETTERS.keys()].filter(letter => letter.length === 1).join('')}]`, 'g')

/** Marks of Latin and Greek letters, points of Hebrew, and vowel signs and the stretching line of Arabic. */
const MARKS =
  /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670]+/gu

/** Traditional Chinese characters with their simplified form. A few simplified forms have a simpler one. */
const FORMS = new Map(
  simplified.split('|').map(pair => {
    const [character = '', ...forms] = pair.split(' ')
    return [character, forms[0] ?? character]
  })
)
const SIMPLIFIED = new Map([...FORMS].map(([character, form]) => [character, FORMS.get(form) ?? form]))
/** Any character outside ASCII, Latin-1's signs and general punctuation. */
const HAS_OTHER_LETTERS = /[^\0-\u00bf\u2000-\u206f]/
const HAN = /\p{Script=Han}/gu

/**
 * Folds letters that people type for each other: `garcía` gives `garcia`, Hebrew and Arabic lose their vowel signs, traditional Chinese
 * becomes simplified. Other scripts tell letters apart by their marks.
 */
export function foldLetters(text: string): string {
  if (!HAS_OTHER_LETTERS.test(text)) return text
  const plain = text.normalize('NFD').replace(MARKS, '').normalize('NFC')
  return simplifyHan(plain.replace(FOLDED, letter => LETTERS.get(letter) ?? letter))
}

/** Writes traditional Chinese characters as simplified ones. */
export function simplifyHan(text: string): string {
  if (!HAS_OTHER_LETTERS.test(text)) return text
  return text.replace(HAN, character => SIMPLIFIED.get(character) ?? character)
}
