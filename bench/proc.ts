import { readFileSync } from 'node:fs'

/** What Linux tells of a process. Undefined where there is none of that id any more. */

const MICROSECONDS_PER_TICK = 10_000

/** CPU time so far, user and system, of all threads that are or were, in microseconds. */
export function cpuOf(pid: number) {
  // The second field is the command in parentheses and may hold blanks.
  const fields = read(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK
}

/** CPU time so far of a process of one thread, in microseconds: exact, where ticks add up to an error over many processes. */
export function exactCpuOf(pid: number) {
  const nanoseconds = read(pid, 'schedstat')?.split(' ')[0]
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1_000
}

/** The most memory it has had resident so far, in bytes. */
export function peakMemoryOf(pid: number) {
  return statusOf(pid, 'VmHWM')
}

/** The memory it has resident now, in bytes. */
export function memoryOf(pid: number) {
  return statusOf(pid, 'VmRSS')
}

function statusOf(pid: number, field: string) {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(read(pid, 'status') ?? '')?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1_024
}

/** It and the processes that it has started and that still run. */
export function familyOf(pid: number) {
  return [pid, ...(read(pid, `task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number)]
}

/** How it was called. */
export function titleOf(pid: number) {
  return read(pid, 'cmdline')
}

function read(pid: number, name: string) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined
  }
}
