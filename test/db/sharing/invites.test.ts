// @module-tag both

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ALL_SCOPES } from '../../../src/contract/scopes.ts'
import { openAdmissions } from '../../../src/features/access/admission.ts'
import { createUser } from '../../../src/features/access/queries.ts'
import { issueToken } from '../../../src/features/access/tokens.ts'
import { sendInvite } from '../../../src/features/sharing/invite-mail.ts'
import { buildApp } from '../../../src/interfaces/http/app.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import { openJobs } from '../../../src/platform/jobs/jobs.ts'
import { directoryMail } from '../../../src/platform/mail/directory.ts'
import type { Mail } from '../../../src/platform/mail/mail.ts'
import { smtpMail } from '../../../src/platform/mail/smtp.ts'
import { emptyDatabase, freePort, openPlace, until } from '../../support/process.ts'
import { SECRET_KEY, testServices } from '../../support/server.ts'
import { claim } from '../../support/sharing.ts'
import { startSmtp } from '../../support/smtp.ts'

const SLOW = { timeout: 300_000 }
const FROM = 'Parlance <parlance@example.org>'
const clock = { now: () => new Date() }
const publicUrl = 'https://parlance.example'

/** A server with its queue and worker on a database of its own, an owner with a session, and ways to invite. */
async function office(mail: Mail, owner: { name?: string | null } = {}) {
  const database = await openPlace(await emptyDatabase(), { poolSize: 4 })
  const { db } = database
  const jobs = await openJobs(database, { supervise: true, onError: () => {} })
  const given: string[] = []
  const onFailure = (invite: string, reason: string) => void given.push(`${invite}: ${reason}`)
  const outcomes: string[] = []
  await jobs.work('send-invite', 2, async (data, attempt) => {
    try {
      await sendInvite({ db, mail, clock, publicUrl, secretKey: SECRET_KEY, onFailure }, data, attempt)
      outcomes.push('done')
    } catch (fault) {
      outcomes.push('failed')
      throw fault
    }
  })
  const rateLimits = { perMinute: 1_000, perDay: 1_000 }
  const admissions = openAdmissions(db, clock, rateLimits)
  const app = await buildApp(
    await testServices({ db, clock, mail, admissions, rateLimits, publicUrl, jobs, slow: db, replica: db })
  )
  onTestFinished(async () => {
    await jobs.stop()
    await app.close()
    await admissions.stop()
    mail.close()
  })
  const [ownerId, sessionId] = [newId('usr'), newId('ses')]
  const { name = 'Ada' } = owner
  const user = {
    name,
    email: 'ada@example.com',
    emailVerifiedAt: clock.now(),
    timeZone: 'UTC',
    subscriptionActive: true,
    createdAt: clock.now()
  }
  await createUser(db, ownerId, user)
  const { token } = await issueToken(db, ownerId, 'test', ALL_SCOPES, clock.now())
  await db.execute(`
    insert into sessions (user_id, session_id, state, title, summary, sort_at, duration_seconds, type, created_at, updated_at)
    values ('${ownerId}', '${sessionId}', 'completed', 'CONFIDENTIAL', 'CONFIDENTIAL', now(), 1, 'meeting', now(), now())`)
  const ask = async (method: 'POST' | 'DELETE', path: string, payload: object) => {
    const reply = await app.inject({
      method,
      url: `/v1/sessions/${sessionId}${path}`,
      headers: { authorization: `Bearer ${token}` },
      payload
    })
    return { status: reply.statusCode, body: reply.json() }
  }
  return {
    db,
    ownerId,
    sessionId,
    given,
    outcomes,
    invite: (emails: string[], message?: string) =>
      ask('POST', '/sharing/invites', { emails, ...(message !== undefined && { message }) }),
    cancel: (email: string) => ask('DELETE', '/sharing/invites', { email }),
    claim: (userId: string, url: string) => claim({ id: userId, db }, url, clock.now())
  }
}

