import { toBundledGraph } from './graph.ts'
import { encodeModel } from './onnx.ts'
import { openSafetensors } from './safetensors.ts'

/** Makes the file of the bundled embedding model from the half-precision weights of its package, in parts. It takes 200 MB of memory. */
export function makeModel(weightsPath: string): Uint8Array[] {
  const weights = openSafetensors(weightsPath)
  const parts = encodeModel(toBundledGraph(weights.numbersOf))
  weights.close()
  return parts
}
