// @module-tag both
import { describe, expect, test } from 'vitest'
import { summarizeAgain } from '../../../src/features/ingest/summarize-again.ts'
import type { Ai, Conversation } from '../../../src/platform/ai/ai.ts'
import { summarizeOffline } from '../../../src/platform/ai/summarizer/summarize.ts'
import { newAppUser } from '../../support/admin-api.ts'
import { plainAi } from '../../support/ai.ts'
import { acceptSession, buildTestApp, completeSession, newUser, newUserOf, testServices } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const SAID = [
  { speaker: 'Ada', start: 0, end: 4, text: 'We decided to launch the landing page in April.' },
  { speaker: 'Ben', start: 4, end: 8, text: 'The payment provider has not approved our account yet.' },
  { speaker: 'Ada', start: 8, end: 12, text: 'The budget for advertising is thirty thousand euros.' }
]
const RISKS = { name: 'Risks', sections: [{ heading: 'Settled', part: 'decisions' }, { heading: 'Risks' }] }

const offline = plainAi({ summarize: async conversation => summarizeOffline(conversation) })

/** An AI of a provider, which keeps what it was asked for. */
function translatingAi() {
  const asked: Conversation[] = []
  const summarize: Ai['summarize'] = async conversation => {
    asked.push(conversation)
    return { summary: '## Settled\n\nApril.', actionItems: [], language: 'en', leftOut: ['Risks'] }
  }
  return { asked, ai: plainAi({ translates: true, summarize }) }
}

async function newTemplate(user: User, body: object = {}) {
  const answer = await user.post('/v1/summary-templates', { ...RISKS, ...body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return { id: String(answer.body.id), name: String(answer.body.name) }
}

async function newSession(user: User, document: object = {}, ai = offline) {
  const id = await acceptSession(user.id, { language: 'en', segments: SAID, ...document })
  await completeSession(user.id, id, ai)
  return id
}

async function summarize(user: User, id: string, options: object = {}, ai = offline) {
  const { status, body } = await user.post(`/v1/sessions/${id}/summarize`, options)
  expect(status, JSON.stringify(body)).toBe(202)
  const job = { userId: user.id, sessionId: id, requestId: String(body.id) }
  const services = { ...(await testServices({ ai })), onFailure: () => {} }
  await summarizeAgain(services, job, { last: true, signal: new AbortController().signal })
  return body
}

const summaryOf = async (user: User, id: string) => (await user.get(`/v1/sessions/${id}/summary`)).body
const markdownOf = async (user: User, id: string) => (await user.get(`/v1/sessions/${id}`)).body.summary

describe('a summary by a template', () => {
  test('has its sections, and names the template and what is left out', async () => {
    const user = await newUser()
    const { id: templateId } = await newTemplate(user)
    const id = await newSession(user)
    expect((await summaryOf(user, id)).template).toBeNull()
    const request = await summarize(user, id, { template: 'RISKS' })
    expect(request.template).toEqual({ id: templateId, name: 'Risks' })
    expect((await user.get(`/v1/sessions/${id}/summarize`)).body).toMatchObject({
      status: 'completed',
      template: { id: templateId, name: 'Risks' }
    })
    const said = 'We decided to launch the landing page in April.'
    expect(await markdownOf(user, id)).toBe(`## Settled\n\n- **Ada**: ${said}`)
    expect(await summaryOf(user, id)).toMatchObject({
      template: { id: templateId, name: 'Risks', left_out: ['Risks'], untranslated: false },
      has_sources: true,
      overview: null,
      sections: [],
      decisions: [{ text: said, speaker: 'Ada', sources: [{ segment: 0, start: 0, end: 4 }] }]
    })
  })

  test('is asked for by id or name, also of a built-in one', async () => {
    const user = await newUser()
    const { id: templateId } = await newTemplate(user)
    const id = await newSession(user)
    expect((await summarize(user, id, { template: templateId })).template.id).toBe(templateId)
    expect((await summarize(user, id, { template: 'tpl_lecture' })).template.name).toBe('Lecture')
    expect((await summarize(user, id, { template: ' sales call ' })).template.id).toBe('tpl_sales_call')
    expect((await summaryOf(user, id)).template.left_out).toContain('Objections')
  })

  test.each([['nothing'], ['tpl_gone'], ['\u200b']])('is refused where there is no template %j', async template => {
    const user = await newUser()
    expect(await user.post(`/v1/sessions/${await newSession(user)}/summarize`, { template })).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'template: template not found' } }
    })
  })

  test('is refused by the template of somebody else', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    const { id: templateId } = await newTemplate(stranger)
    const id = await newSession(user)
    for (const template of [templateId, 'Risks'])
      expect((await user.post(`/v1/sessions/${id}/summarize`, { template })).status).toBe(404)
  })

  test('follows the template as it was when it was requested, also after its deletion', async () => {
    const user = await newUser()
    const { id: templateId } = await newTemplate(user)
    const id = await newSession(user)
    const { body } = await user.post(`/v1/sessions/${id}/summarize`, { template: 'Risks' })
    await user.patch(`/v1/summary-templates/${templateId}`, { sections: [{ heading: 'Overview' }] })
    expect((await user.post(`/v1/sessions/${id}/summarize`, { template: 'Risks' })).status).toBe(409)
    await user.delete(`/v1/summary-templates/${templateId}`)
    const job = { userId: user.id, sessionId: id, requestId: String(body.id) }
    const services = { ...(await testServices({ ai: offline })), onFailure: () => {} }
    await summarizeAgain(services, job, { last: true, signal: new AbortController().signal })
    expect(await markdownOf(user, id)).toMatch(/^## Settled\n/)
    expect((await summaryOf(user, id)).template).toMatchObject({ id: templateId, name: 'Risks' })
  })

  test('returns the running request for the same template, and refuses another one', async () => {
    const user = await newUser()
    await newTemplate(user)
    const id = await newSession(user)
    const first = await user.post(`/v1/sessions/${id}/summarize`, { template: 'Risks' })
    expect(await user.post(`/v1/sessions/${id}/summarize`, { template: 'risks' })).toEqual(first)
    expect((await user.post(`/v1/sessions/${id}/summarize`, { template: 'Lecture' })).status).toBe(409)
    expect((await user.post(`/v1/sessions/${id}/summarize`, {})).status).toBe(409)
  })

  test('names no template once somebody has written another summary', async () => {
    const { adminApi, ...user } = await newAppUser()
    await newTemplate(user)
    const id = await newSession(user)
    await summarize(user, id, { template: 'Risks' })
    expect((await adminApi.patch(`/sessions/${id}`, { summary: 'My own words.' })).status).toBe(200)
    expect((await summaryOf(user, id)).template).toBeNull()
  })

  test('is written in the language of the template by a provider', async () => {
    const { ai, asked } = translatingAi()
    const served = { ...(await newUser()), app: await buildTestApp({ ai }) }
    const user = await newUserOf(served)
    await newTemplate(user, { language: 'de' })
    const id = await newSession(user, { type: 'meeting' }, ai)
    await summarize(user, id, { template: 'Risks' }, ai)
    await summarize(user, id, { template: 'Risks', language: 'fr' }, ai)
    expect(asked.map(({ summaryLanguage }) => summaryLanguage)).toEqual([undefined, 'de', 'fr'])
    expect(asked[1]!.template!.sections.map(({ heading }) => heading)).toEqual(['Settled', 'Risks'])
    expect((await summaryOf(user, id)).template).toMatchObject({ left_out: ['Risks'], untranslated: false })
  })

  test('is refused in another language without a provider, and a default says that it is not translated', async () => {
    const user = await newUser()
    await newTemplate(user, { language: 'de', default_for: { tags: ['risky'] } })
    const id = await newSession(user, { tags: ['risky'] })
    const { status, body } = await user.post(`/v1/sessions/${id}/summarize`, { template: 'Risks' })
    expect([status, body.error.message]).toEqual([
      400,
      'template: the offline summarizer does not translate; send a template in the language of the conversation, or nothing'
    ])
    expect((await summaryOf(user, id)).template).toMatchObject({ untranslated: true })
    await summarize(user, id)
    expect((await summaryOf(user, id)).template).toMatchObject({ untranslated: true })
    await summarize(user, id, { template: 'Risks', language: 'en' })
    expect((await summaryOf(user, id)).template).toMatchObject({ untranslated: false })
  })
})

