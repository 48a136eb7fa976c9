import type { Samples } from '../metrics/metrics.ts'
import { openWorkerProcess, type WorkerOptions } from './worker-process.ts'

export interface Workers {
  /** Where they listen, without a slash at its end. */
  url: string
  /** How many of them serve now. */
  serving(): number
  /** What each of those has counted that answer at once. */
  samples(): Promise<Samples[]>
  /** Has all of them finish what is under way, and waits for their end. */
  stop(): Promise<void>
}

/** Starts that many processes that share the public port. Rejects, with none of them left, when one of them cannot serve. */
export async function openWorkers(count: number, options: WorkerOptions): Promise<Workers> {
  const each = Array.from({ length: count }, (_, index) => openWorkerProcess(index + 1, options))
  const stop = async () => {
    await Promise.all(each.map(worker => worker.stop()))
  }
  try {
    const [url = ''] = await Promise.all(each.map(({ started }) => started))
    return {
      url,
      serving: () => each.filter(worker => worker.isServing()).length,
      samples: async () => (await Promise.all(each.map(worker => worker.samples()))).filter(samples => samples !== undefined),
      stop
    }
  } catch (fault) {
    await stop()
    throw fault
  }
}
