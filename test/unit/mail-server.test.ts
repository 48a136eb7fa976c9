import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { Message } from '../../src/mail/mail.ts'
import { smtpMail } from '../../src/mail/smtp.ts'
import { drip, startRaw } from '../support/raw-server.ts'

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
  const mail = smtpMail(`smtp://127.0.0.1:${port}`, 'Parlance <parlance@example.test>', WAIT_MS)
  await expect(mail.send(MESSAGE)).rejects.toMatchObject({ name: 'MailError', final: false })
  await expect(mail.check()).rejects.toThrow()
  mail.close()
})
