import {
  type Term,
  type TermCreate,
  TermHeard,
  type TermList,
  type TermPatch,
  type TermsImported
} from '../../contract/term.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { readShape } from '../../platform/core/remedy.ts'
import type { Db } from '../../platform/db/open.ts'
import { operation } from '../access/operation.ts'
import type { Needs } from '../services.ts'
import { addForms, type FormOwners, listFormOwners, requireFewer, requireOwnForms } from './conflicts.ts'
import { deleteTermRow, findTerm, insertTerm, lockTerms, saveTerm, selectTerms, type TermRow } from './queries.ts'
import { toTerm } from './term-row.ts'

/** Lists all terms of a user, the oldest first. */
export const listTerms = operation('listTerms', async ({ db }: Needs<'db'>, actor): Promise<TermList> => {
  return { terms: (await selectTerms(db, actor.userId)).map(toTerm) }
})

export const getTerm = operation('getTerm', async ({ db }: Needs<'db'>, actor, termId: string): Promise<Term> => {
  const row = await findTerm(db, actor.userId, termId)
  return row ? toTerm(row) : throwNotFound('Term')
})

/** Adds a term. Throws conflict for a form that another term has. */
export const createTerm = operation(
  'createTerm',
  async ({ db, clock }: Needs<'db' | 'clock'>, actor, { heard, meant }: TermCreate): Promise<Term> => {
    const { userId } = actor
    return await db.transaction(async tx => {
      const known = await lockTerms(tx, userId)
      requireOwnForms(listFormOwners(known), { heard, meant })
      requireFewer(known.length + 1)
      return toTerm(await insertTerm(tx, userId, { heard, meant, now: clock.now() }))
    })
  }
)

export const updateTerm = operation(
  'updateTerm',
  async ({ db, clock }: Needs<'db' | 'clock'>, actor, termId: string, change: TermPatch): Promise<Term> => {
    const { userId } = actor
    return await db.transaction(async tx => {
      const known = await lockTerms(tx, userId)
      const before = known.find(term => term.termId === termId) ?? throwNotFound('Term')
      const { heard = before.heard, meant = before.meant } = change
      requireOwnForms(listFormOwners(known), { heard, meant }, termId)
      if (isSame(before, { heard, meant })) return toTerm(before)
      return toTerm((await saveTerm(tx, userId, termId, { heard, meant }, clock.now())) ?? throwNotFound('Term'))
    })
  }
)

function isSame(one: Pick<TermRow, 'heard' | 'meant'>, other: Pick<TermRow, 'heard' | 'meant'>) {
  return one.meant === other.meant && JSON.stringify(one.heard) === JSON.stringify(other.heard)
}

/** Deletes a term, and ends its application. What it has corrected stays corrected. */
export const deleteTerm = operation('deleteTerm', async ({ db }: Needs<'db'>, actor, termId: string): Promise<void> => {
  if (!(await deleteTermRow(db, actor.userId, termId))) throwNotFound('Term')
})

/** Adds terms, and heard forms of those that exist: all of them, or none. Repeating it changes nothing. */
export const importTerms = operation(
  'importTerms',
  async ({ db, clock }: Needs<'db' | 'clock'>, actor, sent: readonly TermCreate[]): Promise<TermsImported> => {
    const { userId } = actor
    return await db.transaction(async tx => {
      const known = await lockTerms(tx, userId)
      const owners = listFormOwners(known)
      const counts = { added: 0, changed: 0 }
      for (const term of sent) {
        const done = await importTerm(tx, userId, { known, owners }, term, clock.now())
        if (done) counts[done]++
      }
      requireFewer(known.length)
      return { ...counts, terms: known.map(toTerm) }
    })
  }
)

/** Adds a term, or its forms to the one with its meaning, and keeps what is known up to date. */
async function importTerm(
  tx: Db,
  userId: string,
  { known, owners }: { known: TermRow[]; owners: FormOwners },
  { heard: sent, meant }: TermCreate,
  now: Date
) {
  const at = known.findIndex(term => term.meant === meant)
  const before = known[at]
  const { heard } = readShape(TermHeard, { heard: [...new Set([...(before?.heard ?? []), ...sent])] }, 'body')
  requireOwnForms(owners, { heard, meant }, before?.termId)
  if (!before) {
    const term = await insertTerm(tx, userId, { heard, meant, now })
    known.push(term)
    addForms(owners, term)
    return 'added'
  }
  if (heard.length === before.heard.length) return undefined
  const term = (await saveTerm(tx, userId, before.termId, { heard }, now)) ?? before
  known[at] = term
  addForms(owners, term)
  return 'changed'
}
