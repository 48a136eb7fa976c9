// @module-tag both

import { describe, expect, onTestFinished, test } from 'vitest'
import { createUser } from '../../../src/features/access/queries.ts'
import { issueToken, setRevoked } from '../../../src/features/access/tokens.ts'
import { noticeExpiringTokens, sendExpiryMail } from '../../../src/features/accounts/expiry-mail.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import { openJobs } from '../../../src/platform/jobs/jobs.ts'
import { smtpMail } from '../../../src/platform/mail/smtp.ts'
import { emptyDatabase, openPlace, type Place, until } from '../../support/process.ts'
import { startSmtp } from '../../support/smtp.ts'

const SLOW = { timeout: 300_000 }
const DAY_MS = 86_400_000
const ISSUED = new Date('2026-03-02T10:00:00.000Z')
const daysAfter = (days: number) => new Date(ISSUED.getTime() + days * DAY_MS)

type Smtp = Awaited<ReturnType<typeof startSmtp>>

/** A mail server, and a database with its users, on which servers may be started. The clock of all stands still until it is set. */
async function office(options: Parameters<typeof startSmtp>[0] = {}) {
  const smtp = await startSmtp(options)
  const place = await emptyDatabase()
  const database = await openPlace(place, { poolSize: 4 })
  let now = ISSUED
  const clock = { now: () => now }
  const failures: string[] = []
  return {
    smtp,
    db: database.db,
    failures,
    setDay(days: number) {
      now = daysAfter(days)
    },
    async newOwner(email: string | null, { verified = true } = {}) {
      const userId = newId('usr')
      const emailVerifiedAt = verified ? ISSUED : null
      const user = { name: null, email, emailVerifiedAt, timeZone: 'UTC', subscriptionActive: true, createdAt: ISSUED }
      await createUser(database.db, userId, user)
      return {
        userId,
        issue: (name: string, days: number) =>
          issueToken(database.db, userId, name, ['sessions:read', 'events:read'], ISSUED, days * 86_400)
      }
    },
    startServer: () => startServer(place, smtp, clock, failures),
    /** Waits until all mails are sent or given up, and returns what arrived. */
    async sent() {
      const waiting = `select count(*)::int as count from pgboss.job where name = 'mail-expiry' and state in ('created', 'retry', 'active')`
      await until('all mails are sent', async () => (await database.pool.query(waiting)).rows[0].count === 0)
      return smtp.received.map(({ mail, envelope }) => `${envelope.to.join()}: ${mail.subject}`).toSorted()
    }
  }
}

/** A server's part in the mails: its worker, and its search for tokens. */
async function startServer(place: Place, smtp: Smtp, clock: { now(): Date }, failures: string[]) {
  const opened = await openPlace(place, { poolSize: 4 })
  const mail = smtpMail(smtp.url, 'Parlance <parlance@example.org>')
  const jobs = await openJobs(opened, { supervise: true, onError: () => {} })
  const onFailure = (token: string, reason: string) => void failures.push(`${token}: ${reason}`)
  const mailer = { db: opened.db, mail, clock, publicUrl: 'https://parlance.example', onFailure }
  await jobs.work('mail-expiry', 1, (data, attempt) => sendExpiryMail(mailer, data, attempt))
  const stop = async () => {
    await jobs.stop()
    mail.close()
  }
  onTestFinished(stop)
  const signal = new AbortController().signal
  return { stop, look: () => noticeExpiringTokens({ db: opened.db, jobs, clock }, signal) }
}

