import { hkdfSync } from 'node:crypto'

/** Derives a key for one purpose from the server's SECRET_KEY, so that what is made for one purpose is worth nothing for another. */
export function deriveKey(secretKey: string, purpose: string) {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32))
}
