import type { Programs } from '../work/child-program.ts'
import type { VoiceDetector } from './voice-detector.ts'

/** The programs and the folder by which recordings are checked and cut. */
export interface SoundTools extends Programs {
  /** The folder for sound while it is cut. */
  folder: string
  /** Without one, every sound may be speech. */
  voices?: VoiceDetector | undefined
}
