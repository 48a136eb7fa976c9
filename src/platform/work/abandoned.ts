import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes temporary folders with the prefix that are unchanged since `before`, because their process was killed. Folders of other users of the
 * machine stay.
 */
export async function removeAbandoned(under: string, prefix: string, before: Date) {
  const names = await readdir(under).catch(() => [])
  for (const name of names.filter(name => name.startsWith(prefix))) {
    const found = await stat(join(under, name)).catch(() => undefined)
    if (found && found.uid === process.getuid?.() && found.mtimeMs < before.getTime())
      await rm(join(under, name), { recursive: true, force: true })
  }
}
