import { isTerm, type Language, stem, UNSPACED_SCRIPT, wordsOf } from './language.ts'
import type { Sentence } from './sentences.ts'
import { rankByFrequency } from './topics.ts'

/** A word or a pair of words that names what a topic is about. */
export interface Keyword {
  text: string
  /** The speaker who says it most. */
  speaker: string
}

interface Mention extends Keyword {
  topic: number
  stems: string[]
}

const KEYWORDS_PER_TOPIC = 2
const PAIR_WEIGHT = 1.7
const ENGLISH_NOUN_LEAD =
  /^(?:the|an?|this|these|those|our|my|your|his|her|its|their|some|any|no|each|every|of|for|in|on|with|by|from|new|more)$/
const ENGLISH_ADJECTIVE = /(?:ed|ful|ous|ive|able|ible|ical|less|ish|ly)$/

/** The keywords that set each topic apart from the others, best first. No two topics share one. */
export function findKeywords(topics: readonly Sentence[][], excluded: ReadonlySet<string>, language: Language): Keyword[][] {
  const mentions = topics
    .flatMap((sentences, topic) => sentences.flatMap(sentence => mentionsIn(sentence, topic, language)))
    .filter(({ text }) => !excluded.has(text.toLowerCase()))
  const candidates = Map.groupBy(mentions, ({ stems }) => stems.join(' '))
  // "interface" said mostly as "user interface" is a keyword only as the pair.
  for (const [, pair] of [...candidates]) {
    const last = pair[0]?.stems[1] ?? ''
    if (pair.length > 0.6 * (candidates.get(last)?.length ?? Number.POSITIVE_INFINITY)) candidates.delete(last)
  }
  const sentences = topics.reduce((sum, topic) => sum + topic.length, 0)
  const minMentions = sentences > 12 ? 2 : 1
  const frequent = [...candidates.values()].filter(({ length }) => length >= minMentions)
  const taken = new Set<string>()
  return topics.map((_, topic) => {
    const ranked = frequent
      .map(candidate => ({ candidate, score: scoreIn(topic, candidate, minMentions) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
    const keywords: Keyword[] = []
    for (const { candidate } of ranked) {
      const stems = candidate[0]?.stems ?? []
      if (keywords.length === KEYWORDS_PER_TOPIC || stems.some(word => taken.has(word))) continue
      for (const word of stems) taken.add(word)
      const [text = ''] = rankByFrequency(candidate.map(mention => mention.text))
      const [speaker = ''] = rankByFrequency(candidate.map(mention => mention.speaker))
      keywords.push({ text, speaker })
    }
    return keywords
  })
}

/** The nouns of a sentence, and pairs of a content word and a noun, as written. */
function mentionsIn({ text, speaker }: Sentence, topic: number, language: Language): Mention[] {
  return text.split(/[,;:.?!()"“”–—。、，！？]/u).flatMap(clause => {
    const words = UNSPACED_SCRIPT.test(clause) ? wordsOf(clause) : (clause.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? [])
    return words.flatMap((word, at) => {
      const phrases = [words.slice(at, at + 1), words.slice(Math.max(0, at - 1), at + 1)].slice(0, at === 0 ? 1 : 2)
      return phrases
        .filter(phrase => phrase.every(part => isContent(part, language)) && isNoun(word, words[at - phrase.length] ?? '', language))
        .map(phrase => ({
          topic,
          speaker,
          text: phrase.join(UNSPACED_SCRIPT.test(word) ? '' : ' '),
          stems: phrase.map(part => stem(part.toLowerCase()))
        }))
    })
  })
}

function isContent(word: string, language: Language) {
  return isTerm(word.toLowerCase().replaceAll('’', "'"), language) && !/^\d|['’]/.test(word)
}

/** Tells a noun by the word before its phrase; in German by the capital letter. Elsewhere every word may be one. */
function isNoun(word: string, lead: string, { code, isEnglish }: Language) {
  if (isEnglish) return ENGLISH_NOUN_LEAD.test(lead.toLowerCase()) && !ENGLISH_ADJECTIVE.test(word)
  return code !== 'de' || /^\p{Lu}/u.test(word)
}

/** Grows with the mentions in the topic, and with the share that falls there. */
function scoreIn(topic: number, mentions: readonly Mention[], minMentions: number) {
  const here = mentions.filter(mention => mention.topic === topic).length
  const pairWeight = mentions[0]?.stems.length === 2 && here > 1 ? PAIR_WEIGHT : 1
  return here < minMentions ? 0 : here ** 0.7 * (0.35 + here / mentions.length) * pairWeight
}
