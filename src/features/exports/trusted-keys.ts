import { calculateJwkThumbprint, type JWK } from 'jose'
import { z } from 'zod'

const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

/** Returns the thumbprints of a JSON Web Key Set; undefined if the text is none. */
export async function readThumbprints(text: string) {
  try {
    const { keys } = KeySet.parse(JSON.parse(text))
    return await Promise.all(keys.map(key => calculateJwkThumbprint(key satisfies JWK)))
  } catch {
    return undefined
  }
}
