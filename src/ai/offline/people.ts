/** Finds the people of a conversation by the names others call them. */
export interface People {
  /** A pattern, as source, for any of the names. Undefined where nobody has one. */
  pattern: string | undefined
  /** The label of the speaker with that name. */
  labelOf(name: string): string | null
}

const TITLES =
  /^(?:mr|mrs|ms|dr|prof|professor|hon|sir|herr|frau|m|mme|señor|señora|phd|grad|postdoc|the|speaker|participant|guest|unknown)\.?$/i

export function peopleOf(labels: readonly string[]): People {
  const byName = new Map<string, string | null>()
  for (const label of labels) {
    for (const name of namesOf(label)) {
      const key = name.toLowerCase()
      // A name that two people share names nobody.
      byName.set(key, byName.has(key) && byName.get(key) !== label ? null : label)
    }
  }
  const names = [...byName.keys()].sort((a, b) => b.length - a.length)
  return {
    pattern: names.length > 0 ? `(?:${names.map(name => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})` : undefined,
    labelOf: name => byName.get(name.toLowerCase()) ?? null
  }
}

/** The label without the brackets at its end, which hold an office or a party. */
export function withoutRemark(label: string) {
  const open = label.trimEnd().replace(/(?<!\))\)+$/, '')
  const at = open.indexOf('(', open.lastIndexOf(')') + 1)
  return (at < 0 ? label : label.slice(0, at)).trim()
}

function namesOf(label: string): string[] {
  const bare = withoutRemark(label)
  const words = bare.split(/\s+/).filter(word => /^\p{Lu}/u.test(word) && !TITLES.test(word))
  const isPerson =
    words.length > 0 && words.length <= 3 && words.every(word => /^\p{Lu}\p{Ll}{2,}/u.test(word) || /^\p{Lu}{2}$/u.test(word))
  const first = isPerson && !ROLES.test(bare) ? words[0] : undefined
  return [bare, ...(first ? [first] : [])].filter(name => name.length > 2)
}

const ROLES =
  /\b(?:manager|designer|interface|marketing|chair|engineer|director|agent|customer|caller|host|interviewer|support|sales|lead|doctor|patient|teacher|student)\b/i
