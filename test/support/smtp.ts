import { once } from 'node:events'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

export interface Received {
  raw: string
  mail: Email
  envelope: { from: string; to: string[] }
}

type Refuse = (command: 'RCPT' | 'DATA', attempt: number) => { code: number; words: string } | undefined

/** Starts a real mail server on a free port, or the given one. `refuse` is called for each recipient and each mail. */
export async function startSmtp({ port = 0, refuse = () => undefined }: { port?: number; refuse?: Refuse } = {}) {
  const received: Received[] = []
  const attempts = { RCPT: 0, DATA: 0 }
  const refusal = (command: 'RCPT' | 'DATA') => {
    const refused = refuse(command, ++attempts[command])
    return refused && Object.assign(new Error(refused.words), { responseCode: refused.code })
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: (_address, _session, done) => done(refusal('RCPT')),
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', part => parts.push(part))
      stream.on('end', async () => {
        const fault = refusal('DATA')
        if (fault) return done(fault)
        const raw = Buffer.concat(parts).toString('utf8')
        const { mailFrom, rcptTo } = session.envelope
        const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) }
        received.push({ raw, mail: await PostalMime.parse(raw), envelope })
        done()
      })
    }
  })
  server.on('error', () => {})
  const listener = server.listen(port, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const close = () => new Promise<void>(closed => server.close(closed))
  onTestFinished(close)
  const bound = typeof address === 'object' && address ? address.port : 0
  return { url: `smtp://127.0.0.1:${bound}`, port: bound, received, attempts, close }
}
