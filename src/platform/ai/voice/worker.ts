/** The thread that hears voices. Its memory of a recording comes with each request, so that recordings may take turns. */
import { parentPort } from 'node:worker_threads'
import { serveThread } from '../thread.ts'
import { type Memory, openSilero } from './silero.ts'

export interface VoiceRequest {
  samples: Int16Array
  memory: Memory
}

export interface VoiceAnswer {
  heard: Uint8Array
  memory: Memory
}

let opened: ReturnType<typeof openSilero> | undefined

if (parentPort)
  serveThread<VoiceRequest, VoiceAnswer>(parentPort, async ({ samples, memory }) => {
    opened ??= openSilero()
    return await (await opened)(samples, memory)
  })
