import { rankByFrequency } from '../../text/frequency.ts'
import { isTerm, type Language, splitWords, stem, UNSPACED_SCRIPT } from './language.ts'
import type { Sentence } from './sentences.ts'

/** A word or a pair of words as somebody said it. */
interface Mention {
  topic: number
  /** The turn in which it was said. */
  turn: number
  text: string
  stems: string[]
}

const KEYWORDS_PER_TOPIC = 2
const PAIR_WEIGHT = 1.7
/** Somebody who goes on for this many sentences begins another turn. */
const TURN_SENTENCES = 10
const ENGLISH_NOUN_LEAD =
  /^(?:the|an?|this|these|those|our|my|your|his|her|its|their|some|any|no|each|every|of|for|in|on|with|by|from|new|more)$/i
const ENGLISH_ADJECTIVE = /(?:ed|ful|ous|ive|able|ible|ical|less|ish|ly)$/

/**
 * The keywords that set each topic apart from the others, best first. No two topics share one. Each was said in at least two turns, and stands
 * in a point of its topic.
 */
export function findKeywords(
  topics: readonly Sentence[][],
  points: readonly Pick<Sentence, 'text'>[][],
  excluded: ReadonlySet<string>,
  language: Language
): string[][] {
  const turnOf = openTurns()
  const mentions = topics
    .flatMap((sentences, topic) =>
      sentences.flatMap(sentence => mentionsIn(sentence, { topic, turn: turnOf(sentence) }, language))
    )
    .filter(({ text }) => !excluded.has(text.toLowerCase()))
  const candidates = [...Map.groupBy(mentions, ({ stems }) => stems.join(' ')).values()].filter(
    said => new Set(said.map(({ turn }) => turn)).size > 1
  )
  const taken = new Set<string>()
  return topics.map((_, topic) => {
    const scored = candidates.map(candidate => ({ candidate, score: scoreIn(topic, candidate) }))
    const ranked = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
    const printed = (points[topic] ?? []).map(({ text }) => text.toLowerCase())
    const keywords: string[] = []
    for (const { candidate } of ranked) {
      const stems = candidate[0]?.stems ?? []
      if (keywords.length === KEYWORDS_PER_TOPIC || stems.some(word => taken.has(word))) continue
      const forms = rankByFrequency(candidate.map(({ text }) => text))
      const form = forms.find(each => printed.some(text => text.includes(each.toLowerCase())))
      if (form === undefined) continue
      for (const word of stems) taken.add(word)
      keywords.push(form)
    }
    return keywords
  })
}

/** Returns what numbers the turns of sentences that come in their order. */
function openTurns() {
  let [turn, speaker, sentences] = [0, '', 0]
  return (sentence: Sentence) => {
    const isNext = sentence.speaker !== speaker || sentences === TURN_SENTENCES
    if (isNext) turn++
    sentences = isNext ? 1 : sentences + 1
    speaker = sentence.speaker
    return turn
  }
}

/** The nouns of a sentence, and pairs of a content word and a noun, as written. */
function mentionsIn({ text }: Sentence, place: Pick<Mention, 'topic' | 'turn'>, language: Language): Mention[] {
  return text.split(/[,;:.?!()"“”–—。、，！？]/u).flatMap(clause => {
    const words = splitWords(clause)
    return words.flatMap((noun, at) =>
      [at, at - 1]
        .map(from => ({ lead: words[from - 1] ?? '', phrase: from < 0 ? [] : words.slice(from, at + 1) }))
        .filter(
          ({ lead, phrase }) =>
            phrase.length > 0 && phrase.every(word => isContent(word, language)) && isNoun(noun, lead, language)
        )
        .map(({ phrase }) => ({
          ...place,
          text: phrase.join(UNSPACED_SCRIPT.test(noun) ? '' : ' '),
          stems: phrase.map(word => stem(word.toLowerCase()))
        }))
    )
  })
}

function isContent(word: string, language: Language) {
  return isTerm(word.toLowerCase(), language) && !/^\d|['’]/.test(word)
}

/** Recognizes an English noun by the word before its phrase, and a German one by its capital letter. Elsewhere every word may be one. */
function isNoun(word: string, lead: string, { code, isEnglish }: Language) {
  return isEnglish
    ? ENGLISH_NOUN_LEAD.test(lead) && !ENGLISH_ADJECTIVE.test(word)
    : code !== 'de' || /^\p{Lu}/u.test(word)
}

/** Grows with the mentions in the topic, and with the share that falls there. */
function scoreIn(topic: number, mentions: readonly Mention[]) {
  const here = mentions.filter(mention => mention.topic === topic).length
  const pairWeight = mentions[0]?.stems.length === 2 && here > 1 ? PAIR_WEIGHT : 1
  return here ** 0.7 * (0.35 + here / mentions.length) * pairWeight
}
