import { mkdir, rename, writeFile } from 'node:fs/promises'
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
