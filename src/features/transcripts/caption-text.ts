import { splitSentences } from '../../platform/text/sentences.ts'

/** A range of a text, without the blanks around it. */
interface TextSpan {
  from: number
  to: number
}

/** Characters as wide as two letters, of one UTF-16 code unit. Others that are as wide have two. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]/g

/** The columns that a text takes in a caption: its length, where full-width characters count twice. */
export function columnsOf(text: string) {
  return text.length + (text.match(WIDE)?.length ?? 0)
}

/** Fills pieces with whole sentences. Only a sentence that is too long for one piece is split, at its words. */
export function splitText(text: string, max: number): TextSpan[] {
  if (columnsOf(text) <= max) return [{ from: 0, to: text.length }]
  const pieces: TextSpan[] = []
  let columns = 0
  const start = (unit: TextSpan) => {
    pieces.push({ ...unit })
    columns = columnsOf(text.slice(unit.from, unit.to))
  }
  const add = (unit: TextSpan) => {
    const last = pieces.at(-1)
    const more = last ? columnsOf(text.slice(last.to, unit.to)) : 0
    if (!last || columns + more > max) return start(unit)
    last.to = unit.to
    columns += more
  }
  for (const sentence of splitSentences(text)) {
    if (columnsOf(sentence.text) <= max) add({ from: sentence.start, to: sentence.start + sentence.text.length })
    else {
      for (const [index, word] of wordSpans(sentence.text, sentence.start, max).entries()) {
        index === 0 ? start(word) : add(word)
      }
    }
  }
  return pieces
}

function wordSpans(sentence: string, start: number, max: number): TextSpan[] {
  const words: TextSpan[] = []
  let from = start
  for (const word of sentence.split(' ')) {
    for (const part of columnsOf(word) <= max ? [word] : partsOf(word, max)) {
      words.push({ from, to: from + part.length })
      from += part.length
    }
    from += 1
  }
  return words
}

const WORDS = new Intl.Segmenter('zh', { granularity: 'word' })
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Splits a run without spaces into words with the punctuation after them, and a longer word into graphemes, so that no emoji is split. */
function partsOf(run: string, max: number) {
  const words: string[] = []
  for (const { segment, isWordLike } of WORDS.segment(run)) {
    const last = words.at(-1)
    if (!isWordLike && last !== undefined && columnsOf(last) + columnsOf(segment) <= max)
      words[words.length - 1] = last + segment
    else words.push(segment)
  }
  return words.flatMap(word => (columnsOf(word) <= max ? [word] : charactersOf(word, max)))
}

/** A grapheme over the maximum becomes code points. */
function charactersOf(word: string, max: number) {
  return [...GRAPHEMES.segment(word)].flatMap(({ segment }) => (segment.length <= max ? [segment] : [...segment]))
}
