import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { proxies } from '../../src/core/settings.ts'

test.each([
  [undefined, false],
  ['false', false],
  ['0', false],
  ['1', 1],
  ['2', 2],
  ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ['2001:db8::/32', ['2001:db8::/32']]
])('TRUST_PROXY=%s is read as %j', (text, trusted) => {
  expect(proxies.parse(text)).toEqual(trusted)
})

test.each(['true', 'yes', '-1', '1.5', '100', 'proxy.internal', '10.0.0.0/33', '10.0.0.0/8,', 'loopback'])(
  'TRUST_PROXY=%s is refused',
  text => {
    expect(proxies.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
      'send the number of proxies in front, such as 1, or their addresses and networks, such as 10.0.0.0/8,::1'
    ])
  }
)

test.each([
  [{ PORT: '99999' }, 'PORT: send a port number from 0 to 65535'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: send one of fatal, error, warn, info, debug, trace, silent'],
  [{ REUSE_PORT: 'true' }, 'REUSE_PORT: needs DATABASE_URL; the embedded database is for one server'],
  [{ HOST: '0.0.0.0', PORT: '9090' }, 'ADMIN_PORT: is the PORT as well; choose another one'],
  [{ SMTP_URL: 'smtp://ada:100%@mail.example' }, 'SMTP_URL: send smtp://user:password@host:587 or smtps://…'],
  [{ SMTP_URL: 'smtp://mail.example' }, 'MAIL_FROM: required with SMTP_URL; send an address that the mail server takes'],
  [{ MEDIA_URL: 's3://bucket?regoin=eu' }, 'MEDIA_URL: has no parameter regoin; send region and endpoint'],
  [{ DATABASE_URL: 'postgres://127.0.0.1:99999/x' }, /^DATABASE_URL: send a URL such as postgres:/],
  [{ DATABASE_URL: 'postgres://ada:7/hush@127.0.0.1/x' }, /^DATABASE_URL: .* with \/ \? # @ of the password encoded$/],
  [{ DATABASE_URL: 'postgres://127.0.0.1/x' }, /^SECRET_KEY: required with DATABASE_URL[^\n]*$/]
])('%j cannot be used, which is one sentence that names the setting', (settings, sentence) => {
  const read = () => readConfig({ environment: { SECRET_KEY: '', DATA_DIR: tmpdir(), ...settings } })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(sentence)
})
