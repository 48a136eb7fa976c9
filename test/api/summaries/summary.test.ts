// @module-tag both
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { summarizeOffline } from '../../../src/platform/ai/summarizer/summarize.ts'
import { plainAi } from '../../support/ai.ts'
import { longestTurn } from '../../support/processor-time.ts'
import { acceptSession, newUser } from '../../support/server.ts'
import { claim, linkTo, newSharer } from '../../support/sharing.ts'

type User = Awaited<ReturnType<typeof newUser>>

const offline = plainAi({ summarize: async conversation => summarizeOffline(conversation) })
const SAID: [speaker: string, text: string][] = [
  ['Ada', 'Welcome to the review of the warehouse project.'],
  ['Ben', 'The warehouse in Porto costs 4,000 euros a month, because the heating is old.'],
  ['Ada', 'So, after the long talk of last week,'],
  ['Ada', 'we decided to close the warehouse in Porto.'],
  ['Ben', 'Yes, I agree.'],
  ['Ben', "I'll send the landlord the letter by Friday."],
  ['Ada', 'Thanks.']
]
const timed = SAID.map(([speaker, text], at) => ({ speaker, text, start: at * 10, end: at * 10 + 9 }))
const untimed = SAID.map(([speaker, text]) => ({ speaker, text }))
const line = (segment: number) => ({ segment, start: segment * 10, end: segment * 10 + 9 })

interface Statement {
  text: string
  speaker: string | null
  sources: { segment: number; start?: number; end?: number }[]
}

async function summaryOf(user: User, id: string) {
  const { status, body } = await user.get(`/v1/sessions/${id}/summary`)
  expect(status).toBe(200)
  return body
}

async function correct(user: User, id: string, segments: object[]) {
  const { status } = await user.patch(`/v1/sessions/${id}/transcript`, { segments }, { 'if-match': '*' })
  expect(status).toBe(200)
}

