/** Which filters a search has; their values are parameters. */
export interface Filter {
  type?: string | undefined
  since?: string | undefined
  until?: string | undefined
  folderId?: string | undefined
  personId?: string | undefined
  tags?: { mode: 'any' | 'all'; names: string[] } | undefined
}

interface Condition {
  name: string
  value: unknown
  text: (at: string) => string
}

function conditionsOf({ type, since, until, folderId, personId, tags }: Filter): Condition[] {
  const member = (table: string, column: string) => (at: string) =>
    `exists (select from ${table} m where m.user_id = $1 and m.${column} = ${at} and m.session_id = s.session_id)`
  return [
    { name: 'type', value: type, text: (at: string) => `s.type = ${at}` },
    { name: 'since', value: since, text: (at: string) => `s.sort_at >= ${at}::timestamptz` },
    { name: 'until', value: until, text: (at: string) => `s.sort_at < ${at}::timestamptz` },
    { name: 'folder', value: folderId, text: member('folder_sessions', 'folder_id') },
    { name: 'person', value: personId, text: member('session_people', 'person_id') },
    { name: tags?.mode ?? '', value: tags?.names, text: (at: string) => `s.tags ${tags?.mode === 'all' ? '@>' : '&&'} ${at}::text[]` }
  ].filter(({ value }) => value !== undefined)
}

/** The values of the filters, in the order in which the statements take them after their own. */
export function filterValues(filter: Filter) {
  return conditionsOf(filter).map(({ value }) => value)
}

/** The sessions that the filters leave; undefined where there are none to apply. */
export function allowedText(filter: Filter, first: number) {
  const conditions = conditionsOf(filter).map(({ text }, at) => text(`$${first + at}`))
  if (conditions.length === 0) return undefined
  return `select s.session_id from sessions s where s.user_id = $1 and s.state = 'completed' and ${conditions.join(' and ')}`
}

/** Which filters there are, for the name of a statement. */
export function nameOf(filter: Filter) {
  return conditionsOf(filter)
    .map(({ name }) => name)
    .join('_')
}
