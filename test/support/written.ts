import { vi } from 'vitest'

/** Returns everything that is written to the console and the standard streams until the work is done, with its result. */
export async function written<T>(work: () => Promise<T>) {
  const output = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).flatMap(stream => [
    vi.spyOn(process[stream], 'write').mockImplementation(text => {
      output[stream] += text
      return true
    }),
    // In a run of the tests, the console does not write to these streams.
    vi.spyOn(console, stream === 'stdout' ? 'log' : 'error').mockImplementation(line => {
      output[stream] += `${line}\n`
    })
  ])
  try {
    const result = await work()
    return { result, ...output }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
