import { describe, expect, test } from 'vitest'
import { consoleActor } from '../../../src/features/access/actor.ts'
import { updateProfile } from '../../../src/features/accounts/profile.ts'
import { askAdmin } from '../../support/admin-api.ts'
import { FOREIGN_SCRIPT, hiddenFields, mailedLink, newBrowser, signedIn, signInAs } from '../../support/console.ts'
import { clock, NO_QUOTAS, NO_RETENTION, testServer } from '../../support/server.ts'
import { inviteTo, newSharer, sharedSession } from '../../support/sharing.ts'

const PATH = '/settings'
const served = await testServer()

describe('the page of the profile', () => {
  test('changes name and time zone, in which dates are shown, and no other field of the user', async () => {
    const { user, browser } = await signedIn()
    const before = (await askAdmin('GET', `/users/${user.id}`)).body
    const forged = { email: 'other@example.com', email_verified: 'true', subscription_active: 'false', quotas: '{}' }
    const saved = await browser.submit(PATH, PATH, { ...forged, name: ' Grace ', time_zone: 'Asia/Tokyo' })
    expect([saved.status, saved.to]).toEqual([303, PATH])
    expect((await askAdmin('GET', `/users/${user.id}`)).body).toEqual({
      ...before,
      name: 'Grace',
      time_zone: 'Asia/Tokyo'
    })
    const { body, text } = await browser.get(PATH)
    expect(body).toContain('<option value="Asia/Tokyo" selected>')
    expect(text).toContain('Since 2 Mar 2026, 19:00')
    await browser.submit(PATH, PATH, { name: '', time_zone: 'UTC' })
    expect((await askAdmin('GET', `/users/${user.id}`)).body).toMatchObject({ name: null, time_zone: 'UTC' })
  })

  test.each([
    [{ name: 'x'.repeat(101), time_zone: 'UTC' }, 'Name: Expected: 1 to 100 characters.'],
    [{ name: 'Grace', time_zone: 'Mars/Base' }, 'Time zone: Expected: an IANA time zone such as Europe/Berlin.']
  ])('shows the form again with what is wrong: %j', async (sent, problem) => {
    const { browser } = await signedIn()
    const { status, text, body } = await browser.submit(PATH, PATH, sent)
    expect([status, text.includes(problem)]).toEqual([400, true])
    expect(body).toContain(`value="${sent.name}"`)
  })

  test('shows the address, and how much of each quota is used', async () => {
    const { user, browser } = await signedIn()
    await user.post('/v1/folders', { name: 'Clients' })
    await askAdmin('PATCH', `/users/${user.id}`, { quotas: { folders: 4, bytes_stored: 3 * 1024 ** 3 } })
    const { text, body } = await browser.get(PATH)
    expect(text).toContain(`You sign in as ${user.email}`)
    expect(text).toContain('Recordings and transcripts 0 bytes of 3 GiB')
    expect(text).toContain('Folders 1 of 4')
    expect(text).toContain('People 0, without a limit')
    expect(body).toContain('<meter min="0" max="4" value="1">')
  })

  test('shows for how long recordings and conversations are kept, and takes shorter periods', async () => {
    const { user, browser } = await signedIn()
    expect((await browser.get(PATH)).text).toContain('Recordings are kept for ever, and conversations for ever.')
    const save = (audio_days: string, session_days: string) =>
      browser.submit(PATH, `${PATH}/retention`, { audio_days, session_days })
    expect((await save(' 7', '')).to).toBe(`${PATH}#retention`)
    const { text, body } = await browser.get(PATH)
    expect(text).toContain('Recordings are kept for 7 days, and conversations for ever.')
    expect(body).toContain('name="audio_days" dir="auto" value="7"')
    expect((await user.get('/v1/account')).body.retention).toEqual({ audio_days: 7, session_days: null })
    const refused = await save('soon', '1')
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('a whole number of days from 1 to 36500')
    expect(refused.body).toContain('value="soon"')
    await save('', '')
    expect((await user.get('/v1/account')).body.retention).toEqual({ audio_days: null, session_days: null })
  })

  test('lists the browsers of the user and signs out of all of them, but not their tokens', async () => {
    const { user, browser } = await signedIn()
    const second = newBrowser(served)
    await signInAs(second, user.email)
    const { body } = await browser.get(PATH)
    expect(body.match(/<li>Since /g)).toHaveLength(2)
    expect(body.match(/\(this browser\)/g)).toHaveLength(1)
    expect((await browser.submit(PATH, `${PATH}/sign-out-everywhere`)).to).toBe('/sign-in')
    expect([(await browser.get(PATH)).status, (await second.get(PATH)).status]).toEqual([303, 303])
    expect((await user.get('/v1/account')).status).toBe(200)
  })

  test('signs out of the links that were mailed before, too', async () => {
    const { user, browser } = await signedIn()
    const asking = newBrowser(served)
    await asking.submit('/sign-in', '/sign-in', { email: user.email })
    const link = await mailedLink(user.email, user)
    expect((await asking.get(link)).status).toBe(200)
    await browser.submit(PATH, `${PATH}/sign-out-everywhere`)
    expect((await asking.get(link)).status).toBe(404)
    await signInAs(asking, user.email)
    expect((await asking.get(PATH)).status).toBe(200)
  })

  test('deletes the account, after its words were typed: nobody is signed in, tokens are refused, shares end', async () => {
    const { owner, recipient, path } = await sharedSession()
    const browser = newBrowser(served)
    await signInAs(browser, owner.email)
    for (const confirmation of ['', 'delete my accounts'])
      expect((await browser.submit(PATH, `${PATH}/delete`, { confirmation })).status).toBe(400)
    expect((await recipient.get(path)).status).toBe(200)
    const done = await browser.submit(PATH, `${PATH}/delete`, { confirmation: ' Delete my account ' })
    expect(done.to).toBe('/account-deleted')
    expect((await browser.get('/account-deleted')).text).toContain('The account is deleted')
    expect((await browser.get(PATH)).status).toBe(303)
    expect((await owner.get('/v1/account')).status).toBe(401)
    expect((await recipient.get(path)).status).toBe(404)
    expect((await askAdmin('GET', `/users/${owner.id}`)).status).toBe(404)
    const { rows } = await owner.db.execute(`select what from deletions where user_id = '${owner.id}'`)
    expect(rows, 'the ledger').toEqual([{ what: 'user' }])
  })

  test('turns keys of a single letter off and on in a browser', async () => {
    const { browser } = await signedIn()
    expect((await browser.get('/')).body).toContain('data-keys="on"')
    await browser.submit(PATH, '/settings/keys')
    expect((await browser.get('/')).body).toContain('data-keys="off"')
    await browser.submit(PATH, '/settings/keys', { keys: 'on' })
    expect((await browser.get('/')).body).toContain('data-keys="on"')
  })

  test('escapes the name', async () => {
    const { browser } = await signedIn()
    const name = `"'><script>alert(1)</script>`
    const shown = [await browser.submit(PATH, PATH, { name, time_zone: '<script>' })]
    await browser.submit(PATH, PATH, { name, time_zone: 'UTC' })
    for (const { body } of [...shown, await browser.get(PATH)]) expect(body).not.toMatch(FOREIGN_SCRIPT)
  })

  test('refuses a stranger, the guest of an invite, and forms of another session', async () => {
    expect((await newBrowser(served).get(PATH)).to).toBe('/sign-in?next=%2Fsettings')
    const owner = await newSharer()
    const invite = new URL(await inviteTo(owner, await owner.session(), `${crypto.randomUUID()}@example.com`)).pathname
    const guest = newBrowser(served)
    await guest.submit(invite, invite)
    const fields = hiddenFields((await guest.get('/shared')).body, '/sign-out')
    const asGuest = { ...fields, confirmation: 'delete my account', name: 'X', time_zone: 'UTC' }
    for (const form of [PATH, `${PATH}/retention`, `${PATH}/delete`, `${PATH}/sign-out-everywhere`])
      expect((await guest.send(form, asGuest)).status).toBe(403)
    const services = { db: owner.db, clock, quotas: NO_QUOTAS, retention: NO_RETENTION }
    const change = updateProfile(services, consoleActor(owner.id, { guest: true }), { name: 'X' })
    await expect(change).rejects.toMatchObject({ code: 'insufficient_scope' })

    const [{ browser, user }, { browser: other }] = [await signedIn(), await signedIn()]
    const foreign = { ...hiddenFields((await other.get(PATH)).body, PATH), confirmation: 'delete my account' }
    expect((await browser.send(`${PATH}/delete`, foreign)).status).toBe(403)
    expect((await user.get('/v1/account')).status).toBe(200)
  })
})
