import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { toMailOptions } from './compose.ts'
import type { Mail } from './mail.ts'

/** Writes each mail as `<id>.eml` into the mail directory, for an operator without an SMTP server. */
export function directoryMail(folder: string, from: string): Mail {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async send(message) {
      const { message: bytes } = await transport.sendMail(toMailOptions(from, message))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, `${message.id}.eml`)
      await writeFile(`${file}.part`, bytes, { mode: 0o600 })
      await rename(`${file}.part`, file)
    },
    check: async () => `files in ${folder}`,
    close: () => transport.close()
  }
}

/** A file of the mail directory: the id of its invite or link, a send count, and `.part` while the file is written. */
const FILE_NAME = /^(.+)\.\d+\.eml(\.part)?$/

/** Removes the mails whose invite or link ended; `findKept` returns the ids of those that did not. */
export async function pruneMailDirectory(folder: string, findKept: (ids: string[]) => Promise<Set<string>>) {
  const names = await readdir(folder).catch(() => [])
  const mails = names.map(name => ({ name, id: FILE_NAME.exec(name)?.[1] })).filter(({ id }) => id !== undefined)
  if (mails.length === 0) return
  const kept = await findKept([...new Set(mails.map(({ id = '' }) => id))])
  for (const { name, id = '' } of mails) if (!kept.has(id)) await rm(join(folder, name), { force: true })
}
