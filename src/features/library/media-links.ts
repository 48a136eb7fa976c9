import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../platform/core/derived-key.ts'

const LINK_SECONDS = 3_600

/** A recording. `grant` names a recipient's access; the owner's own links have none. */
export interface LinkTarget {
  userId: string
  sessionId: string
  kind: string
  grant?: string
}

/** The part of a link that its signature covers. */
export interface MediaLink extends Required<LinkTarget> {
  /** Epoch seconds, from which on the link is refused. */
  expires: number
}

export type MediaLinks = ReturnType<typeof mediaLinks>

/**
 * Signs and verifies links to recordings, which need no token. The key is derived from the server's secret for this purpose only,
 * so a signature made for another purpose never matches.
 */
export function mediaLinks({ publicUrl, secretKey }: { publicUrl: string; secretKey: string }) {
  const key = deriveKey(secretKey, 'parlance media link')

  // No part contains a line break, so that two links never have the same signed text.
  function sign({ userId, sessionId, kind, expires, grant }: MediaLink) {
    return createHmac('sha256', key).update([userId, sessionId, kind, expires, grant].join('\n')).digest('base64url')
  }

  return {
    urlOf({ userId, sessionId, kind, grant = '' }: LinkTarget, expiresAt: Date) {
      const expires = Math.floor(expiresAt.getTime() / 1_000)
      const signature = sign({ userId, sessionId, kind, expires, grant })
      const query = new URLSearchParams({ expires: String(expires), ...(grant && { grant }), signature })
      return `${publicUrl}/v1/media/${userId}/${sessionId}/${kind}?${query}`
    },
    // Signatures are compared as text, because decoding ignores some bits of the last character.
    matches(link: MediaLink, signature: string) {
      const [made, given] = [Buffer.from(sign(link)), Buffer.from(signature)]
      return (
        ![link.userId, link.sessionId, link.kind, link.grant].join('').includes('\n') &&
        made.length === given.length &&
        timingSafeEqual(made, given)
      )
    }
  }
}

/** The expiry of a link signed now, in whole seconds as the link holds it, so that `expires_at` is exact. */
export function linkEnd(now: Date) {
  return new Date((Math.floor(now.getTime() / 1_000) + LINK_SECONDS) * 1_000)
}
