import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { LookupAddress } from 'node:dns'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkTarget, checkUrl, type WebhookSettings } from '../../../src/features/webhooks/address.ts'
import { openWebhookClient } from '../../../src/features/webhooks/client.ts'

const STRICT: WebhookSettings = { allowHttp: true, allowedCidrs: [] }
const POST = { headers: {}, body: '{}', timeoutMs: 60_000 }

/** Hosts as they may stand in a URL. None of them may be sent to. */
const FORBIDDEN = [
  // This machine, in every notation that a URL understands.
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0x7f.0x0.0x0.0x1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '0',
  '0.0.0.0',
  '0.1.2.3',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  // Private networks.
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.255.255',
  '3232235521',
  '0xc0a80001',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fdff::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:192.168.1.1]',
  '[fec0::1]',
  // Carriers, links and the metadata services of clouds.
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '169.254.0.1',
  '2852039166',
  '[fe80::1]',
  '[::ffff:169.254.169.254]',
  '168.63.129.16',
  // Reserved, for documentation, multicast and broadcast.
  '192.0.0.1',
  '192.0.0.170',
  '192.0.2.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  // Other addresses wrapped.
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b::]',
  '[64:ff9b::8:1]',
  '[64:ff9b:1::a00:1]',
  '[64:ff9b:1::7f00:1]',
  '[64:ff9b:1::]',
  '[64:ff9b:2::808:808]',
  // 10.0.0.1 behind a prefix of 48, 56, and 64 bits, beside a public address at the end.
  '[64:ff9b:1:a00:0:100:808:808]',
  '[64:ff9b:1:a:0:1:808:808]',
  '[64:ff9b:1:0:a:0:108:808]',
  '[2002:7f00:1::]',
  '[2002:c0a8:101::1]',
  '[2001:0:7f00:1::1]',
  '[5f00::1]',
  // Names that mean nothing in public.
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'printer.local',
  'db.internal',
  'metadata.google.internal',
  'intranet',
  'host'
]

const ODD = [
  '//example.com/',
  'https:example.com',
  'https:/example.com',
  'https:///example.com',
  'https:\\\\example.com',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'gopher://example.com/',
  'https://a b.example/',
  'https://example.com/\nx',
  ' https://example.com',
  'https://',
  'https://[::1',
  '',
  'https://user@example.com/',
  'https://user:pw@example.com/',
  'https://127.0.0.1@example.com/',
  'https://example.com:99999/',
  'wss://example.com/'
]

let server: Server
let port = 0
let accepted = 0
/** Every address that any socket of this process has begun to connect to. */
const begun: string[] = []
const onSocket = (message: unknown) =>
  (message as { socket: Socket }).socket.on('connectionAttempt', address => begun.push(address))

beforeAll(async () => {
  server = createServer(socket => {
    accepted++
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
  })
  await new Promise<void>(done => server.listen(0, done))
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
  subscribe('net.client.socket', onSocket)
})

afterAll(async () => {
  unsubscribe('net.client.socket', onSocket)
  await new Promise(done => server.close(done))
})

/** What comes of the check and of an attempt, and how many connections were begun. */
async function tried(url: string, settings: WebhookSettings) {
  const before = begun.length
  const client = openWebhookClient(settings)
  const { error } = await client.post({ ...POST, url })
  await client.close()
  return { error, connections: begun.length - before }
}

test(`lists at least 80 hosts that may not be reached`, () => {
  expect(new Set(FORBIDDEN).size).toBeGreaterThanOrEqual(80)
})

describe('a host that is not public', () => {
  test.each(FORBIDDEN)(
    'is refused when a webhook is made or changed, and not connected to when it is sent or tested: %s',
    async host => {
      const url = `http://${host}:${port}/hook`
      expect(await checkTarget(url, STRICT)).not.toBeInstanceOf(URL)
      expect(await tried(url, STRICT)).toEqual({ error: 'blocked_address', connections: 0 })
      expect(accepted).toBe(0)
    }
  )
})

test.each(ODD)('a text that is no plain https URL is refused: %j', text => {
  expect(checkUrl(text, { ...STRICT, allowHttp: false })).not.toBeInstanceOf(URL)
})

test.each([
  'https://example.com/',
  'https://example.com',
  'HTTPS://EXAMPLE.COM:8443/a?b=c',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
  // 8.8.8.8 behind NAT64: the well-known prefix, and local ones of 96, 64, 56 and 48 bits.
  'https://[64:ff9b::808:808]/',
  'https://[64:ff9b::8.8.8.8]/',
  'https://[64:ff9b:1::808:808]/',
  'https://[64:ff9b:1::8:808:800:0]/',
  'https://[64:ff9b:1:8:8:808::]/',
  'https://[64:ff9b:1:808:8:800::]/',
  'https://bücher.example/'
])('a public https URL is taken: %s', text => {
  expect(checkUrl(text, { ...STRICT, allowHttp: false })).toBeInstanceOf(URL)
})

