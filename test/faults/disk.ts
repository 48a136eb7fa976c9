import { execFileSync } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Why this machine lets the tests have no disk of their own; undefined where it does. */
export const noDisk = whyNoDisk()

function whyNoDisk() {
  if (process.getuid?.() !== 0) return 'only root can mount a disk to be filled up'
  const folder = mkdtempSync(join(tmpdir(), 'parlance-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'pipe' })
    execFileSync('umount', [folder], { stdio: 'pipe' })
    return undefined
  } catch (fault) {
    return `no disk can be mounted here: ${fault instanceof Error ? fault.message.trim() : fault}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A disk of so many mebibytes, mounted on a new folder, to be filled up and given its room back. */
export function smallDisk(mebibytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=777`, 'tmpfs', folder])
  // Lazily: a process that was killed a moment ago may still hold a file.
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  const ballast = join(folder, 'ballast')
  return {
    folder,
    /** Leaves room for so many bytes, or for not one. */
    fill({ leave = 0 } = {}) {
      const file = openSync(ballast, 'w')
      try {
        for (const bytes of [1 << 20, 1 << 12]) writeUntilFull(file, Buffer.alloc(bytes))
        ftruncateSync(file, fstatSync(file).size - leave)
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast)
  }
}

function writeUntilFull(file: number, block: Buffer) {
  try {
    for (;;) writeSync(file, block)
  } catch (fault) {
    if (!(fault instanceof Error && 'code' in fault && fault.code === 'ENOSPC')) throw fault
  }
}
