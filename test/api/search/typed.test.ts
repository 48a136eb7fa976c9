// @module-tag both

import { beforeAll, describe, expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'

/** Terms as people type them: each finds the session first, and the snippet shows the words as they were said. */
type User = Awaited<ReturnType<typeof newUser>>

const FILLER = [
  'Somebody has to look after the new bakery soon.',
  'Nobody complained about the new bakery.',
  'We talked about the new bakery for a while.',
  'Last year it cost more than we thought.'
]

/** A talk in which the sentence stands among others. */
function talk(id: string, sentences: string[], language = 'en') {
  const turns = [...FILLER, ...sentences, ...FILLER]
  return {
    external_id: id,
    title: id,
    language,
    segments: turns.map((text, at) => ({ speaker: 'Pia', start: at * 6, end: at * 6 + 5, text }))
  }
}

const OTHERS = [
  'The mail comes on Monday, and the follow shot is up.',
  'Number 12 has 500 seats, number 1 has 250.',
  'We praise the printer, and the airport aims at more aircraft.',
  'It was late, and it rained; us two went home.',
  'She keeps the car, and he keeps the cat.'
]

async function library(sessions: object[]) {
  const user = await newUser()
  for (const [at, text] of OTHERS.entries()) await user.session(talk(`other-${at}`, [text]))
  const ids: string[] = []
  for (const session of sessions) ids.push(await user.session(session))
  return { user, ids }
}

async function search(user: User, query: string) {
  const { status, body } = await user.post('/v1/sessions/search', { query })
  expect(status).toBe(200)
  return body.results as { id: string; snippet: string }[]
}

describe('compounds, numbers and abbreviations', () => {
  let user: User
  let ids: string[]
  beforeAll(async () => {
    const said = await library([
      talk('hyphen', ['Please put the follow-up on the wi-fi and the e-mail into the check-in of Monday.']),
      talk('joined', ['The followup about wifi and email happens at the checkin on Monday.']),
      talk('numbers', ['The invoice was for 1,250 euros, the second one for 12500, ticket ABC-1234, phone 555-0100.']),
      talk('acronyms', ['The U.S.A. and the U.K. signed the G.D.P.R. addendum, says the C.E.O. of AT&T.']),
      talk('names', [
        "Seán O'Brien opened file_name.txt in Node.js on the X‑ray machine.",
        'It ran on .NET 8 and v2.1.'
      ]),
      talk('short', [
        'We need better PR for the launch.',
        'The AI model is not ready.',
        'The IT department is closed.'
      ]),
      talk('signs', ['He writes C++ all day, and she writes C#.'])
    ])
    user = said.user
    ids = said.ids
  })

  test.each([
    ['wifi', 'wi-fi', 'wifi'],
    ['wi-fi', 'wi-fi', 'wifi'],
    ['WI-FI', 'wi-fi', 'wifi'],
    ['email', 'e-mail', 'email'],
    ['e-mail', 'e-mail', 'email'],
    ['followup', 'follow-up', 'followup'],
    ['follow-up', 'follow-up', 'followup'],
    ['follow up', 'follow-up', 'followup'],
    ['wi fi', 'wi-fi', 'wifi']
  ])('%s finds both spellings', async (query, hyphen, joined) => {
    const [first, second] = await search(user, query)
    const snippets = new Map([first, second].map(result => [result?.id, result?.snippet]))
    expect([...snippets.keys()].sort()).toEqual(ids.slice(0, 2).sort())
    expect(snippets.get(ids[0] ?? '')).toContain(hyphen)
    expect(snippets.get(ids[1] ?? '')).toContain(joined)
  })

  test.each([
    ['1250', 2, '1,250'],
    ['1,250', 2, '1,250'],
    ['1.250', 2, '1,250'],
    ['1 250', 2, '1,250'],
    ['12500', 2, '12500'],
    ['12,500', 2, '12500'],
    ['5550100', 2, '555-0100'],
    ['555-0100', 2, '555-0100'],
    ['abc1234', 2, 'ABC-1234'],
    ['GDPR', 3, 'G.D.P.R.'],
    ['G.D.P.R.', 3, 'G.D.P.R.'],
    ['CEO', 3, 'C.E.O.'],
    ['UK', 3, 'U.K.'],
    ['usa', 3, 'U.S.A.'],
    ['ATT', 3, 'AT&T'],
    ['obrien', 4, "O'Brien"],
    ['nodejs', 4, 'Node.js'],
    ['filename', 4, 'file_name.txt'],
    ['xray', 4, 'X‑ray'],
    ['.NET 8', 4, 'It ran on .NET 8 and v2.1.'],
    ['PR', 5, 'We need better PR for the launch.'],
    ['AI', 5, 'The AI model is not ready.'],
    ['IT', 5, 'The IT department is closed.'],
    ['IT department', 5, 'The IT department is closed.'],
    ['C++', 6, 'He writes C++ all day'],
    ['C#', 6, 'she writes C#']
  ])('%s finds its session first, and the snippet shows %#', async (query, at, shown) => {
    const [first] = await search(user, query)
    expect(first?.id).toBe(ids[at])
    expect(first?.snippet).toContain(shown)
  })

  test.each([
    ['PR', 'praise'],
    ['AI', 'airport'],
    ['IT', 'It was late']
  ])('the snippet for %s begins with its sentence, not with one that has "%s"', async (query, other) => {
    const [first] = await search(user, query)
    expect(first?.snippet).not.toContain(other)
  })
})

test('a snippet shows addresses and versions as they were said', async () => {
  const said = 'Look at https://orchard.example/plan?id=77 and at .NET 8.'
  const { user, ids } = await library([talk('address', [said])])
  for (const query of ['https://orchard.example/plan?id=77', '.NET 8', 'orchard']) {
    const [first] = await search(user, query)
    expect([first?.id, first?.snippet.includes(said)]).toEqual([ids[0], true])
  }
})

describe('scripts', () => {
  test.each([
    ['猫', 'zh', '铁路12306的票已经卖完了，税率下个月要涨。猫在办公室里。', '猫在办公室里。'],
    ['票', 'zh', '铁路12306的票已经卖完了，税率下个月要涨。猫在办公室里。', '票已经卖完了，税率下个月要涨。猫在'],
    ['鐵路', 'zh', '铁路12306的票已经卖完了。', '铁路12306的票'],
    ['铁路', 'zh', '鐵路12306的票已經賣完了。', '鐵路12306的票'],
    ['猫', 'ja', '昨日、猫が税の書類を食べました。', '猫が税の書類'],
    ['ぬ', 'ja', 'いぬが来ました。', 'いぬ'],
    ['돈', 'ko', '다음 주에 돈을 보내기로 했습니다.', '돈을'],
    ['החשבונית', 'he', 'אֲנִי חוֹשֵׁב שֶׁהַחוֹזֶה מוּכָן וְנִשְׁלַח אֶת הַחֶשְׁבּוֹנִית.', 'הַחֶשְׁבּוֹנִית'],
    ['الشركه', 'ar', 'سنرسل الفاتورة إلى الشركة يوم الجمعة.', 'الشركة'],
    ['الشركة', 'ar', 'سنرسل الفاتورة الى الشركه يوم الجمعة.', 'الشركه'],
    ['احمد', 'ar', 'قال أَحْمَد نعم.', 'أَحْمَد']
  ])('%s finds it in %s: %s', async (query, language, text, shown) => {
    const { user, ids } = await library([
      { external_id: 'one', title: 'One', language, segments: [{ speaker: 'Pia', start: 0, end: 6, text }] }
    ])
    const [first] = await search(user, query)
    expect(first?.id).toBe(ids[0])
    expect(first?.snippet).toContain(shown)
  })
})

describe('a quoted phrase', () => {
  const words = Array.from({ length: 1_300 }, (_, at) => `word${at}`)

  test.each([398, 399, 400, 798, 1_200])('is found and shown at word %i of a long turn', async at => {
    const text = words.toSpliced(at, 0, 'brown', 'bears', 'dance').join(' ')
    const { user, ids } = await library([
      { external_id: 'long', title: 'Long', segments: [{ speaker: 'Pia', start: 0, end: 600, text }] }
    ])
    const { body } = await user.post('/v1/sessions/search', { query: '"brown bears dance"', include_passages: true })
    expect(body.results[0].id).toBe(ids[0])
    expect(body.results[0].snippet).toContain('brown bears dance')
    expect(body.results[0].passages[0].text).toContain('brown bears dance')
    expect(body.results[0].passages[0].speaker).toBe('Pia')
  })

  test('is found where one segment of a speaker ends and the next begins', async () => {
    const segments = [
      { speaker: 'Pia', start: 0, end: 300, text: `${words.slice(0, 398).join(' ')} the brown` },
      { speaker: 'Pia', start: 300, end: 600, text: `bears dance. ${words.slice(400, 600).join(' ')}` }
    ]
    const { user, ids } = await library([{ external_id: 'two', title: 'Two', segments }])
    const [first] = await search(user, '"brown bears"')
    expect(first?.id).toBe(ids[0])
    expect(first?.snippet).toContain('brown bears dance.')
  })

  test('is not what two speakers said one after the other', async () => {
    const segments = [
      { speaker: 'Pia', start: 0, end: 300, text: `${words.slice(0, 398).join(' ')} the brown` },
      { speaker: 'Oskar', start: 300, end: 600, text: `bears dance. ${words.slice(400, 600).join(' ')}` }
    ]
    const { user } = await library([{ external_id: 'two', title: 'Two', segments }])
    const [first] = await search(user, '"brown bears"')
    expect(first?.snippet ?? '').not.toContain('brown bears')
  })

  test('is shown where it begins in one sentence and ends in the next', async () => {
    const { user, ids } = await library([talk('two', ['They sold the plough. Then the tractor came.'])])
    const [first] = await search(user, '"the plough then the tractor"')
    expect(first?.id).toBe(ids[0])
    expect(first?.snippet).toContain('the plough. Then the tractor')
  })

  test('of Chinese is found over the seam of two passages', async () => {
    const text = `${'山水田园'.repeat(199)}春眠不觉晓处处闻啼鸟${'山水田园'.repeat(150)}`
    const { user, ids } = await library([
      { external_id: 'zh', title: 'Zh', language: 'zh', segments: [{ speaker: 'Pia', start: 0, end: 600, text }] }
    ])
    const [first] = await search(user, '"春眠不觉晓处处闻啼鸟"')
    expect(first?.id).toBe(ids[0])
    expect(first?.snippet).toContain('春眠不觉晓处处闻啼鸟')
  })
})

test('a person with one of the names does not come before the talk that mentions the whole name', async () => {
  const { user, ids } = await library([
    talk('mentioned', ['Then Omar Håkansson called about the pump.']),
    {
      ...talk('other', ['The pump is fine.']),
      segments: FILLER.map((text, at) => ({ speaker: 'Lukas Hakansson', start: at, end: at + 1, text }))
    }
  ])
  for (const query of ['Omar Håkansson', 'Omar Hakansson', 'what did Omar Hakansson say', 'with omar hakansson']) {
    const [first] = await search(user, query)
    expect([query, first?.id]).toEqual([query, ids[0]])
  }
})
