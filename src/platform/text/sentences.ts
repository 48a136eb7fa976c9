interface SentenceSpan {
  text: string
  /** The place in the whole text where it begins. */
  start: number
}

/** After these, a full stop does not end the sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|Hon|St|Sr|Jr|vs|etc|e\.g|i\.e|approx|bzw|z\.B|d\.h|Nr|Mme|Sra|(?:\p{Lu}\.)*\p{Lu})\.\s*$/u
const GERMAN_ORDINAL = /(?:^|\s)\d{1,2}\.\s*$/
/** A full stop or question mark with more text right after it is part of a word: `.NET`, `plan?id=77`, `v2.1`. */
const WITHIN_WORD = /[.?!]["'”’»)\]]*$/u
/** No abbreviation is longer; a longer look back would make the time quadratic. */
const MAX_ABBREVIATION_CHARACTERS = 16

/** Made once: making one takes as long as splitting a page. */
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Splits a text into sentences, without the blanks around them. */
export function splitSentences(text: string, language?: string | null): SentenceSpan[] {
  const sentences: SentenceSpan[] = []
  let start = 0
  for (const { segment, index } of SEGMENTER.segment(text)) {
    const end = index + segment.length
    const tail = text.slice(Math.max(start, end - MAX_ABBREVIATION_CHARACTERS), end)
    const isContinued =
      WITHIN_WORD.test(tail) || ABBREVIATION.test(tail) || (language === 'de' && GERMAN_ORDINAL.test(tail))
    if (isContinued && end < text.length) continue
    const sentence = text.slice(start, end)
    if (sentence.trim())
      sentences.push({ text: sentence.trim(), start: start + sentence.length - sentence.trimStart().length })
    start = end
  }
  return sentences
}
