// @module-tag both

import { expect, test } from 'vitest'
import { processSession } from '../../../src/features/ingest/pipeline.ts'
import { reindexSession } from '../../../src/features/ingest/reindex.ts'
import { plainAi } from '../../support/ai.ts'
import { collectGarbage } from '../../support/garbage.ts'
import { acceptSession, clock, FOR_PIPELINE, NO_QUOTAS, newUser, SPOKEN, testMedia } from '../../support/server.ts'

const never = new AbortController().signal
const ROUNDS = 10

/** A provider that calls `interrupt` before it has embedded the passages of each of the first rounds. `held` counts the answers that are still in memory. */
function interrupted(interrupt: (round: number) => Promise<unknown>) {
  const answers: WeakRef<object>[] = []
  const held: number[] = []
  const plain = plainAi()
  const ai = plainAi({
    async embed(texts, signal) {
      collectGarbage()
      held.push(answers.filter(answer => answer.deref() !== undefined).length)
      if (held.length <= ROUNDS) await interrupt(held.length)
      const vectors = await plain.embed(texts, signal)
      answers.push(new WeakRef(vectors))
      return vectors
    }
  })
  return { ai, held }
}

test('indexing keeps the transcript of one round only, however often it is corrected meanwhile', async () => {
  const user = await newUser()
  const id = await user.session({ segments: SPOKEN })
  const { ai, held } = interrupted(async round => {
    const { status } = await user.patch(`/v1/sessions/${id}/speakers`, {
      from: round % 2 === 1 ? 'Ada' : 'Grace',
      name: round % 2 === 1 ? 'Grace' : 'Ada'
    })
    expect(status).toBe(200)
  })
  await user.db.execute(`delete from embeddings where session_id = '${id}'`)
  await reindexSession({ db: user.db, ai }, user.id, id, never)
  expect(held.length).toBe(ROUNDS + 1)
  expect(Math.max(...held)).toBeLessThanOrEqual(1)
})

test('processing keeps the transcript of one round only, however often the session moves to another day meanwhile', async () => {
  const user = await newUser()
  const id = await acceptSession(user.id, { segments: SPOKEN })
  const { ai, held } = interrupted(round =>
    user.db.execute(`update sessions set timestamp = '2026-01-${10 + round}T09:00:00Z' where session_id = '${id}'`)
  )
  const { db } = user
  const pipeline = { db, ai, media: testMedia(), clock, quotas: NO_QUOTAS, ...FOR_PIPELINE, onFailure: () => {} }
  await processSession(pipeline, { userId: user.id, sessionId: id }, { last: true, signal: never })
  expect((await user.get(`/v1/sessions/${id}`)).body.status).toBe('completed')
  expect(held.length).toBe(ROUNDS + 1)
  expect(Math.max(...held)).toBeLessThanOrEqual(1)
})
