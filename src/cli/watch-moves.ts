import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { z } from 'zod'
import { codeOf } from '../platform/core/error-code.ts'
import { type Arrival, FAILED, OWN } from './watch-files.ts'

const Journal = z.object({ moves: z.array(z.object({ from: z.string(), to: z.string() })) })

/**
 * Moves the files of an arrival to `done` or `failed`, with the reason. The moves are written down first: if the process is killed between two of them,
 * `finishMoves` does the rest, and a document is never taken without its recording.
 */
export async function moveAway(folder: string, { file, document }: Arrival, place: string, reason?: string) {
  const paths = [file.path, ...(document ? [document.path] : [])]
  const moves = paths.map(path => ({ from: path, to: freeName(folder, join(place, path)) }))
  const [first] = moves
  const journal = join(folder, OWN, 'moves.json')
  await mkdir(dirname(journal), { recursive: true })
  await writeWhole(journal, JSON.stringify({ moves }))
  if (reason !== undefined && first) await writeWhole(join(folder, `${first.to}.reason.txt`), `${reason}\n`)
  await finishMoves(folder)
}

/** Does the moves that a killed process has left. */
export async function finishMoves(folder: string) {
  const journal = join(folder, OWN, 'moves.json')
  const text = await readFile(journal, 'utf8').catch(() => undefined)
  if (text === undefined) return
  const { data } = Journal.safeParse(JSON.parse(text))
  for (const { from, to } of data?.moves ?? []) {
    await mkdir(dirname(join(folder, to)), { recursive: true })
    await rename(join(folder, from), join(folder, to)).catch((error: unknown) => {
      // It was moved already, or somebody took it away.
      if (codeOf(error) !== 'ENOENT') throw error
    })
  }
  await rm(journal)
}

/** A name below the folder that no file has yet. */
function freeName(folder: string, path: string) {
  const extension = extname(path)
  const stem = path.slice(0, path.length - extension.length)
  for (let number = 1; ; number++) {
    const name = number === 1 ? path : `${stem} (${number})${extension}`
    if (!existsSync(join(folder, name))) return name
  }
}

async function writeWhole(path: string, text: string) {
  await mkdir(dirname(path), { recursive: true })
  const partial = `${path}.partial`
  await using file = await open(partial, 'w')
  await file.writeFile(text)
  await file.sync()
  await rename(partial, path)
}

export const toFailed = (folder: string, arrival: Arrival, reason: string) => moveAway(folder, arrival, FAILED, reason)
