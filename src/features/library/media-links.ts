import { signedFields } from '../../platform/core/signed-fields.ts'

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

/** Signs and verifies links to recordings, which need no token. */
export function mediaLinks({ publicUrl, secretKey }: { publicUrl: string; secretKey: string }) {
  const { sign, matches } = signedFields(secretKey, 'parlance media link')
  const fieldsOf = ({ userId, sessionId, kind, expires, grant }: MediaLink) => [userId, sessionId, kind, expires, grant]

  return {
    urlOf({ userId, sessionId, kind, grant = '' }: LinkTarget, expiresAt: Date) {
      const expires = Math.floor(expiresAt.getTime() / 1_000)
      const signature = sign(fieldsOf({ userId, sessionId, kind, expires, grant }))
      const query = new URLSearchParams({ expires: String(expires), ...(grant && { grant }), signature })
      return `${publicUrl}/v1/media/${userId}/${sessionId}/${kind}?${query}`
    },
    matches: (link: MediaLink, signature: string) => matches(fieldsOf(link), signature)
  }
}

/** The expiry of a link signed now, in whole seconds as the link holds it, so that `expires_at` is exact. */
export function linkEnd(now: Date) {
  return new Date((Math.floor(now.getTime() / 1_000) + LINK_SECONDS) * 1_000)
}
