// @module-tag postgres
import { expect, test } from 'vitest'
import { canary, found } from '../support/canaries.ts'
import { freePort, migratedDatabase, run } from '../support/process.ts'

test('errors of an unreachable database, mail server or provider do not show their passwords', {
  timeout: 600_000
}, async () => {
  const port = await freePort()
  const secrets = {
    SECRET_KEY: canary('secretkey'),
    OPENAI_API_KEY: `sk-${canary('openaikey')}`,
    smtpPassword: canary('smtppassword'),
    databasePassword: canary('databasepassword'),
    providerPassword: canary('providerpassword')
  }
  const { databasePassword, smtpPassword, providerPassword, SECRET_KEY, OPENAI_API_KEY } = secrets
  const environment = {
    DATABASE_URL: `postgres://parlance:${databasePassword}@127.0.0.1:${port}/none?sslpassword=${databasePassword}`,
    SMTP_URL: `smtp://operator:${smtpPassword}@127.0.0.1:${port}`,
    MAIL_FROM: 'parlance@example.test',
    OPENAI_BASE_URL: `http://operator:${providerPassword}@127.0.0.1:${port}/v1`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${providerPassword}@127.0.0.1:${port}`,
    SECRET_KEY,
    OPENAI_API_KEY,
    DATA_DIR: (await migratedDatabase()).dataDir,
    LOG_LEVEL: 'trace'
  }
  // A password that was not encoded for a URL: it is none of those that URLs are taken apart as.
  const unencoded = { ...environment, DATABASE_URL: `postgres://parlance:7#${databasePassword}@127.0.0.1:${port}/none` }
  for (const [settings, words] of [
    [environment, ['doctor']],
    [environment, ['serve']],
    [environment, ['user', 'list']],
    [unencoded, ['doctor']],
    [unencoded, ['serve']]
  ] as const) {
    const { code, stdout, stderr } = await run({ environment: settings }, ...words)
    expect(code).not.toBe(0)
    expect(found(secrets, stdout + stderr), words.join(' ')).toEqual([])
  }
})
