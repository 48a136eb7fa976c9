import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey } from './derived-key.ts'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts short secrets, so that the database alone does not reveal them. The key is derived for one purpose from the server's SECRET_KEY.
 * The context names the owner of the secret.
 */
export function secretBox(secretKey: string, purpose: string) {
  const key = deriveKey(secretKey, purpose)
  return {
    encrypt(text: string, context: string[]): string {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated(context))
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), content]).toString('base64')
    },
    /** Returns undefined for another key, another context or changed text. */
    decrypt(encrypted: string, context: string[]): string | undefined {
      const bytes = Buffer.from(encrypted, 'base64')
      if (bytes[0] !== VERSION || bytes.length < 1 + NONCE_BYTES + TAG_BYTES) return undefined
      const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
      const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(associated(context))
        .setAuthTag(tag)
      const content = decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES))
      try {
        return Buffer.concat([content, decipher.final()]).toString('utf8')
      } catch {
        return undefined
      }
    }
  }
}

/** JSON, so that different lists never give the same bytes. */
function associated(context: string[]) {
  return Buffer.from(JSON.stringify(context))
}
