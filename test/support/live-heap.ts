import { once } from 'node:events'
import { type Running, until } from './process.ts'

/** Lets the live heap of a server be measured. Port 0: each of its processes takes a free one. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }

/** Returns a function that collects the garbage of a server that was started with `INSPECTED`, and returns the bytes of its heap that are in use. */
export async function openLiveHeap({ output }: Pick<Running, 'output'>) {
  const address = await until('the inspector listens', () => /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(output.stderr)?.[0])
  const socket = new WebSocket(address)
  await once(socket, 'open')
  let last = 0

  async function ask(method: string): Promise<{ usedSize: number }> {
    const id = ++last
    socket.send(JSON.stringify({ id, method }))
    for (;;) {
      const [{ data }] = await once(socket, 'message')
      const answer = JSON.parse(String(data))
      if (answer.id === id) return answer.result
    }
  }

  return {
    async measure() {
      // What the first collection finalizes, the second one frees.
      for (let turn = 0; turn < 3; turn++) await ask('HeapProfiler.collectGarbage')
      return (await ask('Runtime.getHeapUsage')).usedSize
    },
    close: () => socket.close()
  }
}
