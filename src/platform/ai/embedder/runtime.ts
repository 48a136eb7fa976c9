export type { InferenceSession } from 'onnxruntime-node'

/**
 * Loads ONNX Runtime with its telemetry off. Otherwise it reports to Microsoft, and writes a device id into the home folder and a log into
 * TMPDIR. It reads the variable when it is first used, from the process: a worker's `process.env` is only a copy. So the main thread
 * loads the library before any worker does.
 */
export async function loadRuntime() {
  process.env.ORT_DISABLE_TELEMETRY = '1'
  return await import('onnxruntime-node')
}
