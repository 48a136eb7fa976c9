import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Keeps short secrets unreadable to whoever has the database alone. */
export interface SecretBox {
  /** Encrypts; the context, whose secret it is, has to be named again to open it. */
  seal(text: string, context: string[]): string
  /** Throws where the text was not sealed with this key for this context, or was changed since. */
  open(sealed: string, context: string[]): string
  /** As `open`; undefined where that throws. */
  read(sealed: string, context: string[]): string | undefined
}

/** A box with a key of its own for that purpose, made from the server's secret. */
export function secretBox(secretKey: string, purpose: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32))
  const box: SecretBox = {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated(context))
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), content]).toString('base64')
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64')
      if (bytes[0] !== VERSION || bytes.length < 1 + NONCE_BYTES + TAG_BYTES) throw new Error('Not a sealed secret of this version')
      const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
      const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated(context)).setAuthTag(tag)
      const content = decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([content, decipher.final()]).toString('utf8')
    },
    read(sealed, context) {
      try {
        return box.open(sealed, context)
      } catch {
        return undefined
      }
    }
  }
  return box
}

/** As JSON, so that no two lists are the same bytes. */
function associated(context: string[]) {
  return Buffer.from(JSON.stringify(context))
}
