import { ENGLISH_OPENERS, ENGLISH_TIDY } from './english.ts'
import type { Language } from './language.ts'

/** Private characters that mark where speech broke off, and where it was not understood. */
const BREAK = '\ue000'
const GAP = '\ue001'

const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/[\ue000\ue001\s]+|(?:@ ?){2,}/g, ' '],
  [
    /[{[(<](?:gap|inaudible|unintelligible|unclear|indistinct|crosstalk|overlapping|foreign)[^}\])>]{0,30}[}\])>]/gi,
    ` ${GAP} `
  ],
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
/** One to four words that are repeated at once. Correct sentences repeat some words. */
const REPEATED =
  /(?<![\p{L}\p{N}'’-])(?!(?:had|nous|vous|sie|die|der|das) )(\p{L}[\p{L}'’-]*(?: [\p{L}'’-]+){0,3})[, ]+(?=\1(?![\p{L}\p{N}'’-]))/giu
/** The beginning of a word before the word: "st still". */
const BEGUN = /(?<!\S)(\p{L}{1,4}) (?=\1\p{L})/giu

/** The words after a break begin a clause of their own. */
const NEW_CLAUSE =
  /^(?:so |and |but |well,? |oh,? |okay,? )*(?:I|we|you|they|he|she|it|there|that|this|what|let|if|when)(?=['’\s])/i
/** A clause that was given up: its last word calls for another. */
const GIVEN_UP =
  /(?:^|[\s,])(?:the|an?|of|to|in|on|at|for|with|from|by|and|but|or|so|if|that|which|because|I|we|you|they|he|she|it|is|are|was|were|do|does|did|have|has|can|could|will|would|should|my|your|our|their|its|there|this|what|how|when|not|just|be|as|than|about|like|\p{L}+['’](?:s|re|m|ll|ve|d|t))[\s,]*$/iu
const LAST_CLAUSE = /[,;:.](?=[^,;:.]*$)/

/** Removes the transcriber's marks from the text of a segment. */
export function stripMarkup(text: string): string {
  const stripped = MARKUP.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
  return (SPACED_PUNCTUATION.test(text) ? stripped.replace(/([\p{L}\p{N}]) - (?=[\p{L}\p{N}])/gu, '$1-') : stripped)
    .replace(/\s+/g, ' ')
    .trim()
}

/** Returns whether the speaker paused or began again within a sentence, so that its cleaned form may read oddly. */
export function isBroken(raw: string): boolean {
  return raw.includes(BREAK)
}

/** Rewrites a spoken sentence without fillers, stutters and false starts; undefined when too little is left. */
export function cleanSentence(raw: string, language: Language): string | undefined {
  if (raw.includes(GAP)) return undefined
  const end = /([.?!。！？؟।])["'”’»)]*\s*$/u.exec(raw)?.[1]
  let text = joinBreaks(dropFillers(raw, language))
  if (language.isEnglish) for (const [pattern, replacement] of ENGLISH_TIDY) text = text.replace(pattern, replacement)
  text = joinPunctuation(dropRepeats(text, language))
  if (language.isEnglish) text = joinPunctuation(text.replace(ENGLISH_OPENERS, '') || text)
  text = text.replace(/(?<![\s,;:–—.?!。！？؟।-])[\s,;:–—.?!。！？؟।-]+$/u, '')
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined
  const ending = /[.?!]["”’»]$/u.test(text)
    ? ''
    : (end ?? (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(text) ? '。' : '.'))
  return text.replace(/^[^\p{L}\p{N}]*\p{Ll}/u, start => start.toUpperCase()) + ending
}

/** Joins what stands before and after each break: most are pauses, at others the speaker begins again or gives a clause up. */
function joinBreaks(text: string) {
  const [first = '', ...parts] = text.split(BREAK)
  return parts.reduce((before, after) => {
    const next = after.trimStart()
    return next === '' ? before : `${beforeBreak(before, next)} ${next}`
  }, first)
}

/** How far back people go to begin again, and how far if only one word is the same. */
const MAX_REPAIR_WORDS = 8
const MAX_WORD_REPAIR = 3
const MAX_REPAIR_CHARACTERS = 200

/** Returns the words before a break without those that are said again or given up. */
function beforeBreak(before: string, after: string): string {
  const tail = before.slice(-MAX_REPAIR_CHARACTERS)
  const head = before.slice(0, before.length - tail.length)
  const words = tail.trimEnd().split(/\s+/)
  const [again = '', next = ''] = after.slice(0, MAX_REPAIR_CHARACTERS).split(/\s+/).map(firstWord)
  const place = words.findLastIndex((word, at) => {
    const distance = words.length - at
    if (again === '' || distance > MAX_REPAIR_WORDS || firstWord(word) !== again) return false
    return distance <= MAX_WORD_REPAIR || (next !== '' && firstWord(words[at + 1] ?? '') === next)
  })
  if (place >= 0) return head + words.slice(0, place).join(' ')
  if (!NEW_CLAUSE.test(after)) return before.trimEnd()
  if (!GIVEN_UP.test(tail)) return before.trimEnd().replace(/(?<=[\p{L}\p{N}])$/u, ',')
  return head + tail.slice(0, Math.max(0, tail.search(LAST_CLAUSE)))
}

/** The first word without what an apostrophe joins to it: "I'd" begins "I'd like" and "I would" alike. */
function firstWord(text: string) {
  return /[\p{L}\p{N}]+/u.exec(text)?.[0].toLowerCase() ?? ''
}

function joinPunctuation(text: string) {
  return text
    .replace(/\s+/g, ' ')
    .replace(/"\s*([^"]+?)\s*"/g, '"$1"')
    .replace(/\s([,.;:?!])/g, '$1')
    .replace(/^[\s,;:.?!–—-]+/, '')
    .trim()
}

function fillerOf(words: string) {
  return new RegExp(
    `(^|,?\\s)(?:(?:${words})[^\\s\\p{L}\\p{N}]*\\s)*(?:${words})(?![\\p{L}\\p{N}'’-])\\S*(?!\\S)`,
    'giu'
  )
}

/** Both commas of "is, uh, done" belong to the filler. */
function dropFillers(text: string, { isEnglish }: Language) {
  const filler = isEnglish ? ENGLISH_FILLER : FILLER
  return text.replace(filler, (whole, before: string) => (whole.includes(',', before.length) ? '' : before.trim()))
}

/** Drops the first of "the the" and of "I could I could", and the beginning of a word before the word itself. */
function dropRepeats(text: string, { stopWords }: Language) {
  return text
    .replace(/\s+/g, ' ')
    .replace(REPEATED, '')
    .replace(BEGUN, (whole, begun: string) =>
      stopWords.has(begun.toLowerCase()) && /[aeiouy]/i.test(begun) ? whole : ''
    )
}
