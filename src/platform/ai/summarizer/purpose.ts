/** Finds what a conversation is for, in the words with which somebody opens it. */
import { isTerm, type Language, lowerCaseWords } from './language.ts'
import type { Sentence } from './sentences.ts'

export interface Purpose {
  /** A noun phrase: "the budget of the new remote". */
  subject: string
  lines: readonly number[]
}

const OPENING_SENTENCES = 25
const MAX_WORDS = 9
const MAX_CHARACTERS = 80
const OPENING =
  /\b(?:today|welcome|purpose|agenda|topic|subject|aim|goal|this (?:meeting|call|session|talk|lecture|interview|episode|workshop)|here to|we(?:['’]ll| will|['’]re going to| are going to)|I(?:['’]d| would) like to)\b/i
const SUBJECT =
  /\b(?:(?:talk|speak)(?:ing)?(?: a (?:bit|little)(?: bit)?)? about|discuss(?:ing)?|go(?:ing)? (?:over|through)|(?:meeting|call|session|talk|lecture|interview|episode|workshop) (?:is|was|will be) (?:all )?(?:about|on)|(?:topic|subject|purpose|aim|goal)(?: of (?:this|today['’]s|the|our) \p{L}{1,20})? is(?: to (?:discuss|talk about|review|plan))?|(?:here|meeting|call) (?:today )?to (?:discuss|talk about|review|plan)|welcome(?: everyone| everybody| all| back| you)*,? to)\s+(?<subject>\S.*)$/iu
/** The end of a noun phrase. */
const END =
  /[,;:.!?–—"“”]|\s(?:and (?:then|I|we|so|also|how|what|see)|because|so|which|that|who|where|when|how|what|why|if|but|or|today|now|before|after|with (?:you|all)|as|is|are|was|were|will|can|I|we|you|it|they)\b/i
/** A phrase that begins like this points at something, or asks. */
const POINTING =
  /^(?:it|this|that|these|those|what|how|why|which|who|where|when|whether|each|everything|something|things|a (?:few|couple|lot|bit)|some|you|me|us|them)\b/i
const ARTICLE = /^(?:the|an?|our|your|my|all|another|today['’]s)\s+/i
/** Words for the conversation itself. */
const OF_THE_CALL = new Set(
  'meeting call session talk lecture interview episode workshop today everyone agenda presentation minute item thing point slide show'.split(
    ' '
  )
)

/** Returns the purpose that one of the first sentences names; undefined if none does. */
export function findPurpose(sentences: readonly Sentence[], language: Language): Purpose | undefined {
  if (!language.isEnglish) return undefined
  for (const { text, lines, isQuestion } of sentences.slice(0, OPENING_SENTENCES)) {
    const subject = isQuestion || !OPENING.test(text) ? undefined : readSubject(text, language)
    if (subject !== undefined) return { subject, lines }
  }
  return undefined
}

/** Returns the subject that an opening sentence names; undefined if it names none. */
export function readSubject(text: string, language: Language): string | undefined {
  const said = (SUBJECT.exec(text)?.groups?.subject ?? '').replace(/^about /i, '')
  const end = END.exec(said)?.index ?? said.length
  const subject = said.slice(0, end).trim()
  const words = lowerCaseWords(subject)
  // The name of a committee goes on after a comma: "Children, Young People and Education".
  if (said.charAt(end) === ',') return undefined
  if (POINTING.test(subject) || words.length > MAX_WORDS || subject.length > MAX_CHARACTERS) return undefined
  const named = words.filter(word => isTerm(word, language) && !OF_THE_CALL.has(word.replace(/s$/, '')))
  return named.length > 0 ? subject : undefined
}

/** A title for a conversation: its purpose, or else its subjects. Undefined if it has neither. */
export function toTitle(
  purpose: Purpose | undefined,
  subjects: readonly string[],
  { isEnglish }: Language
): string | undefined {
  const listed = isEnglish ? joinWords(subjects) : subjects.join(', ')
  const title = purpose ? purpose.subject.replace(ARTICLE, '') : listed
  return title === '' ? undefined : title.charAt(0).toUpperCase() + title.slice(1)
}

const AND = new Intl.ListFormat('en', { type: 'conjunction' })

/** Joins words as an English sentence does. */
export function joinWords(words: readonly string[]): string {
  return AND.format(words).replace(/, and (?=[^,]*$)/, ' and ')
}
