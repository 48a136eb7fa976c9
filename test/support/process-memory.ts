import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'

/** False on a system that does not tell what a process takes. */
export const canMeasureProcesses = existsSync(`/proc/self/task/${process.pid}/children`)

/** The bytes that a process has for itself. Pages of program files are shared, and freed when memory is short. */
export function ownMemoryOf(pid: number) {
  return Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
}

/** The bytes that a process and those that it started have for themselves. */
export function memoryOf(pid: number): number {
  try {
    const own = ownMemoryOf(pid)
    const children = readdirSync(`/proc/${pid}/task`).flatMap(thread =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    )
    return children.reduce((sum, child) => sum + memoryOf(child), own)
  } catch {
    // A thread or a process has ended.
    return 0
  }
}

/** Measures a process and those that it started every 20 ms until `stop`, which returns the most bytes that they had for themselves. */
export function watchMemory(pid: number) {
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(pid))
  }, 20)
  onTestFinished(() => clearInterval(timer))
  return {
    stop() {
      clearInterval(timer)
      return peak
    }
  }
}
