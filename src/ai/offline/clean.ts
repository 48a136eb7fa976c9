import type { Lexicon } from './words/lexicon.ts'

/** Where speech broke off, and where some of it is missing. */
export const BREAK = '\ue000'
export const LOST = '\ue001'

const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/[\ue000\ue001]/g, ' '],
  [/\s+/g, ' '],
  [/[{[(<](?:gap|inaudible|unintelligible|unclear|indistinct|crosstalk|overlapping|foreign)[^}\])>]{0,30}[}\])>]/gi, ` ${LOST} `],
  [/\{(?:disfmarker|cut ?off|interrupted)\}|(?<!-)--+(?=\s|$)|\.\.\.|…/gi, ` ${BREAK} `],
  [/\{[^{}]{1,40}\}|\[[^[\]]{1,60}\]|<[^<>]{1,40}>|\*[\p{L} ]{3,24}\*|[♪♫]/gu, ' '],
  [/\((?:laugh|chuckl|applau|cough|sigh|music|pause|noise|silence|laughter)[^()]{0,20}\)/gi, ' '],
  // "T_V_", as letters spelled out are written.
  [/\b((?:\p{Lu}_)+)(?:(s)\b)?/gu, '$1$2'],
  [/(?<!\s)\s+([,.;:?!%])(?=\s|$)/g, '$1'],
  [/(\p{L})\s+(['’](?:s|m|d|re|ve|ll|t)|n['’]t)\b/giu, '$1$2']
]

/** Text of a segment without its transcriber's marks. `spaced` is for transcripts that set punctuation apart. */
export function stripMarkup(text: string, spaced: boolean) {
  let clean = text
  for (const [pattern, replacement] of MARKUP) clean = clean.replace(pattern, replacement)
  clean = clean.replace(/(?<=\p{Lu})_(?=\p{Lu}?_?|s\b|\s|$)/gu, '')
  return spaced ? clean.replace(/([\p{L}\p{N}]) - (?=[\p{L}\p{N}])/gu, '$1-') : clean.replace(/\s[-–](?=\s)/g, ' –')
}

/** Whether punctuation stands apart from the words , like this . */
export function isSpaced(texts: readonly string[]) {
  const sample = texts.slice(0, 400).join(' ')
  const apart = sample.match(/\w [,.?](?:\s|$)/g)?.length ?? 0
  return apart > 3 && apart > (sample.match(/\w[,.?](?:\s|$)/g)?.length ?? 0)
}

/** One sentence as it would be written: without fillers, stutters and false starts. Undefined where too little is left. */
export function cleanSentence(raw: string, lexicon: Lexicon): string | undefined {
  const end = /([.?!。！？])["'”’»)]*\s*$/u.exec(raw)?.[1] ?? ''
  if (raw.includes(LOST) || raw.trimEnd().endsWith(BREAK)) return undefined
  // What was said before it was begun anew.
  let text = raw.slice(raw.lastIndexOf(BREAK) + 1)
  text = dropWords(text, lexicon)
  for (const [pattern, replacement] of lexicon.tidy) text = text.replace(pattern, replacement)
  text = dropStutters(spaceOut(text), lexicon)
  text = dropOpeners(spaceOut(text), lexicon)
  text = spaceOut(text).replace(/(?<![\s,;:–—.?!。！？-])[\s,;:–—.?!。！？-]+$/u, '')
  const first = text.search(/[\p{L}\p{N}]/u)
  if (first < 0) return undefined
  return text.slice(0, first) + text.slice(first).replace(/^\p{Ll}/u, letter => letter.toUpperCase()) + ending(text, end)
}

function ending(text: string, end: string) {
  if (end) return /["”’»]$/u.test(text) && /[.?!]["”’»]$/u.test(text) ? '' : end
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(text) ? '。' : '.'
}

function spaceOut(text: string) {
  return text
    .replace(/\s+/g, ' ')
    .replace(/"\s*([^"]+?)\s*"/g, '"$1"')
    .replace(/\s+([,.;:?!])/g, '$1')
    .replace(/([,;:])(?:\s*[,;:])+/g, '$1')
    .replace(/(?<![,;:])[,;:]+\s*([.?!])/g, '$1')
    .replace(/^[\s,;:.?!–—-]+/, '')
    .trim()
}

