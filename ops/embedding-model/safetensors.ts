import { closeSync, openSync, readSync } from 'node:fs'
import { z } from 'zod'

const LENGTH_BYTES = 8
const Header = z.record(
  z.string(),
  z.object({ dtype: z.string().optional(), data_offsets: z.tuple([z.int(), z.int()]).optional() })
)

/** Opens a safetensors file of half-precision numbers. Each tensor is read on demand, because all of them together are large. */
export function openSafetensors(path: string) {
  const file = openSync(path, 'r')
  const read = (from: number, length: number) => {
    const bytes = Buffer.alloc(length)
    if (readSync(file, bytes, 0, length, from) < length) throw new Error(`${path} ends early`)
    return bytes
  }
  const length = Number(read(0, LENGTH_BYTES).readBigUInt64LE())
  const header = Header.parse(JSON.parse(read(LENGTH_BYTES, length).toString()))

  return {
    numbersOf(name: string): Float32Array {
      const { dtype, data_offsets: [from, to] = [0, 0] } = header[name] ?? {}
      if (dtype !== 'F16') throw new Error(`${path} has no half-precision tensor ${name}`)
      const bytes = read(LENGTH_BYTES + length + from, to - from)
      return new Float32Array(
        new Float16Array(bytes.buffer, bytes.byteOffset, bytes.length / Float16Array.BYTES_PER_ELEMENT)
      )
    },
    close: () => closeSync(file)
  }
}
