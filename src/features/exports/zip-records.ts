/** A file of an archive, as its records describe it. */
export interface ZipEntry {
  name: string
  at: Date
  /** 8 for deflated bytes, 0 for bytes as they are. */
  method: number
  crc: number
  bytes: number
  /** The bytes in the archive. */
  stored: number
  /** The place of the file in the archive. */
  offset: number
}

/** Larger numbers are in the records of Zip64. */
const MAX_32 = 0xffffffff
const MAX_16 = 0xffff
/** Names are UTF-8. */
const FLAGS = 0x0800
const VERSION = 45
const UNIX = 3
/** A file that its owner may change and others may read. */
const ATTRIBUTES = (0o100644 << 16) >>> 0

export function localHeader({ name, at, method, crc, bytes, stored }: ZipEntry) {
  const isLarge = bytes >= MAX_32 || stored >= MAX_32
  const extra = isLarge ? zip64Field([bytes, stored]) : Buffer.alloc(0)
  const path = Buffer.from(name)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  writeCommon(header, 4, { at, method, crc, bytes: isLarge ? MAX_32 : bytes, stored: isLarge ? MAX_32 : stored })
  header.writeUInt16LE(path.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, path, extra])
}

export function centralRecord({ name, at, method, crc, bytes, stored, offset }: ZipEntry) {
  const extra = zip64Field([bytes, stored, offset].filter(value => value >= MAX_32))
  const path = Buffer.from(name)
  const record = Buffer.alloc(46)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE((UNIX << 8) | VERSION, 4)
  writeCommon(record, 6, { at, method, crc, bytes: Math.min(bytes, MAX_32), stored: Math.min(stored, MAX_32) })
  record.writeUInt16LE(path.length, 28)
  record.writeUInt16LE(extra.length, 30)
  record.writeUInt32LE(ATTRIBUTES, 38)
  record.writeUInt32LE(Math.min(offset, MAX_32), 42)
  return Buffer.concat([record, path, extra])
}

/** The fields that both headers have in one order, from `from` on. */
function writeCommon(
  header: Buffer,
  from: number,
  { at, method, crc, bytes, stored }: Pick<ZipEntry, 'at' | 'method' | 'crc' | 'bytes' | 'stored'>
) {
  header.writeUInt16LE(VERSION, from)
  header.writeUInt16LE(FLAGS, from + 2)
  header.writeUInt16LE(method, from + 4)
  header.writeUInt16LE((at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1), from + 6)
  const year = Math.min(Math.max(at.getUTCFullYear() - 1980, 0), 127)
  header.writeUInt16LE((year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(), from + 8)
  header.writeUInt32LE(crc, from + 10)
  header.writeUInt32LE(stored, from + 14)
  header.writeUInt32LE(bytes, from + 18)
}

function zip64Field(values: readonly number[]) {
  if (values.length === 0) return Buffer.alloc(0)
  const field = Buffer.alloc(4 + 8 * values.length)
  field.writeUInt16LE(1, 0)
  field.writeUInt16LE(8 * values.length, 2)
  for (const [at, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * at)
  return field
}

/** The end of an archive whose central directory has these entries and bytes, from `from` on. */
export function endRecords({ entries, from, bytes }: { entries: number; from: number; bytes: number }) {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(entries, MAX_16), 8)
  end.writeUInt16LE(Math.min(entries, MAX_16), 10)
  end.writeUInt32LE(Math.min(bytes, MAX_32), 12)
  end.writeUInt32LE(Math.min(from, MAX_32), 16)
  if (entries < MAX_16 && bytes < MAX_32 && from < MAX_32) return end
  const large = Buffer.alloc(56)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE((UNIX << 8) | VERSION, 12)
  large.writeUInt16LE(VERSION, 14)
  large.writeBigUInt64LE(BigInt(entries), 24)
  large.writeBigUInt64LE(BigInt(entries), 32)
  large.writeBigUInt64LE(BigInt(bytes), 40)
  large.writeBigUInt64LE(BigInt(from), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(from + bytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([large, locator, end])
}
