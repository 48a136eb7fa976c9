import { describe, expect, test } from 'vitest'
import { findNamed } from '../../../src/features/search/query.ts'
import { findPhrase, phrasesOf } from '../../../src/features/search/quoted.ts'

describe('quoted phrases', () => {
  test.each([
    ['who said "the soil is dry" there', ['the soil is dry']],
    ['“Hello, World” and "again"', ['Hello, World', 'again']],
    ['„Guten Tag“ und „guten Abend”', ['Guten Tag', 'guten Abend']],
    ['« Café Noir » »deux«', [' Café Noir ', 'deux']],
    ['「電池は」『二日』', ['電池は', '二日']],
    ['a 5" and a 6" pipe', []],
    ['an "open quote', []],
    ['“open and „open', []],
    ['"" " " "?!"', []],
    ['no quotes, it’s plain', []],
    ['"a" "b" "c" "d" "e"', ['a', 'b', 'c', 'd']],
    [`"${'word '.repeat(33)}"`, []]
  ])('%.40s', (query, phrases) => {
    expect(phrasesOf(query)).toEqual(phrases)
  })

  test.each([
    ['The SOIL,\nis dry.', 'soil is dry', 4],
    ['soil is drying', 'soil is dry', undefined],
    ['topsoil is dry', 'soil is dry', undefined],
    ['soil very is dry', 'soil is dry', undefined],
    ['the soil, the soil is dry', 'the soil is dry', 10],
    ['José García came', 'Jose Garcia', 0],
    ['Here Jose\u0301 came', 'José', 5],
    ['ＪＯＳＥ came', 'jose', 0],
    ['電池は二日持ちます', '二日持ち', 3],
    ['電池は二日持ちます', '二持日ち', undefined],
    ['昨日、猫が来た', '猫', 3],
    ['铁路12306的票', '鐵路12306', 0],
    ['铁路12306的票', '306的', undefined],
    ['The wi-fi password', 'wifi password', 4],
    ['The wifi password', 'wi-fi password', 4],
    ['The G.D.P.R. addendum', 'GDPR addendum', 4],
    ['It is 1,250 euros', '1250 euros', 6],
    ['הַחֶשְׁבּוֹנִית מוכנה', 'החשבונית', 0]
  ])('%s: %s begins at %s', (text, phrase, at) => {
    expect(findPhrase(text, phrase)?.start).toBe(at)
  })
})

describe('the person whom a query names', () => {
  const people = [
    'Ada Lovelace',
    'Ben',
    'Ben Nevis',
    'José García',
    'Ana García',
    'May Chen',
    'Will Smith',
    'Mark',
    'Sunday Adeyemi',
    'Marketing Team',
    "Seán O'Brien",
    'Jean-Luc Picard',
    '田中 太郎',
    '?!'
  ].map((name, at) => ({ id: `per_${at}`, name, known: name }))
  const merged = { id: 'per_0', name: 'Ada Lovelace', known: 'Ada King' }

  test.each([
    ['what did Ada say about pricing', 'Ada Lovelace'],
    ['what did ada say about pricing', 'Ada Lovelace'],
    ['ADA LOVELACE on pricing', 'Ada Lovelace'],
    ['pricing, ada lovelace', 'Ada Lovelace'],
    ['what did Ada King say', 'Ada Lovelace'],
    ["Lovelace's plan", 'Ada Lovelace'],
    ['notes by lovelace', 'Ada Lovelace'],
    ['what did Ben say', 'Ben'],
    ['what did Ben Nevis say', 'Ben Nevis'],
    ['jose garcia on pricing', 'José García'],
    ['José Silva on pricing', undefined],
    ['what did José Silva say', undefined],
    ['the conversation with ada byron', undefined],
    ['Omar Lovelace', undefined],
    ['José García-López', undefined],
    ['José about pricing', 'José García'],
    ['what did Jose\u0301 say', 'José García'],
    ['what did May say', 'May Chen'],
    ['did will agree', 'Will Smith'],
    ['what Will said', 'Will Smith'],
    ['Mark said no', 'Mark'],
    ['what did mark say', 'Mark'],
    ['what did Sunday say', 'Sunday Adeyemi'],
    ["what did O'Brien say", "Seán O'Brien"],
    ['what did Jean-Luc say', 'Jean-Luc Picard'],
    ['先週田中太郎さんは何と言った', '田中 太郎']
  ])('%s: %s', (query, name) => {
    expect(findNamed(query, [...people, merged], null)?.name).toBe(name)
  })

  test.each([
    ['two people share it', 'what did García say'],
    ['several are named', 'what did Ada and Mark say'],
    ['a verb', 'will the budget rise'],
    ['a verb', 'Will the budget rise'],
    ['a verb', 'mark it as done'],
    ['a month', 'the budget of May'],
    ['a day', 'the Sunday paper'],
    ['a common noun', 'the marketing budget'],
    ['part of a word', 'adamant about pricing'],
    ['nobody', 'what was said about pricing'],
    ['nothing', '']
  ])('nobody where it is %s: %s', (_why, query) => {
    expect(findNamed(query, people, null)).toBeUndefined()
  })

  test('is nobody named by the words of the period', () => {
    const query = 'what did May say in May'
    expect(findNamed(query, people, { start: 20, end: 23 })?.name).toBe('May Chen')
    expect(findNamed('who said no in May', people, { start: 15, end: 18 })).toBeUndefined()
  })
})
