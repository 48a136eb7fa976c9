import { describe, expect, test } from 'vitest'
import { formKey, openTermMatcher, type Term } from '../../../src/platform/text/term-matcher.ts'
import { processorMs } from '../../support/processor-time.ts'

const correct = (terms: Term[], text: string, kept: string[] = []) => openTermMatcher(terms, kept).correct(text)
const term = (meant: string, ...heard: string[]): Term => ({ heard, meant })
const PARLANCE = term('Parlance', 'par lance', 'parlants')

describe('whole words', () => {
  test.each([
    ['We use par lance.', 'We use Parlance.'],
    ['PAR  LANCE, Parlants!', 'Parlance, Parlance!'],
    ['par\u00a0lance', 'Parlance'],
    ["Parlants’s roadmap and parlants's", "Parlance’s roadmap and Parlance's"],
    ['l’parlants', 'l’Parlance'],
    ['(par lance)', '(Parlance)'],
    ['par-lance', 'par-lance'],
    ['parlantsx xparlants par lances parlants_1 parlants2', 'parlantsx xparlants par lances parlants_1 parlants2'],
    ['spar lance', 'spar lance'],
    ['par\u200blance', 'par\u200blance'],
    ['', '']
  ])('%j becomes %j', (text, corrected) => {
    expect(correct([PARLANCE], text)).toBe(corrected)
  })

  test.each([
    ["don't, don", "don't, Dawn", term('Dawn', 'don')],
    ['3.5 and 3', '3.5 and three', term('three', '3')],
    ['Cafe\u0301 and café', 'Koffie and Koffie', term('Koffie', 'café')],
    ['cafe and café', 'Koffie and café', term('Koffie', 'cafe')],
    ['Straße, STRASSE', 'Weg, Weg', term('Weg', 'strasse')],
    ['👩‍💻 and 👩', '👩‍💻 and she', term('she', '👩')],
    ['🇩🇪🇫🇷', '🇩🇪France', term('France', '🇫🇷')],
    ['我用帕兰公司', '我用Parlance公司', term('Parlance', '帕兰')],
    ['パーランスは プパーランス', 'Parlanceは プパーランス', term('Parlance', 'パーランス')],
    ['파를란츠는', 'Parlance는', term('Parlance', '파를란츠')],
    ['أهلا بارلانس اليوم', 'أهلا Parlance اليوم', term('Parlance', 'بارلانس')],
    ['C++ and C', 'Cpp and C', term('Cpp', 'c++')],
    ['a.*b a.c', 'a.*b x', term('x', 'a.c')],
    ['(a+)+$ aaa', 'x aaa', term('x', '(a+)+$')]
  ])('%j becomes %j', (text, corrected, one) => {
    expect(correct([one], text)).toBe(corrected)
  })
})

describe('case', () => {
  test.each([
    ['kuber netes, Kuber netes, KUBER NETES', 'kubernetes, Kubernetes, KUBERNETES', term('kubernetes', 'kuber netes')],
    ['I said I.', 'You said You.', term('you', 'i')],
    ['API and Api', 'api and api', term('api', 'API')],
    ['PARLANTS', 'Parlance', PARLANCE]
  ])('%j becomes %j', (text, corrected, one) => {
    expect(correct([one], text)).toBe(corrected)
  })
})

describe('several terms', () => {
  test('the leftmost and longest form is replaced', () => {
    const terms = [term('A', 'one two'), term('B', 'one two three'), term('C', 'two')]
    expect(correct(terms, 'one two three, one two, zero two')).toBe('B, A, zero C')
  })

  test('what is meant stays where it is written, even if a form is a part of it', () => {
    expect(correct([term('Par Lance', 'lance')], 'Lance and Par Lance')).toBe('Par Lance and Par Lance')
    expect(correct([term('Lanze', 'lance')], 'Lance and Par Lance', ['Par Lance'])).toBe('Lanze and Par Lance')
  })

  test('a form that another term makes is replaced too', () => {
    expect(correct([term('Par Lance', 'lance'), PARLANCE], 'lance')).toBe('Parlance')
  })

  test('terms that undo each other leave a text as it is', () => {
    expect(correct([term('bar', 'foo'), term('foo', 'bar')], 'foo bar')).toBe('foo bar')
  })
})

describe('a second time', () => {
  const pick = (random: () => number, from: string[]) => from[Math.floor(random() * from.length)] ?? ''

  test('nothing changes, whatever the terms are', () => {
    let seed = 7
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    const words = ['a', 'b', 'c', 'A', 'B', 'a b', 'b a', 'a a', '.', "'s", '漢', 'Ab']
    const phrase = (max: number) =>
      Array.from({ length: 1 + Math.floor(random() * max) }, () => pick(random, words)).join(
        pick(random, [' ', '', '  '])
      )
    for (let round = 0; round < 5_000; round++) {
      const terms = Array.from({ length: 1 + Math.floor(random() * 4) }, () => term(phrase(2), phrase(2), phrase(3)))
      const matcher = openTermMatcher(terms)
      const text = phrase(12)
      const once = matcher.correct(text)
      expect(matcher.correct(once), JSON.stringify({ terms, text })).toBe(once)
    }
  })

  test('a result that would grow without end leaves the text as it is', () => {
    const text = 'a '.repeat(20_000)
    expect(correct([term('b '.repeat(90), 'a')], text)).toBe(text)
  })
})

test('forms with one key match the same texts', () => {
  expect(formKey(' Par  Lance ')).toBe(formKey('par lance'))
  expect(formKey('Cafe\u0301')).toBe(formKey('CAFÉ'))
  expect(formKey('par-lance')).not.toBe(formKey('par lance'))
})

test('hostile terms and texts take time in proportion to the text', async () => {
  const nested = Array.from({ length: 500 }, (_, at) => term(`x${at}`, `${'a '.repeat(at + 1)}b`))
  const hostile = [
    [nested, 'a '],
    [[term('x', `${'a '.repeat(999)}b`)], 'a '],
    [[term('x', '(a+)+$')], '(a+)+'],
    [[term('x', 'e\u0301')], 'e\u0301\u0301'],
    [[term('x', '👩')], '👩‍💻'],
    [[term('x', '\u202eabc')], '\u202e\u200f'],
    [[term('x', '\u200d')], '\u200d\u200b'],
    [[term('x', "a's")], "a's'"],
    [[term('x', '1')], '1.'],
    [[term('x', 'y')], ' ']
  ] as const
  for (const [terms, unit] of hostile) {
    const matcher = openTermMatcher([...terms])
    const text = unit.repeat(Math.ceil(400_000 / unit.length))
    const ms = await processorMs(hostileText => matcher.correct(hostileText).length, text)
    expect(ms).toBeLessThan(2_000)
  }
})
