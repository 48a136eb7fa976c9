import { existsSync } from 'node:fs'
import { lstat, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { codeOf } from '../platform/core/error-code.ts'
import { digestOf, fileNameOf } from './mirror-pages.ts'
import { CommandFailed } from './output.ts'

const STATE = '.parlance/mirror.json'

const file = {
  /** The path below the folder, with slashes. It stays when the title changes. */
  path: z.string(),
  /** The digest of the text that was written last. Absent before the first time. */
  written: z.string().optional(),
  /** The digest of the text that was about to be written. */
  next: z.string().optional(),
  title: z.string()
}
const State = z.object({
  version: z.literal(1),
  /** The server, so that a folder does not mix two. */
  url: z.string(),
  cursor: z.string().nullable(),
  /** Raised by each copy from the beginning. A session that such a copy has not met is gone. */
  round: z.number(),
  isComplete: z.boolean(),
  sessions: z.record(
    z.string(),
    z.object({ ...file, at: z.string(), folders: z.array(z.string()), round: z.number() })
  ),
  people: z.record(z.string(), z.object({ ...file, seen: z.string(), sessions: z.array(z.string()) })),
  folders: z.record(z.string(), z.object({ ...file, seen: z.string() }))
})
type MirrorState = z.infer<typeof State>
export type Written = z.infer<z.ZodObject<typeof file>>
export type Mirror = Awaited<ReturnType<typeof openMirror>>

/**
 * Opens the folder of a mirror with what it wrote before. Names and digests are stored before the files are written, so that after a kill it knows which
 * files are its own. Files of others are never opened for writing.
 */
export async function openMirror(folder: string, url: string) {
  await mkdir(join(folder, '.parlance'), { recursive: true })
  const root = await realpath(folder)
  const state = await readState(join(root, STATE), url)
  const all = () => [state.sessions, state.people, state.folders].flatMap(files => Object.values(files))
  const taken = new Set(all().map(({ path }) => keyOf(path)))

  /** A name that neither this mirror nor anyone else has. */
  function choosePath(place: string, title: string, id: string) {
    const name = fileNameOf(title, id)
    for (let number = 1; ; number++) {
      const path = `${place}/${number === 1 ? name : name.replace(/\.md$/, ` ${number}.md`)}`
      if (taken.has(keyOf(path)) || existsSync(join(root, path))) continue
      taken.add(keyOf(path))
      return path
    }
  }

  /** The digest of a file, or undefined if there is none. A link is not ours. */
  async function digestAt(path: string) {
    const place = join(root, path)
    const about = await lstat(place).catch(unlessAbsent)
    if (!about) return undefined
    return about.isFile() ? digestOf(await readFile(place)) : 'no file'
  }

  async function prepare(path: string) {
    const place = dirname(join(root, path))
    await mkdir(place, { recursive: true })
    if (!(await realpath(place)).startsWith(join(root, '/')))
      throw new CommandFailed(`${place} leads out of ${folder}; remove that link`)
  }

  // A kill between a file and the state that knows it leaves the digest in `next`, which the next text would replace.
  for (const entry of all())
    if (entry.next !== entry.written && (await digestAt(entry.path)) === entry.next) entry.written = entry.next

  return {
    state,
    choosePath,
    save: () => writeWhole(root, STATE, JSON.stringify(state)),
    /** Writes a page whose digest is stored as `next`. A file that somebody else has changed is kept beside it. */
    async write(entry: Written, text: string) {
      const found = await digestAt(entry.path)
      if (found !== entry.next) {
        await prepare(entry.path)
        if (found !== undefined && found !== entry.written)
          await rename(join(root, entry.path), join(root, freeName(root, entry.path)))
        await writeWhole(root, entry.path, text)
      }
      entry.written = entry.next
    },
    /** Removes a page, unless somebody else has changed it since. */
    async remove(entry: Written) {
      const found = await digestAt(entry.path)
      if (found !== undefined && (found === entry.written || found === entry.next)) await rm(join(root, entry.path))
      taken.delete(keyOf(entry.path))
    }
  }
}

async function readState(path: string, url: string): Promise<MirrorState> {
  const empty = {
    version: 1 as const,
    url,
    cursor: null,
    round: 1,
    isComplete: false,
    sessions: {},
    people: {},
    folders: {}
  }
  const text = await readFile(path, 'utf8').catch(unlessAbsent)
  if (text === undefined) return empty
  const { data } = State.safeParse(JSON.parse(text))
  if (!data) throw new CommandFailed(`${path} is of another version; use a new folder`)
  if (data.url !== url) throw new CommandFailed(`The folder mirrors ${data.url}; use a new folder for ${url}`)
  return data
}

async function writeWhole(root: string, path: string, text: string) {
  const partial = join(root, '.parlance', 'partial')
  await using output = await open(partial, 'w')
  await output.writeFile(text)
  await output.sync()
  await rename(partial, join(root, path))
}

function freeName(root: string, path: string) {
  const stem = path.replace(/\.md$/, '')
  for (let number = 1; ; number++) {
    const name = `${stem} (edited${number === 1 ? '' : ` ${number}`}).md`
    if (!existsSync(join(root, name))) return name
  }
}

/** Names that differ in case or composition only are one on some systems. */
function keyOf(path: string) {
  return path.normalize('NFC').toLowerCase()
}

function unlessAbsent(error: unknown) {
  if (codeOf(error) === 'ENOENT') return undefined
  throw error
}
