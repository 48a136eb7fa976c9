import { createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { newSecret, signatureHeaders, signingKey } from '../../../src/features/webhooks/signature.ts'
import { secretBox } from '../../../src/platform/core/secret-box.ts'

const SECRET = `whsec_${Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64')}`
const now = () => Math.floor(Date.now() / 1_000)

describe('a signature', () => {
  test('is what it was computed to be elsewhere', () => {
    // printf '%s' 'evt_1.1763640000.{"a":"ü"}' | openssl dgst -sha256 -hmac "$SECRET"; and keyed with the decoded bytes, in base64
    const headers = signatureHeaders({
      id: 'evt_1',
      timestamp: 1_763_640_000,
      body: '{"a":"ü"}',
      key: signingKey(SECRET)
    })
    expect(headers).toEqual({
      'X-Svc-Webhook-Id': 'evt_1',
      'X-Svc-Webhook-Timestamp': '1763640000',
      'X-Svc-Webhook-Signature': 'bb358e249b83a4546a03c1497ba1dbd4332f301bc0b185705ac6b99c6acbb424',
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1763640000',
      'webhook-signature': 'v1,tAyOyTmDrNz+ofqnmMF2jFT+Dqbg9dDP83pxpdTLKNE='
    })
  })

  test.each(['', '{}', '{"text":"Grüße 😀\u2028"}', 'x'.repeat(500_000)])(
    'verifies with both libraries, whatever the body',
    body => {
      const secret = newSecret()
      const headers = signatureHeaders({ id: 'evt_1', timestamp: now(), body, key: signingKey(secret) })
      // They parse what they have verified.
      if (body.startsWith('{')) expect(() => new StandardWebhook(secret).verify(body, headers)).not.toThrow()
      if (body.startsWith('{')) expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow()
      expect(headers['X-Svc-Webhook-Signature']).toBe(
        createHmac('sha256', secret).update(`evt_1.${headers['webhook-timestamp']}.${body}`).digest('hex')
      )
    }
  )

  test('carries the secret before the last rotation in the header that takes several, after the new one', () => {
    const [secret, previousSecret] = [newSecret(), newSecret()]
    const headers = signatureHeaders({
      id: 'evt_1',
      timestamp: now(),
      body: '{}',
      key: signingKey(secret),
      previousKey: signingKey(previousSecret)
    })
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/)
    for (const one of [secret, previousSecret])
      expect(() => new StandardWebhook(one).verify('{}', headers)).not.toThrow()
    expect(headers['X-Svc-Webhook-Signature']).toMatch(/^[0-9a-f]{64}$/)
  })

  test('of a new secret is 32 random bytes', () => {
    const secrets = Array.from({ length: 100 }, newSecret)
    expect(new Set(secrets).size).toBe(100)
    for (const secret of secrets) expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32)
  })
})

describe('a encrypted secret', () => {
  const box = secretBox('the secret of this server, long enough', 'webhook secrets')

  test('opens with the same key for the same owner and thing', () => {
    expect(box.decrypt(box.encrypt(SECRET, ['usr_1', 'whk_1']), ['usr_1', 'whk_1'])).toBe(SECRET)
    expect(box.decrypt(box.encrypt('', []), [])).toBe('')
  })

  test('is never the same twice and tells nothing of what is in it', () => {
    const encrypted = [box.encrypt(SECRET, ['a']), box.encrypt(SECRET, ['a'])]
    expect(encrypted[0]).not.toBe(encrypted[1])
    for (const one of encrypted) expect(Buffer.from(one, 'base64').toString('latin1')).not.toContain('whsec')
  })

  test('opens with no other key, purpose or context, and not when a bit of it has changed', () => {
    const encrypted = box.encrypt(SECRET, ['usr_1', 'whk_1'])
    expect(
      secretBox('another secret of another server', 'webhook secrets').decrypt(encrypted, ['usr_1', 'whk_1'])
    ).toBeUndefined()
    expect(
      secretBox('the secret of this server, long enough', 'links').decrypt(encrypted, ['usr_1', 'whk_1'])
    ).toBeUndefined()
    for (const context of [['usr_1', 'whk_2'], ['usr_1'], ['usr_1whk_1'], ['usr_1', 'whk_1', '']])
      expect(box.decrypt(encrypted, context)).toBeUndefined()
    const bytes = Buffer.from(encrypted, 'base64')
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes)
      changed[index]! ^= 1
      expect(box.decrypt(changed.toString('base64'), ['usr_1', 'whk_1']), `byte ${index}`).toBeUndefined()
    }
    for (const broken of ['', 'x', encrypted.slice(0, 20)])
      expect(box.decrypt(broken, ['usr_1', 'whk_1'])).toBeUndefined()
  })
})
