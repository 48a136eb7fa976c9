import { describe, expect, test } from 'vitest'
import { hiddenFields, newBrowser, signedIn, signInAs } from '../../support/console.ts'
import { acceptSession, testServer } from '../../support/server.ts'
import { sharedSession } from '../../support/sharing.ts'

const SPOKEN = [
  { speaker: 'Ada', start: 0, end: 4, text: 'Welcome to par lance.' },
  { speaker: 'Ben', start: 70, end: 74, text: 'I will <send> it.' },
  { speaker: 'Ada', start: 90, end: 94, text: 'Um.' }
]

/** The fields of a page as a browser sends them, with other words for some lines. */
function formOf(body: string, path: string, words: Record<number, string>) {
  const { _form = '', version = '' } = hiddenFields(body, path)
  const lines = [...body.matchAll(/name="line" value="(\d+)"/g)].map(([, line]) => Number(line))
  const said = [...body.matchAll(/<textarea[^>]*>([^<]*)<\/textarea>/g)].map(([, text = '']) => text)
  const pairs = lines.flatMap((line, at): [string, string][] => [
    ['line', String(line)],
    ['said', words[line] ?? said[at]?.replaceAll('&lt;', '<').replaceAll('&gt;', '>') ?? '']
  ])
  return new URLSearchParams([['_form', _form], ['version', version], ...pairs])
}

async function opened(segments = SPOKEN) {
  const { user, browser } = await signedIn()
  const id = await user.session({ segments })
  const path = `/s/${id}/correct`
  const send = async (form: URLSearchParams) =>
    await browser.call('POST', path, { 'content-type': 'application/x-www-form-urlencoded' }, Buffer.from(String(form)))
  const texts = async () => {
    const { body } = await user.get(`/v1/sessions/${id}/transcript`)
    return body.segments.map(({ text }: { text: string }) => text)
  }
  return { user, browser, id, path, send, texts }
}

describe('the page that corrects lines', () => {
  test('saves what was changed, removes an emptied line, and leaves the others as they were', async () => {
    const { user, browser, id, path, send, texts } = await opened()
    expect((await browser.get(`/s/${id}`)).body).toContain(`href="${path}"`)
    const { body } = await browser.get(path)
    const saved = await send(formOf(body, path, { 0: 'Welcome to Parlance.\r\nAll of you.', 2: ' ' }))
    expect([saved.status, saved.to]).toEqual([303, `${path}?line=0&saved=true`])
    expect(await texts()).toEqual(['Welcome to Parlance. All of you.', 'I will <send> it.'])
    const { lines } = (await user.get(`/v1/sessions/${id}/transcript?lines=true`)).body
    expect(lines.map(({ edited_at: at }: { edited_at?: string }) => at !== undefined)).toEqual([true, false])
  })

  test('is led to by each line, begins with it, and leads to the lines before and after, and back to its moment', async () => {
    const many = Array.from({ length: 60 }, (_, at) => ({
      speaker: 'Ada',
      start: at,
      end: at + 1,
      text: `Line ${at}.`
    }))
    const { browser, path, id } = await opened(many)
    const page = await browser.get(`/s/${id}`)
    const links = [...page.body.matchAll(/Line (\d+)\.<\/span> <a class="fix" href="([^"]*)"/g)]
    expect(links.map(([, line, to]) => [line, to])).toEqual(many.map((_, at) => [`${at}`, `${path}?line=${at}`]))
    const { body, text } = await browser.get(`${path}?line=30`)
    expect(text).toContain('Lines 31 to 55 of 60')
    expect(body.match(/<textarea[^>]* autofocus>[^<]*/g)).toEqual([expect.stringMatching(/>Line 30\.$/)])
    expect(body).toContain(`href="/s/${id}#t=30"`)
    expect(body).toContain(`href="${path}?line=5"`)
    expect(body).toContain(`href="${path}?line=55"`)
    expect((await browser.get(`${path}?line=900`)).text).toContain('There are no lines here.')
  })

  test('shows both versions when somebody else was faster, and saves over it by a second click', async () => {
    const { user, browser, id, path, send, texts } = await opened()
    const { body } = await browser.get(path)
    const change = { segments: [{ index: 1, text: 'I will send the offer.' }] }
    expect((await user.patch(`/v1/sessions/${id}/transcript`, change, { 'if-match': '1' })).status).toBe(200)
    const refused = await send(formOf(body, path, { 0: 'Welcome to Parlance.' }))
    expect(refused.status).toBe(409)
    expect(refused.body).toContain('I will send the offer.')
    expect(await texts()).toEqual(['Welcome to par lance.', 'I will send the offer.', 'Um.'])
    expect((await send(formOf(refused.body, path, {}))).status).toBe(303)
    expect(await texts()).toEqual(['Welcome to Parlance.', 'I will <send> it.', 'Um.'])
  })

  test('is led to by the turns of a transcript without times, and not by what nobody may correct', async () => {
    const turns = ['Ada', 'Ada', 'Ben'].map((speaker, at) => ({ speaker, text: `Line ${at}.` }))
    const { user, browser, id, path } = await opened(turns as typeof SPOKEN)
    const { body } = await browser.get(`/s/${id}`)
    expect([...body.matchAll(/(Line \d\.) <a class="fix" href="([^"]*)"/g)].map(([, text, to]) => [text, to])).toEqual([
      ['Line 1.', `${path}?line=0`],
      ['Line 2.', `${path}?line=2`]
    ])
    const processing = await acceptSession(user.id, { segments: SPOKEN })
    expect((await browser.get(`/s/${processing}`)).body).not.toContain('class="fix"')
    const { recipient, path: shared } = await sharedSession({ segments: SPOKEN })
    const reader = newBrowser(await testServer())
    await signInAs(reader, recipient.email)
    const seen = await reader.get(shared.replace('/v1/shared-sessions/', '/shared/'))
    expect([seen.status, seen.body.includes('Welcome to par lance.'), seen.body.includes('class="fix"')]).toEqual([
      200,
      true,
      false
    ])
  })

  test('says what is wrong with a line, and that a conversation without a transcript has none', async () => {
    const { user, browser, path, send, texts } = await opened()
    const { body } = await browser.get(path)
    const form = formOf(body, path, {})
    form.append('line', '7')
    form.append('said', 'A line too many')
    expect((await send(form)).status).toBe(400)
    expect(await texts()).toEqual(SPOKEN.map(({ text }) => text))
    const empty = await user.session({ segments: [], media: { audio: 'https://media.example/a.mp3' } })
    expect((await browser.get(`/s/${empty}/correct`)).text).toContain('There are no lines here.')
  })
})
