// @module-tag postgres
import { expect, onTestFinished, test } from 'vitest'
import { startAiServer, status } from '../support/ai-server.ts'
import { hiddenFields } from '../support/console.ts'
import { freePort, migratedDatabase, runJson, serve } from '../support/process.ts'

test('an operator’s page shows what doctor finds, without a secret, and again after it', {
  timeout: 300_000
}, async () => {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  const key = 'sk-HUSH-HUSH-HUSH'
  for (const endpoint of ['models', 'chat', 'embeddings'] as const)
    provider.answer(endpoint, status(401, `Incorrect API key provided: ${key}`))
  const PORT = String(await freePort())
  const url = `http://127.0.0.1:${PORT}`
  const place = await migratedDatabase()
  const environment = {
    ...place.environment,
    PORT,
    PUBLIC_URL: url,
    SMTP_URL: `smtp://parlance:HUSH-HUSH@127.0.0.1:${await freePort()}`,
    MAIL_FROM: 'parlance@example.com',
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: provider.url
  }
  const served = { ...place, environment }
  await serve(served)
  await runJson(served, 'user', 'create', '--email', 'ada@example.com', '--verified')
  await runJson(served, 'user', 'update', 'ada@example.com', '--operator', 'yes')
  const [{ url: link }] = (await runJson(served, 'user', 'sign-in-link', '--user', 'ada@example.com')) as [
    { url: string }
  ]

  const cookies = new Map<string, string>()
  async function ask(address: string, fields?: Record<string, string>) {
    const answer = await fetch(address, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) })
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return { status: answer.status, body: await answer.text() }
  }
  const { pathname } = new URL(link)
  await ask(link, hiddenFields((await ask(link)).body, pathname))

  const health = `${url}/operator/health`
  let shown = await ask(health)
  for (let n = 0; n < 2; n++) {
    shown = await ask(`${health}/checks`, hiddenFields(shown.body, '/operator/health/checks'))
    expect(shown.status).toBe(200)
    expect(shown.body).toContain('Not working: summaries, embeddings, mail.')
    expect(shown.body).toMatch(/PostgreSQL \S+ .*pgvector \S+, up to date/)
    expect(shown.body).not.toContain('HUSH')
  }
})
