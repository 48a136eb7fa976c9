// @module-tag both
import { expect, test } from 'vitest'
import { reindexSession } from '../../../src/features/ingest/reindex.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { plainAi } from '../../support/ai.ts'
import { exportTo, filesOf } from '../../support/exports.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { claim, linkTo, newSharer } from '../../support/sharing.ts'

const LINES = 5_000
const LINE = 2_498
const BEFORE = 'Here we bring in Kubernetes of Porto, at last, which is longer than every other line of this talk.'
const AFTER = BEFORE.replace('Kubernetes', 'Parlance')

const segments = Array.from({ length: LINES }, (_, at) => ({
  speaker: at % 2 === 0 ? 'Ada' : 'Ben',
  start: at * 4,
  end: at * 4 + 3,
  text: at === LINE ? BEFORE : `Number ${at}: we have moved region ${at % 97} on day ${at % 31}.`
}))

test('one correction of a name in 5,000 lines is in everything that is made of them', {
  timeout: 300_000
}, async () => {
  const [user, reader] = [await newSharer(), await newSharer({ name: 'Ben' })]
  const speakers = ['Ada', 'Ben'].map(person => ({ label: person, person }))
  const id = await user.session({ title: 'Long', summary: 'A long talk.', segments, speakers })
  const path = `/v1/sessions/${id}`
  await claim(reader, await linkTo(user, id))
  const hook = (await user.post('/v1/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['session.updated'] })).body
  const synced = (await user.get('/v1/sessions?order=updated')).body.sessions[0].updated_at
  const seen = (await user.get('/v1/events?cursor=latest')).body.next_cursor

  const shown = async () => {
    const files = ['txt', 'md', 'vtt', 'srt'].map(format => user.get(`${path}/transcript.${format}`))
    // Some results have a similar meaning and not the word.
    const search = async (word: string) =>
      (await user.post('/v1/sessions/search', { query: `"${word}"`, include_passages: true })).body.results.filter(
        (one: { snippet: string }) => one.snippet.includes(word)
      )
    const { people } = (await user.get('/v1/people')).body
    const { id: ada } = people.find(({ name }: { name: string }) => name === 'Ada')
    const [heard] = (await user.get(`/v1/people/${ada}/sessions`)).body.sessions
    const exported = await filesOf(await exportTo(temporaryFolder(), user))
    return {
      files: (await Promise.all(files)).map(({ body }) => body),
      transcript: (await user.get(`${path}/transcript`)).body,
      shared: (await reader.get(`/v1/shared-sessions/${user.id}/${id}/transcript`)).body,
      bulk: (await user.post('/v1/sessions/bulk', { session_ids: [id], include_transcript: true })).body,
      // The archive also has what was heard, for an import elsewhere.
      exported: [...exported].filter(([name]) => name.endsWith('.md')).map(([, file]) => `${file}`),
      // The line is the longest, so a person's page quotes it.
      quoted: heard.top_lines[0],
      seconds: heard.talk_seconds,
      old: await search('Kubernetes'),
      new: await search('Parlance')
    }
  }
  const vectors = async () =>
    (
      await user.db.execute<{ ordinal: number; vector: string }>(
        sql`select ordinal, vector::text as vector from embeddings where user_id = ${user.id} order by ordinal`
      )
    ).rows
  const [before, vectorsBefore] = [await shown(), await vectors()]
  expect([before.old.length, before.new.length, before.quoted]).toEqual([1, 0, BEFORE])

  const change = { segments: [{ index: LINE, text: AFTER, end: LINE * 4 + 2 }] }
  expect((await user.patch(`${path}/transcript`, change, { 'if-match': '1' })).status).toBe(200)

  const after = await shown()
  const { files, transcript, shared, bulk, exported } = after
  const said = { ...files, transcript, shared, bulk, exported }
  for (const [name, content] of Object.entries(said)) {
    const text = JSON.stringify(content)
    expect([name, text.includes('Parlance of Porto'), text.includes('Kubernetes')]).toEqual([name, true, false])
  }
  expect([after.old, after.quoted, after.seconds]).toEqual([[], AFTER, before.seconds - 1])
  expect(after.new).toMatchObject([{ snippet: expect.stringContaining('Parlance') }])
  expect(after.new[0].passages[0].text).toContain(AFTER)

  const { events } = (await user.get(`/v1/events?cursor=${seen}`)).body
  expect(events).toMatchObject([{ event: 'session.updated', data: { session: { id } } }])
  const changed = (await user.get(`/v1/sessions?order=updated&updated_since=${synced}`)).body.sessions
  expect(changed).toMatchObject([{ id, updated_at: events[0].data.session.updated_at }])
  const { deliveries } = (await user.get(`/v1/webhooks/${hook.id}/deliveries`)).body
  expect(deliveries).toMatchObject([{ event: 'session.updated' }])

  // One passage has the line: its embedding is gone until the job makes another one, and every other one is as it was.
  const kept = await vectors()
  expect(kept).toHaveLength(vectorsBefore.length - 1)
  const [touched] = vectorsBefore
    .map(({ ordinal }) => ordinal)
    .filter(at => !kept.some(({ ordinal }) => ordinal === at))
  await reindexSession({ db: user.db, ai: plainAi() }, user.id, id, new AbortController().signal)
  const others = ({ ordinal }: { ordinal: number }) => ordinal !== touched
  const vectorsAfter = await vectors()
  expect(vectorsAfter).toHaveLength(vectorsBefore.length)
  expect(vectorsAfter.filter(others)).toEqual(vectorsBefore.filter(others))
})
