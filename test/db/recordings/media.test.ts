// @module-tag both

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { packDocument } from '../../../src/contract/packed-document.ts'
import { everyScope } from '../../../src/features/access/actor.ts'
import { importDocument } from '../../../src/features/ingest/operations.ts'
import { processSession } from '../../../src/features/ingest/pipeline.ts'
import { retrySession } from '../../../src/features/ingest/retry.ts'
import { purgeMedia } from '../../../src/features/recordings/delete.ts'
import { deleteRecording } from '../../../src/features/recordings/operations.ts'
import { MediaError } from '../../../src/features/recordings/store.ts'
import type { Services } from '../../../src/features/services.ts'
import { readImportDocument } from '../../../src/features/transcript-formats/read-document.ts'
import { type Ai, AiError, type Transcription, type Transcripts } from '../../../src/platform/ai/ai.ts'
import { DatabaseUnavailable } from '../../../src/platform/db/unavailable.ts'
import type { JobData } from '../../../src/platform/jobs/queues.ts'
import type { MediaStore } from '../../../src/platform/ports/media-store.ts'
import { plainAi } from '../../support/ai.ts'
import { fileIn, onPostgres, temporaryFolder } from '../../support/process.ts'
import {
  acceptSession,
  clock,
  FOR_PIPELINE,
  NO_QUEUE,
  NO_QUOTAS,
  newUser,
  SPOKEN,
  testMedia,
  testMediaFolder
} from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const TALK = { document: packDocument({}), fallbackTitle: 'Talk', fallbackExternalId: 'sha256:1' }
const actorFor = (userId: string) => everyScope(userId, 'command')

type Importer = Pick<Services, 'db' | 'jobs' | 'clock' | 'media' | 'quotas' | 'transcribes'>

const recordings = () => ({ audio: fileIn(temporaryFolder(), 'talk.mp3', 'sound') })

function storedOf(user: User) {
  const folder = join(testMediaFolder(), user.id)
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.includes('.'))
    : []
}

/** An importer with the jobs it enqueues and after how long each may start. */
function importerOf({ db }: User, changes: Partial<Importer> = {}) {
  const queued: { queue: string; data: object; afterSeconds: number | undefined }[] = []
  const enqueue: Importer['jobs']['enqueue'] = async (_, queue, data, afterSeconds) =>
    void queued.push({ queue, data, afterSeconds })
  const importer: Importer = {
    db,
    jobs: { ...NO_QUEUE, enqueue },
    clock,
    media: testMedia(),
    quotas: NO_QUOTAS,
    transcribes: true,
    ...changes
  }
  return {
    queued,
    importer,
    accept: (userId: string) => importDocument(importer, actorFor(userId), { ...TALK, recordings: recordings() })
  }
}

