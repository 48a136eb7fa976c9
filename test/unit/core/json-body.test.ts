import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { answerErrors } from '../../../src/interfaces/http/errors.ts'
import { readJsonBodies } from '../../../src/interfaces/http/transport/body.ts'
import { openDiskReserve } from '../../../src/platform/work/disk-reserve.ts'
import { testReader, UPLOADS } from '../../support/server.ts'

function buildEcho(maxValues = 1_000) {
  const app = Fastify()
  answerErrors(app)
  readJsonBodies(app, { reader: testReader(), uploadFolder: UPLOADS, diskReserve: openDiskReserve(0) })
  app.post('/', { config: { maxValues } }, async ({ body }) => ({ body }))
  return async (payload: string) => {
    const { statusCode, json } = await app.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': 'application/json' },
      payload
    })
    return { status: statusCode, body: json() }
  }
}

const UNSTORABLE = 'send text without NUL characters and unpaired surrogates'

describe('a JSON body', () => {
  test.each(['{"a": [1, -0.5e+3, true, false, null, "b\\n\\u00e9"]}', '\uFEFF{}', '"a\\"b,[{"'])(
    '%j is read',
    async text => {
      expect(await buildEcho()(text)).toEqual({ status: 200, body: { body: JSON.parse(text.replace('\uFEFF', '')) } })
    }
  )

  test.each([
    ['{"name": ', 'Unexpected end of JSON input'],
    ['{"a":1,}', 'Expected double-quoted property name in JSON at position 7 (line 1 column 8)'],
    ['[1\n2]', "Expected ',' or ']' after array element in JSON at position 3 (line 2 column 1)"],
    ['{} {}', 'Unexpected non-whitespace character after JSON at position 3 (line 1 column 4)'],
    ['"a\nb"', 'Bad control character in string literal in JSON at position 2 (line 1 column 3)'],
    ['"\\', 'Unexpected end of JSON input'],
    ['nope', expect.anything()]
  ])('%j is refused with the place of the error', async (text, reason) => {
    const { status, body } = await buildEcho()(text)
    expect([status, body.error.message.replace('The body is not valid JSON: ', '')]).toEqual([400, reason])
  })

  test.each([
    ['"\\u0000"', 'body'],
    ['{"\\u0000":1}', 'body'],
    ['{"a":["\\\\\\u0000"]}', 'a.0'],
    ['"\\ud83d"', 'body'],
    ['"\\uDE00"', 'body'],
    ['"\\ud83d\\ud83d\\ude00"', 'body'],
    ['"\\ud83d\\\\ude00"', 'body']
  ])('%s, with a NUL or half of a surrogate pair, is refused', async (text, path) => {
    const message = `${path}: ${UNSTORABLE}`
    const param = path === 'body' ? {} : { param: path }
    expect(await buildEcho()(text)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message, ...param } }
    })
  })

  test.each(['"\\\\u0000"', '"\\ud83d\\ude00"', '"\\uD83D\\uDE00"', '"\\ue000\\uffff"'])(
    '%s, which can be stored, is read',
    async text => {
      expect((await buildEcho()(text)).status).toBe(200)
    }
  )

  test.each([
    ['[1,2,3]', 4],
    ['{"a":{"b":[ ]},"c":"d"}', 4],
    ['{"a,[{":"b\\",[{"}', 2],
    ['"a"', 1],
    ['[[[]]]', 3]
  ])('the values of %s are counted: an object, a list and what is in them each', async (text, values) => {
    expect((await buildEcho(values)(text)).status).toBe(200)
    expect(await buildEcho(values - 1)(text)).toEqual({
      status: 413,
      body: { error: { code: 'invalid_request', message: `The body has more than ${values - 1} values; send fewer` } }
    })
  })
})