describe('the mail of an invite', () => {
  test(
    'says who shares, quotes the message, has one link that works, and nothing of the conversation',
    SLOW,
    async () => {
      const smtp = await startSmtp()
      const place = await office(smtpMail(smtp.url, FROM))
      expect((await place.invite(['Cleo@example.com'], 'Have a look!\nAda')).body.sent).toEqual(['cleo@example.com'])
      const [{ mail, raw, envelope }] = [await until('the mail has come', () => smtp.received[0])]
      expect(envelope).toEqual({ from: 'parlance@example.org', to: ['cleo@example.com'] })
      expect(mail).toMatchObject({
        from: { name: 'Parlance', address: 'parlance@example.org' },
        to: [{ address: 'cleo@example.com' }],
        subject: 'Ada shares a conversation with you'
      })
      expect(mail.messageId).toMatch(/^<inv_[0-9a-z]{26}\.1@example\.org>$/)
      const [url = ''] = mail.text!.match(/https:\S+/)!
      expect(mail.text).toContain(
        'Ada (ada@example.com) shares a recorded conversation with you.\n\n> Have a look!\n> Ada\n\nOpen it:\n'
      )
      expect(mail.html).toContain(`<a href="${url}"`)
      expect(mail.html!.match(/href=/g)).toHaveLength(1)
      expect(mail.html).not.toMatch(/src=|<script|<img|@import|url\(/)
      expect(`${raw}${mail.text}${mail.html}`).not.toMatch(/CONFIDENTIAL|ses_/)
      expect(await place.claim('usr_cleo', url)).toEqual({ ownerId: place.ownerId, sessionId: place.sessionId })
    }
  )

  test('goes to each address alone', SLOW, async () => {
    const smtp = await startSmtp()
    const place = await office(smtpMail(smtp.url, FROM))
    const three = ['one@example.com', 'three@example.com', 'two@example.com']
    await place.invite(three)
    await until('all have come', () => smtp.received.length === 3)
    expect(smtp.received.map(({ envelope }) => envelope.to).sort()).toEqual(three.map(address => [address]))
    for (const { raw, envelope } of smtp.received)
      for (const other of three.filter(address => address !== envelope.to[0])) expect(raw).not.toContain(other)
    expect(new Set(smtp.received.map(({ mail }) => /join\/(\S+)/.exec(mail.text!)![1])).size).toBe(3)
  })

  test('is safe from line breaks and markup in the name or the message', SLOW, async () => {
    const smtp = await startSmtp()
    const place = await office(smtpMail(smtp.url, FROM), { name: 'Eve\r\nBcc: all@example.com\r\n\r\n<b>x</b>\u202e' })
    await place.invite(
      ['cleo@example.com'],
      '\r\nBcc: all@example.com\r\n.\r\nQUIT\r\n<script>alert(1)</script><a href="https://evil.example">x</a>'
    )
    const { mail, envelope, raw } = await until('the mail has come', () => smtp.received[0])
    expect(envelope.to).toEqual(['cleo@example.com'])
    expect(mail.bcc ?? []).toEqual([])
    expect(mail.headers.map(({ key }) => key)).not.toContain('bcc')
    expect(mail.subject).toBe('Eve Bcc: all@example.com <b>x</b> shares a conversation with you')
    const others = mail.headers.filter(({ key }) => key !== 'subject').map(({ value }) => value)
    expect(others.join('\n')).not.toMatch(/Eve|all@example|evil/)
    expect(raw).not.toMatch(/^Bcc:.*\r?\n(?=[\s\S]*^Subject:)/m)
    expect(mail.text).toContain('Eve Bcc: all@example.com <b>x</b> (ada@example.com) shares')
    expect(mail.text).toContain('> .\n> QUIT\n')
    expect(mail.html).not.toMatch(/<script|<b>|href="https:\/\/evil/)
    expect(mail.html).toContain('&lt;script&gt;')
    expect(mail.text!.match(/https:\/\/parlance\.example\/join\//g)).toHaveLength(1)
  })

  test('is not sent for a refused request or a cancelled invite', SLOW, async () => {
    const port = await freePort()
    const place = await office(smtpMail(`smtp://127.0.0.1:${port}`, FROM))
    await place.db.execute(
      `insert into share_counters (user_id, minute, writes, day, invites) values ('${place.ownerId}', now(), 0, (now() at time zone 'UTC')::date, 199)`
    )
    expect((await place.invite(['x@example.com', 'y@example.com'])).body.error.code).toBe('sharing_rate_limited')
    await place.invite(['cancelled@example.com'])
    await until('it was tried', () => place.outcomes.length > 0)
    await place.cancel('cancelled@example.com')
    const smtp = await startSmtp({ port })
    await until('nothing is left to do', () => place.outcomes.includes('done'))
    expect([smtp.received, place.given]).toEqual([[], []])
  })

  test('is sent again while the mail server is away or refuses temporarily', SLOW, async () => {
    const port = await freePort()
    const place = await office(smtpMail(`smtp://127.0.0.1:${port}`, FROM))
    await place.invite(['cleo@example.com'])
    await until('the first attempt has failed', () => place.outcomes.length > 0)
    const busy = (at: string, attempt: number) =>
      at === 'RCPT' && attempt === 1 ? { code: 451, words: 'Try later' } : undefined
    const smtp = await startSmtp({ port, refuse: busy })
    await until('the mail has come', () => smtp.received.length > 0)
    expect([place.outcomes.slice(0, 2), place.given, smtp.received.length]).toEqual([['failed', 'failed'], [], 1])
  })

  test.each(['RCPT', 'DATA'] as const)(
    'is given up after a permanent refusal at %s, with a reason that names no address',
    SLOW,
    async command => {
      const refuse = (at: string) => (at === command ? { code: 550, words: 'No cleo@example.com here' } : undefined)
      const smtp = await startSmtp({ refuse })
      const place = await office(smtpMail(smtp.url, FROM))
      await place.invite(['cleo@example.com'])
      await until('it was given up', () => place.given.length > 0)
      await until('the job is done', () => place.outcomes.length > 0)
      expect(place.outcomes).toEqual(['done'])
      expect(place.given).toEqual([
        expect.stringMatching(/^inv_[0-9a-z]{26}: The mail server at 127\.0\.0\.1:\d+ refuses the \w+ [^@]+$/)
      ])
      expect(smtp.attempts[command]).toBe(1)
    }
  )

  test('is written without a mail server to the mail directory, readable by the operator alone', SLOW, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parlance-outbox-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const place = await office(directoryMail(join(folder, 'outbox'), FROM))
    await place.invite(['cleo@example.com'], 'Grüße ✓')
    const [file] = await until('the file is there', () => {
      const files = place.outcomes.length > 0 ? readdirSync(join(folder, 'outbox')) : []
      return files.length > 0 ? files : undefined
    })
    expect(file).toMatch(/^inv_[0-9a-z]{26}\.1\.eml$/)
    const mail = await PostalMime.parse(readFileSync(join(folder, 'outbox', file!)))
    expect(mail.to).toEqual([{ name: '', address: 'cleo@example.com' }])
    expect(mail.text).toContain('> Grüße ✓')
    const [url = ''] = mail.text!.match(/https:\S+/)!
    await place.claim('usr_cleo', url)
  })
})
