/** English cardinals. A sum of them is read as people say it: "four thousand two hundred and fifty". */
const UNITS = new Map(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen`
    .split(' ')
    .map((word, value) => [word, value] as const)
)
const TENS = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ').map((word, at) => [word, (at + 2) * 10] as const)
)
const SCALES = new Map([
  ['hundred', 100],
  ['thousand', 1_000],
  ['grand', 1_000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000]
])
/** The letters and words behind digits that multiply them, in the languages that share them. */
const MULTIPLIERS = new Map([
  ['k', 1_000],
  ['m', 1_000_000],
  ['bn', 1_000_000_000],
  ['tausend', 1_000],
  ['mille', 1_000],
  ['mil', 1_000],
  ['mio', 1_000_000],
  ['millionen', 1_000_000],
  ['millions', 1_000_000],
  ['millones', 1_000_000],
  ...SCALES
])

const TOKEN = /(?<![\p{L}\p{Nd}])\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+)*|\p{Nd}+|[\p{L}]+/gu
const IS_DIGITS = /^\p{Nd}/u
const OTHER_DIGITS = /[^\P{Nd}0-9]/gu
const HAS_NUMBER =
  /\p{Nd}|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|hundred|thousand|million|billion|\w+(?:teen|ty))\b/iu

/**
 * The numbers of a text, each with the ways to read it: "4,000" is 4000 or 4, and "nineteen ninety" 1990 or 109. Words are read in English only. The word
 * "one" is no number, because it seldom counts.
 */
export function numbersOf(text: string): number[][] {
  if (!HAS_NUMBER.test(text)) return []
  const found: number[][] = []
  let said: string[] = []
  let before: number[] | undefined
  const end = () => {
    const readings = readWords(said)
    if (readings.length > 0) found.push(readings)
    said = []
  }
  let endOfLast = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const word = token.toLowerCase()
    if (!isJoined(text.slice(endOfLast, index), said.at(-1))) end()
    endOfLast = index + token.length
    if (IS_DIGITS.test(token)) {
      end()
      before = undefined
      for (const readings of readDigits(token)) {
        found.push(readings)
        before = readings
      }
      continue
    }
    const scale = MULTIPLIERS.get(word)
    if (before && scale !== undefined) before.push(...before.map(value => value * scale))
    else if (isNumberWord(word) || (word === 'and' && said.length > 0)) said.push(word)
    else end()
    before = undefined
  }
  end()
  return found
}

/** "Twenty-five" and "four thousand, two hundred" are one number, and "a dozen, one" are two. */
function isJoined(between: string, last = '') {
  return /^[\s-]*$/.test(between) || (/^,\s$/.test(between) && (SCALES.get(last) ?? 0) > 100)
}

/** The readings of digits as written. Digits between more than one equal mark are numbers of their own, unless they are groups of three. */
function readDigits(written: string): number[][] {
  const plain = written.replace(OTHER_DIGITS, toAscii)
  const groups = plain.split(/[^0-9]/)
  const [first = '', ...others] = groups
  if (others.length === 0) return [[Number(first)]]
  const whole = Number(groups.join(''))
  const fraction = others.at(-1) ?? ''
  const decimal = Number(`${groups.slice(0, -1).join('')}.${fraction}`)
  if (others.every(({ length }) => length === 3)) return [others.length === 1 ? [whole, decimal] : [whole]]
  const marks = new Set(plain.match(/[^0-9]/g))
  if (others.length > 1 && marks.size === 1) return groups.map(group => [Number(group)])
  return [[decimal]]
}

/** The digits of each script follow each other from zero to nine, so that the last one before a gap tells the value. */
function toAscii(digit: string) {
  let value = 0
  for (let code = (digit.codePointAt(0) ?? 0) - 1; /\p{Nd}/u.test(String.fromCodePoint(code)) && value < 9; code--)
    value++
  return String(value)
}

function isNumberWord(word: string) {
  return UNITS.has(word) || TENS.has(word) || SCALES.has(word) || word === 'dozen'
}

/** The readings of number words in a row; none for "one" and "and" alone. */
function readWords(said: readonly string[]): number[] {
  const words = said.filter(word => word !== 'and')
  const [first] = words
  if (first === undefined || (words.length === 1 && first === 'one')) return []
  const sums: number[] = []
  let total = 0
  let group = 0
  let last = Number.POSITIVE_INFINITY
  for (const word of words) {
    const value = UNITS.get(word) ?? TENS.get(word)
    const scale = SCALES.get(word) ?? (word === 'dozen' ? 12 : undefined)
    if (scale !== undefined) {
      group = Math.max(group, 1) * scale
      if (scale > 100) {
        total += group
        group = 0
      }
      last = Number.POSITIVE_INFINITY
    } else if (value !== undefined) {
      // After "five", another number begins: "twenty five" is one, "five twenty" and "ten eleven" are two.
      const goesOn = last === Number.POSITIVE_INFINITY || (last >= 20 && value > 0 && value < 10)
      if (!goesOn) {
        sums.push(total + group)
        total = 0
        group = 0
      }
      group += value
      last = value
    }
  }
  sums.push(total + group)
  // Years and numbers that are spelt out: "twenty twenty six", "one five zero".
  return sums.length === 1 ? sums : [...sums, Number(sums.join('').slice(0, 15))]
}
