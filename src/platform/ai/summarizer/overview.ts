/** Writes the overview of minutes: in English what the conversation was about and what came of it, elsewhere who spoke and the topics. */
import type { FoundItem } from './items.ts'
import type { Language } from './language.ts'
import { joinWords, type Purpose } from './purpose.ts'
import type { Sentence } from './sentences.ts'
import { nameOf, wordingOf } from './wording.ts'

const MAX_SPEAKERS = 6
const MAX_SUBJECTS = 3
/** A longer sentence is left to its section. */
const MAX_OUTCOME = 160
const OWN_DECISION =
  /^we(?:['’]ve| have| had)?(?: (?:all|already|also|just|now|then|both))* (?=(?:decided|agreed|settled|opted|concluded) )/i

export interface Overview {
  text: string
  /** The lines that it is made from. */
  lines: readonly number[]
}

interface Said {
  /** Most talkative first. */
  speakers: readonly string[]
  /** The headings of topics, each with the point in which it stands. */
  subjects: readonly { text: string; lines: readonly number[] }[]
  purpose: Purpose | undefined
  decisions: readonly Sentence[]
  items: readonly FoundItem[]
}

/** Returns the overview as plain text. */
export function writeOverview(said: Said, language: Language): Overview {
  const names = [...new Set(said.speakers.map(nameOf))].filter(Boolean)
  const subjects = said.subjects.slice(0, MAX_SUBJECTS)
  const about = said.purpose ? [said.purpose.subject] : subjects.map(({ text }) => text)
  if (!language.isEnglish || about.length === 0) return listOverview(names, said.subjects, language)
  const outcome = writeOutcome(said, names.length > 1)
  const sources = said.purpose ? [said.purpose] : subjects
  return {
    text: [`${joinNames(names)} talked about ${joinWords(about)}.`, outcome?.text].filter(Boolean).join(' '),
    lines: [...sources.flatMap(({ lines }) => lines), ...(outcome?.lines ?? [])]
  }
}

function joinNames(names: readonly string[]) {
  const more = names.length - MAX_SPEAKERS
  return joinWords(more > 0 ? [...names.slice(0, MAX_SPEAKERS), more === 1 ? 'one other' : `${more} others`] : names)
}

/** The first decision that reads well, or else the first task. */
function writeOutcome({ decisions, items }: Said, isShared: boolean): Overview | undefined {
  const decision = decisions.find(({ isFluent, text }) => isFluent && text.length <= MAX_OUTCOME)
  if (decision) {
    const own = OWN_DECISION.exec(decision.text)
    const text = own && isShared ? `They ${decision.text.slice(own[0].length)}` : `Outcome: ${decision.text}`
    return { text, lines: decision.lines }
  }
  const item = items.find(({ text }) => text.length <= MAX_OUTCOME)
  if (!item) return undefined
  const task =
    item.assignee === null ? `Next step: ${item.text}` : `Next step for ${nameOf(item.assignee)}: ${item.text}`
  return { text: `${task}.`, lines: item.sources.map(({ segment }) => segment) }
}

function listOverview(names: readonly string[], subjects: Said['subjects'], { code }: Language): Overview {
  const wording = wordingOf(code)
  const more = names.length > MAX_SPEAKERS ? [`+${names.length - MAX_SPEAKERS}`] : []
  const sentences = [
    sentence(wording.participants, [...names.slice(0, MAX_SPEAKERS), ...more]),
    sentence(
      wording.topics,
      subjects.map(({ text }) => text)
    )
  ]
  return { text: sentences.filter(Boolean).join(' '), lines: subjects.flatMap(({ lines }) => lines) }
}

function sentence(subject: string, names: readonly string[]) {
  return names.length > 0 ? `${subject}: ${names.join(', ')}.` : ''
}
