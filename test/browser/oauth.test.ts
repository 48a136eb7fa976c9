// @module-tag embedded
import { createServer } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { mailedLink } from '../support/console.ts'
import { messageOf } from '../support/mcp.ts'
import { authorizePath, newAgent, newVerifier } from '../support/oauth.ts'
import { freePort } from '../support/ports.ts'
import { buildTestApp, testDatabase } from '../support/server.ts'
import { newSharer } from '../support/sharing.ts'

/** A program on the user's computer, at the address of which the browser ends. */
async function startProgram() {
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>x</title><h1>Back in the program</h1>')
  })
  const port = await freePort()
  await new Promise<void>(done => server.listen(port, '127.0.0.1', done))
  return { callback: `http://127.0.0.1:${port}/callback`, close: () => server.close() }
}

async function takePictures(page: Page, name: string) {
  for (const [width, colorScheme] of [
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark']
  ] as const) {
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme })
    await takePicture(page, `${name}-${width}-${colorScheme}`, { fullPage: true })
  }
}

describe.runIf(hasBrowser)('an agent in a browser', () => {
  let browser: Browser
  let app: Awaited<ReturnType<typeof buildTestApp>>
  let origin: string
  let program: Awaited<ReturnType<typeof startProgram>>

  beforeAll(async () => {
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    app = await buildTestApp({ publicUrl: origin })
    await app.listen({ host: '127.0.0.1', port })
    program = await startProgram()
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    program?.close()
    await app?.close()
  })

  test('is connected after a sign-in, works over MCP, is disconnected, and is told when it may not', async () => {
    const user = await newSharer({ name: 'Ada Lovelace' })
    const agent = newAgent({ app })
    const { callback } = program
    const { body: client } = await agent.register({ client_name: 'Desk Agent', redirect_uris: [callback] })
    const { verifier, challenge } = newVerifier()
    const request = authorizePath(client.client_id, challenge, {
      redirect_uri: callback,
      resource: `${origin}/mcp`,
      scope: 'sessions:read sessions:search sessions:write'
    })
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('console', message => message.type() === 'error' && problems.push(message.text()))

    await page.goto(origin + request)
    await page.getByLabel('E-mail address').fill(user.email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.goto(origin + (await mailedLink(user.email, await testDatabase())))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Connect Desk Agent?' }).waitFor()
    await takePictures(page, 'oauth-consent')
    const boxes = page.getByRole('checkbox')
    expect(await boxes.count()).toBe(3)
    await boxes.last().uncheck()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('heading', { name: 'Back in the program' }).waitFor()
    const allowed = new URL(page.url())
    expect([allowed.origin + allowed.pathname, allowed.searchParams.get('state')]).toEqual([callback, 'a state'])

    const { status, body: tokens } = await agent.token({
      grant_type: 'authorization_code',
      code: allowed.searchParams.get('code') ?? '',
      redirect_uri: callback,
      client_id: client.client_id,
      code_verifier: verifier
    })
    expect([status, tokens.scope.split(' ').length]).toEqual([200, 2])
    const askMcp = async () => {
      const { body, headers } = messageOf('tools/list')
      const authorization = `Bearer ${tokens.access_token}`
      const reply = await fetch(`${origin}/mcp`, {
        method: 'POST',
        headers: { ...headers, authorization },
        body: JSON.stringify(body)
      })
      return reply.status
    }
    expect(await askMcp()).toBe(200)

    await page.goto(`${origin}/settings`)
    await page.getByRole('link', { name: 'Connected agents' }).click()
    const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Desk Agent' }) })
    await row.getByText('May do 2 things').click()
    await row.getByText('Disconnect', { exact: true }).click()
    await takePictures(page, 'oauth-agents')
    await row.getByRole('button', { name: 'Disconnect the agent' }).click()
    await page.getByText('No agent is connected.').waitFor()
    await takePictures(page, 'oauth-no-agents')
    expect(await askMcp()).toBe(401)

    await page.goto(origin + request)
    await page.getByRole('button', { name: 'Don’t allow' }).click()
    await page.getByRole('heading', { name: 'Back in the program' }).waitFor()
    const denied = new URL(page.url()).searchParams
    expect([denied.get('error'), denied.get('state'), denied.has('code')]).toEqual(['access_denied', 'a state', false])
    // Such as a form that the policy of its page does not let go elsewhere.
    expect(problems.filter(text => !text.includes('favicon'))).toEqual([])
    await page.close()
  })

  test.each([true, false])(
    'gets the refusal of its request also if the user signs in first; scripts run: %s',
    async scripts => {
      const user = await newSharer()
      const { callback } = program
      const { body: client } = await newAgent({ app }).register({
        client_name: 'Desk Agent',
        redirect_uris: [callback]
      })
      const request = authorizePath(client.client_id, newVerifier().challenge, {
        redirect_uri: callback,
        resource: 'https://elsewhere.example'
      })
      const context = await browser.newContext({ javaScriptEnabled: scripts })
      const page = await context.newPage()
      await page.goto(origin + request)
      await page.getByLabel('E-mail address').fill(user.email)
      await page.getByRole('button', { name: 'Send the link' }).click()
      await page.goto(origin + (await mailedLink(user.email, await testDatabase())))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'Go back to a program on your computer' }).click()
      await page.getByRole('heading', { name: 'Back in the program' }).waitFor()
      const { searchParams } = new URL(page.url())
      expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['invalid_target', 'a state'])
      await context.close()
    }
  )
})