describe('GET /v1/sessions/{id}/summary', () => {
  test('has the parts of the summary, each with the lines that it comes from', async () => {
    const user = await newUser()
    const id = await user.session({ segments: timed, language: 'en' }, offline)
    const { action_items } = (await user.get(`/v1/sessions/${id}`)).body
    expect(await user.get(`/v1/sessions/${id}/summary`)).toEqual({
      status: 200,
      body: {
        id,
        language: 'en',
        title_made: false,
        template: null,
        has_sources: true,
        transcript_version: 1,
        overview: { text: expect.stringContaining('Ada'), speaker: null, sources: expect.any(Array) },
        sections: [
          {
            heading: null,
            start: 10,
            points: [
              {
                text: 'The warehouse in Porto costs 4,000 euros a month, because the heating is old.',
                speaker: 'Ben',
                sources: [line(1)]
              }
            ]
          }
        ],
        decisions: [
          { text: 'We decided to close the warehouse in Porto.', speaker: 'Ada', sources: [line(2), line(3)] }
        ],
        questions: [],
        action_items: [
          {
            id: action_items[0].id,
            text: 'Send the landlord the letter',
            completed: false,
            assignee: 'Ben',
            due_date: expect.any(String),
            sources: [line(5)]
          }
        ]
      }
    })
  })

  test('says each statement of the Markdown, and as many', async () => {
    const user = await newUser()
    const id = await user.session({ segments: timed, language: 'en' }, offline)
    const { summary } = (await user.get(`/v1/sessions/${id}`)).body
    const { sections, decisions, action_items } = await summaryOf(user, id)
    const points: Statement[] = sections.flatMap(({ points }: { points: Statement[] }) => points)
    const texts = [...points, ...decisions, ...action_items].map(({ text }: { text: string }) => text)
    for (const text of texts) expect(summary).toContain(text)
    expect(summary.match(/^- /gm)).toHaveLength(texts.length)
  })

  test('names lines without times where the transcript has none', async () => {
    const user = await newUser()
    const id = await user.session({ segments: untimed, language: 'en' }, offline)
    const { sections, decisions, action_items } = await summaryOf(user, id)
    expect(decisions[0].sources).toEqual([{ segment: 2 }, { segment: 3 }])
    expect(action_items[0].sources).toEqual([{ segment: 5 }])
    expect(sections[0]).not.toHaveProperty('start')
  })

  test('is read from the Markdown of a summary that came with the import', async () => {
    const user = await newUser()
    const summary = [
      'A *short* talk.',
      '## Decisions\n\n- **Ada**: Close it \\[now\\].\n  - And sell it.',
      '## Money\n\nIt is `dear`.\n\n1. **4,000** euros\n2. <b>more</b>',
      '## Offene Fragen\n\n- Who pays?',
      '## Empty'
    ].join('\n\n')
    const id = await user.session({ segments: timed, summary, action_items: [{ text: 'Sell it' }] })
    const said = (text: string, speaker: string | null = null) => ({ text, speaker, sources: [] })
    expect(await summaryOf(user, id)).toEqual({
      id,
      language: null,
      title_made: false,
      template: null,
      has_sources: false,
      transcript_version: 1,
      overview: said('A short talk.'),
      sections: [{ heading: 'Money', points: [said('It is dear.'), said('4,000 euros'), said('<b>more</b>')] }],
      decisions: [said('Close it [now].', 'Ada'), said('And sell it.')],
      questions: [said('Who pays?')],
      action_items: [
        { id: expect.any(String), text: 'Sell it', completed: false, assignee: null, due_date: null, sources: [] }
      ]
    })
  })

  test.each(['_*a', '> ', '|\n|-\n', '- **Ada**: sends the _offers_\n'])(
    'of the greatest length, of %j over and over again, lets other requests be served meanwhile',
    { timeout: 120_000 },
    async piece => {
      const user = await newUser()
      const block = `${piece.repeat(3_990 / piece.length)}\n\n`
      const id = await user.session({ summary: block.repeat(LIMITS.summary / block.length) })
      const { longestMs } = await longestTurn(() => summaryOf(user, id))
      expect(longestMs).toBeLessThan(100)
    }
  )

  test('is empty while the session has no summary', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id, { segments: timed })
    const { transcript_version: _, language: __, ...parts } = await summaryOf(user, id)
    expect(parts).toEqual({
      id,
      title_made: false,
      template: null,
      has_sources: false,
      overview: null,
      sections: [],
      decisions: [],
      questions: [],
      action_items: []
    })
  })

  test('is not found in the trash, by another user and by a recipient of a share', async () => {
    const [user, reader, stranger] = [await newSharer(), await newSharer(), await newUser()]
    const id = await user.session({ segments: timed }, offline)
    await claim(reader, await linkTo(user, id))
    for (const other of [reader, stranger]) expect((await other.get(`/v1/sessions/${id}/summary`)).status).toBe(404)
    const shared = (await reader.get(`/v1/shared-sessions/${user.id}/${id}`)).body
    expect(shared.summary).toContain('We decided to close the warehouse in Porto.')
    await user.delete(`/v1/sessions/${id}?permanently=false`)
    expect((await user.get(`/v1/sessions/${id}/summary`)).status).toBe(404)
  })
})

