import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/platform/config/config.ts'
import type { Message } from '../../../src/platform/mail/mail.ts'
import { smtpMail } from '../../../src/platform/mail/smtp.ts'
import { chooseMail } from '../../../src/server/compose.ts'
import { freePort } from '../../support/ports.ts'
import { drip, startRaw } from '../../support/raw-server.ts'

const WAIT_MS = 200
const MESSAGE: Message = {
  id: 'inv_1.1',
  to: 'ada@example.test',
  subject: 'A subject',
  text: 'A text',
  html: '<p>A text</p>'
}

test.each<[string, (socket: Socket) => void]>([
  ['says nothing', () => {}],
  ['hangs up', socket => socket.destroy()],
  ['speaks something else', socket => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['is too busy', socket => socket.end('421 Too busy\r\n')],
  ['drips what it says', socket => drip(socket, '2', WAIT_MS / 4)],
  ['goes on greeting', socket => drip(socket, '220-Welcome\r\n', WAIT_MS / 4)],
  [
    'goes on answering',
    socket => {
      socket.write('220 Welcome\r\n')
      socket.once('data', () => drip(socket, '250-More\r\n', WAIT_MS / 4))
    }
  ]
])('a mail server that %s has the mail tried again later, and nobody waits for it', async (_, receive) => {
  const { port } = await startRaw(receive)
  const mail = smtpMail(`smtp://127.0.0.1:${port}`, 'Parlance <parlance@example.test>', { timeoutMs: WAIT_MS })
  await expect(mail.send(MESSAGE)).rejects.toMatchObject({ name: 'MailError', final: false })
  await expect(mail.check()).rejects.toThrow()
  mail.close()
})

test.each<[string, (socket: Socket) => void, string]>([
  [
    'refuses the password',
    socket => {
      socket.write('220 Welcome\r\n')
      socket.on('data', sent =>
        socket.write(
          /^EHLO/.test(String(sent)) ? '250-mail.example\r\n250 AUTH PLAIN\r\n' : '535 No ada@example.test\r\n'
        )
      )
    },
    'refuses the user and password (535); correct SMTP_URL, with special characters encoded'
  ],
  ['hangs up', socket => socket.destroy(), 'closes the connection (ECONN…); start it, or correct SMTP_URL'],
  ['says nothing', () => {}, 'does not answer in time (ETIMEDOUT); start it, or correct SMTP_URL']
])('a mail server that %s is named in a sentence that says what to do', async (_, receive, words) => {
  const { port } = await startRaw(receive)
  const timeoutMs = words.includes('in time') ? 2_000 : 60_000
  const mail = smtpMail(`smtp://ada:hush@127.0.0.1:${port}`, 'parlance@example.test', { timeoutMs })
  await expect(mail.check()).rejects.toThrow(
    new RegExp(`^${RegExp.escape(`The mail server at 127.0.0.1:${port} ${words}`).replace('…', '\\w+')}$`)
  )
  mail.close()
})

test('a mail server that is not there is named in a sentence that says what to do', async () => {
  const port = await freePort()
  const mail = smtpMail(`smtp://127.0.0.1:${port}`, 'parlance@example.test')
  const message = `The mail server at 127.0.0.1:${port} refuses the connection (ECONNREFUSED); start it, or correct SMTP_URL`
  await expect(mail.check()).rejects.toMatchObject({ name: 'MailError', message })
  await expect(mail.send(MESSAGE)).rejects.toMatchObject({ name: 'MailError', message, final: false })
  mail.close()
})

test.each([
  ['https://parlance.example.com/notes', 'parlance.example.com'],
  ['http://192.0.2.7:8080', '[192.0.2.7]'],
  ['http://[2001:db8::1]:8080', '[IPv6:2001:db8::1]']
])('the server of %s greets a mail server as %s', async (url, name) => {
  const said: string[] = []
  const { port } = await startRaw(socket => {
    socket.write('220 Welcome\r\n')
    socket.on('data', sent => {
      said.push(String(sent).trim())
      socket.write('250 Hello\r\n')
    })
  })
  const environment = {
    DATA_DIR: tmpdir(),
    PUBLIC_URL: url,
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'parlance@example.test'
  }
  const mail = await chooseMail(readConfig({ environment }))
  await mail.check()
  mail.close()
  expect(said[0]).toBe(`EHLO ${name}`)
})
