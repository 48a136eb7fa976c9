import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { composed } from './compose.ts'
import type { Mail } from './mail.ts'

/** Without an SMTP server: writes each mail as `<id>.eml` into a folder, for the operator to look at or to pass on. */
export function outboxMail(folder: string, from: string): Mail {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async send(message) {
      const { message: bytes } = await transport.sendMail(composed(from, message))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, `${message.id}.eml`)
      await writeFile(`${file}.part`, bytes, { mode: 0o600 })
      await rename(`${file}.part`, file)
    },
    check: async () => `files in ${folder}`,
    close: () => transport.close()
  }
}

/** The name of a mail's file: the id of what it is about, how often that was sent, and the end of one that is being written. */
const NAME = /^(.+)\.\d+\.eml(\.part)?$/

/** Removes the mails about what is gone; `findKept` says which of the ids are not. */
export async function pruneOutbox(folder: string, findKept: (ids: string[]) => Promise<Set<string>>) {
  const names = await readdir(folder).catch(() => [])
  const mails = names.map(name => ({ name, id: NAME.exec(name)?.[1] })).filter(({ id }) => id !== undefined)
  if (mails.length === 0) return
  const kept = await findKept([...new Set(mails.map(({ id = '' }) => id))])
  for (const { name, id = '' } of mails) if (!kept.has(id)) await rm(join(folder, name), { force: true })
}
