import { Tokens } from '@fastify/csrf'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LIMITS } from '../../contract/limits.ts'
import { localPath } from '../../contract/sign-in.ts'
import type { Services } from '../../features/services.ts'
import type { SignedIn } from '../../features/sign-in/sign-in.ts'
import { makeCookieSecret } from '../../features/sign-in/sign-in-link.ts'
import { deriveKey } from '../../platform/core/derived-key.ts'

/**
 * The cookies: who is signed in, the browser that asked for a link, the link that it asked for last, the mailbox that it last signed in as, and where it
 * goes once it is signed in; and that keys of a single letter are off.
 */
type Kind = 'session' | 'browser' | 'known' | 'asked' | 'keys' | (typeof NEXT)[number]

/** Browsers keep no cookie of more than 4,096 bytes, and the address at which an agent asks can be longer. */
const NEXT = ['next', 'next-2'] as const
const NEXT_PART = 3_600

const DAY_SECONDS = 86_400
/** The row of a session ends it; browsers keep no cookie for longer than 400 days. */
const LIFETIME_SECONDS: Record<Kind, number> = {
  session: 365 * DAY_SECONDS,
  browser: DAY_SECONDS,
  known: 365 * DAY_SECONDS,
  asked: LIMITS.signIn.linkMinutes * 60,
  keys: 365 * DAY_SECONDS,
  next: LIMITS.signIn.linkMinutes * 60,
  'next-2': LIMITS.signIn.linkMinutes * 60
}

export type Cookies = ReturnType<typeof openCookies>

/**
 * The cookies of one request. With an https PUBLIC_URL their names begin with `__Host-`, so that no other host and no page without TLS can set them.
 * Over http a browser would refuse such a cookie, so there they have a plain name.
 */
export function openCookies(
  { publicUrl }: Pick<Services, 'publicUrl'>,
  tokens: FormTokens,
  request: FastifyRequest,
  reply: FastifyReply
) {
  const secure = publicUrl.startsWith('https:')
  const nameOf = (kind: Kind) => `${secure ? '__Host-' : ''}parlance-${kind}`
  const common = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const
  const made = new Map<Kind, string>()
  const get = (kind: Kind) => made.get(kind) ?? request.cookies[nameOf(kind)]

  const set = (kind: Kind, value: string, { ends = false } = {}) => {
    made.set(kind, value)
    reply.setCookie(nameOf(kind), value, { ...common, ...(!ends && { maxAge: LIFETIME_SECONDS[kind] }) })
  }
  const drop = (kind: Kind) => void reply.clearCookie(nameOf(kind), common)
  const dropKnown = (kind: Kind) => {
    if (get(kind) !== undefined) drop(kind)
  }

  /** The secret of this browser, which it gets with the first form. */
  const browser = () => {
    const known = get('browser')
    if (known !== undefined && SECRET.test(known)) return known
    const value = makeCookieSecret()
    set('browser', value)
    return value
  }
  const ownerOf = (session: boolean) => (session ? (get('session') ?? '') : browser())

  return {
    session: () => get('session'),
    browser,
    /** Like `browser`, without making one. */
    knownBrowser: () => get('browser'),
    known: () => get('known'),
    /** The link that this browser asked for last, whose code it may enter. */
    asked: () => get('asked'),
    rememberAsked: (linkId: string) => set('asked', linkId),
    /** Ties a form to the session, or to the browser before there is one, and to the path that it posts to: no other form takes the token. */
    formToken: (session: boolean, path: string) => tokens.create(ownerOf(session), path),
    isFormToken: (token: string, session: boolean, path: string) => tokens.verify(ownerOf(session), token, path),
    /** Remembers where to go after the sign-in that is asked for. */
    remember(path: string) {
      const text = Buffer.from(path).toString('base64url')
      for (const [at, kind] of NEXT.entries()) {
        const part = text.slice(at * NEXT_PART, (at + 1) * NEXT_PART)
        if (part !== '') set(kind, part)
        else dropKnown(kind)
      }
    },
    /** The remembered path, checked again: a cookie may have been written by somebody else. */
    next: () =>
      localPath.safeParse(Buffer.from(NEXT.map(kind => get(kind) ?? '').join(''), 'base64url').toString()).data,
    /** Signs in with a new session. The cookies of before end, so that nothing that was known then is worth anything now. */
    signIn({ cookie, guest, known }: SignedIn) {
      set('session', cookie, { ends: guest })
      if (known !== undefined) set('known', known)
      drop('browser')
      dropKnown('asked')
      drop('next')
      dropKnown('next-2')
    },
    usesKeys: () => get('keys') !== 'off',
    useKeys(isOn: boolean) {
      if (isOn) dropKnown('keys')
      else set('keys', 'off')
    },
    signOut: () => drop('session')
  }
}

const SECRET = /^[A-Za-z0-9_-]{43}$/

type FormTokens = ReturnType<typeof openFormTokens>

/**
 * The tokens of forms. Each is salted: pages are compressed, and from the length of many responses that repeat something of the request, a secret that
 * stays the same could be guessed.
 */
export function openFormTokens(secretKey: string) {
  return new Tokens({ hmacKey: deriveKey(secretKey, 'parlance console form'), userInfo: true })
}
