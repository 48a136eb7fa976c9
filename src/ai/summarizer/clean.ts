import { ENGLISH_OPENERS, ENGLISH_TIDY } from './english.ts'
import type { Language } from './language.ts'

/** Private characters that mark where speech broke off, and where it was not understood. */
const BREAK = '\ue000'
const GAP = '\ue001'

const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/[\ue000\ue001\s]+/g, ' '],
  [/[{[(<](?:gap|inaudible|unintelligible|unclear|indistinct|crosstalk|overlapping|foreign)[^}\])>]{0,30}[}\])>]/gi, ` ${GAP} `],
  [/\{(?:disfmarker|cut ?off|interrupted)\}|(?<!-)--+(?=\s|$)|\.\.\.|…/gi, ` ${BREAK} `],
  [/\{[^{}]{1,40}\}|\[[^[\]]{1,60}\]|<[^<>]{1,40}>|\*[\p{L} ]{3,24}\*|[♪♫]/gu, ' '],
  [/\((?:laugh|chuckl|applau|cough|sigh|music|pause|noise|silence)[^()]{0,20}\)/gi, ' '],
  // Spelled letters, as in "T_V_".
  [/(?<=\b(?:\p{Lu}_){0,9}\p{Lu})_/gu, ''],
  [/(?<!\s)\s+([,.;:?!%])(?=\s|$)/g, '$1'],
  [/(\p{L})\s+(['’](?:s|m|d|re|ve|ll|t)|n['’]t)\b/giu, '$1$2']
]
/** Punctuation set apart from the words , like this . */
const SPACED_PUNCTUATION = /\w [,.?](?:\s|$)/
const FILLERS = 'uhh?|uhm|hmm?m?|mmm?|mhm|mm-hmm|uh-huh|huh|ähm?|öhm?|euh|ehm'
const FILLER = fillerOf(FILLERS)
const ENGLISH_FILLER = fillerOf(`${FILLERS}|umm?|erm?|eh`)
const MAX_REPEATED_WORDS = 4
const MAX_OPENERS = 8

/** Removes the transcriber's marks from the text of a segment. */
export function stripMarkup(text: string): string {
  const stripped = MARKUP.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
  return (SPACED_PUNCTUATION.test(text) ? stripped.replace(/([\p{L}\p{N}]) - (?=[\p{L}\p{N}])/gu, '$1-') : stripped)
    .replace(/\s+/g, ' ')
    .trim()
}

/** Rewrites a spoken sentence without fillers, stutters and false starts; undefined when too little is left. */
export function cleanSentence(raw: string, language: Language): string | undefined {
  if (raw.includes(GAP) || raw.trimEnd().endsWith(BREAK)) return undefined
  const end = /([.?!。！？])["'”’»)]*\s*$/u.exec(raw)?.[1]
  let text = dropFillers(raw.slice(raw.lastIndexOf(BREAK) + 1), language)
  if (language.isEnglish) for (const [pattern, replacement] of ENGLISH_TIDY) text = text.replace(pattern, replacement)
  text = joinPunctuation(dropRepeats(text, language))
  for (let count = 0; language.isEnglish && count < MAX_OPENERS; count++) text = joinPunctuation(text.replace(ENGLISH_OPENERS, '') || text)
  text = text.replace(/(?<![\s,;:–—.?!。！？-])[\s,;:–—.?!。！？-]+$/u, '')
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined
  const ending = /[.?!]["”’»]$/u.test(text)
    ? ''
    : (end ?? (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(text) ? '。' : '.'))
  return text.replace(/^[^\p{L}\p{N}]*\p{Ll}/u, start => start.toUpperCase()) + ending
}

function joinPunctuation(text: string) {
  return text
    .replace(/\s+/g, ' ')
    .replace(/"\s*([^"]+?)\s*"/g, '"$1"')
    .replace(/\s([,.;:?!])/g, '$1')
    .replace(/([,;:])(?:\s*[,;:])+/g, '$1')
    .replace(/(?<![,;:])[,;:]+\s*([.?!])/g, '$1')
    .replace(/^[\s,;:.?!–—-]+/, '')
    .trim()
}

function fillerOf(words: string) {
  return new RegExp(`(^|,?\\s)(?:(?:${words})[^\\s\\p{L}\\p{N}]*\\s)*(?:${words})(?![\\p{L}\\p{N}'’-])\\S*(?!\\S)`, 'giu')
}

/** Both commas of "is, uh, done" belong to the filler. */
function dropFillers(text: string, { isEnglish }: Language) {
  return text
    .replace(isEnglish ? ENGLISH_FILLER : FILLER, (whole, before: string) => (whole.includes(',', before.length) ? '' : before.trim()))
    .replace(/(?<!\S)\S*\p{L}-[,.]?(?!\S)/gu, '')
}

/** Drops the first of "the the" and of "I could I could", and the beginning of a word before the word itself. */
function dropRepeats(text: string, { stopWords }: Language) {
  const kept: string[] = []
  for (const word of text.split(' ')) {
    const [before, bare] = [bareWord(kept.at(-1) ?? ''), bareWord(word)]
    const isBegun = before !== '' && before.length < Math.min(bare.length, 5) && bare.startsWith(before)
    if (isBegun && (!stopWords.has(before) || !/[aeiouy]/.test(before))) kept.pop()
    kept.push(word)
    for (let size = 1; size <= MAX_REPEATED_WORDS; size++) if (isRepeated(kept, size)) kept.splice(-2 * size, size)
  }
  return kept.join(' ')
}

function isRepeated(words: readonly string[], size: number) {
  const [before, last] = [words.slice(-2 * size, -size), words.slice(-size)]
  const isSame = before.length === size && last.every((word, at) => bareWord(word) !== '' && bareWord(word) === bareWord(before[at] ?? ''))
  return isSame && !/[.?!:;]$/.test(before.at(-1) ?? '') && !/^(?:\d.*|had|nous|vous|sie|die|der|das)$/i.test(last[0] ?? '')
}

function bareWord(word: string) {
  return word.toLowerCase().replace(/[^\p{L}\p{N}'’-]+/gu, '')
}