function dropWords(text: string, { fillers, badEnds }: Lexicon) {
  const kept: string[] = []
  for (const word of text.split(/\s+/)) {
    const bare = word.toLowerCase().replace(/^[^\p{L}\p{N}'’]+|(?<![^\p{L}\p{N}'’-])[^\p{L}\p{N}'’-]+$/gu, '')
    const cutOff = /\p{L}-[,.]?$/u.test(word)
    if (!fillers.has(bare) && !cutOff && !isBegun(word)) kept.push(word)
    // "with, uh, Morgan": these commas belong to the filler.
    else if (fillers.has(bare) && badEnds.has((kept.at(-1) ?? '').toLowerCase().replace(/,$/, '')))
      kept.push(kept.pop()?.replace(/,$/, '') ?? '')
  }
  return kept.join(' ')
}

const ABBREVIATED = new Set('mr ms dr st vs kg km cm mm hz tv pc cd ml mb gb kb nr hr fr sr jr ft lb qt th nd rd'.split(' '))

/** Consonants alone are the beginning of a word: "th", "Ps", "w". */
function isBegun(word: string) {
  const bare = word.replace(/,$/, '')
  return (
    /^(?:[b-df-hj-np-tv-xz]{1,2}|[B-DF-HJ-NP-TV-Z][b-df-hj-np-tv-xz])$/.test(bare) &&
    !(ABBREVIATED.has(bare.toLowerCase()) && bare !== 'th')
  )
}

const MAY_REPEAT = new Set(['had', 'nous', 'vous', 'sie', 'die', 'der', 'das', 'no'])
const WHOLE_WORDS = new Set(
  'a i an in on to the be so at we he it is as or no do for you me of by if up go us am my she her his our all one any not but can may out see too use end was has had that this what they there some other with'.split(
    ' '
  )
)

/** "the the", "I could I could", "insp inspiration". */
function dropStutters(text: string, { stop }: Lexicon) {
  const words = text.split(' ')
  const kept: string[] = []
  for (const [at, word] of words.entries()) {
    const bare = bareWord(word)
    const next = bareWord(words[at + 1] ?? '')
    const begun = bare.length > 0 && next.length > bare.length && next.startsWith(bare) && /^[\p{L}]+,?$/u.test(word)
    if (
      begun &&
      !WHOLE_WORDS.has(bare) &&
      !stop.has(bare) &&
      (bare.length <= 2 || bare.length >= 4 || !/^[aeiouy]?[^aeiouy]*[aeiouy]+[^aeiouy]+$/.test(bare) || next.length > bare.length + 3)
    )
      continue
    kept.push(word)
    for (const size of [1, 2, 3, 4]) dropRepeat(kept, size)
  }
  return kept.join(' ')
}

function dropRepeat(kept: string[], size: number) {
  if (kept.length < 2 * size) return
  const [last, before] = [kept.slice(-size), kept.slice(-2 * size, -size)]
  if (!last.every((word, at) => bareWord(word) === bareWord(before[at] ?? '') && bareWord(word) !== '')) return
  if (/[.?!:;]$/.test(before.at(-1) ?? '') || /^\d/.test(last[0] ?? '') || (size === 1 && MAY_REPEAT.has(bareWord(last[0] ?? '')))) return
  kept.splice(-2 * size, size)
}

function bareWord(word: string) {
  return word.toLowerCase().replace(/[^\p{L}\p{N}'’]+/gu, '')
}

function dropOpeners(text: string, { openers }: Lexicon) {
  let rest = text
  for (let count = 0; count < 8; count++) {
    const shorter = rest.replace(openers, '').replace(/^[\s,;:.–—-]+/, '')
    if (shorter === rest || shorter === '') return rest
    rest = shorter
  }
  return rest
}
