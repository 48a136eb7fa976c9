import { LIMITS } from '../../contract/limits.ts'
import { splitSentences } from '../../platform/text/sentences.ts'
import type { TermIdf } from './candidates.ts'
import { findPhrase, quotedIn } from './quoted.ts'
import { idfsIn } from './sentence-terms.ts'

export interface ExcerptSentence {
  speaker: string
  text: string
  /** True if a space or a line break is before it. */
  spaced: boolean
}

/** A sentence with the IDF of each query term in it. */
interface ScoredSentence extends ExcerptSentence {
  idf: ReadonlyMap<string, number>
}

/** A quoted phrase counts more than any terms. */
export const PHRASE_IDF = 1_000

export function scoreSentences(
  sentences: readonly ExcerptSentence[],
  idfs: readonly TermIdf[],
  phrases: readonly string[]
): ScoredSentence[] {
  const whole = joinAcross(sentences, phrases)
  const known = idfsIn(
    whole.map(({ speaker, text }) => `${speaker} ${text}`),
    idfs
  )
  return whole.map((sentence, at) => {
    const quoted = quotedIn(sentence.text, phrases)
    const phraseIdfs = quoted.phrases.map(phrase => [phrase, PHRASE_IDF] as const)
    return { ...sentence, text: quoted.text, idf: new Map([...(known[at] ?? []), ...phraseIdfs]) }
  })
}

/** Joins the sentences of one speaker that a quoted phrase begins and ends in. */
function joinAcross(sentences: readonly ExcerptSentence[], phrases: readonly string[]): readonly ExcerptSentence[] {
  return phrases.reduce((joined, phrase) => joinAcrossPhrase(joined, phrase), sentences)
}

function joinAcrossPhrase(sentences: readonly ExcerptSentence[], phrase: string): readonly ExcerptSentence[] {
  const starts: number[] = []
  let text = ''
  for (const [at, sentence] of sentences.entries()) {
    text += textAfter(sentence, sentences[at - 1])
    starts.push(text.length - sentence.text.length)
  }
  const found = findPhrase(text, phrase)
  if (!found) return sentences
  const [first, last] = [found.start, found.end - 1].map(place => starts.findLastIndex(start => start <= place))
  const one = sentences[first ?? 0]
  if (first === undefined || last === undefined || first >= last || !one) return sentences
  const whole = { ...one, text: text.slice(starts[first], (starts[last] ?? 0) + (sentences[last]?.text.length ?? 0)) }
  return sentences.slice(first, last + 1).every(({ speaker }) => speaker === one.speaker)
    ? [...sentences.slice(0, first), whole, ...sentences.slice(last + 1)]
    : sentences
}

/** The sentences of lines of the form `Speaker: words`. */
export function sentencesOf(text: string): ExcerptSentence[] {
  const lines = text.split('\n').map(line => {
    const [, speaker = '', words = ''] = /^(?:(.*?): )?(.*)$/su.exec(line) ?? []
    return { speaker, text: words }
  })
  return splitLines(lines)
}

/** Splits lines into sentences in one call, which takes a tenth of the time of a call for each line. */
export function splitLines(lines: readonly { speaker: string; text: string }[]): ExcerptSentence[] {
  const joined = lines.map(({ text }) => text).join('\n')
  let [line, read] = [0, 0]
  const sentences = splitSentences(joined).flatMap(({ text, start }) => {
    line += joined.slice(read, start).split('\n').length - 1
    read = start
    const isFirst = start === 0 || /\s/.test(joined.charAt(start - 1))
    // After an abbreviation, a sentence goes on in the next line.
    return text.split('\n').map((part, at) => {
      return { speaker: lines[line + at]?.speaker ?? '', text: part.trim(), spaced: at > 0 || isFirst }
    })
  })
  return sentences.filter(({ text }) => text !== '')
}

interface Snippet {
  speaker: string
  text: string
  /** The sum of the IDFs of its terms, less the cost of the sentences that bring them. */
  score: number
}
/** The cost of each sentence after the first. */
const SENTENCE_COST = 0.5
export const NOTHING: Snippet = { speaker: '', text: '', score: 0 }

/** The consecutive sentences with the highest score that fit into a snippet. They begin with a query term if one has any. */
export function bestSentences(sentences: readonly ScoredSentence[]): Snippet {
  const answers = [...sentences.keys()].filter(at => sentences[at]?.idf.size)
  const snippets = (answers.length > 0 ? answers : [0]).map(from => snippetFrom(sentences, from))
  return snippets.reduce((best, snippet) => (snippet.score > best.score ? snippet : best))
}

function snippetFrom(sentences: readonly ScoredSentence[], from: number): Snippet {
  const [first, ...others] = sentences.slice(from, from + LIMITS.snippet)
  if (!first) return NOTHING
  let text = cut(shown(first, undefined))
  const idfs = new Map(first.idf)
  let score = sumOf([...idfs.values()])
  for (const [at, sentence] of others.entries()) {
    const longer = `${text}${textAfter({ ...sentence, text: shown(sentence, sentences[from + at]) }, first)}`
    if (longer.length > LIMITS.snippet) break
    text = longer
    for (const [term, idf] of sentence.idf) idfs.set(term, Math.max(idfs.get(term) ?? 0, idf))
    score = Math.max(score, sumOf([...idfs.values()]) - SENTENCE_COST * (at + 1))
  }
  return { speaker: first.speaker, text, score }
}

/** The text of a sentence with the space before it, as it was said. */
function textAfter({ text, spaced }: ExcerptSentence, before: ExcerptSentence | undefined) {
  return before && spaced ? ` ${text}` : text
}

/** Names the speaker where the speaker changes. */
function shown({ speaker, text }: ExcerptSentence, before: ExcerptSentence | undefined) {
  return speaker !== '' && speaker !== before?.speaker ? `${speaker}: ${text}` : text
}

/** Only a sentence longer than a snippet is cut, after a word where possible, and never within a character. */
function cut(text: string) {
  return text.length <= LIMITS.snippet
    ? text
    : `${text.slice(0, LIMITS.snippet - 1).replace(/\s+\S{0,40}$|\p{Cs}$/u, '')}…`
}

function sumOf(numbers: readonly number[]) {
  return numbers.reduce((sum, number) => sum + number, 0)
}
