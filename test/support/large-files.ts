import { createHash } from 'node:crypto'
import { createReadStream, writeFileSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { sound } from './sound.ts'

export const MIB = 1024 ** 2

/** Writes a recording of that many bytes, no two megabytes of which are equal. */
export function writeRecording(path: string, bytes: number) {
  const start = sound('talk')
  const block = Buffer.alloc(MIB)
  writeFileSync(path, start)
  for (let at = start.length; at < bytes; at += MIB) {
    createHash('sha512').update(String(at)).digest().copy(block)
    writeFileSync(path, block.subarray(0, Math.min(MIB, bytes - at)), { flag: 'a' })
  }
}

export async function digestOf(path: string) {
  const digest = createHash('sha256')
  await pipeline(createReadStream(path), digest)
  return digest.digest('hex')
}
