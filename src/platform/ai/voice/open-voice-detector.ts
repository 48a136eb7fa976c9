import { type Hearing, type VoiceDetector, WINDOW_SAMPLES } from '../../ports/voice-detector.ts'
import { loadRuntime } from '../embedder/runtime.ts'
import { openThread } from '../thread.ts'
import { newMemory } from './silero.ts'
import type { VoiceAnswer, VoiceRequest } from './worker.ts'

/** The samples of a request, a quarter of a minute: the thread takes about 0.2 s, after which another recording or the end of the server has its turn. */
const REQUEST_BYTES = 480 * WINDOW_SAMPLES * 2

/** Hears voices on a thread, which starts with the first recording. A detector that does not work on this machine hears nothing, and nothing is left out. */
export function openVoiceDetector(onError: (error: Error) => void): VoiceDetector {
  const thread = openThread<VoiceRequest, VoiceAnswer>(new URL('./worker.ts', import.meta.url))
  let isBroken = false

  async function start() {
    try {
      await loadRuntime()
    } catch (error) {
      give(error)
    }
  }
  let started: Promise<void> | undefined

  function give(error: unknown) {
    if (!isBroken)
      onError(
        new Error('Voices cannot be heard on this machine, so silence is not left out of recordings', { cause: error })
      )
    isBroken = true
  }

  return {
    listen: () => hearing(),
    close: () => thread.close()
  }

  function hearing(): Hearing {
    const heard: Uint8Array[] = []
    let memory = newMemory()
    let rest: Buffer = Buffer.alloc(0)

    async function ask(bytes: Buffer, signal: AbortSignal) {
      started ??= start()
      await started
      if (isBroken) return
      try {
        const answer = await thread.ask({ samples: toSamples(bytes), memory }, signal)
        memory = answer.memory
        heard.push(answer.heard)
      } catch (error) {
        signal.throwIfAborted()
        give(error)
      }
    }

    return {
      async hear(samples, signal) {
        rest = rest.length === 0 ? samples : Buffer.concat([rest, samples])
        while (rest.length >= REQUEST_BYTES && !isBroken) {
          const next = rest.subarray(0, REQUEST_BYTES)
          rest = rest.subarray(REQUEST_BYTES)
          await ask(next, signal)
        }
        if (isBroken) rest = Buffer.alloc(0)
      },
      async end(signal) {
        const whole = Math.ceil(rest.length / 2 / WINDOW_SAMPLES) * WINDOW_SAMPLES * 2
        if (whole > 0) await ask(Buffer.concat([rest, Buffer.alloc(whole - rest.length)]), signal)
        return isBroken ? undefined : Buffer.concat(heard)
      }
    }
  }
}

/** A copy, because the bytes may begin at an odd place. */
function toSamples(bytes: Buffer) {
  return new Int16Array(new Uint8Array(bytes).buffer)
}
