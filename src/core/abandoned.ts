import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes the temporary folders of that prefix which nobody has changed since then: their process was killed. */
export async function removeAbandoned(under: string, prefix: string, since: Date) {
  const names = await readdir(under).catch(() => [])
  for (const name of names.filter(name => name.startsWith(prefix))) {
    const found = await stat(join(under, name)).catch(() => undefined)
    if (found && found.mtimeMs < since.getTime()) await rm(join(under, name), { recursive: true, force: true })
  }
}
