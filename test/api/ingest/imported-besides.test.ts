import { expect, test } from 'vitest'
import { completeSession, newUser } from '../../support/server.ts'

const BYTES = { 'content-type': 'application/octet-stream' }

async function upload(name: string, content: string) {
  const user = await newUser()
  const sent = await user.post(`/v1/sessions/upload?file=${name}`, Buffer.from(content), BYTES)
  expect(sent).toMatchObject({ status: 202 })
  await completeSession(user.id, sent.body.id)
  const { body: session } = await user.get(`/v1/sessions/${sent.body.id}`)
  const { body: transcript } = await user.get(`/v1/sessions/${sent.body.id}/transcript`)
  const { body: people } = await user.get('/v1/people')
  return {
    session,
    transcript,
    people: people.people.map(({ name: person }: { name: string }) => person).sort(),
    warnings: sent.body.warnings
  }
}

const turn = (name: string, text: string, timestamp: string) => ({ speaker: { display_name: name }, text, timestamp })

test("the title, start, summary and action items that a tool's JSON holds are the session's", async () => {
  const { session, people } = await upload(
    'talk.json',
    JSON.stringify({
      title: 'Bridge weekly',
      recording_start_time: '2026-03-02T10:00:00Z',
      transcript: [turn('Ines Duarte', 'Is it open?', '00:00:01'), turn('Tom Berger', 'Yes.', '00:00:03')],
      default_summary: { template_name: 'general', markdown_formatted: 'The bridge is open.' },
      action_items: [{ description: 'Paint the bridge', completed: false, assignee: { name: 'Ines Duarte' } }]
    })
  )
  expect(session).toMatchObject({
    title: 'Bridge weekly',
    timestamp: '2026-03-02T10:00:00.000Z',
    summary: 'The bridge is open.',
    action_items: [{ text: 'Paint the bridge', assignee: 'Ines Duarte' }]
  })
  expect(people).toEqual(['Ines Duarte', 'Tom Berger'])
})

test('the tags and the date of front matter are those of the session', async () => {
  const { session, warnings } = await upload(
    'talk.md',
    '---\ntitle: Bridges\ndate: 2026-03-02\ntags: [steel, water]\neditor: someone\n---\n**Ines Duarte:** Is it open?\n\n**Tom Berger:** Yes.\n'
  )
  expect(session).toMatchObject({ title: 'Bridges', tags: ['steel', 'water'], timestamp: '2026-03-02T00:00:00.000Z' })
  expect(warnings).toEqual(['The front matter has keys that are not used: editor'])
})

test('a file with a turn on each line is one session', async () => {
  const lines = ['is it open', 'yes it is'].map((text, at) =>
    JSON.stringify({ speaker: `Speaker ${at}`, start: at, end: at + 1, text })
  )
  const { transcript } = await upload('talk.jsonl', lines.join('\n'))
  expect(transcript.segments).toMatchObject([{ speaker: 'Speaker 0' }, { speaker: 'Speaker 1' }])
})