describe('importing a recording', () => {
  test('enqueues its removal for a day later, which spares it once a session has it', async () => {
    const user = await newUser()
    const { queued, accept } = importerOf(user)
    const { id: sessionId } = (await accept(user.id)).session
    const data = { userId: user.id, sessionId, key: `${user.id}/${sessionId}/audio.mp3` }
    expect(queued).toEqual([
      { queue: 'purge-media', data, afterSeconds: 86_400 },
      { queue: 'process-session', data: { userId: user.id, sessionId }, afterSeconds: undefined }
    ])
    await purgeMedia({ db: user.db, media: testMedia() }, data)
    expect(storedOf(user)).toEqual([`${sessionId}/audio.mp3`])
  })

  test('whose connection is lost at the commit keeps the recording, which the session may have', async () => {
    const user = await newUser()
    const transaction: typeof user.db.transaction = async run => {
      const result = await user.db.transaction(run)
      if (isAccepted(result)) throw new DatabaseUnavailable('connection_lost')
      return result
    }
    const { accept } = importerOf(user, { db: Object.assign(Object.create(user.db), { transaction }) })
    await expect(accept(user.id)).rejects.toThrow(DatabaseUnavailable)
    const [kept = ''] = storedOf(user)
    const [sessionId = ''] = kept.split('/')
    expect(kept).toBe(`${sessionId}/audio.mp3`)
    await purgeMedia({ db: user.db, media: testMedia() }, { userId: user.id, sessionId, key: `${user.id}/${kept}` })
    expect(storedOf(user)).toEqual([kept])
  })

  test('that fails at its end leaves neither session nor recording', async () => {
    const user = await newUser()
    const { importer, accept } = importerOf(user)
    importer.jobs = {
      ...NO_QUEUE,
      enqueue: async (_, queue) => {
        if (queue === 'process-session') throw new Error('the queue is away')
      }
    }
    await expect(accept(user.id)).rejects.toThrow('the queue is away')
    expect(storedOf(user)).toEqual([])
    expect((await user.db.execute(`select from sessions where user_id = '${user.id}'`)).rows).toEqual([])
  })

  test('that is interrupted leaves a recording for its removal', async () => {
    const user = await newUser()
    const store = testMedia()
    const away: MediaStore = { ...store, delete: () => Promise.reject(new MediaError('away')) }
    const { queued, importer, accept } = importerOf(user, { media: away })
    const { enqueue } = importer.jobs
    importer.jobs = {
      ...NO_QUEUE,
      enqueue: (tx, queue, ...job) =>
        queue === 'process-session' ? Promise.reject(new Error('killed')) : enqueue(tx, queue, ...job)
    }
    await expect(accept(user.id)).rejects.toThrow('killed')
    expect(storedOf(user)).toHaveLength(1)
    for (const { data } of queued) await purgeMedia({ db: user.db, media: store }, data as JobData['purge-media'])
    expect(storedOf(user)).toEqual([])
  })

  test('of an existing conversation stores nothing', async () => {
    const user = await newUser()
    const { queued, accept } = importerOf(user)
    const first = await accept(user.id)
    const before = queued.length
    expect(await accept(user.id)).toEqual({ ...first, created: false })
    expect(queued).toHaveLength(before)
    expect(storedOf(user)).toHaveLength(1)
  })

  test.runIf(onPostgres)('several times at once stores one recording', async () => {
    const user = await newUser()
    const { accept } = importerOf(user)
    const accepted = await Promise.all(Array.from({ length: 6 }, () => accept(user.id)))
    expect(new Set(accepted.map(({ session }) => session.id)).size).toBe(1)
    expect(storedOf(user)).toEqual([`${accepted[0]!.session.id}/audio.mp3`])
  })

  test('through a document that names a file is refused where files are not read', async () => {
    const user = await newUser()
    const { importer } = importerOf(user)
    const refused = importDocument(importer, actorFor(user.id), {
      ...TALK,
      document: packDocument({ segments: SPOKEN, media: { audio: 'talk.mp3' } })
    })
    await expect(refused).rejects.toMatchObject({
      name: 'ApiError',
      field: 'media.audio',
      expected: 'an http(s) URL'
    })
  })
})

