// @module-tag both

import { describe, expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const FILLER = ['We water the plants.', 'The battery lasts.', 'Lions sleep all day.']

/** A library in which one session has the text, in the language. Returns the id of that session. */
async function libraryWith(user: User, text: string, language = 'en', speaker = 'Ada') {
  for (const [at, filler] of FILLER.entries()) {
    await user.session({ language: 'en', external_id: `${at}`, segments: [{ speaker: 'Ben', text: filler }] })
  }
  return await user.session({ language, external_id: 'one', segments: [{ speaker, text }] })
}

async function firstFor(user: User, query: string) {
  const { status, body } = await user.post('/v1/sessions/search', { query })
  expect(status).toBe(200)
  return body.results[0]
}

describe('marks of letters', () => {
  test.each([
    ['José García', 'Jose Garcia', 'en'],
    ['José García', 'Jose Garcia', 'es'],
    ['André Lefèvre', 'andre lefevre', 'en'],
    ['Zoë Brontë', 'ZOE BRONTE', 'en'],
    ['Jürgen Groß', 'Jurgen Gross', 'de'],
    ['Søren Kjær', 'Soren Kjaer', 'da'],
    ['Łukasz Wałęsa', 'Lukasz Walesa', 'pl'],
    ['Ngọc Nguyễn', 'Ngoc Nguyen', 'vi'],
    ['Αθήνα', 'Αθηνα', 'el'],
    ['Алёна', 'Алена', 'ru']
  ])('%s is found by %s, and vice versa, in a session in %s', async (marked, plain, language) => {
    const [one, other] = [await newUser(), await newUser()]
    const id = await libraryWith(one, `Thank you, ${marked}.`, language)
    expect([(await firstFor(one, plain)).id, (await firstFor(one, plain)).snippet]).toEqual([
      id,
      `Ada: Thank you, ${marked}.`
    ])
    expect((await firstFor(other, marked))?.id).toBe(undefined)
    const plainId = await libraryWith(other, `Thank you, ${plain}.`, language)
    expect((await firstFor(other, marked)).id).toBe(plainId)
  })

  test('composed and decomposed spellings are the same', async () => {
    const user = await newUser()
    const id = await libraryWith(user, 'Chloé Müller calls back.'.normalize('NFD'))
    for (const form of ['NFC', 'NFD', 'NFKC'])
      expect((await firstFor(user, 'Chloé Müller'.normalize(form))).id).toBe(id)
    expect((await firstFor(user, 'chloe muller')).id).toBe(id)
  })

  test('a snippet is the sentence with the name in any spelling', async () => {
    const user = await newUser()
    await libraryWith(
      user,
      `${'We talked about the weather. '.repeat(12)}Then Renée joined. ${'It went on. '.repeat(40)}`
    )
    expect((await firstFor(user, 'renee')).snippet).toContain('Then Renée joined.')
  })

  test('scripts that distinguish letters by their marks keep them', async () => {
    const user = await newUser()
    const id = await libraryWith(user, 'が', 'ja')
    expect((await firstFor(user, 'が')).id).toBe(id)
    const hindi = await user.session({
      language: 'hi',
      external_id: 'hi',
      segments: [{ speaker: 'Ada', text: 'किताब' }]
    })
    expect((await firstFor(user, 'किताब')).id).toBe(hindi)
  })
})

describe('Chinese, Japanese and Korean', () => {
  test.each([
    ['zh', '我们讨论了电池的寿命。然后去吃饭。', '电池寿命', '我们讨论了电池的寿命。'],
    ['ja', '電池は二日持ちます。次に会議の予定を決めましょう。', '会議の予定', '次に会議の予定を決めましょう。'],
    ['ko', '배터리는 이틀 갑니다. 회의는 내일입니다.', '회의', '회의는 내일입니다.'],
    [undefined, 'コーヒーが好きです。', 'コーヒー', 'コーヒーが好きです。']
  ])('words of %s are found by pairs of characters, and shown', async (language, text, query, shown) => {
    const user = await newUser()
    const id = await libraryWith(user, text, language)
    const first = await firstFor(user, query)
    expect([first.id, first.snippet]).toEqual([id, expect.stringContaining(shown)])
  })

  test('a query in several scripts finds each of them', async () => {
    const user = await newUser()
    const id = await libraryWith(user, 'Der Akku heißt 電池 auf Japanisch.', 'de')
    for (const query of ['電池 Japanisch', 'akku 電池', 'Tokio電池'])
      expect([query, (await firstFor(user, query)).id]).toEqual([query, id])
  })
})
