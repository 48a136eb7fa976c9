import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { calculateJwkThumbprint, compactVerify, importJWK, type JWK } from 'jose'
import { z } from 'zod'
import { type ArchiveFile, readArchive, UnreadableArchive } from './archive-reader.ts'
import { MANIFEST, Manifest, SIGNATURE, SUMS } from './manifest.ts'

export interface Verified {
  /** Undefined if the archive has none that can be read. */
  manifest: Manifest | undefined
  /** The thumbprint of the key that has signed the manifest; undefined if nobody has signed it as it is. */
  key: string | undefined
  problems: { file: string; problem: 'missing' | 'added' | 'changed' }[]
}

const MAX_MANIFEST = 1024 ** 2
const MAX_SUMS = 2 * 1024 ** 3

/** Compares an archive with its signed manifest: each file that is missing, added or changed is named. */
export async function verifyArchive(path: string): Promise<Verified> {
  return (await isZipFile(path)) ? await verifyZip(path) : await verifyNdjson(path)
}

async function isZipFile(path: string) {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
  return buffer.toString('latin1') === 'PK'
}

async function verifyZip(path: string): Promise<Verified> {
  const special = new Map<string, string>()
  let sumsDigest = ''
  let expected = new Map<string, string>()
  const problems: Verified['problems'] = []
  const seen = new Set<string>()
  for await (const file of readArchive(path)) {
    if (!isSpecial(file.name)) continue
    if (seen.has(file.name)) problems.push({ file: file.name, problem: 'added' })
    else if (file.name === SUMS) {
      if (file.bytes > MAX_SUMS) throw new UnreadableArchive(`${SUMS} is too large.`)
      const read = await readSums(file)
      sumsDigest = read.digest
      expected = read.sums
    } else special.set(file.name, await file.readText(MAX_MANIFEST).catch(() => ''))
    seen.add(file.name)
  }
  for (const name of SPECIAL) if (!seen.has(name)) problems.push({ file: name, problem: 'missing' })
  const manifest = parseManifest(special.get(MANIFEST) ?? '')
  const signed = await readSignature(special.get(SIGNATURE) ?? '')
  const isSigned = signed?.text === special.get(MANIFEST)
  if (seen.has(SIGNATURE) && !signed) problems.push({ file: SIGNATURE, problem: 'changed' })
  if (seen.has(MANIFEST) && (!manifest || (signed && !isSigned))) problems.push({ file: MANIFEST, problem: 'changed' })
  if (manifest && seen.has(SUMS) && sumsDigest !== manifest.sha256) problems.push({ file: SUMS, problem: 'changed' })
  problems.push(...(await compareFiles(path, expected)))
  return { manifest, key: isSigned ? signed?.key : undefined, problems }
}

const SPECIAL = [MANIFEST, SIGNATURE, SUMS]

function isSpecial(name: string) {
  return SPECIAL.includes(name)
}

/** Compares every file with its digest. What is left of `expected` is missing. */
async function compareFiles(path: string, expected: Map<string, string>) {
  const problems: Verified['problems'] = []
  const seen = new Set<string>()
  for await (const file of readArchive(path)) {
    const { name } = file
    if (isSpecial(name)) continue
    const digest = expected.get(name)
    if (digest === undefined || seen.has(name)) problems.push({ file: name, problem: 'added' })
    else if ((await digestOf(file)) !== digest) problems.push({ file: name, problem: 'changed' })
    seen.add(name)
  }
  const missing = [...expected.keys()].filter(name => !seen.has(name))
  return [...problems, ...missing.map(file => ({ file, problem: 'missing' as const }))]
}

/** Returns undefined for a file that cannot be unpacked. */
async function digestOf(file: ArchiveFile) {
  const digest = createHash('sha256')
  try {
    for await (const chunk of await file.open()) digest.update(chunk)
    return digest.digest('hex')
  } catch {
    return undefined
  }
}

/** Reads the list of digests by name, as far as it can be unpacked. */
async function readSums(file: ArchiveFile) {
  const digest = createHash('sha256')
  const sums = new Map<string, string>()
  let rest = ''
  const decoder = new TextDecoder()
  const takeLine = (line: string) => void (line.length > 66 && sums.set(line.slice(66), line.slice(0, 64)))
  try {
    for await (const chunk of await file.open()) {
      digest.update(chunk)
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) takeLine(line)
    }
  } catch {
    // The digest of a damaged list differs from that in the manifest.
  }
  takeLine(rest)
  return { digest: digest.digest('hex'), sums }
}

function parseManifest(text: string) {
  try {
    return Manifest.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Returns the signed text, and the thumbprint of the key; undefined if the signature is not valid. */
async function readSignature(signature: string) {
  try {
    const { payload, protectedHeader, key } = await compactVerify(signature, async ({ jwk }) => await importKey(jwk), {
      algorithms: ['EdDSA']
    })
    const { jwk } = protectedHeader
    return jwk && key ? { text: Buffer.from(payload).toString(), key: await calculateJwkThumbprint(jwk) } : undefined
  } catch {
    return undefined
  }
}

async function importKey(jwk: JWK | undefined) {
  if (!jwk) throw new Error('The signature has no key')
  return await importJWK(jwk, 'EdDSA')
}

const LastLine = z.object({ kind: z.literal('manifest'), manifest: z.unknown(), signature: z.string() })

/** Verifies an export as lines, of which the last one has the manifest. */
async function verifyNdjson(path: string): Promise<Verified> {
  const { from, line } = await readLastLine(path)
  const last = parseLastLine(line)
  if (!last) throw new UnreadableArchive('The file is no export of a library, or it did not arrive whole.')
  const text = JSON.stringify(last.manifest)
  const manifest = parseManifest(text)
  const signed = await readSignature(last.signature)
  const isSigned = signed?.text === text
  const digest = createHash('sha256')
  if (from > 0) for await (const chunk of createReadStream(path, { end: from - 1 })) digest.update(chunk)
  const problems: Verified['problems'] = []
  if (!manifest || !isSigned) problems.push({ file: 'manifest', problem: 'changed' })
  if (manifest && digest.digest('hex') !== manifest.sha256) problems.push({ file: 'lines', problem: 'changed' })
  return { manifest, key: isSigned ? signed?.key : undefined, problems }
}

function parseLastLine(line: string) {
  try {
    return LastLine.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

async function readLastLine(path: string) {
  await using file = await open(path)
  const { size } = await file.stat()
  const bytes = Math.min(size, MAX_MANIFEST)
  const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, size - bytes)
  const at = buffer.subarray(0, -1).lastIndexOf('\n') + 1
  return { from: size - bytes + at, line: buffer.subarray(at).toString() }
}
