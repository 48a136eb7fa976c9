import type { Passage } from '../contract/search.ts'
import { splitSentences } from '../core/sentences.ts'
import { stemmerOf } from '../search-index/stemmers.ts'
import { wordsOf } from '../search-index/words.ts'
import type { Found, FoundPassage } from './queries.ts'
import { idfOf, type TermIdf } from './score.ts'
import { type Sentence, sentencesOf } from './sentences.ts'
import { bestSentences, type ScoredSentence } from './snippet.ts'
import type { Stems } from './stems.ts'
import { bestStretches } from './stretches.ts'

/** What a result shows of its session: a snippet and the best passages. */
export interface Excerpts {
  snippet: string
  passages: Passage[]
}

/** Selects the snippet and the passages of each result. `scoreOf` scores a passage. */
export async function selectExcerpts(
  found: Found[],
  idfs: TermIdf[],
  scoreOf: (passage: FoundPassage) => number,
  stems: Stems
): Promise<Excerpts[]> {
  const read = found.map(one => {
    const said = one.passages.map(passage => ({ passage, sentences: sentencesOf(bestStretches(passage.text, idfs)).map(withWords) }))
    const written = one.passages[0]?.score ? [] : aboutSentences(one, idfs).map(withWords)
    return { said, written, stemmer: stemmerOf(one.language) }
  })
  const stemsBy = await findStems(read, stems)
  const idfByStem = new Map(idfs.map(idf => [idf.stem, idfOf(idf)]))

  return read.map(({ said, written, stemmer }) => {
    const stemOf = stemsBy.get(stemmer)
    const weigh = ({ speaker, text, words }: WithWords): ScoredSentence => ({ speaker, text, idf: idfsIn(words, stemOf, idfByStem) })
    const weighed = said.map(({ passage, sentences }) => ({ passage, best: bestSentences(sentences.map(weigh)) }))
    const about = written.map(weigh)
    const answers = about.some(({ idf }) => idf.size > 0) || weighed.length === 0
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

/** The stems of all words, with one lookup for each stemmer. */
async function findStems(read: Read[], stems: Stems) {
  const found = [...Map.groupBy(read, ({ stemmer }) => stemmer)].map(async ([stemmer, sessions]) => {
    const sentences = sessions.flatMap(({ said, written }) => [...written, ...said.flatMap(({ sentences }) => sentences)])
    const texts = sentences.map(({ words }) => words)
    return [stemmer, await stems.find(stemmer, texts)] as const
  })
  return new Map(await Promise.all(found))
}

/** The sentences of summary, notes and title, without a speaker. */
function aboutSentences({ item, summary, notes }: Found, idfs: TermIdf[]): Sentence[] {
  const plain = [summary, notes].map(text =>
    bestStretches(text ?? '', idfs)
      .replace(/^[^\S\n]*(?:#+|[-*>]|\d+\.)(?:[^\S\n]+|$)/gm, '')
      .replace(/[*_`]{1,3}/g, '')
  )
  const lines = [...plain.flatMap(text => text.split('\n')), item.title]
  return lines.flatMap(line => splitSentences(line)).map(({ text }) => ({ speaker: '', text }))
}

interface WithWords extends Sentence {
  words: string[]
}

function withWords({ speaker, text }: Sentence): WithWords {
  return { speaker, text, words: wordsOf(text) }
}

/** The IDF of the query terms among the words, by stem. */
function idfsIn(words: string[], stemOf: ReadonlyMap<string, string | undefined> | undefined, idfByStem: ReadonlyMap<string, number>) {
  const found = new Map<string, number>()
  for (const word of words) {
    const stem = stemOf?.get(word)
    const idf = stem === undefined ? undefined : idfByStem.get(stem)
    if (stem !== undefined && idf !== undefined) found.set(stem, idf)
  }
  return found
}
