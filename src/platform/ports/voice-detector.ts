/** Hears where somebody speaks. */
export interface VoiceDetector {
  /** Begins to listen to a sound of 16,000 samples a second. */
  listen(): Hearing
  close(): Promise<void>
}

export interface Hearing {
  /** Hears the next samples, 16 bits each. */
  hear(samples: Buffer, signal: AbortSignal): Promise<void>
  /** Ends the sound. Resolves with the probability of a voice in each window, in 0 to 255; undefined if the detector does not work here. */
  end(signal: AbortSignal): Promise<Uint8Array | undefined>
}

/** The samples of a window. */
export const WINDOW_SAMPLES = 512
