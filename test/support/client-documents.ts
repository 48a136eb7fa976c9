import { onTestFinished } from 'vitest'
import { newBrowser, signInAs } from './console.ts'
import { certificateFor, startHttpsServer, trust } from './https-server.ts'
import { CALLBACK } from './oauth.ts'
import { buildTestApp, NOW, testFetcher, testServer } from './server.ts'
import { newSharer } from './sharing.ts'

const HOST = 'client.example'

interface Answer {
  status?: number
  type?: string
  body: string
}

/** A server of documents at a host of its own, and the lookup by which a fetcher finds each name on this machine. */
export async function publish(answer: (id: string, path: string) => Answer) {
  const { authority, cert, key } = certificateFor(HOST)
  trust(authority)
  const state = { id: '', origin: '', reads: 0 }
  const port = await startHttpsServer({ cert, key }, (request, response) => {
    state.reads++
    const { status = 200, type = 'application/json', body } = answer(state.id, request.url ?? '')
    response.writeHead(status, { 'content-type': type, location: `${state.id}/other` }).end(body)
  })
  state.origin = `https://${HOST}:${port}`
  state.id = `${state.origin}/client.json`
  return Object.assign(state, { lookup: async () => [{ address: '127.0.0.1', family: 4 as const }] })
}

/** A server whose fetcher finds names by this lookup, with a user who is signed in, and a clock that the test moves. */
export async function serveDocuments(lookup: Awaited<ReturnType<typeof publish>>['lookup'], overrides = {}) {
  const at = { ms: Date.parse(NOW) }
  const clock = { now: () => new Date(at.ms) }
  const pass = (ms: number) => {
    at.ms += ms
  }
  const fetcher = testFetcher({ lookup })
  const app = await buildTestApp({ fetcher, clock, ...overrides })
  onTestFinished(async () => {
    await app.close()
    await fetcher.close()
  })
  const served = { app, db: (await testServer()).db }
  const user = await newSharer()
  const browser = newBrowser(served)
  await signInAs(browser, user.email, served)
  return { served, browser, clock, pass }
}

export const documentOf = (id: string, more: object = {}) =>
  JSON.stringify({ client_id: id, client_name: 'Documented', redirect_uris: [CALLBACK], ...more })
