import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ImportDocument } from '../contract/import-document.ts'
import { isUrl, RECORDING_FORMATS, recordingExtension } from '../contract/recording.ts'
import type { MediaKind } from '../media/media.ts'
import { UnreadableTranscript } from './parse/parse.ts'

/** The files of a conversation's recordings, by their kind. */
export type Recordings = Partial<Record<MediaKind, string>>

export const KINDS: readonly MediaKind[] = ['audio', 'video']

/** What a recording is, by its extension, and the digest of its bytes. Throws an UnreadableTranscript where it cannot be taken. */
export async function readRecording(path: string) {
  await refuseUnusable(path)
  const { kind } = formatOf(path)
  const digest = createHash('sha256')
  await pipeline(createReadStream(path), digest)
  return { recordings: { [kind]: path } satisfies Recordings, digest: digest.digest('hex') }
}

/**
 * The files that a document names, which lie in its folder or below. A document may come from somebody else: it must not be
 * able to name any file of this machine, and have it served.
 */
export async function recordingsBeside(path: string, { media }: ImportDocument): Promise<Recordings> {
  const found: Recordings = {}
  for (const kind of KINDS) {
    const place = media?.[kind]
    if (place && !isUrl(place)) found[kind] = await fileBeside(path, place, `media.${kind}`)
  }
  return found
}

async function fileBeside(path: string, place: string, field: string) {
  const folder = await realpath(dirname(path))
  const file = await realpath(join(folder, place)).catch(() => {
    throw new UnreadableTranscript(`${field}: there is no file ${place} beside the document.`)
  })
  const within = folder.endsWith(sep) ? folder : folder + sep
  if (!file.startsWith(within) || recordingExtension(file) === undefined)
    throw new UnreadableTranscript(`${field}: ${place} is a link to something other than a recording beside the document.`)
  await refuseUnusable(file, `${field}: `)
  return file
}

async function refuseUnusable(path: string, led = '') {
  const about = await stat(path)
  if (!about.isFile()) throw new UnreadableTranscript(`${led}The recording is no file.`)
  if (about.size === 0) throw new UnreadableTranscript(`${led}The file is empty.`)
  await access(path, constants.R_OK)
}

/** How a recording of that file is stored. */
export function storedAs(path: string, kind: MediaKind) {
  const { extension, type } = formatOf(path)
  return { extension, contentType: `${kind}/${type}` }
}

function formatOf(path: string) {
  const extension = recordingExtension(path)
  const format = extension === undefined ? undefined : RECORDING_FORMATS[extension]
  if (extension === undefined || !format) throw new UnreadableTranscript('The file is no recording of a known kind.')
  return { extension, ...format }
}
