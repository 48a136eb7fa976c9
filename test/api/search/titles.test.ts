// @module-tag both

import { describe, expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const said = (...texts: string[]) => ({
  language: 'en',
  segments: texts.map((text, at) => ({ speaker: at % 2 ? 'Ben' : 'Ada', start: at * 5, end: at * 5 + 5, text }))
})

const GARDEN = said('We water the tomatoes in the morning.', 'The soil is dry.')

async function found(user: User, query: string, body: object = {}) {
  const answer = await user.post('/v1/sessions/search', { query, limit: 50, ...body })
  expect(answer.status).toBe(200)
  return answer.body.results.map(({ id }: { id: string }) => id)
}

/** Sessions that say each word of the text again and again, and are named otherwise. */
async function strangers(user: User, text: string, count = 6) {
  const talk = Array.from({ length: 5 }, () => `We talk about the ${text}, and the ${text} is what we talk about.`)
  for (let at = 0; at < count; at++) {
    await user.session({ title: `Talk ${at}`, external_id: `stranger ${text} ${at}`, ...said(...talk) })
  }
}

describe('a title', () => {
  test('finds every session of that name before any that only says it, whatever those are about', async () => {
    const user = await newUser()
    await strangers(user, 'onboarding call', 12)
    const calls: string[] = []
    for (let at = 0; at < 17; at++)
      calls.push(await user.session({ title: 'Onboarding call', external_id: `call-${at}`, ...GARDEN }))
    const ids = await found(user, 'Onboarding call')
    expect(ids.length).toBe(29)
    expect(ids.slice(0, 17).toSorted()).toEqual(calls.toSorted())
  })

  test('comes first as a whole, then those with its words in any order, then those with more words', async () => {
    const user = await newUser()
    await strangers(user, 'quarterly budget review')
    const longer = await user.session({ title: 'Budget of the quarterly board, a review', ...GARDEN, external_id: '1' })
    const exact = await user.session({ title: 'Quarterly Budget: Review', ...GARDEN, external_id: '2' })
    const turned = await user.session({ title: 'Review budget quarterly', ...GARDEN, external_id: '3' })
    for (const query of ['quarterly budget review', 'Quarterly budget review?', 'QUARTERLY  BUDGET/REVIEW']) {
      const ids = await found(user, query)
      expect([ids[0], ids.slice(1, 3).toSorted()]).toEqual([exact, [longer, turned].toSorted()])
    }
    expect((await found(user, 'budgets, quarterly')).slice(0, 3).toSorted()).toEqual([longer, exact, turned].toSorted())
  })

  test.each([
    ['Réunion d’équipe à Málaga', 'reunion d equipe a malaga', 'fr'],
    ['Besprechung Müller & Söhne', 'Muller Sohne Besprechung', 'de'],
    ['Łódź – odbiór pomp', 'odbior pomp lodz', 'pl'],
    ['鐵路票務會議', '铁路票务会议', 'zh'],
    ['Wi-Fi follow-up', 'wifi followup', 'en'],
    ['G.D.P.R. and C++', 'gdpr c++', 'en'],
    ['Здание: приёмка', 'приемка здание', 'ru']
  ])('%s is found by %s', async (title, query, language) => {
    const user = await newUser()
    await strangers(user, query, 3)
    const id = await user.session({ ...GARDEN, title, language })
    expect((await found(user, query))[0]).toBe(id)
    expect((await found(user, title))[0]).toBe(id)
  })

  test('of stop words, of words that nobody says, or in another language than the library is found', async () => {
    const user = await newUser()
    await strangers(user, 'who is it', 3)
    await user.session({ title: 'Garten', ...GARDEN, language: 'de' })
    const titles = ['Who is it?', 'To be or not to be', 'Die Hard', '2026', 'Zzyzx', 'Xylophon 7 – Ωμέγα']
    for (const title of titles) {
      const id = await user.session({ title, ...GARDEN, external_id: title })
      expect([title, (await found(user, title))[0]]).toEqual([title, id])
    }
  })

  test('is found with a typing error, and by the beginning of a word', async () => {
    const user = await newUser()
    await strangers(user, 'onboarding', 3)
    const id = await user.session({ ...GARDEN, title: 'Warehouse onboarding' })
    expect((await found(user, 'Warehuose onboarding'))[0]).toBe(id)
    expect((await found(user, 'onboarding wareh'))[0]).toBe(id)
  })

  test('of 500 characters is found by itself', async () => {
    const user = await newUser()
    await strangers(user, 'orchard', 3)
    const title = 'orchard pump '.repeat(50).slice(0, 500).trim()
    const id = await user.session({ ...GARDEN, title })
    await user.session({ ...GARDEN, title: 'Orchard', external_id: 'other' })
    expect((await found(user, title))[0]).toBe(id)
  })

  test('counts as changed, and neither in the trash nor where a filter leaves it out', async () => {
    const user = await newUser()
    await strangers(user, 'harvest plan', 3)
    const id = await user.session({ ...GARDEN, title: 'Harvest plan', tags: ['farm'] })
    expect((await found(user, 'harvest plan', { tags: ['mill'] })).length).toBe(0)
    expect(await found(user, 'harvest plan', { tags: ['farm'] })).toEqual([id])
    await user.patch(`/v1/sessions/${id}`, { title: 'Sowing dates' })
    expect((await found(user, 'sowing dates'))[0]).toBe(id)
    expect((await found(user, 'harvest plan'))[0]).not.toBe(id)
    await user.delete(`/v1/sessions/${id}`)
    expect(await found(user, 'sowing dates')).not.toContain(id)
  })

  test("is found only in its owner's library", async () => {
    const [user, other] = [await newUser(), await newUser()]
    await other.session({ ...GARDEN, title: 'Harvest plan' })
    expect(await found(user, 'Harvest plan')).toEqual([])
  })

  test('with a part of the query does not come before the talk that answers the query', async () => {
    const user = await newUser()
    const answer = await user.session({
      title: 'Review',
      ...said('Is the battery issue fixed?', 'The battery issue is fixed since the last firmware.')
    })
    await user.session({ title: 'Battery', ...GARDEN, external_id: 'other' })
    expect((await found(user, 'battery issue is fixed'))[0]).toBe(answer)
  })
})

describe('a person and a tag', () => {
  test('are found before anyone who only says the name', async () => {
    const user = await newUser()
    await strangers(user, 'Acme')
    await strangers(user, 'Ólafur')
    const tagged = await user.session({ title: 'Talk', ...GARDEN, tags: ['Acme'], external_id: 'tagged' })
    const titled = await user.session({ title: 'Acme, first talk', ...GARDEN, external_id: 'titled' })
    const speaks = await user.session({
      title: 'Talk',
      external_id: 'speaks',
      language: 'en',
      segments: [{ speaker: 'Ólafur Þór', text: 'The soil is dry.', start: 0, end: 4 }]
    })
    expect((await found(user, 'acme')).slice(0, 2)).toEqual([titled, tagged])
    expect((await found(user, 'Olafur'))[0]).toBe(speaks)
    expect((await found(user, 'olafur thor'))[0]).not.toBe(undefined)
  })

  test('count together with the title', async () => {
    const user = await newUser()
    await strangers(user, 'Acme kickoff')
    const id = await user.session({ title: 'Kickoff', ...GARDEN, tags: ['Acme'] })
    expect((await found(user, 'Acme kickoff'))[0]).toBe(id)
    const person = await user.session({
      title: 'Kickoff',
      external_id: 'person',
      language: 'en',
      segments: [{ speaker: 'Jana Nováková', text: 'The soil is dry.', start: 0, end: 4 }]
    })
    expect((await found(user, 'kickoff with Jana Novakova'))[0]).toBe(person)
  })
})
