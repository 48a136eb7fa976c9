import type { Query } from './query-set.ts'
import { openRandom, type Random } from './random.ts'
import type { SynonymsOf } from './wordnet.ts'

/** Words that form questions without being their subject; synonyms of them would only make a question odd. */
const KEPT = new Set(
  `about above according after again against also although among another because been before being below between both could discuss discussed discussing
  discussion discussions does doing
  done down during each either else even ever every from further group have having here into itself just less like made many mean meeting
  might more most much must neither never none nothing once only other over rather said same several shall should since some something
  still such summarize talk talked talking team than that their them then there these they thing think this those though through together toward towards
  under until upon very were what when where whether which while whose will with within without would your`.split(/\s+/)
)

const ENDINGS: [ending: string, lemma: string][] = [
  ['ies', 'y'],
  ['es', ''],
  ['s', ''],
  ['ing', ''],
  ['ing', 'e'],
  ['ed', ''],
  ['ed', 'e']
]

/**
 * Replaces each word that the meeting uses by a synonym that it does not use. Queries without such a word are left out. `textOf` returns a
 * meeting's transcript.
 */
export function withSynonyms(queries: readonly Query[], textOf: (session: string) => string, synonymsOf: SynonymsOf) {
  const random = openRandom(5)
  const stemsOf = new Map<string, Set<string>>()
  return queries.flatMap((query): Query[] => {
    const used = stemsOf.get(query.session) ?? new Set(wordsIn(textOf(query.session)).map(beginningOf))
    stemsOf.set(query.session, used)
    const text = query.text.replace(/(?<![\w’'-])[a-z]{4,}(?![\w’'-])/g, word =>
      replaceWord(word, used, synonymsOf, random)
    )
    return text === query.text ? [] : [{ ...query, text }]
  })
}

function replaceWord(word: string, used: ReadonlySet<string>, synonymsOf: SynonymsOf, random: Random) {
  if (KEPT.has(word) || !used.has(beginningOf(word))) return word
  for (const { lemma, ending } of lemmasOf(word)) {
    const unused = synonymsOf(lemma, /^(ing|ed)$/.test(ending)).filter(synonym => !used.has(beginningOf(synonym)))
    if (unused.length > 0) return inflect(random.pick(unused), ending)
  }
  return word
}

function lemmasOf(word: string) {
  const inflected = ENDINGS.filter(([ending]) => word.endsWith(ending) && word.length - ending.length >= 2)
  return [
    ...inflected.map(([ending, lemma]) => ({
      lemma: word.slice(0, -ending.length) + lemma,
      ending: ending.endsWith('s') ? 's' : ending
    })),
    { lemma: word, ending: '' }
  ]
}

function inflect(lemma: string, ending: string) {
  if (ending === 's')
    return /(s|x|z|ch|sh)$/.test(lemma) ? `${lemma}es` : lemma.replace(/(?<![aeiou])y$/, 'ie').concat('s')
  return ending === '' ? lemma : `${lemma.replace(/e$/, '')}${ending}`
}

function wordsIn(text: string) {
  return text.toLowerCase().match(/[a-z]+/g) ?? []
}

/** Returns the part that all forms of a word roughly share. A meeting that uses one form is taken to use the word. */
function beginningOf(word: string) {
  return word.slice(0, 5).replace(/(?:e|s|es|y|ie)$/, '')
}
