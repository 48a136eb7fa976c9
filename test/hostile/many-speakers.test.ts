import { expect, test } from 'vitest'
import { sql } from '../../src/platform/db/drizzle.ts'
import { acceptSession, completeSession, newUser } from '../support/server.ts'

test('a session that was stored with 70,000 labels, of which 7,000 are people, is completed and corrected', {
  timeout: 600_000
}, async () => {
  const user = await newUser()
  const id = await acceptSession(user.id)
  await user.db.execute(sql`
    insert into people (user_id, person_id, name, name_key, is_me, saved, recording_count, created_at, updated_at)
    select ${user.id}, 'per_' || n, 'Person ' || n, 'person ' || n, false, true, 0, now(), now() from generate_series(1, 7000) n`)
  await user.db.execute(sql`
    update transcripts set segments = (select jsonb_agg(jsonb_build_object('speaker', 'Person ' || n, 'start', n, 'end', n + 1, 'text', 'Yes.') order by n)
      from generate_series(1, 70000) n) where user_id = ${user.id} and session_id = ${id}`)
  await completeSession(user.id, id)
  expect((await user.get(`/v1/sessions/${id}`)).body.status).toBe('completed')
  const corrected = await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Person 69999', name: 'Ada' })
  expect([corrected.status, corrected.body.segments.at(-2)]).toMatchObject([200, { speaker: 'Ada' }])
})