describe('a recording without a transcript', () => {
  /** A provider that makes these transcripts. */
  const heard = (transcribe: Transcripts['transcribe']): Partial<Ai> => ({
    transcripts: { maxBytes: Number.POSITIVE_INFINITY, transcribe }
  })
  const SAID: Transcription = { segments: SPOKEN, language: 'de', durationSeconds: 12.5 }

  async function accepted() {
    const user = await newUser()
    const { accept } = importerOf(user)
    return { user, id: (await accept(user.id)).session.id }
  }

  const work = async (
    user: User,
    id: string,
    changes: Partial<ReturnType<typeof plainAi>>,
    { last = true, media = testMedia() } = {}
  ) =>
    await processSession(
      { db: user.db, ai: plainAi(changes), media, clock, quotas: NO_QUOTAS, ...FOR_PIPELINE, onFailure: () => {} },
      { userId: user.id, sessionId: id },
      { last, signal: new AbortController().signal }
    )

  const failureOf = async (user: User, id: string) =>
    (await user.db.execute(`select state, failure from sessions where session_id = '${id}'`)).rows[0]

  test('gets one, with language, length, passages and people', async () => {
    const { user, id } = await accepted()
    await work(
      user,
      id,
      heard(async () => SAID)
    )
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({
      language: 'de',
      duration_seconds: 12.5,
      action_items: [{ text: "I'll send the offer." }]
    })
    expect((await user.get(`/v1/sessions/${id}/transcript`)).body.segments).toEqual(SPOKEN)
    expect((await user.db.execute(`select from passages where session_id = '${id}'`)).rows).toHaveLength(1)
  })

  test('with more speakers than a transcript has keeps the first, and each other label in the text', async () => {
    const { user, id } = await accepted()
    const max = LIMITS.speakerLabels
    const segments = Array.from({ length: max + 2 }, (_, at) => ({
      speaker: `Voice ${at}`,
      start: at,
      end: at + 1,
      text: `Words ${at}.`
    }))
    await work(
      user,
      id,
      heard(async () => ({ ...SAID, segments }))
    )
    const said = (await user.get(`/v1/sessions/${id}/transcript`)).body.segments as typeof segments
    expect([said.length, new Set(said.map(({ speaker }) => speaker)).size]).toEqual([max + 2, max])
    expect(said.slice(max - 2)).toMatchObject([
      { speaker: `Voice ${max - 2}`, text: `Words ${max - 2}.` },
      ...[max - 1, max, max + 1].map(at => ({ speaker: 'Speaker', text: `Voice ${at}: Words ${at}.` }))
    ])
  })

  test('fails if it is silent: without a summary it is not listed, and its owner reads it by id', async () => {
    const { user, id } = await accepted()
    await work(
      user,
      id,
      heard(async () => ({ segments: [], language: null, durationSeconds: 3 })),
      { last: false }
    )
    expect(await failureOf(user, id)).toEqual({
      state: 'failed',
      failure: expect.stringMatching(/^There is no speech to summarize/)
    })
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({ id, summary: null, duration_seconds: 3 })
    expect((await user.get(`/v1/sessions/${id}/transcript`)).body).toEqual({ id, transcript: '', version: 2 })
    expect((await user.get(`/v1/sessions/${id}/media`)).body.audio_url).toMatch(/^http/)
    expect((await user.get('/v1/sessions')).body.sessions).toEqual([])
    expect((await user.get('/v1/account')).body.session_count).toBe(0)
    expect((await user.get('/v1/events')).body.events).toEqual([])
  })

  test('is completed by a retry once the missing setting is set', async () => {
    const { user, id } = await accepted()
    await work(user, id, {})
    expect(await failureOf(user, id)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('can’t transcribe recordings')
    })
    expect((await user.get(`/v1/sessions/${id}/media`)).body.audio_url).toMatch(/^http/)
    expect(await retrySession({ db: user.db, jobs: NO_QUEUE, clock }, actorFor(user.id), id)).toMatchObject({
      status: 'processing'
    })
    await work(
      user,
      id,
      heard(async () => SAID)
    )
    expect((await user.get('/v1/sessions')).body.sessions).toMatchObject([{ id }])
  })

  test('needs neither a transcript nor a model if it has a summary', async () => {
    const user = await newUser()
    const { importer } = importerOf(user, { transcribes: false })
    const document = packDocument(readImportDocument({ summary: 'Given.', media: { audio: 'talk.mp3' } }))
    const source = { ...TALK, document, recordings: recordings() }
    const { id: sessionId } = (await importDocument(importer, actorFor(user.id), source)).session
    await work(user, sessionId, { summarize: () => Promise.reject(new Error('asked in vain')) })
    expect((await user.get(`/v1/sessions/${sessionId}`)).body).toMatchObject({ summary: 'Given.', action_items: [] })
    expect((await user.get('/v1/sessions')).body.sessions).toMatchObject([{ id: sessionId }])
  })

  test.each([
    [
      'no model is set',
      undefined,
      'This server can’t transcribe recordings. Add a transcript, or ask its operator to set up a speech model.'
    ],
    [
      'the provider refuses it',
      new AiError('The AI provider answered 413: too large', { final: true }),
      'The AI provider answered 413: too large'
    ]
  ])('fails at once if %s', async (_, fault, failure) => {
    const { user, id } = await accepted()
    await work(user, id, fault ? heard(() => Promise.reject(fault)) : {}, { last: false })
    expect(await failureOf(user, id)).toEqual({ state: 'failed', failure })
  })

  test('waits for an unavailable store, and finally fails for that reason', async () => {
    const { user, id } = await accepted()
    const media: MediaStore = { ...testMedia(), withFile: () => Promise.reject(new MediaError('The store is away.')) }
    const transcribe = async () => SAID
    await expect(work(user, id, heard(transcribe), { last: false, media })).rejects.toThrow('The store is away.')
    expect(await failureOf(user, id)).toMatchObject({ state: 'processing' })
    await work(user, id, heard(transcribe), { media })
    expect(await failureOf(user, id)).toEqual({ state: 'failed', failure: 'The store is away.' })
  })

  test('is transcribed once, whatever fails after that', async () => {
    const { user, id } = await accepted()
    let asked = 0
    const transcribe = async () => {
      asked++
      return SAID
    }
    const away = () => Promise.reject(new AiError('away', { final: false }))
    await expect(work(user, id, { ...heard(transcribe), summarize: away }, { last: false })).rejects.toThrow('away')
    await work(user, id, heard(transcribe))
    expect({ asked, ...(await failureOf(user, id)) }).toEqual({ asked: 1, state: 'completed', failure: null })
    const { bytes_stored: stored } = (await user.get('/v1/account')).body.quotas
    expect(stored.used).toBe('sound'.length + JSON.stringify(SAID.segments).length)
  })

  test('stays deleted if it is deleted during the transcription', async () => {
    const { user, id } = await accepted()
    await work(
      user,
      id,
      heard(async () => {
        expect((await user.delete(`/v1/sessions/${id}`)).status).toBe(200)
        return SAID
      })
    )
    expect((await user.get(`/v1/sessions/${id}`)).status).toBe(404)
    expect((await user.db.execute(`select from transcripts where session_id = '${id}'`)).rows).toEqual([])
  })
})

