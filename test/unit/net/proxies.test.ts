import { expect, test } from 'vitest'
import { proxyFor } from '../../../src/platform/net/proxies.ts'

const HTTP = 'http://plain.proxy:3128'
const HTTPS = 'http://secure.proxy:3128'
const proxyOf = (url: string, except = '', proxies: object = { http: HTTP, https: HTTPS }) =>
  proxyFor({ http: undefined, https: undefined, ...proxies, except: except.split(',').filter(Boolean) }, new URL(url))
    ?.origin

test('an http URL has the proxy of HTTP_PROXY, an https URL that of HTTPS_PROXY, and neither has the other', () => {
  expect(proxyOf('http://example.com/a')).toBe(HTTP)
  expect(proxyOf('https://example.com/a')).toBe(HTTPS)
  expect(proxyOf('https://example.com/a', '', { http: HTTP })).toBeUndefined()
  expect(proxyOf('http://example.com/a', '', { https: HTTPS })).toBeUndefined()
})

test.each(['http://localhost:8080', 'http://a.localhost', 'http://127.0.0.1', 'http://127.9.9.9', 'http://[::1]:80'])(
  'this machine is reached directly: %s',
  url => expect(proxyOf(url)).toBeUndefined()
)

test.each([
  ['https://example.com', 'example.com'],
  ['https://EXAMPLE.com.', 'Example.COM'],
  ['https://a.b.example.com', 'example.com'],
  ['https://example.com', '.example.com'],
  ['https://a.example.com', '.example.com'],
  ['https://a.example.com', '*.example.com'],
  ['https://example.com', 'example.com.'],
  ['https://example.com', 'example.com:443'],
  ['http://example.com', 'example.com:80'],
  ['https://example.com:8443', 'other.example,example.com:8443'],
  ['https://example.com', '*'],
  ['https://10.1.2.3', '10.1.2.3'],
  ['https://10.1.2.3:8443', '10.1.2.3:8443'],
  ['https://10.1.2.3', '10.0.0.0/8'],
  ['https://[fd00::1]', 'fd00::1'],
  ['https://[fd00::1]:8443', '[fd00:0::1]:8443'],
  ['https://[fd00::1]', 'fd00::/8']
])('NO_PROXY keeps %s from the proxy by %s', (url, except) => expect(proxyOf(url, except)).toBeUndefined())

test.each([
  ['https://notexample.com', 'example.com'],
  ['https://example.com.evil.test', 'example.com'],
  ['https://example.com', '*.example.com'],
  ['https://example.com', 'example.com:8443'],
  ['https://example.com', '*:80'],
  ['https://11.1.2.3', '10.0.0.0/8'],
  ['https://10.example', '10.0.0.0/8'],
  ['https://[fe00::1]', 'fd00::/16'],
  ['https://example.com', '.']
])('NO_PROXY leaves %s to the proxy with %s', (url, except) => expect(proxyOf(url, except)).toBe(HTTPS))
