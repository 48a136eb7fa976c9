import type { Passage } from '../contract/search.ts'
import { stemmerOf } from '../terms/stemmers.ts'
import { wordsOf } from '../terms/words.ts'
import type { Found, FoundPassage } from './queries.ts'
import { type Worth, worthOf } from './score.ts'
import { type Sentence, sentencesOf, splitSentences } from './sentences.ts'
import { bestSentences, type Weighed } from './snippet.ts'
import type { Stems } from './stems.ts'
import { bestStretches } from './stretches.ts'

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
  const read = found.map(one => {
    const said = one.passages.map(passage => ({ passage, sentences: sentencesOf(bestStretches(passage.text, worths)).map(withWords) }))
    const written = one.passages[0]?.score ? [] : aboutSentences(one, worths).map(withWords)
    return { said, written, stemmer: stemmerOf(one.language) }
  })
  const stemsBy = await findStems(read, stems)
  const worthBy = new Map(worths.map(worth => [worth.stem, worthOf(worth)]))

  return read.map(({ said, written, stemmer }) => {
    const stemOf = stemsBy.get(stemmer)
    const weigh = ({ speaker, text, words }: WithWords): Weighed => ({ speaker, text, worth: worthIn(words, stemOf, worthBy) })
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
}

interface Read {
  said: { sentences: WithWords[] }[]
  written: WithWords[]
  stemmer: string
}

/** The stems of all words by the stemmer of their language; those of all sessions in one are looked up together. */
async function findStems(read: Read[], stems: Stems) {
  const found = [...Map.groupBy(read, ({ stemmer }) => stemmer)].map(async ([stemmer, sessions]) => {
    const sentences = sessions.flatMap(({ said, written }) => [...written, ...said.flatMap(({ sentences }) => sentences)])
    const texts = sentences.map(({ words }) => words)
    return [stemmer, await stems.find(stemmer, texts)] as const
  })
  return new Map(await Promise.all(found))
}

/** What is written about a session, in sentences that nobody says. */
function aboutSentences({ item, summary, notes }: Found, worths: Worth[]): Sentence[] {
  const plain = [summary, notes].map(text =>
    bestStretches(text ?? '', worths)
      .replace(/^[^\S\n]*(?:#+|[-*>]|\d+\.)(?:[^\S\n]+|$)/gm, '')
      .replace(/[*_`]{1,3}/g, '')
  )
  const lines = [...plain.flatMap(text => text.split('\n')), item.title]
  return lines.flatMap(splitSentences).map(text => ({ speaker: '', text }))
}

interface WithWords extends Sentence {
  words: string[]
}

function withWords({ speaker, text }: Sentence): WithWords {
  return { speaker, text, words: wordsOf(text) }
}

/** By stem, what those of the words are worth that were asked for. */
function worthIn(words: string[], stemOf: ReadonlyMap<string, string | undefined> | undefined, worthBy: ReadonlyMap<string, number>) {
  const found = new Map<string, number>()
  for (const word of words) {
    const stem = stemOf?.get(word)
    const worth = stem === undefined ? undefined : worthBy.get(stem)
    if (stem !== undefined && worth !== undefined) found.set(stem, worth)
  }
  return found
}
