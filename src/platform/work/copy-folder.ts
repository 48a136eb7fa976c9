import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../core/operator-error.ts'

interface CopiedFiles {
  files: number
  bytes: number
}

/**
 * Copies the files below a folder, except the entries of the folder itself that `isLeftOut` names. Each copy is read again and compared by its SHA-256
 * before it gets its name, so a repetition after an interruption ends with the same files. Throws an OperatorError for a copy that differs.
 */
export async function copyFolder(from: string, to: string, isLeftOut: (name: string) => boolean): Promise<CopiedFiles> {
  const copied = { files: 0, bytes: 0 }
  await copyInto(from, to, name => !isLeftOut(name))
  return copied

  async function copyInto(source: string, target: string, takes: (name: string) => boolean) {
    await mkdir(target, { recursive: true, mode: 0o700 })
    for (const entry of await readdir(source, { withFileTypes: true })) {
      if (!takes(entry.name)) continue
      const [path, copy] = [join(source, entry.name), join(target, entry.name)]
      if (entry.isDirectory()) await copyInto(path, copy, () => true)
      else if (entry.isFile()) {
        copied.bytes += await copyFile(path, copy)
        copied.files++
      }
    }
  }
}

async function copyFile(from: string, to: string) {
  const partial = `${to}.partial`
  const file = await open(partial, 'w', 0o600)
  await pipeline(createReadStream(from), file.createWriteStream({ flush: true }))
  const [before, after] = [await digestFile(from), await digestFile(partial)]
  if (before.digest !== after.digest)
    throw new OperatorError(`${to} differs from ${from} after the copy; check the disk, then try again`)
  await rename(partial, to)
  return after.bytes
}

async function digestFile(path: string) {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { digest: hash.digest('hex'), bytes }
}
