import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { MediaLink, MediaSignature } from './media.ts'

/** Signs links with a key of their own, derived from the server's secret: a signature made for something else never fits. */
export function mediaSignature(secretKey: string): MediaSignature {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'parlance media link', 32))

  // No part can contain a line break, so no two links read the same.
  function sign({ userId, sessionId, kind, expires, grant }: MediaLink) {
    return createHmac('sha256', key).update([userId, sessionId, kind, expires, grant].join('\n')).digest('base64url')
  }

  return {
    sign,
    // As text, since the last letter of a signature has bits that decoding ignores.
    matches(link, signature) {
      const [made, given] = [Buffer.from(sign(link)), Buffer.from(signature)]
      return (
        ![link.userId, link.sessionId, link.kind, link.grant].join('').includes('\n') &&
        made.length === given.length &&
        timingSafeEqual(made, given)
      )
    }
  }
}