describe('a name', () => {
  const v4 = (address: string): LookupAddress => ({ address, family: 4 })
  const v6 = (address: string): LookupAddress => ({ address, family: 6 })

  test.each([
    ['of this machine', [v4('127.0.0.1')]],
    ['of a private network', [v4('10.1.2.3')]],
    ['of a metadata service', [v4('169.254.169.254')]],
    ['of this machine, in IPv6', [v6('::1')]],
    ['of a wrapped address', [v6('::ffff:127.0.0.1')]],
    ['of an address with a zone', [v6('2606:4700::1111%eth0')]],
    ['with a public address first and a private one after it', [v4('8.8.8.8'), v4('127.0.0.1')]],
    ['with a private address first and a public one after it', [v6('fd00::1'), v4('8.8.8.8')]]
  ])('%s is refused and not connected to', async (_, addresses) => {
    const settings = { ...STRICT, lookup: async () => addresses }
    const url = `http://rebind.example:${port}/`
    expect(await checkTarget(url, settings)).toEqual({
      expected: 'the URL of a host on the public internet, or in a network of WEBHOOK_ALLOWED_CIDRS'
    })
    expect(await tried(url, settings)).toEqual({ error: 'blocked_address', connections: 0 })
  })

  test('that was public when it was checked, and is private at each later look, is not connected to', async () => {
    let looks = 0
    const settings = { ...STRICT, lookup: async () => [v4(looks++ === 0 ? '8.8.8.8' : '127.0.0.1')] }
    const url = `http://rebind.example:${port}/`
    expect(await checkTarget(url, settings)).toBeInstanceOf(URL)
    for (let attempt = 0; attempt < 5; attempt++)
      expect(await tried(url, settings)).toEqual({ error: 'blocked_address', connections: 0 })
    expect(accepted).toBe(0)
  })

  test('is looked up once for a connection, so that what was checked is what is connected to', async () => {
    let looks = 0
    const settings = {
      allowHttp: true,
      allowedCidrs: ['127.0.0.1/32'],
      lookup: async () => [v4(looks++ === 0 ? '127.0.0.1' : '127.0.0.9')]
    }
    expect(await tried(`http://rebind.example:${port}/`, settings)).toEqual({ error: null, connections: 1 })
    expect(looks).toBe(1)
    accepted = 0
  })

  test('that nobody knows is refused, and a failed attempt', async () => {
    const settings = {
      ...STRICT,
      lookup: async () => {
        throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })
      }
    }
    expect(await checkTarget('https://nowhere.example/', settings)).toMatchObject({
      problem: 'the name nowhere.example does not resolve to an address'
    })
    expect(await tried('http://nowhere.example/', settings)).toEqual({ error: 'dns', connections: 0 })
  })
})

describe('a network that the operator names', () => {
  test('may be reached, and no other', async () => {
    const settings = { allowHttp: true, allowedCidrs: ['127.0.0.1/32', '::1/128'] }
    for (const host of ['127.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]'])
      expect(await tried(`http://${host}:${port}/`, settings), host).toEqual({ error: null, connections: 1 })
    for (const host of ['127.0.0.2', '10.0.0.1', '169.254.169.254'])
      expect(await tried(`http://${host}:${port}/`, settings), host).toEqual({
        error: 'blocked_address',
        connections: 0
      })
  })

  test('may be reached through NAT64, and no other', () => {
    const settings = { allowHttp: false, allowedCidrs: ['10.0.0.0/8'] }
    for (const host of ['[64:ff9b::a00:1]', '[64:ff9b:1::a00:1]', '[64:ff9b::808:808]'])
      expect(checkUrl(`https://${host}/`, settings), host).toBeInstanceOf(URL)
    for (const host of ['[64:ff9b::c0a8:1]', '[64:ff9b:1::7f00:1]', '[::ffff:0:a00:1]'])
      expect(checkUrl(`https://${host}/`, settings), host).not.toBeInstanceOf(URL)
  })

  test('may be named by the names of this machine', async () => {
    const settings = { allowHttp: true, allowedCidrs: ['127.0.0.0/8', '::1/128'] }
    expect(await checkTarget(`http://localhost:${port}/`, settings)).toBeInstanceOf(URL)
    expect(await tried(`http://localhost:${port}/`, settings)).toMatchObject({ error: null })
  })
})

test.each(['0', '22', '25', '53', '465', '587', '993', '5432', '6379', '6667'])(
  'refuses port %s, which another service has',
  async port => {
    const refusal = {
      problem: `port ${port} is not one for HTTP`,
      expected: 'a URL with another port'
    }
    expect(checkUrl(`https://hooks.example.com:${port}/a`, STRICT)).toEqual(refusal)
    expect(await checkTarget(`http://93.184.216.34:${port}/`, STRICT)).toEqual(refusal)
    const allowed = { ...STRICT, allowedCidrs: ['127.0.0.0/8'] }
    const client = openWebhookClient(allowed)
    const outcome = await client.post({ url: `http://127.0.0.1:${port}/`, ...POST })
    await client.close()
    expect(outcome.error).toBe('blocked_address')
  }
)

test.each(['80', '443', '8080', '8443', '3000', '1880', '5678'])('takes port %s', port => {
  expect(checkUrl(`https://hooks.example.com:${port}/a`, STRICT)).toBeInstanceOf(URL)
})
