import { foldLetters } from '../../platform/text/fold-letters.ts'
import type { Period } from './period.ts'

/** A name by which the owner's library knows a person. */
export interface Name {
  id: string
  name: string
  /** The name itself, or that of a person who was merged into this one. */
  known: string
}

/** Names that are months or days, and names that are other words. Beside a word such as "said" they are names. */
const CALENDAR = new Set(
  'january march april may june august monday tuesday wednesday thursday friday saturday sunday'.split(' ')
)
const OTHER_WORDS = new Set(
  `art bill chance chase dawn drew eve faith frank grace grant hope jack joy long major mark pat penny price ray rich rob rose sky sue will
  young`.split(/\s+/)
)
const BEFORE_NAME = new Set('did does has had hat dijo dit'.split(' '))
const AFTER_NAME = new Set(
  `s said says told tells thinks thought mentions mentioned meant wants wanted asks asked suggested promised explained agreed decided hat sagte
  meinte dijo`.split(/\s+/)
)
const PREPOSITIONS = new Set('by from with and von mit bei par avec de por con'.split(' '))
/** Words that may follow a name in small letters. Any other may be its last name. */
const AFTER_ALONE = new Set(
  `agree ask call decide do explain have like mean mention need plan promise say send suggest talk tell think want write
  about after and at before during for from in is last of on or over re regarding since the this to today was what when why with yesterday
  am der die das im letzte letzten über und vom zu zum zur avec dans de du en et la le les sur con del el los para por sobre y`.split(
    /\s+/
  )
)
const COMMON = new Set([...AFTER_ALONE, ...AFTER_NAME, ...BEFORE_NAME, ...PREPOSITIONS])
const WITHOUT_SPACES = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\s]+$/u

interface NamedPerson {
  id: string
  name: string
  /** True for a full name, and for a part of one beside a word such as "said" or "with". */
  isSure: boolean
}

/** Finds the one person whom a query names by the full, first or last name. Undefined for none or several. */
export function findNamed(
  query: string,
  names: readonly Name[],
  period: Pick<Period, 'start' | 'end'> | null
): NamedPerson | undefined {
  const words = wordsIn(query)
  const isSubject = (at: number) =>
    BEFORE_NAME.has(words[at - 1]?.key ?? '') || AFTER_NAME.has(words[at + 1]?.key ?? '')
  const isNamed = (at: number) => isSubject(at) || PREPOSITIONS.has(words[at - 1]?.key ?? '')
  const isName = (at: number) => {
    const { key = '', isCapital = false, index = 0 } = words[at] ?? {}
    if (period && index >= period.start && index < period.end) return false
    if (isSubject(at) || CALENDAR.has(key)) return isSubject(at)
    return OTHER_WORDS.has(key) ? isCapital && at > 0 : isCapital || isNamed(at)
  }
  /** True unless a neighbour may be the other part of a name that the library does not have: "Ada Byron" is not Ada Lovelace. */
  const isAlone = (at: number) => {
    const [before, here, after] = [words[at - 1], words[at], words[at + 1]]
    const isPeriod = after && period && after.index >= period.start && after.index < period.end
    // The O of O'Brien is no name.
    if (before?.isCapital && before.key.length > 1 && !COMMON.has(before.key)) return false
    if (!after || isPeriod || COMMON.has(after.key)) return true
    return !after.isCapital && here?.isCapital === true
  }
  const found = names.flatMap(({ id, name, known }) => {
    const keys = wordsIn(known).map(({ key }) => key)
    const whole = { id, name, from: 0, to: words.length, certainty: keys.length + 1, isSure: true }
    if (keys.length === 0) return []
    if (WITHOUT_SPACES.test(known)) return query.includes(known.replace(/\s/g, '')) ? [whole] : []
    return words.flatMap(({ key }, at) => {
      const isWhole = keys.every((part, next) => words[at + next]?.key === part)
      if (isWhole && keys.length > 1) return [{ ...whole, from: at, to: at + keys.length }]
      if (!(key === keys[0] || key === keys.at(-1)) || !isName(at) || !isAlone(at)) return []
      return [{ ...whole, from: at, to: at + 1, certainty: isWhole ? 2 : 1, isSure: isNamed(at) }]
    })
  })
  const [best, ...others] = found.toSorted((a, b) => b.certainty - a.certainty)
  if (!best) return undefined
  const isRival = ({ id, from, to, certainty }: typeof best) =>
    id !== best.id && (certainty === best.certainty || from >= best.to || to <= best.from)
  return others.some(isRival) ? undefined : { id: best.id, name: best.name, isSure: best.isSure }
}

function wordsIn(text: string) {
  return [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*/gu)].map(({ 0: word, index }) => ({
    key: foldLetters(word.toLowerCase()),
    isCapital: /^\p{Lu}/u.test(word),
    index
  }))
}
