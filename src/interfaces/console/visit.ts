import type { FastifyBaseLogger } from 'fastify'
import type { Asker } from '../../features/sign-in/link-sender.ts'
import type { Visitor } from '../../features/sign-in/sign-in.ts'
import type { SendFile } from '../web/compressed-file.ts'
import type { Html } from '../web/html.ts'
import type { Cookies } from './cookies.ts'
import type { Events } from './event-streams.ts'

/** The browser and the user of one request, and what a page needs to show itself. */
export interface Visit<V extends Visitor | undefined = Visitor | undefined> {
  visitor: V
  cookies: Cookies
  log: FastifyBaseLogger
  /** The path and query of the page that the browser asked for. */
  address: string
  clientAddress: string
  /** The address of a page of this server, below the base path. */
  link: (path: string) => string
  /** The folders that the user has pinned, which the navigation leads to. */
  pinned?: readonly PinnedFolder[]
  /** A form that posts to a page of the console, with the token that ties it to this browser. */
  form: (path: string, content: Html, attributes?: { class?: string; id?: string; parts?: boolean }) => Html
}

/** Returns what a request for a link is counted by. */
export function askerOf({ cookies, clientAddress }: Pick<Visit, 'cookies' | 'clientAddress'>): Asker {
  return { browser: cookies.browser(), known: cookies.known(), clientAddress }
}

/** A folder in the navigation. */
interface PinnedFolder {
  id: string
  name: string
  count: number
}

/** A page as its file makes it; the layout puts head and navigation around it. */
export interface View {
  title: string
  main: Html
  /** A column beside `main`, such as an index. */
  side?: Html
  /** Goes on where `main` ends, piece by piece, so that a browser shows a long page before it is whole. Bytes are markup. */
  rest?: AsyncIterable<Html | Uint8Array>
  /** Room that the page takes until the browser has read it. */
  held?: Disposable
  /** The scripts of the page, by their names below `/assets`. */
  scripts?: readonly string[]
  status?: number
  /** True for the page of an error, which is sent before the handler that was too slow can answer. */
  atOnce?: boolean
  /** A page of one column in the middle, such as a form or a message. */
  narrow?: boolean
  /** A page that stands alone, without header and navigation: the one to sign in. */
  door?: boolean
  /** The server from which the page plays a recording, besides this one. */
  mediaOrigin?: string | undefined
  /** The address to which the answer of the page's form leads, if it is on another server. */
  formTarget?: string
  /** The path to which the browser goes on by itself. */
  onwards?: string
  /** The entry of the navigation that the page belongs to. */
  part?:
    | 'sessions'
    | 'search'
    | 'overview'
    | 'upload'
    | 'shared'
    | 'items'
    | 'folders'
    | 'people'
    | 'settings'
    | 'operator'
    | 'guides'
    | 'reference'
  /** The address of the same page as Markdown. */
  markdown?: string
  /** The name of a page that is the same for everyone who is not signed in, so that browsers and proxies may keep it. */
  published?: string
}

/** A path to go to instead of a page, as every form that was carried out does. */
export interface Redirect {
  to: string
}

/** An address of another server to go to. */
interface Departure {
  away: string
}

/** A file to save. */
export interface Download {
  file: string
  type: string
  content: string | Buffer | AsyncIterable<string | Uint8Array>
  /** Room that the file takes until the browser has read it. */
  held?: Disposable
}

/** A file that anyone may read. */
interface PublicFile {
  publish: SendFile
}

/** Server-sent events. */
interface Stream {
  events: Events
}

export type Answer = View | Redirect | Departure | Download | PublicFile | Stream
