import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../platform/core/derived-key.ts'
import { networkOf } from '../../platform/net/client-address.ts'
import { makeCookieSecret } from './sign-in-link.ts'

/** The browser that asks for a link. */
export interface Asker {
  /** Its cookie: the link opens in this browser only. */
  browser: string
  /** The cookie of its last sign-in. */
  known: string | undefined
  clientAddress: string
}

/** The sender that links of a mailbox are counted by: a browser that has signed in as the mailbox before, or else the network. */
export interface LinkSender {
  /** A keyed digest, from which nobody learns an address without the key. */
  sender: Buffer
  isKnown: boolean
}

const SHAPE = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/

/**
 * A cookie that says that the browser has signed in as the mailbox. It signs nobody in: it only keeps the requests of strangers from using up the
 * links of the browser. The server stores nothing for it, and the cookie does not disclose the mailbox.
 */
export function knownCookie(secretKey: string, email: string) {
  const id = makeCookieSecret()
  return `${id}.${proofOf(secretKey, id, email)}`
}

export function linkSenderOf(secretKey: string, email: string, { known, clientAddress }: Asker): LinkSender {
  const [, id, proof] = SHAPE.exec(known ?? '') ?? []
  const isKnown =
    id !== undefined &&
    proof !== undefined &&
    timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(secretKey, id, email)))
  const from = isKnown ? { browser: id } : { network: networkOf(clientAddress) }
  const sender = createHmac('sha256', deriveKey(secretKey, 'parlance link sender'))
    .update(JSON.stringify(from))
    .digest()
  return { sender, isKnown }
}

function proofOf(secretKey: string, id: string, email: string) {
  return createHmac('sha256', deriveKey(secretKey, 'parlance known browser'))
    .update(`${id}.${email}`)
    .digest('base64url')
}
