/**
 * The talk of a conversation in equal parts of its time, as pages draw it. A part is the digit of the voice that speaks for the longest in it: its place
 * among `voices`, counted from 1, or 8 for everyone else, or 0 where nobody speaks.
 */
export interface Strip {
  /** The labels of those who speak the most, in that order. */
  voices: string[]
  /** 32 parts, for lists. */
  short: string
  /** 230 parts, for the page of the session. */
  long: string
}
