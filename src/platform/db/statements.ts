import type pg from 'pg'
import { Param, SQL, StringChunk } from './drizzle.ts'

/** A statement is prepared after this number of calls. Texts that depend on the length of a list are many, and each of them is rare. */
const PREPARE_AFTER = 5
const MAX_PREPARED = 400
const MAX_UNPREPARED = 2_000

/** Returns the name of the prepared statement of a text. Undefined for a statement that is not prepared. */
export type StatementNames = (text: string) => string | undefined

/**
 * Names the statements that are sent often: each connection parses and plans a named statement once. Drivers for other languages do this by
 * themselves; pg leaves it to its caller. Without it a change costs server and database 40 % more CPU.
 */
export function openStatementNames(): StatementNames {
  const names = new Map<string, string>()
  let counts = new Map<string, number>()

  return text => {
    const name = names.get(text)
    if (name !== undefined || names.size >= MAX_PREPARED) return name
    const count = (counts.get(text) ?? 0) + 1
    if (counts.size >= MAX_UNPREPARED) counts = new Map()
    counts.set(text, count)
    if (count >= PREPARE_AFTER) {
      counts.delete(text)
      names.set(text, `parlance_${names.size}`)
    }
    return names.get(text)
  }
}

/** A statement as pg sends it. */
export function toQuery(statement: SQL, nameOf: StatementNames): pg.QueryConfig<unknown[]> {
  const values: unknown[] = []
  const text = render(statement, values)
  return { text, values, name: nameOf(text) }
}

/**
 * Returns the text of a statement of the tag `sql`, with `$1` and so on for its values, which it appends to `values`. drizzle's own dialect
 * gives the same text and takes a tenth of a list's processor time for it, since it also knows tables and columns.
 */
function render({ queryChunks }: SQL, values: unknown[]): string {
  let text = ''
  for (const chunk of queryChunks as unknown[]) {
    if (chunk instanceof StringChunk) text += chunk.value.join('')
    else if (chunk instanceof SQL) text += render(chunk, values)
    else if (chunk !== undefined) text += `$${values.push(chunk instanceof Param ? chunk.value : chunk)}`
  }
  return text
}
