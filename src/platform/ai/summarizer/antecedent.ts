import { isTerm, type Language, splitWords } from './language.ts'
import type { Sentence } from './sentences.ts'

/** An action whose object is a pronoun: "merge it", "send Ben that", "put them there". */
const OBJECT =
  /^(?<verb>[\p{L}-]+(?: (?:up|out|over|on|at|into|through|for|with|to|about|you|\p{Lu}[\p{L}’-]+)){0,2}) (?<pronoun>it|this|that|them|these|those)(?= (?:up|out|over|in|on|to|into|off|back|there|as|by|with|for|from|at|and|today|tonight|tomorrow|later|after|before|once|when)\b|[,.;!]|$)/u
const PHRASE =
  /\b(?<lead>the|an?|my|our|your|his|her|their|this|that|these|those|some) (?<words>[\p{L}\p{N}-]+(?: [\p{L}\p{N}-]+){0,3})/giu
const MAX_BACK = 2

/**
 * Names what the pronoun in an action stands for, where one of the sentences before names it, with the lines of that sentence; undefined if
 * none does.
 */
export function resolveObject(
  action: string,
  before: readonly Pick<Sentence, 'text' | 'lines'>[],
  language: Language
): { text: string; lines: readonly number[] } | undefined {
  const found = OBJECT.exec(action)
  if (!found?.groups) return undefined
  const { verb = '', pronoun = '' } = found.groups
  const isPlural = /^(?:them|these|those)$/i.test(pronoun)
  for (const { text, lines } of before.slice(-MAX_BACK).reverse()) {
    const named = [...text.matchAll(PHRASE)]
      .map(({ groups }) => nounPhrase(groups?.words ?? '', language))
      .filter(phrase => phrase !== '' && isPlural === /[^s]s$/i.test(phrase))
      .at(-1)
    if (named) return { text: `${verb} the ${named}${action.slice(found[0].length)}`, lines }
  }
  return undefined
}

/** The words before the first that carries no topic; empty if the phrase does not begin with a noun. */
function nounPhrase(words: string, language: Language) {
  const all = splitWords(words)
  const end = all.findIndex(word => !isTerm(word.toLowerCase(), language) || /(?:ing|ly|ed)$/i.test(word))
  return all.slice(0, end < 0 ? all.length : end).join(' ')
}