describe('the sources of a summary', () => {
  test('move with the lines of a corrected transcript, and go with them', async () => {
    const user = await newUser()
    const id = await user.session({ segments: timed, language: 'en' }, offline)
    await correct(user, id, [
      { index: 0, text: null },
      { index: 2, text: null },
      { index: 5, start: 5, end: 8 }
    ])
    const { transcript_version, sections, decisions, action_items } = await summaryOf(user, id)
    expect(transcript_version).toBe(2)
    // The line that starts at 5 now comes first.
    expect(action_items[0].sources).toEqual([{ segment: 0, start: 5, end: 8 }])
    expect(sections[0].points[0].sources).toEqual([{ segment: 1, start: 10, end: 19 }])
    expect(decisions[0].sources).toEqual([{ segment: 2, start: 30, end: 39 }])
    const { body } = await user.get(`/v1/sessions/${id}/transcript?lines=true`)
    expect(body.lines[2].text).toContain('decided')
  })

  test('stay where only words are corrected', async () => {
    const user = await newUser()
    const id = await user.session({ segments: timed, language: 'en' }, offline)
    const before = await summaryOf(user, id)
    await correct(user, id, [{ index: 1, text: 'The warehouse in Porto is dear.' }])
    expect(await summaryOf(user, id)).toEqual({ ...before, transcript_version: 2 })
  })

  test('stay with names that a correction of the speaker changes', async () => {
    const user = await newUser()
    const id = await user.session({ segments: timed, language: 'en' }, offline)
    const answer = await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ben', name: 'Benjamin Roth' })
    expect(answer.status).toBe(200)
    const { overview, sections, action_items } = await summaryOf(user, id)
    expect(sections[0].points[0]).toMatchObject({ speaker: 'Benjamin Roth', sources: [line(1)] })
    expect(action_items[0]).toMatchObject({ assignee: 'Benjamin Roth', sources: [line(5)] })
    expect(overview.text).not.toMatch(/\bBen\b/)
  })

  test('of action items stay with edited ones, and those of a person have none', async () => {
    const user = await newUser()
    const id = await user.session({ segments: timed, language: 'en' }, offline)
    const [item] = (await user.get(`/v1/sessions/${id}`)).body.action_items
    const action_items = [{ id: item.id, text: 'Write to the landlord' }, { text: 'Buy a cake' }]
    await user.patch(`/v1/sessions/${id}`, { action_items })
    const found = (await summaryOf(user, id)).action_items
    expect(found.map(({ text, sources }: Statement) => [text, sources])).toEqual([
      ['Write to the landlord', [line(5)]],
      ['Buy a cake', []]
    ])
  })
})

describe('the title of a session', () => {
  const opened = [{ speaker: 'Ada', text: 'Hello. Today we will talk about the new warehouse in Porto.' }, ...untimed]

  test.each(['transcript', 'GMT20260817-140003 Recording', undefined])(
    'is made from what is said where the source says %j, and says so',
    async title => {
      const user = await newUser()
      const id = await user.session({ segments: opened, language: 'en', title }, offline)
      expect((await user.get(`/v1/sessions/${id}`)).body.title).toBe('New warehouse in Porto')
      expect((await user.get('/v1/sessions?title=warehouse')).body.sessions).toHaveLength(1)
      const made = await summaryOf(user, id)
      expect(made.title_made).toBe(true)
      expect(made.overview).toEqual({
        text: 'Ada and Ben talked about the new warehouse in Porto. They decided to close the warehouse in Porto.',
        speaker: null,
        sources: [{ segment: 0 }, { segment: 3 }, { segment: 4 }]
      })
      await user.patch(`/v1/sessions/${id}`, { title: 'Porto' })
      expect((await summaryOf(user, id)).title_made).toBe(false)
    }
  )

  test('stays where the source has one', async () => {
    const user = await newUser()
    const id = await user.session({ segments: opened, language: 'en', title: 'Recording of the choir' }, offline)
    expect((await user.get(`/v1/sessions/${id}`)).body.title).toBe('Recording of the choir')
    expect((await summaryOf(user, id)).title_made).toBe(false)
  })

  test('stays where nothing better can be made', async () => {
    const user = await newUser()
    const id = await user.session({ segments: [{ speaker: 'Ada', text: 'Hm.' }], title: 'audio1' }, offline)
    expect((await user.get(`/v1/sessions/${id}`)).body.title).toBe('audio1')
    expect((await summaryOf(user, id)).title_made).toBe(false)
  })
})
