import { expect, test } from 'vitest'
import { summarizeOffline } from '../../../src/platform/ai/summarizer/summarize.ts'
import { plainAi } from '../../support/ai.ts'
import languages from '../../support/languages.json' with { type: 'json' }
import { newUser } from '../../support/server.ts'

const ai = plainAi({ summarize: async conversation => summarizeOffline(conversation) })
const HEADING = /^## (.*)/
const said = (text: string) => ({ segments: [{ speaker: 'Ada', start: 0, end: 30, text }] })

test.each([
  ['da', 'Overblik'],
  ['no', 'Oversikt'],
  ['fi', 'Yleiskatsaus'],
  ['he', 'סקירה'],
  ['ca', 'Resum'],
  ['sk', 'Prehľad'],
  ['sr', 'Преглед'],
  ['hi', 'अवलोकन'],
  ['ja', '概要'],
  ['is', 'Overview'],
  ['be', 'Overview']
] as const)('a talk in %s has this language, and its summary the heading %s', async (language, heading) => {
  const user = await newUser()
  const id = await user.session(said(languages[language].join(' ')), ai)
  const { body } = await user.get(`/v1/sessions/${id}`)
  expect(body.language).toBe(language)
  expect(HEADING.exec(body.summary)?.[1]).toBe(heading)
})

test.each([
  ['nb', 'no', 'Oversikt'],
  ['nn', 'no', 'Oversikt']
] as const)('a talk whose document says %s has the headings of Norwegian', async (language, words, heading) => {
  const user = await newUser()
  const id = await user.session({ ...said(languages[words].join(' ')), language }, ai)
  const { body } = await user.get(`/v1/sessions/${id}`)
  expect(body.language).toBe(language)
  expect(HEADING.exec(body.summary)?.[1]).toBe(heading)
})