describe('the owner of a token', SLOW, () => {
  test('gets a mail 30 and 7 days before it expires, each once from several servers and after a restart', async () => {
    const { newOwner, startServer, setDay, sent, smtp } = await office()
    const ada = await newOwner('ada@example.com')
    const { token } = await ada.issue('my script\u202e', 365)
    const servers = [await startServer(), await startServer()]
    const lookAll = () => Promise.all(servers.flatMap(({ look }) => [look(), look(), look()]))
    setDay(334.9)
    await lookAll()
    expect(await sent()).toEqual([])
    setDay(335)
    await lookAll()
    const first = 'ada@example.com: The token "my script" expires on 2 March 2027'
    expect(await sent()).toEqual([first])
    for (const server of servers) await server.stop()
    servers.splice(0, 2, await startServer(), await startServer())
    setDay(357.9)
    await lookAll()
    expect(await sent()).toEqual([first])
    setDay(358)
    await lookAll()
    expect(await sent()).toEqual([first, first])
    setDay(364.9)
    await lookAll()
    expect(await sent()).toEqual([first, first])
    const { raw, mail } = smtp.received[0]!
    expect(mail.text?.replaceAll('\n', ' ').trim()).toBe(
      `The token "my script" (${token.slice(0, 8)}…) of https://parlance.example expires on 2 March 2027 at 10:00 UTC.  ` +
        'Programs that use it are refused from then on. Ask the operator of the server for a new token, give it to these programs, and have the old one revoked.  ' +
        'Its scopes are: sessions:read, events:read'
    )
    expect(mail.html).toBeUndefined()
    expect(raw).not.toContain(token.slice(8))
    expect(new Set(smtp.received.map(received => received.mail.messageId)).size).toBe(2)
  })

  test('gets one mail of those that became due while no server ran, and none after the expiry', async () => {
    const { newOwner, startServer, setDay, sent } = await office()
    const ada = await newOwner('ada@example.com')
    await ada.issue('late', 100)
    await ada.issue('too late', 90)
    setDay(95)
    const { look } = await startServer()
    await look()
    await look()
    expect(await sent()).toEqual(['ada@example.com: The token "late" expires on 10 June 2026'])
  })

  test('gets no mail about a token that was issued for no longer, is revoked, or belongs to an unverified address', async () => {
    const { newOwner, startServer, setDay, sent, db } = await office()
    const ada = await newOwner('ada@example.com')
    await ada.issue('a week', 7)
    await ada.issue('thirty days', 30)
    const revoked = await ada.issue('revoked', 31)
    await setRevoked(db, ada.userId, revoked.id, ISSUED)
    await (await newOwner('ben@example.com', { verified: false })).issue('unverified', 31)
    await (await newOwner(null)).issue('no address', 31)
    const { look } = await startServer()
    setDay(2)
    await look()
    expect(await sent()).toEqual([])
    setDay(25)
    await look()
    expect(await sent()).toEqual(['ada@example.com: The token "thirty days" expires on 1 April 2026'])
  })

  test('gets the mail after the mail server was away', async () => {
    let away = true
    const refuse = () => (away ? { code: 451, words: 'try later' } : undefined)
    const { newOwner, startServer, setDay, sent, smtp, failures } = await office({ refuse })
    await (await newOwner('ada@example.com')).issue('patient', 31)
    setDay(5)
    await (await startServer()).look()
    await until('the mail server refuses', () => smtp.attempts.RCPT > 0)
    away = false
    expect(await sent()).toEqual(['ada@example.com: The token "patient" expires on 2 April 2026'])
    expect(failures).toEqual([])
  })

  test('gets no mail if the token is revoked before it is sent', async () => {
    let away = true
    const refuse = () => (away ? { code: 451, words: 'try later' } : undefined)
    const { newOwner, startServer, setDay, sent, smtp, db } = await office({ refuse })
    const ada = await newOwner('ada@example.com')
    const { id } = await ada.issue('short', 31)
    setDay(5)
    await (await startServer()).look()
    await until('the mail server refuses', () => smtp.attempts.RCPT > 0)
    await setRevoked(db, ada.userId, id, ISSUED)
    away = false
    expect(await sent()).toEqual([])
  })

  test('whom the mail server does not know is given up, and the log says so', async () => {
    const { newOwner, startServer, setDay, sent, failures } = await office({
      refuse: () => ({ code: 550, words: 'nobody here' })
    })
    const { id } = await (await newOwner('ben@example.com')).issue('nobody', 31)
    setDay(5)
    await (await startServer()).look()
    expect(await sent()).toEqual([])
    expect(failures).toEqual([
      expect.stringMatching(`^${id}: The mail server at .* refuses the sender or the recipient`)
    ])
  })
})
