import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { LIMITS } from '../contract/limits.ts'
import type { Services } from '../services.ts'
import { openConsole } from './open-console.ts'
import { joinPages } from './pages/join.ts'
import { profilePages } from './pages/profile.ts'
import { sessionsPage } from './pages/sessions.ts'
import { sharedSessionPage } from './pages/shared-session.ts'
import { sharedSessionsPage } from './pages/shared-sessions.ts'
import { signInPages } from './pages/sign-in.ts'
import { tokensPage } from './pages/tokens.ts'
import { webhookPage } from './pages/webhook.ts'
import { webhooksPage } from './pages/webhooks.ts'

/** The pages for people, on the public port beside `/v1`. Forms and cookies exist for them only. */
export async function consolePlugin(app: FastifyInstance, services: Services) {
  await app.register(cookie)
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: LIMITS.bodyBytes },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body))))
  )
  const console = openConsole(app, services)
  signInPages(console)
  joinPages(console)
  sessionsPage(console)
  sharedSessionsPage(console)
  sharedSessionPage(console)
  profilePages(console)
  tokensPage(console)
  webhooksPage(console)
  webhookPage(console)
}
