import { readdirSync, readFileSync } from 'node:fs'

/** Facts about a process from Linux. Undefined if no process has that id any more. */

const MICROSECONDS_PER_TICK = 10_000

/** Returns the CPU time so far, user and system, of all running and ended threads, in microseconds. */
export function cpuOf(pid: number) {
  // The second field is the command in parentheses and may contain spaces.
  const fields = read(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK
}

/** Returns the CPU time so far of the running threads, in microseconds. It is exact, where ticks would be an error in a short time. */
export function exactCpuOf(pid: number) {
  const nanoseconds = threadsOf(pid).map(thread => read(pid, `task/${thread}/schedstat`)?.split(' ')[0])
  const known = nanoseconds.filter(each => each !== undefined)
  return known.length > 0 ? known.reduce((sum, each) => sum + Number(each), 0) / 1_000 : undefined
}

function threadsOf(pid: number) {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Returns the peak of its resident memory so far, in bytes. */
export function peakMemoryOf(pid: number) {
  return statusOf(pid, 'VmHWM')
}

/** Returns its resident memory now, in bytes. */
export function memoryOf(pid: number) {
  return statusOf(pid, 'VmRSS')
}

function statusOf(pid: number, field: string) {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(read(pid, 'status') ?? '')?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1_024
}

/** Returns its id and those of its running child processes. */
export function familyOf(pid: number) {
  return [pid, ...(read(pid, `task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number)]
}

/** Returns its command line. */
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
