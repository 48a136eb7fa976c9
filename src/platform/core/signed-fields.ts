import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from './derived-key.ts'

type Fields = readonly (string | number)[]

/**
 * Signs the fields of a link that needs no token. The key is derived from the server's secret for this purpose only, so a signature made for
 * another purpose never matches.
 */
export function signedFields(secretKey: string, purpose: string) {
  const key = deriveKey(secretKey, purpose)
  const sign = (fields: Fields) => createHmac('sha256', key).update(fields.join('\n')).digest('base64url')

  return {
    sign,
    // Signatures are compared as text, because decoding ignores some bits of the last character.
    matches(fields: Fields, signature: string) {
      const [made, given] = [Buffer.from(sign(fields)), Buffer.from(signature)]
      // No field contains a line break, so that two links never have the same signed text.
      const isOneLineEach = !fields.join('').includes('\n')
      return isOneLineEach && made.length === given.length && timingSafeEqual(made, given)
    }
  }
}
