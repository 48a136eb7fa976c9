// @module-tag both

import { describe, expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

async function search(user: User, query: string, limit?: number) {
  const { status, body } = await user.post('/v1/sessions/search', { query, ...(limit && { limit }) })
  expect(status).toBe(200)
  return { ids: body.results.map(({ id }: { id: string }) => id), interpreted: body.interpreted }
}

/** Fourteen old conversations say that the battery issue is fixed; the last one, which matches worst, that it came back. */
async function contradiction() {
  const user = await newUser()
  const old: string[] = []
  for (let day = 1; day <= 14; day++) {
    const text = 'The battery issue is fixed. We fixed the battery issue, and the battery issue stays fixed.'
    const timestamp = `2025-05-${String(day).padStart(2, '0')}T09:00:00Z`
    const segments = [{ speaker: 'Ada', start: 0, end: 9, text }]
    old.push(
      await user.session({ title: `Old ${day}`, external_id: `old-${day}`, timestamp, language: 'en', segments })
    )
  }
  const text = `${'We talk about the rye and the mill. '.repeat(20)}By the way, the battery issue came back.`
  const segments = [{ speaker: 'Ben', start: 0, end: 9, text }]
  const timestamp = '2025-06-20T09:00:00Z'
  const newer = await user.session({ title: 'New', external_id: 'new', timestamp, language: 'en', segments })
  for (let at = 0; at < 10; at++) {
    await user.session({
      title: `Mill ${at}`,
      external_id: `mill-${at}`,
      timestamp: '2025-07-01T09:00:00Z',
      language: 'en',
      segments: [{ speaker: 'Ben', start: 0, end: 9, text: 'The mill grinds rye.' }]
    })
  }
  return { user, old, newer }
}

describe('a query about the present', () => {
  test('has the newest session about its subject on the first page, after better ones', async () => {
    const { user, newer, old } = await contradiction()
    for (const query of [
      'is the battery issue fixed now',
      'Is the battery issue fixed?',
      'battery issue, current state'
    ]) {
      const { ids, interpreted } = await search(user, query)
      expect([query, ids.length, ids.includes(newer), old.includes(ids[0])]).toEqual([query, 10, true, true])
      expect(interpreted).toBe(undefined)
    }
    const { ids } = await search(user, 'is the battery issue still fixed', 4)
    expect([ids.length, ids.includes(newer)]).toEqual([4, true])
  })

  test('leaves the order of other queries as it is', async () => {
    const { user, newer } = await contradiction()
    expect((await search(user, 'battery issue fixed')).ids).not.toContain(newer)
    expect((await search(user, 'was the battery issue fixed in May 2025')).ids).not.toContain(newer)
  })

  test.each(['now', 'jetzt', 'maintenant', 'ahora'])('with "%s" names no period', async word => {
    const user = await newUser()
    await user.session({ title: 'Battery', language: 'en' })
    expect((await search(user, `is the battery issue fixed ${word}`)).interpreted).toBe(undefined)
    expect((await search(user, 'what did we fix today')).interpreted).toMatchObject({ since: expect.any(String) })
  })
})
