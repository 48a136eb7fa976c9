import { expect, test } from 'vitest'
import { canary, found } from '../../support/canaries.ts'

test('a canary is found as it is and in each encoding, whatever stands around it', () => {
  const word = canary()
  for (const around of ['', 'a', 'ab', 'abc', '{"a":"', 'Bearer ']) {
    const bytes = Buffer.from(`${around}${word}${around}`)
    for (const text of [
      bytes.toString(),
      ...(['base64', 'base64url', 'hex'] as const).map(encoding => bytes.toString(encoding))
    ]) {
      expect(found({ word, other: canary() }, text), text).toEqual(['word'])
    }
  }
  expect(found({ secret: 'whsec_a+b/c=' }, encodeURIComponent('x=whsec_a+b/c='))).toEqual(['secret'])
})
