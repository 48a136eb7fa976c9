import { expect, onTestFinished, test, vi } from 'vitest'
import { s3Media } from '../../../src/features/recordings/s3-store.ts'
import type { Proxies } from '../../../src/platform/net/proxies.ts'
import { otlpTracing } from '../../../src/server/telemetry/otlp.ts'
import { startAiServer } from '../../support/ai-server.ts'
import { startCollector } from '../../support/collector.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import { fileIn, temporaryFolder } from '../../support/folders.ts'
import { certificateFor, startHttpsServer, trust } from '../../support/https-server.ts'
import { providerAi } from '../../support/provider.ts'
import { BUCKET, S3_CREDENTIALS, startS3 } from '../../support/s3-server.ts'

const proxiesOf = ({ url }: { url: string }, except: string[] = []): Proxies => ({ http: url, https: url, except })
const named = (url: string, name: string) => url.replace('127.0.0.1', name)

async function provider() {
  const server = await startAiServer()
  onTestFinished(() => server.close())
  return server
}

test('a provider is reached through the proxy, which looks its name up', async () => {
  const [server, proxy] = [await provider(), await startConnectProxy()]
  const ai = providerAi(named(server.url, 'ai.example'), { proxies: proxiesOf(proxy) })
  onTestFinished(() => ai.close())
  expect(await ai.embed(['hello'])).toHaveLength(1)
  expect(proxy.asked).toEqual([`ai.example:${new URL(server.url).port}`])
  expect(server.requests).toMatchObject([{ headers: { host: proxy.asked[0], authorization: 'Bearer sk-test-key' } }])
})

test('a provider with TLS shows the proxy nothing, and its certificate must be for its name', async () => {
  const proxy = await startConnectProxy()
  const certificate = certificateFor('ai.example')
  trust(certificate.authority)
  const answer = JSON.stringify({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1, 2] }] })
  const port = await startHttpsServer(certificate, (_, response) =>
    response.setHeader('content-type', 'application/json').end(answer)
  )
  const embed = async (name: string) => {
    const ai = providerAi(`https://${name}:${port}/v1`, { proxies: proxiesOf(proxy) })
    onTestFinished(() => ai.close())
    return await ai.embed(['hello'])
  }
  expect(await embed('ai.example')).toHaveLength(1)
  await expect(embed('other.example')).rejects.toThrow('has the certificate of another host')
})

test('a provider of NO_PROXY is reached directly', async () => {
  const [server, proxy] = [await provider(), await startConnectProxy()]
  const ai = providerAi(named(server.url, 'ai.localhost'), { proxies: proxiesOf(proxy, ['.localhost']) })
  onTestFinished(() => ai.close())
  await ai.embed(['hello']).catch(() => {})
  expect(proxy.asked).toEqual([])
})

test.each([
  ['is away', 'is behind a proxy that cannot be reached (PROXY_UNREACHABLE)'],
  ['refuses', 'is behind a proxy that refuses to connect to it (PROXY_REFUSED)']
])('a proxy that %s is named in the error of a provider and a bucket, with its settings', async (case_, words) => {
  const proxy = await startConnectProxy(() => 403)
  if (case_ === 'is away') await proxy.stop()
  const ai = providerAi('http://ai.example:8080/v1', { proxies: proxiesOf(proxy) })
  const store = bucket('http://s3.example:8080', proxy)
  onTestFinished(() => ai.close())
  const remedy = 'correct HTTPS_PROXY or HTTP_PROXY, or name the host in NO_PROXY.'
  await expect(ai.embed(['hello'])).rejects.toThrow(`The AI provider ${words}; ${remedy}`)
  await expect(store.check()).rejects.toThrow(`The store of the bucket ${BUCKET} ${words}; ${remedy}`)
})

/** The store of a bucket behind the proxy. */
function bucket(endpoint: string, proxy: { url: string }) {
  for (const [name, value] of Object.entries(S3_CREDENTIALS)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const store = s3Media({ bucket: BUCKET, prefix: '', region: 'us-east-1', endpoint, proxies: proxiesOf(proxy) })
  onTestFinished(() => store.close())
  return store
}

test('a bucket is reached through the proxy, with all that a recording needs', async () => {
  const [s3, proxy] = [await startS3(), await startConnectProxy()]
  const store = bucket(named(s3.endpoint, 's3.amazonaws.com'), proxy)
  const recording = 'sound'.repeat(1_000_000)
  await store.put('usr_1/ses_1/audio.mp3', fileIn(temporaryFolder(), 'a.mp3', recording), 'audio/mpeg')
  expect(s3.keys()).toEqual(['usr_1/ses_1/audio.mp3'])
  await store.delete('usr_1/ses_1/audio.mp3')
  expect(s3.keys()).toEqual([])
  expect(new Set(proxy.asked)).toEqual(new Set([`s3.amazonaws.com:${new URL(s3.endpoint).port}`]))
})

test('the buckets of Amazon are reached through the proxy unless NO_PROXY names their host', async () => {
  const proxy = await startConnectProxy(() => 403)
  bucket('http://s3.example:8080', proxy)
  const at = { bucket: BUCKET, prefix: '', region: 'eu-central-1', endpoint: undefined }
  const store = s3Media({ ...at, proxies: proxiesOf(proxy) })
  onTestFinished(() => store.close())
  await expect(store.check()).rejects.toThrow('is behind a proxy that refuses')
  expect(new Set(proxy.asked)).toEqual(new Set([`${BUCKET}.s3.eu-central-1.amazonaws.com:443`]))
})

test('traces reach their collector through the proxy', async () => {
  const [collector, proxy] = [await startCollector(), await startConnectProxy()]
  const errors: string[] = []
  const settings = { endpoint: named(collector.endpoint, 'otel.example'), ratio: 1, attributes: {}, version: '1' }
  const { plugin, close } = otlpTracing({ ...settings, proxies: proxiesOf(proxy) }, error => errors.push(error))
  const { default: fastify } = await import('fastify')
  const app = fastify()
  await app.register(plugin)
  app.get('/', () => 'here')
  await app.inject('/')
  await close()
  await app.close()
  // Closing waits three seconds at most; traces that take longer still arrive.
  await expect.poll(() => collector.spans, { timeout: 60_000 }).toMatchObject([{ name: 'GET /' }])
  expect([proxy.asked, errors]).toEqual([[`otel.example:${new URL(collector.endpoint).port}`], []])
})
