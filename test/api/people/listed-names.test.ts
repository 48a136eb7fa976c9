import { expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'

test('a speaker who gets the name of another is listed once among the participants of the summary', async () => {
  const user = await newUser()
  const said = (speaker: string, start: number) => ({ speaker, start, end: start + 1, text: `${speaker} speaks.` })
  const id = await user.session({
    summary: '## Participants\n\n- Ada Lovelace\n- Speaker 2\n- Ben\n\nAda Lovelace asked, and Speaker 2 answered.',
    action_items: [],
    segments: ['Ada Lovelace', 'Speaker 2', 'Ben'].map(said)
  })
  const change = { from: 'Speaker 2', name: 'Ada Lovelace' }
  expect((await user.patch(`/v1/sessions/${id}/speakers`, change)).status).toBe(200)
  expect((await user.get(`/v1/sessions/${id}`)).body.summary).toBe(
    '## Participants\n\n- Ada Lovelace\n- Ben\n\nAda Lovelace asked, and Ada Lovelace answered.'
  )
})
