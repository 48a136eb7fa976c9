// @module-tag postgres

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canRunCluster, startCluster } from '../faults/cluster.ts'
import { writeCertificate } from '../support/certificates.ts'
import { type Environment, onPostgres, run, temporaryFolder } from '../support/process.ts'
import { bothSay, doctorOn } from '../support/refused-start.ts'

const SLOW = { timeout: 300_000 }

/** A database server that takes connections with TLS alone, and its certificate: for that host, and for so many days. */
async function startTlsServer(host: string, days = 1) {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  writeCertificate(folder, host, days)
  execFileSync('chown', ['postgres', path('key.pem')])
  writeFileSync(path('hba.conf'), 'hostssl all all 127.0.0.1/32 trust\n')
  const settings = {
    ssl: 'on',
    ssl_cert_file: path('cert.pem'),
    ssl_key_file: path('key.pem'),
    hba_file: path('hba.conf')
  }
  const { port } = await startCluster(
    folder,
    Object.entries(settings)
      .map(pair => `-c ${pair.join('=')}`)
      .join(' ')
  )
  const dataDir = temporaryFolder()
  return {
    name: `The database server at localhost:${port}`,
    authority: `sslrootcert=${path('authority.pem')}`,
    environment: (query: string): Environment => ({
      DATABASE_URL: `postgres://parlance@localhost:${port}/postgres${query}`,
      DATA_DIR: dataDir,
      SECRET_KEY: 'a secret for tests, and for nothing else'
    })
  }
}

describe.runIf(onPostgres && canRunCluster)('a database server with TLS', () => {
  test(
    'that requires TLS is named, and one with an unknown authority is refused until DATABASE_URL names it',
    SLOW,
    async () => {
      const { name, authority, environment } = await startTlsServer('localhost')
      await bothSay(
        environment(''),
        new RegExp(
          `^${name} says: no pg_hba.conf entry for host .* no encryption; add sslmode=verify-full to DATABASE_URL, or sslmode=no-verify to use TLS without checking the certificate$`
        )
      )
      for (const mode of ['require', 'verify-full']) {
        await bothSay(
          environment(`?sslmode=${mode}`),
          `${name} has a certificate that cannot be trusted: unable to verify the first certificate; name its authority with sslrootcert=FILE in DATABASE_URL, or set sslmode=no-verify`
        )
      }
      for (const query of ['?sslmode=no-verify', `?sslmode=require&${authority}`, `?sslmode=verify-full&${authority}`])
        expect(await doctorOn(environment(query)), query).toMatchObject({ ok: true })
      const { code, stdout, stderr } = await run(
        { environment: environment('?sslmode=require&sslrootcert=/nowhere/ca.pem') },
        'doctor'
      )
      const sentence = 'DATABASE_URL: names a file that is not there: /nowhere/ca.pem\n'
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: sentence })
    }
  )

  test('with the certificate of another host is refused', SLOW, async () => {
    const { name, authority, environment } = await startTlsServer('database.test')
    await bothSay(
      environment(`?sslmode=require&${authority}`),
      `${name} has the certificate of another host: Hostname/IP does not match certificate's altnames: Host: localhost. is not in the cert's altnames: DNS:database.test; name a host of the certificate in DATABASE_URL, or set sslmode=no-verify`
    )
  })

  test('whose certificate has expired is refused', SLOW, async () => {
    const { name, authority, environment } = await startTlsServer('localhost', 0)
    await bothSay(
      environment(`?sslmode=require&${authority}`),
      `${name} has a certificate that cannot be trusted: certificate has expired; renew it there, or set sslmode=no-verify`
    )
  })
})
