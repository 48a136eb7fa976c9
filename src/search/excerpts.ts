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
  const read = found.map(one => {
    const said = one.passages.map(passage => ({ passage, sentences: sentencesOf(passage.text).map(withWords) }))
    const written = one.passages[0]?.score ? [] : aboutSentences(one).map(withWords)
    return { said, written, stemmer: stemmerOf(one.language) }
  })
  const told = await findTold(read, worths, stems)

  return read.map(({ said, written, stemmer }) => {
    const weigh = ({ words, ...sentence }: WithWords): Weighed => ({ ...sentence, worth: worthIn(words, told.get(stemmer)) })
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

/** By word, the stem that was asked for and what it is worth. */
type Told = ReadonlyMap<string, { stem: string; worth: number }>

/** Which words are those asked for, by the stemmer of their language; the words of all sessions in one are looked up together. */
async function findTold(read: Read[], worths: Worth[], stems: Stems): Promise<ReadonlyMap<string, Told>> {
  const worthOf = new Map(worths.map(({ stem, byPassage, bySession }) => [stem, byPassage + bySession]))
  const byStemmer = Map.groupBy(read, ({ stemmer }) => stemmer)
  const told = [...byStemmer].map(async ([stemmer, sessions]): Promise<[string, Told]> => {
    const sentences = sessions.flatMap(({ said, written }) => [...written, ...said.flatMap(({ sentences }) => sentences)])
    const words = new Set<string>()
    for (const sentence of sentences) for (const word of sentence.words) words.add(word)
    const known = await stems.find(stemmer, [...words])
    const asked = [...words].flatMap(word => {
      const stem = known.get(word)
      const worth = stem === undefined ? undefined : worthOf.get(stem)
      return stem === undefined || worth === undefined ? [] : [[word, { stem, worth }] as const]
    })
    return [stemmer, new Map(asked)]
  })
  return new Map(await Promise.all(told))
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

function worthIn(words: string[], told: Told | undefined) {
  const worth = new Map<string, number>()
  for (const word of words) {
    const asked = told?.get(word)
    if (asked) worth.set(asked.stem, asked.worth)
  }
  return worth
}
