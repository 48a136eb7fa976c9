import { OFFLINE_MODEL } from '../ai/embedder/model-input.ts'

/** Weights of similarity beside lexical scores. */
export interface Weights {
  session: number
  passage: number
}

/** For models without measured weights. */
const USUAL: Weights = { session: 11, passage: 2 }
const MEASURED: Record<string, Weights> = { [OFFLINE_MODEL]: { session: 7, passage: 1 } }

export function weightsOf(model: string): Weights {
  return MEASURED[model] ?? USUAL
}
