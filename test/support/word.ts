import { crc32, deflateRawSync } from 'node:zlib'

/** A document of Word with these paragraphs. */
export function documentOfWord(paragraphs: string, isWhole = true) {
  const end = isWhole ? '</w:body></w:document>' : ''
  const xml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraphs}${end}`
  return zipOf({ '[Content_Types].xml': Buffer.from('<Types/>'), 'word/document.xml': Buffer.from(xml) })
}

/** A zip archive. `claimedSize` is the size that it claims for each file, in place of the true one. */
export function zipOf(files: Record<string, Buffer>, claimedSize?: number) {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(claimedSize ?? content.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    locals.push(Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed)
    const entry = Buffer.alloc(14)
    entry.writeUInt32LE(offset, 10)
    entries.push(Buffer.from('PK\x01\x02\x14\x00'), common, entry, Buffer.from(name))
    offset = locals.reduce((sum, part) => sum + part.length, 0)
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}