describe('deleting the recording of a session', () => {
  test('removes audio, video and external URLs, keeps the transcript, and records no event', async () => {
    const user = await newUser()
    const { importer, queued } = importerOf(user)
    const files = { ...recordings(), video: fileIn(temporaryFolder(), 'film.mp4', 'pictures') }
    const id = await acceptSession(user.id, {}, user.db, files)
    const elsewhere = await acceptSession(user.id, { media: { video: 'https://youtu.be/x' } })
    for (const session of [id, elsewhere]) {
      await processSession(
        {
          db: user.db,
          ai: plainAi(),
          media: testMedia(),
          clock,
          quotas: NO_QUOTAS,
          ...FOR_PIPELINE,
          onFailure: () => {}
        },
        { userId: user.id, sessionId: session },
        { last: true, signal: new AbortController().signal }
      )
      expect(await deleteRecording(importer, everyScope(user.id, 'command'), session)).toEqual({
        id: session,
        audio_deleted_at: clock.now().toISOString()
      })
      expect((await user.get(`/v1/sessions/${session}/transcript`)).body.segments).toEqual(SPOKEN)
      expect((await user.get(`/v1/sessions/${session}`)).body).toMatchObject({
        audio_deleted_at: clock.now().toISOString(),
        summary: expect.stringContaining('Overview')
      })
    }
    expect(queued.map(({ data }) => (data as JobData['purge-media']).key).sort()).toEqual([
      `${user.id}/${id}/audio.mp3`,
      `${user.id}/${id}/video.mp4`
    ])
    const { rows } = await user.db.execute(
      `select audio_url, video_url from sessions where session_id = '${elsewhere}'`
    )
    expect(rows).toEqual([{ audio_url: null, video_url: null }])
    expect((await user.db.execute(`select type from events where user_id = '${user.id}'`)).rows).toEqual([
      { type: 'session.completed' },
      { type: 'session.completed' }
    ])
  })

  test('twice keeps the first instant and enqueues nothing', async () => {
    const user = await newUser()
    const { importer, queued } = importerOf(user)
    const id = await acceptSession(user.id, {}, user.db, recordings())
    const first = await deleteRecording(importer, everyScope(user.id, 'command'), id)
    const later = { ...importer, clock: { now: () => new Date(clock.now().getTime() + 60_000) } }
    expect(await deleteRecording(later, everyScope(user.id, 'command'), id)).toEqual(first)
    expect(queued).toHaveLength(1)
  })

  test("leaves another user's session", async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    const id = await acceptSession(stranger.id, {}, stranger.db, recordings())
    await expect(deleteRecording(importerOf(user).importer, everyScope(user.id, 'command'), id)).rejects.toMatchObject({
      code: 'not_found'
    })
    expect(storedOf(stranger)).toHaveLength(1)
  })
})

function isAccepted(result: unknown) {
  return typeof result === 'object' && result !== null && 'created' in result
}
