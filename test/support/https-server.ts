import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { onTestFinished } from 'vitest'
import { writeCertificate } from './certificates.ts'

/** A folder with a key and a certificate for the host, and the certificate of its authority. */
export function certificateFor(host: string, days = 1) {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeCertificate(folder, host, days)
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  return {
    paths: { authority: join(folder, 'authority.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') },
    authority: read('authority.pem'),
    cert: read('cert.pem'),
    key: read('key.pem')
  }
}

/** Trusts an authority in this process, until the test is over. */
export function trust(authority: string) {
  const before = getCACertificates('default')
  onTestFinished(() => setDefaultCACertificates(before))
  setDefaultCACertificates([...before, authority])
}

/** Starts a server with TLS on this machine. Returns its port. */
export async function startHttpsServer(options: ServerOptions, answer: RequestListener = (_, r) => void r.end()) {
  const server = createServer(options, answer)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
