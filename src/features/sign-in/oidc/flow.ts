import { createHmac, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../../contract/limits.ts'
import { deriveKey } from '../../../platform/core/derived-key.ts'
import { newId } from '../../../platform/core/ids.ts'
import type { Flow } from '../../../platform/ports/identity-provider.ts'

const SHAPE = /^(sil_[0-9a-z]{26})\.([0-9a-z]{1,10})\.[A-Za-z0-9_-]{43}$/

/**
 * Starts a sign-in in the browser with that cookie. Everything is derived from the server's key, the cookie and the id, so nothing is stored, every
 * server can go on with it, and the state is worth nothing in another browser.
 */
export function startFlow(secretKey: string, browser: string, now: Date): Flow {
  return deriveFlow(secretKey, browser, newId('sil'), now)
}

/** Returns the sign-in of a state, if this browser started it within the last 15 minutes. */
export function readFlow(secretKey: string, browser: string, state: string, now: Date): Flow | undefined {
  const [, id, started] = SHAPE.exec(state) ?? []
  if (id === undefined || started === undefined) return undefined
  const flow = deriveFlow(secretKey, browser, id, new Date(Number.parseInt(started, 36)))
  const [sent, expected] = [Buffer.from(state), Buffer.from(flow.state)]
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined
  return now.getTime() - flow.startedAt.getTime() < LIMITS.signIn.linkMinutes * 60_000 ? flow : undefined
}

function deriveFlow(secretKey: string, browser: string, id: string, startedAt: Date): Flow {
  const key = deriveKey(secretKey, 'parlance sign-in at a provider')
  const head = `${id}.${startedAt.getTime().toString(36)}`
  const derive = (use: string) => createHmac('sha256', key).update(`${use} ${head} ${browser}`).digest('base64url')
  return { id, state: `${head}.${derive('state')}`, nonce: derive('nonce'), verifier: derive('verifier'), startedAt }
}
