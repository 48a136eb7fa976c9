import type { Passage } from '../contract/search.ts'
import { stemmerOf } from '../terms/stemmers.ts'
import { wordsOf } from '../terms/words.ts'
import type { Found, FoundPassage } from './queries.ts'
import type { Worth } from './score.ts'
import { type Sentence, sentencesOf, splitSentences } from './sentences.ts'
import { bestSentences, type Weighed } from './snippet.ts'
import type { Stems } from './stems.ts'

/** What is shown of a session: the sentences that answer, and its best passages. */
export interface Excerpts {
  snippet: string
  passages: Passage[]
}

/** The parts of found sessions to show. `scoreOf` says how well a passage answers. */
export async function excerptsOf(
  found: Found[],
  worths: Worth[],
  scoreOf: (passage: FoundPassage) => number,
  stems: Stems
): Promise<Excerpts[]> {
  const worthOf = new Map(worths.map(({ stem, byPassage, bySession }) => [stem, byPassage + bySession]))
  return await Promise.all(
    found.map(async one => {
      const said = one.passages.map(passage => ({ passage, sentences: sentencesOf(passage.text).map(withWords) }))
      const written = one.passages[0]?.score ? [] : aboutSentences(one).map(withWords)
      const all = [...written, ...said.flatMap(({ sentences }) => sentences)]
      const stemmer = stemmerOf(one.language)
      const known = await stems.find(stemmer, [...new Set(all.flatMap(({ words }) => words))])
      const weigh = ({ words, ...sentence }: WithWords): Weighed => ({ ...sentence, worth: worthIn(words, known, worthOf) })

      const weighed = said.map(({ passage, sentences }) => ({ passage, best: bestSentences(sentences.map(weigh)) }))
      const about = written.map(weigh)
      const answers = about.some(({ worth }) => worth.size > 0) || weighed.length === 0
      const snippet = answers ? bestSentences(about) : weighed[0]?.best
      return {
        snippet: snippet?.text ?? '',
        passages: weighed.map(({ passage, best }) => {
          const { start, end, text } = passage
          return { start, end, speaker: best?.speaker ?? '', text, score: scoreOf(passage) }
        })
      }
    })
  )
}

/** What is written about a session, in sentences that nobody says. */
function aboutSentences({ item, summary, notes }: Found): Sentence[] {
  const plain = [summary, notes].map(text => (text ?? '').replace(/^\s*(?:#+|[-*>]|\d+\.)\s+/gm, '').replace(/[*_`]{1,3}/g, ''))
  const lines = [...plain.flatMap(text => text.split('\n')), item.title]
  return lines.flatMap(splitSentences).map(text => ({ speaker: '', text }))
}

interface WithWords extends Sentence {
  words: string[]
}

function withWords(sentence: Sentence): WithWords {
  return { ...sentence, words: wordsOf(sentence.text) }
}

function worthIn(words: string[], stems: ReadonlyMap<string, string | undefined>, worthOf: ReadonlyMap<string, number>) {
  const worth = new Map<string, number>()
  for (const word of words) {
    const stem = stems.get(word)
    const value = stem === undefined ? undefined : worthOf.get(stem)
    if (stem !== undefined && value !== undefined) worth.set(stem, value)
  }
  return worth
}
