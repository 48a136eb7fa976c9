import { createPrivateKey, createPublicKey } from 'node:crypto'
import { CompactSign, calculateJwkThumbprint, type JWK } from 'jose'
import { deriveKey } from '../../platform/core/derived-key.ts'
import { signedFields } from '../../platform/core/signed-fields.ts'

/** The beginning of a private key of Ed25519 in PKCS #8, which its 32 bytes follow. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The key with which the server signs exports: it is always the same for one SECRET_KEY. */
async function signingKey(secretKey: string) {
  const seed = deriveKey(secretKey, 'parlance export signature')
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' })
  const jwk: JWK = createPublicKey(key).export({ format: 'jwk' })
  return { key, jwk: { ...jwk, alg: 'EdDSA', use: 'sig', kid: await calculateJwkThumbprint(jwk) } }
}

/** The public keys of exports, as a JSON Web Key Set. */
export async function publicKeys(secretKey: string) {
  return { keys: [(await signingKey(secretKey)).jwk] }
}

/** Signs the bytes as a compact JWS, which has the public key with it. */
export async function signManifest(secretKey: string, manifest: Buffer) {
  const { key, jwk } = await signingKey(secretKey)
  return await new CompactSign(manifest).setProtectedHeader({ alg: 'EdDSA', kid: jwk.kid, jwk }).sign(key)
}

/** An export whose file a link leads to. */
export interface ExportLink {
  userId: string
  exportId: string
  /** Epoch seconds, from which on the link is refused. */
  expires: number
}

/** Signs and verifies links to the files of exports, which need no token. */
export function exportLinks({ publicUrl, secretKey }: { publicUrl: string; secretKey: string }) {
  const { sign, matches } = signedFields(secretKey, 'parlance export link')
  const fieldsOf = ({ userId, exportId, expires }: ExportLink) => [userId, exportId, expires]

  return {
    urlOf(userId: string, exportId: string, expiresAt: Date) {
      const expires = Math.floor(expiresAt.getTime() / 1_000)
      const signature = sign(fieldsOf({ userId, exportId, expires }))
      const query = new URLSearchParams({ expires: String(expires), signature })
      return `${publicUrl}/v1/export-files/${userId}/${exportId}?${query}`
    },
    matches: (link: ExportLink, signature: string) => matches(fieldsOf(link), signature)
  }
}