describe('the default template of a session', () => {
  test('is that of its folder, before that of a tag, before that of its type', async () => {
    const user = await newUser()
    await newTemplate(user, { name: 'By type', default_for: { types: ['meeting'] } })
    await newTemplate(user, { name: 'By tag', default_for: { tags: ['risky'] } })
    const folder = (await user.post('/v1/folders', { name: 'Clients' })).body.id
    await newTemplate(user, { name: 'By folder', default_for: { folders: [folder] } })
    const nameOf = async (document: object) =>
      (await summaryOf(user, await newSession(user, document))).template?.name ?? null
    expect(await nameOf({ type: 'phone', tags: ['Risky'] })).toBeNull()
    expect(await nameOf({ type: 'meeting' })).toBe('By type')
    expect(await nameOf({ type: 'meeting', tags: ['other', 'risky'] })).toBe('By tag')
    expect(await nameOf({ type: 'meeting', tags: ['risky'], folders: ['Clients'] })).toBe('By folder')
  })

  test('is the oldest of several, and a built-in one last', async () => {
    const user = await newUser()
    await user.patch('/v1/summary-templates/tpl_interview', { default_for: { tags: ['a'] } })
    await newTemplate(user, { name: 'First', default_for: { tags: ['c'] } })
    await newTemplate(user, { name: 'Second', default_for: { tags: ['b'] } })
    const nameOf = async (tags: string[]) => (await summaryOf(user, await newSession(user, { tags }))).template.name
    expect(await nameOf(['a', 'b', 'c'])).toBe('First')
    expect(await nameOf(['a', 'b'])).toBe('Second')
    expect(await nameOf(['a'])).toBe('Interview')
  })

  test('is followed by a summary that is made again, unless there is to be none', async () => {
    const user = await newUser()
    const id = await newSession(user, { tags: ['risky'] })
    await newTemplate(user, { default_for: { tags: ['risky'] } })
    expect((await summarize(user, id)).template.name).toBe('Risks')
    expect((await summarize(user, id, { template: null })).template).toBeNull()
    expect((await summaryOf(user, id)).template).toBeNull()
  })

  test('leaves the summary of a source as it is', async () => {
    const user = await newUser()
    await newTemplate(user, { default_for: { types: ['meeting'] } })
    const id = await newSession(user, { type: 'meeting', summary: 'Of the source.' })
    expect(await markdownOf(user, id)).toBe('Of the source.')
    expect((await summaryOf(user, id)).template).toBeNull()
  })
})
