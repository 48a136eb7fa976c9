import { writeFileSync } from 'node:fs'

/**
 * Has Linux end the process instead of the server where memory is short. The server asks for it, because the process loads its program for a
 * second or more first, and memory is shortest when it starts.
 */
export function sacrifice({ pid }: { pid?: number | undefined }) {
  if (process.platform !== 'linux' || pid === undefined) return
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // It has ended already, or the system does not allow it.
  }
}
