import { describe, expect, test } from 'vitest'
import { scanJson } from '../../src/http/json.ts'
import { drawer } from '../support/drawn.ts'

const scan = (text: string, maxValues = 1_000) => scanJson(Buffer.from(text), maxValues)

describe('the scan of a body', () => {
  test.each([
    ['{"a": [1, -0.5e+3, true, false, null, "b\\n\\u00e9"]}', undefined],
    ['\uFEFF{}', undefined],
    ['', 0],
    ['  ', 2],
    ['{"name": ', 9],
    ['{"a":1,}', 7],
    ['{a:1}', 1],
    ['{"a" 1}', 5],
    ['[1 2]', 3],
    ['[1,]', 3],
    ['[}', 1],
    ['{} {}', 3],
    ['01', 0],
    ['1.', 0],
    ['+1', 0],
    ['nul', 0],
    ['NaN', 0],
    ["'a'", 0],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['"\\u12g4"', 1],
    ['"\\u12', 1],
    ['"abc', 4]
  ])('finds where %j stops being JSON', (text, faultAt) => {
    expect(scan(text).faultAt).toBe(faultAt)
  })

  test('accepts what JSON.parse accepts, and nothing else, in 20,000 generated texts', () => {
    const draw = drawer(7)
    const parts = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '"\\',
      'u00',
      '\\u0000',
      '\\ud83d',
      '\\ude00',
      '1',
      '-',
      '0',
      '.5',
      'e9',
      'true',
      'null',
      ' ',
      '\n',
      'é'
    ]
    const frames = [
      (inner: string) => `{"k":${inner}}`,
      (inner: string) => `[${inner}]`,
      (inner: string) => `"${inner}"`,
      (inner: string) => inner
    ]
    const texts = Array.from({ length: 20_000 }, () => {
      const inner = Array.from({ length: Math.floor(draw() * 6) }, () => parts[Math.floor(draw() * parts.length)]).join('')
      return frames[Math.floor(draw() * frames.length)]!(inner)
    })
    const seen = texts.map(text => [text, scan(text).faultAt === undefined, scan(text).unstorable])
    expect(seen.filter(([, valid]) => valid).length).toBeGreaterThan(1_000)
    expect(seen.filter(([, , unstorable]) => unstorable).length).toBeGreaterThan(100)
    expect(seen.filter(([text, valid]) => valid !== isJson(String(text)))).toEqual([])
    const wrong = seen.filter(([text, valid, unstorable]) => valid && unstorable !== holdsUnstorable(JSON.parse(String(text))))
    expect(wrong).toEqual([])
  })

  test.each([
    ['"\\u0000"', true],
    ['{"\\u0000":1}', true],
    ['"\\\\u0000"', false],
    ['"\\\\\\u0000"', true],
    ['"\\ud83d\\ude00"', false],
    ['"\\uD83D\\uDE00"', false],
    ['"\\ud83d"', true],
    ['"\\ude00"', true],
    ['"\\ud83d\\ud83d\\ude00"', true],
    ['"\\ud83d\\\\ude00"', true],
    ['"\\ud83dx\\ude00"', true],
    ['"\\ue000\\uffff"', false]
  ])('sees in %s whether there is a NUL or half of a surrogate pair', (text, unstorable) => {
    expect(scan(text)).toEqual({ unstorable })
  })

  test.each([
    ['[1,2,3]', 4],
    ['{"a":{"b":[]},"c":"d"}', 4],
    ['"a"', 1],
    ['[[[]]]', 3]
  ])('counts the values of %s: an object, a list and what is in them each', (text, values) => {
    expect([scan(text, values).tooManyValues, scan(text, values - 1).tooManyValues]).toEqual([undefined, true])
  })
})

function isJson(text: string) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function holdsUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(pair => pair.some(holdsUnstorable))
}
