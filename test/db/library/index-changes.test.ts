// @module-tag both

import { describe, expect, test } from 'vitest'
import { indexFields } from '../../../src/features/library/index/index-fields.ts'
import { addNameToIndex } from '../../../src/features/library/index/index-name.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { matches } from '../../../src/platform/db/matches.ts'
import { sessions } from '../../../src/platform/db/schema/index.ts'
import { newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

/** A summary of 200,000 characters with 2,000 different words. */
const LONG = Array.from({ length: 25_000 }, (_, at) => `w${(at * at) % 2_003}x`).join(' ')

async function summarized(summary: string, language = 'en') {
  const user = await newUser()
  const id = await user.session({ title: 'One', language, summary, action_items: [] })
  return { user, id, change: (body: object) => user.patch(`/v1/sessions/${id}`, body) }
}

/** The index of the fields, as the terms with their weights. */
async function indexOf({ db, id: userId }: User, sessionId: string) {
  const { rows } = await db.execute(sql`
    select part, term, most from search_terms where user_id = ${userId} and session_id = ${sessionId} and part <> 'said' order by part, term collate "C"`)
  const { rows: documents } = await db.execute(sql`
    select part, stemmer, version, array(select t from unnest(terms) t order by t collate "C") as terms
    from search_documents where user_id = ${userId} and session_id = ${sessionId} and part <> 'said' order by part`)
  return { terms: rows, documents }
}

/** The same when all fields are indexed anew. */
async function indexAnew(user: User, sessionId: string) {
  await user.db.transaction(async tx => {
    const [session] = await tx
      .select()
      .from(sessions)
      .where(matches(sessions, { userId: user.id, sessionId }))
    await indexFields(tx, user.id, session!)
  })
  return await indexOf(user, sessionId)
}

/** The version of each row of the index, which a write or a lock changes. */
async function rowsOf({ db, id: userId }: User, sessionId: string) {
  const { rows } = await db.execute<{ term: string; version: string }>(sql`
    select concat_ws(' ', part, term) as term, concat_ws(' ', ctid, xmin, xmax) as version from search_terms
    where user_id = ${userId} and session_id = ${sessionId} and part <> 'said'`)
  return new Map(rows.map(({ term, version }) => [term, version]))
}

/** The rows of these terms of a title. */
function titled(terms: string, whole: string) {
  return [...terms.split(' '), whole].map(term => `title ${term}`)
}

describe('a change of a session beside a long summary', () => {
  test.each([
    [
      'title',
      { title: 'Budget and hiring' },
      titled('=and =budget =hiring =one =one= budget hire one', '=budget and hiring=')
    ],
    ['tags', { tags: ['Budget', 'hiring'] }, ['names budget', 'names hire']],
    [
      'notes',
      { notes: 'Ask for the budget. Hiring waits.' },
      ['ask', 'budget', 'hire', 'wait'].map(term => `about ${term}`)
    ],
    ['favorite', { favorite: true }, []]
  ])('of the %s writes the terms of that field alone', async (_, body, terms) => {
    const { user, id, change } = await summarized(LONG)
    const before = await rowsOf(user, id)
    expect(before.size).toBeGreaterThan(900)
    expect((await change(body)).status).toBe(200)
    const after = await rowsOf(user, id)
    const written = [...new Set([...before.keys(), ...after.keys()])].filter(one => before.get(one) !== after.get(one))
    expect(written.toSorted()).toEqual(terms.toSorted())
  })

  test('writes nothing that is as it was when all fields are indexed anew', async () => {
    const { user, id } = await summarized(LONG)
    const before = await rowsOf(user, id)
    await indexAnew(user, id)
    expect(await rowsOf(user, id)).toEqual(before)
  })
})

describe('the index after changes of fields', () => {
  const WORDS =
    'ada budget budgets hiring plan plans the w1x w4x wi-fi Wi-Fi US EU WHO UK 会議 会議室 é cafe café'.split(' ')
  const rare = Array.from({ length: 400 }, (_, at) => `r${at}x`)

  test.each([
    ['en', LONG.slice(0, 20_000)],
    ['en', ''],
    ['tlh', 'the plan '.repeat(150)],
    ['de', [...Array(5_010).keys()].map(at => `z${at}y`).join(' ')]
  ])('is that of all fields, in %s', async (language, summary) => {
    const { user, id, change } = await summarized(summary || 'None.', language)
    let seed = 11
    const draw = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % most
    }
    const text = (most: number) => Array.from({ length: draw(most) }, () => WORDS[draw(WORDS.length)]).join(' ')
    for (let turn = 0; turn < 12; turn++) {
      const fields = [{ title: text(6) }, { tags: [`tag ${text(3)}`] }, { notes: text(40) }, { notes: rare.join(' ') }]
      expect((await change({ ...fields[draw(4)], ...fields[draw(3)] })).status).toBe(200)
      const kept = await indexOf(user, id)
      if (turn % 3 === 2) expect(await indexAnew(user, id)).toEqual(kept)
    }
    expect(await indexAnew(user, id)).toEqual(await indexOf(user, id))
  })

  test('is that of all fields, with the names of people that were added since', async () => {
    const { user, id, change } = await summarized('Ada asks Ben.')
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ada', name: 'Grace' })
    await user.db.transaction(tx => addNameToIndex(tx, user.id, [id], 'Grace'))
    await change({ title: 'Grace meets Ben' })
    await change({ title: 'Ben' })
    const kept = await indexOf(user, id)
    expect(kept.terms.map(({ term }) => term)).toContain('grace')
    expect(await indexAnew(user, id)).toEqual(kept)
  })
})
