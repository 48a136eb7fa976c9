import { describe, expect, test } from 'vitest'
import { signedIn } from '../../support/console.ts'

type Signed = Awaited<ReturnType<typeof signedIn>>

const PATH = '/many'

/** Posts the form around the list with these rows selected. */
async function change({ browser }: Pick<Signed, 'browser'>, ids: readonly string[], fields: Record<string, string>) {
  const body = new URLSearchParams({ _form: browser.formToken(PATH), ...fields })
  for (const id of ids) body.append('session', id)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return await browser.call('POST', PATH, type, Buffer.from(String(body)))
}

async function withSessions(count = 2) {
  const signed = await signedIn()
  const ids: string[] = []
  for (let at = 0; at < count; at += 1) ids.push(await signed.user.session({ title: `Session ${at}` }))
  const detail = async (id = ids[0]) => (await signed.user.get(`/v1/sessions/${id}`)).body
  return { ...signed, ids, detail }
}

describe('a change of the selected sessions', () => {
  test('adds a tag to each and takes it away, and leads back to the list as it was', async () => {
    const { ids, detail, ...signed } = await withSessions(3)
    const answer = await change(signed, ids, { do: 'tag', tag: 'sales, 2026', back: '/?type=import' })
    expect([answer.status, answer.to]).toEqual([303, '/?type=import'])
    for (const id of ids) expect((await detail(id)).tags).toEqual(['sales', '2026'])
    await change(signed, ids.slice(1), { do: 'untag', tag: 'sales' })
    expect([(await detail(ids[0])).tags, (await detail(ids[1])).tags]).toEqual([['sales', '2026'], ['2026']])
  })

  test('puts each into a folder and takes it out', async () => {
    const { ids, detail, user, ...signed } = await withSessions()
    const folder = (await user.post('/v1/folders', { name: 'Clients' })).body.id
    expect((await change(signed, ids, { do: 'folder', folder })).to).toBe('/')
    expect((await detail()).folder_ids).toEqual([folder])
    expect((await user.get('/v1/folders')).body.folders).toMatchObject([{ session_count: 2 }])
    await change(signed, ids, { do: 'unfolder', folder })
    expect((await detail()).folder_ids).toEqual([])
  })

  test('marks each as a favourite, and no more', async () => {
    const { ids, detail, ...signed } = await withSessions()
    await change(signed, ids, { do: 'favorite' })
    expect((await detail()).favorite).toBe(true)
    await change(signed, ids, { do: 'unfavorite' })
    expect((await detail()).favorite).toBe(false)
  })

  test('moves each to the trash, and restores it', async () => {
    const { ids, user, ...signed } = await withSessions()
    await change(signed, ids, { do: 'trash' })
    expect((await user.get('/v1/sessions')).body.sessions).toEqual([])
    await change(signed, ids, { do: 'restore', back: '/?status=deleted' })
    expect((await user.get('/v1/sessions')).body.sessions).toHaveLength(2)
  })

  test('names each that was refused and why, and changes the others', async () => {
    const { ids, detail, user, ...signed } = await withSessions(3)
    const [full = '', other = '', gone = ''] = ids
    await user.patch(`/v1/sessions/${full}`, {
      title: 'Full of tags',
      tags: Array.from({ length: 20 }, (_, n) => `t${n}`)
    })
    await user.delete(`/v1/sessions/${gone}`)
    const { status, text, body } = await change(signed, ids, { do: 'tag', tag: 'sales' })
    expect(status).toBe(409)
    expect(text).toContain('1 of 3 sessions is tagged.')
    expect(text).toMatch(/Full of tags\s*: the session would have 21 tags; expected at most 20/)
    expect(text).toMatch(new RegExp(`${gone}\\s*: Session not found`))
    expect(body).toContain(`href="/s/${full}"`)
    expect((await detail(other)).tags).toEqual(['sales'])
  })

  test('of another user is refused as one that does not exist', async () => {
    const [{ ids, detail }, stranger] = [await withSessions(1), await signedIn()]
    const { status, text } = await change(stranger, ids, { do: 'trash' })
    expect([status, text]).toEqual([409, expect.stringContaining('Session not found')])
    expect(text).not.toContain('Session 0')
    expect((await detail()).title).toBe('Session 0')
  })

  test.each<[string, Record<string, string>]>([
    ['an unknown deed', { do: 'burn' }],
    ['no deed', {}],
    ['no tag', { do: 'tag', tag: ' , ' }],
    ['a tag that is too long', { do: 'tag', tag: 'x'.repeat(101) }],
    ['no folder', { do: 'folder' }],
    ['a way back to another place', { do: 'favorite', back: '//evil.example' }],
    ['a way back with a line break', { do: 'favorite', back: '/?a\r\nb: c' }],
    ['a way back that no header can have', { do: 'favorite', back: '/?\u0100' }]
  ])('with %s changes nothing', async (_, fields) => {
    const { ids, detail, ...signed } = await withSessions(1)
    const before = await detail()
    expect((await change(signed, ids, fields)).status).toBe(400)
    expect(await detail()).toEqual(before)
  })

  test('with no session, more than a page of them or an unknown folder is refused', async () => {
    const { ids, ...signed } = await withSessions(1)
    const id = ids[0] ?? ''
    const others = Array.from({ length: 101 }, (_, n) => id.slice(0, -3) + String(n).padStart(3, '0'))
    expect((await change(signed, [], { do: 'favorite' })).status).toBe(400)
    expect((await change(signed, others, { do: 'favorite' })).status).toBe(400)
    const unknown = { do: 'folder', folder: id.replace('ses_', 'fld_') }
    expect((await change(signed, ids, unknown)).status).toBe(404)
  })
})
