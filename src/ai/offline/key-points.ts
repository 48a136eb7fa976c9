import type { Sentence } from './sentences.ts'
import type { Topic } from './topics.ts'
import type { Lexicon } from './words/lexicon.ts'

const FEWEST_TERMS = 3
/** Who has little to choose from takes what there is. */
const FEW_SENTENCES = 20
const MOST_ALIKE = 0.4
/** What a speaker's second point in a topic counts. */
const AGAIN = 0.75

/** The sentences that say most about a topic, in the order in which they were said. */
export function pickPoints(
  topic: Topic,
  overall: ReadonlyMap<string, number>,
  most: number,
  used: ReadonlySet<number>,
  lexicon: Lexicon
): Sentence[] {
  const weights = weigh(topic, overall)
  const fewest = topic.sentences.length < FEW_SENTENCES ? 2 : FEWEST_TERMS
  const ranked = topic.sentences
    .filter(sentence => isPoint(sentence, fewest, lexicon) && !used.has(sentence.at))
    .map(sentence => ({ sentence, score: scoreOf(sentence, weights, lexicon) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, 60)
  const picked: Sentence[] = []
  while (picked.length < most && ranked.length > 0) {
    const gains = ranked.map(({ sentence, score }) => score * AGAIN ** picked.filter(({ speaker }) => speaker === sentence.speaker).length)
    const best = gains.indexOf(Math.max(...gains))
    const [next] = ranked.splice(best, 1)
    if (next && picked.every(sentence => alike(sentence, next.sentence) < MOST_ALIKE)) picked.push(next.sentence)
  }
  return picked.sort((a, b) => a.at - b.at)
}

export function countTerms(sentences: readonly Sentence[]) {
  const counts = new Map<string, number>()
  for (const { terms } of sentences) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** Share of the words two sentences have in common. */
export function alike(a: Sentence, b: Sentence) {
  const [left, right] = [new Set(a.terms), new Set(b.terms)]
  const shared = [...left].filter(term => right.has(term)).length
  return shared / Math.max(1, Math.min(left.size, right.size) + 1)
}

function isPoint({ whole, question, terms, text }: Sentence, fewest: number, { empty }: Lexicon) {
  return whole && !question && new Set(terms).size >= fewest && !empty.test(text)
}

/** A word weighs by how often the topic has it, and by how much of its use falls there. */
function weigh({ sentences }: Topic, overall: ReadonlyMap<string, number>) {
  const weights = new Map<string, number>()
  for (const [term, count] of countTerms(sentences)) {
    if (count > 1) weights.set(term, Math.log(1 + count) * (0.5 + count / (overall.get(term) ?? count)))
  }
  return weights
}

function scoreOf({ terms, text, words }: Sentence, weights: ReadonlyMap<string, number>, { telling, code }: Lexicon) {
  let score = 0
  for (const term of new Set(terms)) score += weights.get(term) ?? 0.25
  score /= (words.length + 6) ** 0.75
  if (telling.test(text)) score *= 1.3
  if (code === 'en') score *= manner(text, words)
  if (/[—–]/.test(text)) score *= 0.6
  return score * (words.length > 32 ? 0.75 : words.length < 9 ? 0.85 : 1)
}

/** What leans on its neighbours or on the moment tells a reader less. */
function manner(text: string, words: readonly string[]) {
  let factor = 1
  if (/^(?:it|that|this|these|those|they|he|she|there|that's|it's|he's|she's|they're|there's|here|them)$/.test(words[0] ?? ''))
    factor *= 0.6
  if (/^(?:i|i'm|i've|i'd|my)$/.test(words[0] ?? '')) factor *= 0.85
  if (/^(?:you|you're|you've|do|does|tell|let|please|if)$/.test(words[0] ?? '')) factor *= 0.75
  const pointing = words.filter(word =>
    /^(?:it|that|this|there|here|thing|things|stuff|them|one|ones|whatever|something|those|it's|that's)$/.test(word)
  ).length
  factor *= 0.9 ** Math.max(0, pointing - 1)
  if (/\b(?:we|we're|we've|we'll|our)\b/i.test(text)) factor *= 1.1
  return factor
}
