import { drawer } from './drawn.ts'

const draw = drawer(1)

/** Bytes that are no recording. Others from time to time begin as one does, so these are the same in each run. */
export const NOISE = Buffer.from(Array.from({ length: 3_000 }, () => Math.floor(draw() * 256)))

/** A WAV file of that many seconds of silence, which every browser plays. */
export function silence(seconds: number) {
  const rate = 8_000
  const samples = Buffer.alloc(seconds * rate, 0x80)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

/** The frames of half a second of silence: layer III, 128 kbit/s, 44.1 kHz. */
const FRAMES = 20
const FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)])
const TITLE_AT = 21

/** An MP3 file of half a second, whose title is the text, so that each text makes another file. */
export function sound(text: string) {
  const title = Buffer.concat([Buffer.from([3]), Buffer.from(text)])
  const head = Buffer.alloc(20)
  head.write('ID3\u0003', 0, 'latin1')
  writeLength(head, 6, title.length + 10)
  head.write('TIT2', 10)
  head.writeUInt32BE(title.length, 14)
  return Buffer.concat([head, title, ...Array<Buffer>(FRAMES).fill(FRAME)])
}

/** The text of such a file. */
export function textOfSound(file: Buffer) {
  if (file.toString('latin1', 0, 3) !== 'ID3') return file.toString()
  return file.toString('utf8', TITLE_AT, 20 + file.readUInt32BE(14))
}

/** A length of ID3 has seven bits in each byte. */
function writeLength(head: Buffer, at: number, length: number) {
  for (const [place, shift] of [21, 14, 7, 0].entries()) head[at + place] = (length >> shift) & 0x7f
}
