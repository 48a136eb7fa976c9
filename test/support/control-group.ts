import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Finally } from './folders.ts'

const MEMORY = '/sys/fs/cgroup/memory'

/** True if this user may limit the memory of programs, by control groups of version 1. */
export const canLimitMemory = (() => {
  try {
    accessSync(join(MEMORY, 'memory.limit_in_bytes'))
    accessSync(MEMORY, constants.W_OK)
    return true
  } catch {
    return false
  }
})()

/** Makes a control group of programs that may take so much memory together. Make it before them, because it is removed after their end. */
export function memoryGroup(bytes: number, finally_: Finally = onTestFinished) {
  const group = join(MEMORY, `parlance-test-${process.pid}-${Math.random().toString(36).slice(2, 10)}`)
  mkdirSync(group)
  finally_(async () => {
    // Those that the server has started end after it.
    while (readFileSync(join(group, 'cgroup.procs'), 'utf8') !== '') await setTimeout(50)
    rmdirSync(group)
  })
  writeFileSync(join(group, 'memory.limit_in_bytes'), String(bytes))
  return group
}

/** The words before those of a program that has to run in the group. */
export function enterGroup(group: string) {
  return ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs')] as const
}
