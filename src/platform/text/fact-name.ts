/** The kinds of facts in lines such as `Date: 2026-03-02` above a conversation. */
export type FactKind = 'title' | 'date' | 'length' | 'other'

const NAMES: readonly { kind: FactKind; pattern: RegExp }[] = [
  { kind: 'title', pattern: /^(?:title|(?:meeting|call) (?:title|name)|subject|topic)$/i },
  { kind: 'date', pattern: /^(?:date|(?:meeting|call) date|date and time|time|recorded on|start time|started at)$/i },
  { kind: 'length', pattern: /^(?:duration|length)$/i },
  {
    kind: 'other',
    pattern: /^(?:end time|ended at|participants|attendees|speakers|invitees|location|language)$/i
  },
  { kind: 'other', pattern: /^(?:organi[sz]er|(?:meeting|call) id|(?:meeting |recording )?link|url|platform)$/i },
  { kind: 'other', pattern: /^(?:recorded (?:by|with)|created(?: at)?|exported(?: on)?|keywords|tags)$/i }
]

/** Returns the kind of fact that the word before a colon introduces; null if it introduces none. */
export function factKind(name: string): FactKind | null {
  return NAMES.find(({ pattern }) => pattern.test(name))?.kind ?? null
}
