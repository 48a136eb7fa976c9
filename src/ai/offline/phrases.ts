import { type Sentence, stem, wordsOf } from './sentences.ts'
import type { Topic } from './topics.ts'
import type { Lexicon } from './words/lexicon.ts'

export interface Phrase {
  text: string
  /** Stems, in order. */
  stems: string[]
  /** Who said it, most often first. */
  speakers: string[]
}

interface Found {
  stems: string[]
  count: number
  byTopic: number[]
  surfaces: Map<string, number>
  speakers: Map<string, number>
}

const LONGEST = 3

/** For each topic the noun phrases that set it apart, best first. */
export function phrasesOf(topics: readonly Topic[], names: ReadonlySet<string>, lexicon: Lexicon): Phrase[][] {
  const found = collect(topics, lexicon)
  const within = withinOf(found)
  // What a long conversation names twice is no topic of it.
  const spoken = topics.reduce((sum, { sentences }) => sum + sentences.length, 0)
  const fewest = spoken > 150 ? 3 : spoken > 12 ? 2 : 1
  // No two topics are headed alike.
  const headed = new Set<string | undefined>()
  const candidates = [...found.values()].filter(phrase => !names.has(surfaceOf(phrase).toLowerCase()))
  return topics.map((_, topic) => {
    const ranked = candidates
      .map(phrase => ({ phrase, score: scoreOf(phrase, topic, within, fewest) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
    const own = distinct(ranked.slice(0, 40).map(({ phrase }) => phrase)).filter(({ stems }) => !headed.has(stems.at(-1)))
    for (const { stems } of own.slice(0, 2)) headed.add(stems.at(-1))
    return own.map(phraseOf)
  })
}

function collect(topics: readonly Topic[], lexicon: Lexicon) {
  const nouns = nounsOf(topics, lexicon)
  const found = new Map<string, Found>()
  for (const [topic, { sentences }] of topics.entries()) {
    for (const sentence of sentences) {
      for (const run of runsOf(sentence, lexicon)) {
        for (const surface of endings(run)) {
          if (nouns(surface.at(-1) ?? '') && !(/ing$/.test(surface[0] ?? '') && !nouns(surface[0] ?? '')))
            note(found, surface, topic, topics.length, sentence.speaker)
        }
      }
    }
  }
  return found
}

function note(found: Map<string, Found>, surface: string[], topic: number, topics: number, speaker: string) {
  const stems = surface.map(word => stem(word.toLowerCase()))
  const key = stems.join(' ')
  const entry = found.get(key) ?? {
    stems,
    count: 0,
    byTopic: Array.from({ length: topics }, () => 0),
    surfaces: new Map(),
    speakers: new Map()
  }
  found.set(key, entry)
  entry.count++
  entry.byTopic[topic] = (entry.byTopic[topic] ?? 0) + 1
  const text = surface.join(' ')
  entry.surfaces.set(text, (entry.surfaces.get(text) ?? 0) + 1)
  entry.speakers.set(speaker, (entry.speakers.get(speaker) ?? 0) + 1)
}

/** Stretches of words that carry meaning, as written, not crossing punctuation. */
function runsOf(sentence: Sentence, lexicon: Lexicon): string[][] {
  const runs: string[][] = []
  for (const clause of sentence.text.split(/[,;:.?!()"“”–—]/)) {
    let run: string[] = []
    for (const word of surfaceWords(clause, lexicon.code)) {
      if (carries(word, lexicon)) run.push(word)
      else {
        if (run.length > 0) runs.push(run)
        run = []
      }
    }
    if (run.length > 0) runs.push(run)
  }
  return runs
}

function surfaceWords(clause: string, code: string) {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(clause)) return wordsOf(clause, code)
  return (clause.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? []).map(word => word.replace(/['’]s$/, ''))
}

function carries(word: string, { stop, light }: Lexicon) {
  const key = word.toLowerCase().replaceAll('’', "'")
  const long = key.length > 2 || /^\p{Lu}{2}$/u.test(word) || !/^[\p{Script=Latin}\p{N}]+$/u.test(key)
  return long && !stop.has(key) && !light.has(key) && !/ly$|^\d|'/.test(key)
}

/** The noun phrases of a run end where it ends: "voice recognition system" holds "recognition system" and "system". */
function endings(run: string[]) {
  return Array.from({ length: Math.min(LONGEST, run.length) }, (_, index) => run.slice(run.length - 1 - index))
}

/** A word is taken for a noun when it follows articles more often than pronouns and auxiliaries. */
function nounsOf(topics: readonly Topic[], { code, nounLeads, verbLeads }: Lexicon) {
  const evidence = new Map<string, number>()
  const leads = new Map<string, number>()
  for (const { sentences } of topics) {
    for (const { words } of sentences) {
      for (let at = 1; at < words.length; at++) {
        const [before, word] = [words[at - 1] ?? '', words[at] ?? '']
        const weight = nounLeads.has(before) ? 1 : verbLeads.has(before) ? -1 : 0
        evidence.set(word, (evidence.get(word) ?? 0) + weight)
        leads.set(word, (leads.get(word) ?? 0) + Math.abs(weight))
      }
    }
  }
  return (word: string) => {
    const key = word.toLowerCase()
    if (code === 'de') return /^\p{Lu}/u.test(word)
    if (nounLeads.size === 0) return true
    if (code === 'en' && /(?:ed|ful|ous|ive|able|ible|ical|less|ish)$/.test(key)) return false
    return (evidence.get(key) ?? 0) >= Math.max(0, (leads.get(key) ?? 0) * 0.34)
  }
}

function scoreOf({ stems, count, byTopic }: Found, topic: number, within: ReadonlyMap<string, number>, fewest: number) {
  const topics = byTopic.length
  const here = byTopic[topic] ?? 0
  const elsewhere = byTopic.filter((times, index) => index !== topic && times > 0).length
  if (here < fewest) return 0
  const share = here / count
  // "interface" is hardly ever said without "user" before it: then only the pair is a phrase.
  if ((within.get(stems.join(' ')) ?? 0) > count * 0.6) return 0
  const length = stems.length === 1 ? 1 : stems.length === 2 && here > 1 ? 1.7 : here > 2 ? 1.9 : 0.7
  return here ** 0.7 * (0.35 + share) * length * (1 + (0.5 * (topics - elsewhere)) / topics)
}

/** For each phrase, by its stems, how often the most frequent longer phrase is said that ends in it. */
function withinOf(found: ReadonlyMap<string, Found>) {
  const within = new Map<string, number>()
  for (const { stems, count } of found.values()) {
    for (let from = 1; from < stems.length; from++) {
      const key = stems.slice(from).join(' ')
      within.set(key, Math.max(within.get(key) ?? 0, count))
    }
  }
  return within
}

/** Of phrases that share a word only the best stays. */
function distinct(phrases: readonly Found[]) {
  const taken = new Set<string>()
  return phrases.filter(({ stems }) => {
    if (stems.some(word => taken.has(word))) return false
    for (const word of stems) taken.add(word)
    return true
  })
}

function phraseOf(found: Found): Phrase {
  const speakers = [...found.speakers].sort((a, b) => b[1] - a[1]).map(([speaker]) => speaker)
  return { text: surfaceOf(found), stems: found.stems, speakers }
}

function surfaceOf({ surfaces }: Found) {
  const [best] = [...surfaces].sort((a, b) => b[1] - a[1])
  return best?.[0] ?? ''
}
