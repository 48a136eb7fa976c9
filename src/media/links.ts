import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

export const LINK_SECONDS = 3_600

/** A recording, and what a link to it depends on besides: `grant` names a recipient's access and is empty in the owner's own links. */
export interface LinkTarget {
  userId: string
  sessionId: string
  kind: string
  grant?: string
}

/** The part of a link that its signature covers. */
export interface MediaLink extends Required<LinkTarget> {
  /** Epoch seconds; from that second on the link is refused. */
  expires: number
}

export type MediaLinks = ReturnType<typeof mediaLinks>

/**
 * Makes and checks the signed addresses of this server under which recordings are read without a token. The key is derived from the
 * server's secret for this alone: a signature made for something else never fits.
 */
export function mediaLinks({ publicUrl, secretKey }: { publicUrl: string; secretKey: string }) {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'parlance media link', 32))

  // No part can contain a line break, so no two links read the same.
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
    // Compared as text, since the last letter of a signature has bits that decoding ignores.
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

/** When a link that is made now ends. Links count in whole seconds, so that `expires_at` names the very second. */
export function linkEnd(now: Date) {
  return new Date((Math.floor(now.getTime() / 1_000) + LINK_SECONDS) * 1_000)
}
