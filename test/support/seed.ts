import fc from 'fast-check'

/** The seed of all generated inputs of this process. FUZZ_SEED repeats a run. */
export const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))

fc.configureGlobal({ seed: SEED })
