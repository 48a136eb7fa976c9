import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/platform/config/config.ts'
import { Environment } from '../../../src/platform/config/environment.ts'
import { SECRETS } from '../../../src/platform/config/secret-files.ts'
import { OperatorError } from '../../../src/platform/core/operator-error.ts'
import { fileIn, temporaryFolder } from '../../support/folders.ts'
import { certificateFor } from '../../support/https-server.ts'

const KEY = 'k'.repeat(40)
const read = (environment: Record<string, string>) =>
  readConfig({ environment: { DATA_DIR: tmpdir(), ...environment } })
const secretFile = (content: string) => fileIn(temporaryFolder(), 'secret', Buffer.from(content))

test('every secret is read from the file that its setting with _FILE names, without the line break at its end', () => {
  const url = 'postgres://parlance:hush@db.example/parlance'
  const { cert, key } = certificateFor('parlance.example')
  const environment = {
    DATABASE_URL_FILE: secretFile(`${url}\n`),
    DATABASE_REPLICA_URL_FILE: secretFile(url),
    SECRET_KEY_FILE: secretFile(`${KEY}\r\n`),
    APP_API_KEY_FILE: secretFile(`a${KEY}\n\n`),
    OPENAI_API_KEY_FILE: secretFile('sk-openai\n'),
    EMBEDDING_API_KEY_FILE: secretFile('sk-embedding\n'),
    TRANSCRIPTION_API_KEY_FILE: secretFile('sk-speech\n'),
    AWS_ACCESS_KEY_ID_FILE: secretFile('AKIA\n'),
    AWS_SECRET_ACCESS_KEY_FILE: secretFile('hush\n'),
    AWS_SESSION_TOKEN_FILE: secretFile('token\n'),
    OUTBOUND_CLIENT_CERT_FILE: secretFile(cert),
    OUTBOUND_CLIENT_KEY_FILE: secretFile(key),
    OIDC_CLIENT_SECRET_FILE: secretFile('hush at the provider\n'),
    OTEL_EXPORTER_OTLP_HEADERS_FILE: secretFile('authorization=Bearer%20hush,x-team=notes\n'),
    HTTPS_PROXY_FILE: secretFile('http://user:hush@proxy.example\n'),
    HTTP_PROXY_FILE: secretFile('http://user:hush@plain.example\n'),
    SMTP_URL_FILE: secretFile('smtp://user:hush@mail.example\n'),
    TRANSCRIPTION_MODEL: 'listener',
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'parlance',
    MEDIA_URL: 's3://bucket',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example',
    MAIL_FROM: 'parlance@example.test'
  }
  expect(Object.keys(environment).filter(name => name.endsWith('_FILE'))).toEqual(SECRETS.map(name => `${name}_FILE`))
  expect(read(environment)).toMatchObject({
    database: { url, replicaUrl: url },
    secretKey: KEY,
    adminApiKey: `a${KEY}`,
    summaries: { apiKey: 'sk-openai' },
    transcription: { apiKey: 'sk-speech' },
    embedder: { apiKey: 'sk-embedding' },
    media: { credentials: { accessKeyId: 'AKIA', secretAccessKey: 'hush', sessionToken: 'token' } },
    tracing: { headers: { authorization: 'Bearer hush', 'x-team': 'notes' } },
    outbound: {
      certificate: { cert: cert.trimEnd(), key: key.trimEnd() },
      proxies: { http: 'http://user:hush@plain.example', https: 'http://user:hush@proxy.example' }
    },
    oidc: { clientSecret: 'hush at the provider' },
    mail: { smtpUrl: 'smtp://user:hush@mail.example' }
  })
})

test.each<[string, (folder: string) => Record<string, string>, (folder: string) => string]>([
  [
    'is missing',
    folder => ({ APP_API_KEY_FILE: join(folder, 'none') }),
    folder => `APP_API_KEY_FILE: there is no file ${folder}/none; create it, or correct the path`
  ],
  [
    'is a folder',
    folder => ({ SMTP_URL_FILE: folder }),
    folder => `SMTP_URL_FILE: ${folder} is a folder; name the file with the secret`
  ],
  [
    'is empty',
    folder => ({ SECRET_KEY_FILE: fileIn(folder, 'empty', Buffer.from(' \n')) }),
    folder => `SECRET_KEY_FILE: ${folder}/empty is empty; write the secret into it`
  ],
  [
    'is named beside the setting itself',
    folder => ({ OPENAI_API_KEY: 'sk', OPENAI_API_KEY_FILE: folder }),
    () => 'OPENAI_API_KEY_FILE: OPENAI_API_KEY is set as well; set only one of them'
  ],
  [
    'holds a value that the setting does not take, beside other errors',
    folder => ({ SECRET_KEY_FILE: fileIn(folder, 'short', Buffer.from('short')), DATABASE_URL_FILE: `${folder}/none` }),
    folder =>
      `DATABASE_URL_FILE: there is no file ${folder}/none; create it, or correct the path\nSECRET_KEY: set at least 32 characters`
  ]
])('a file that %s is refused with what to do', (_, settings, sentence) => {
  const folder = temporaryFolder()
  expect(() => read(settings(folder))).toThrow(new OperatorError(sentence(folder)))
})

test('a setting with _FILE and no value counts as not set', () => {
  expect(read({ APP_API_KEY: KEY, APP_API_KEY_FILE: '' }).adminApiKey).toBe(KEY)
})

test('every setting that a name or a description calls a key or a password may be in a file, and the guide lists it', () => {
  const secret = ([name, { description = '' }]: [string, { description?: string | undefined }]) =>
    /_KEY(_ID)?$|_SECRET$|_CERT$|_TOKEN$|_HEADERS$|DATABASE_.*URL$/.test(name) || /password@/.test(description)
  expect(
    Object.entries(Environment.shape)
      .filter(secret)
      .map(([name]) => name)
      .sort()
  ).toEqual(SECRETS.toSorted())
  const guide = 'docs/configuration.md'
  expect(existsSync(guide)).toBe(true)
  const [, section = ''] = readFileSync(guide, 'utf8').split('## Read secrets from files')
  const [text = ''] = section.split('\n## ')
  expect(SECRETS.filter(name => !text.includes(`\`${name}\``))).toEqual([])
})
